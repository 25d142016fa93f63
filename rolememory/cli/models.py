"""model list, fetch, export: embedding models. Only here is the hub contacted."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from rolememory.cli.context import check_home, home_path
from rolememory.cli.embedding_status import LANGUAGES, MULTILINGUAL, look
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import Text, argument, option
from rolememory.cli.output import Row, out, picked, say
from rolememory.errors import ModelError
from rolememory.text.embed.catalogue import MODELS, RecommendedModel, known_by


def model_list() -> None:
    """From our own table; nothing is asked for over the network."""
    using = look(home_path())
    rows = [
        picked(model, "name repository languages dims window megabytes licence package here")
        | {"about": say(model.about)}
        | {"in_use": using.works and known_by(using.model) is model}
        for model in MODELS
    ]
    if out.json({"in_use": using.as_json(), "models": rows}):
        return
    marked = {"*": "in_use", "+": "here"}
    shown = [
        row
        | {"mark": next((mark for mark, key in marked.items() if row[key]), "")}
        | {"languages": [say(LANGUAGES[one]) for one in row["languages"]]}
        for row in rows
    ]
    columns = "mark name languages megabytes dims window licence about"
    out.table(shown, columns, mark="", megabytes="MB", name=say("name", msgctxt="model"))
    out.line(using.text())
    out.say("`rolememory model fetch NAME` fetches one; a folder works too")


def model_fetch(
    name: Annotated[
        str, argument("NAME|FOLDER", "a name from `model list`, any on the hub, or a folder")
    ],
    mirror: Annotated[
        Text, option("--mirror URL", "ask this mirror of the hub (or HF_ENDPOINT)")
    ] = None,
    to: Annotated[
        Path | None,
        option("--to FOLDER", "download to this folder; otherwise to the shared cache"),
    ] = None,
) -> None:
    """Nothing is written to the settings unless the model loads."""
    check_home()
    model = known_by(name)
    folder, setting = _obtained(name, model, mirror, to)
    found = _checked(folder, model)
    _use(setting, model)
    _tell(setting or "all-MiniLM-L6-v2", folder, found)


def model_export(
    int8: Annotated[
        bool, option("--int8", "weights in 8 bits: a quarter of the size, a little less exact")
    ] = False,
    remove: Annotated[
        bool, option("--remove", "delete the export; the original is used again")
    ] = False,
) -> None:
    """Nothing is put in place that differs more from the original than it may."""
    check_home()
    from rolememory.cli import model_export as graph

    if remove:
        graph.remove(home_path())
    else:
        graph.export(home_path(), "int8" if int8 else "float32")


def _obtained(
    name: str, model: RecommendedModel | None, mirror: str | None, to: Path | None
) -> tuple[Path, str]:
    """The model's folder, and the value for embedding.model; empty = the default one."""
    from rolememory.cli import model_download
    from rolememory.text.embed.local import packaged

    source = Path(name).expanduser()
    if to is None and source.is_dir():
        return source.resolve(), str(source.resolve())
    if model and model.package and to is None and (own := packaged()):
        return own, ""
    repository = model.repository if model else name
    folder = model_download.downloaded(repository, mirror, to)
    return folder, str(folder) if to else repository


def _checked(folder: Path, model: RecommendedModel | None) -> Row:
    """The model's properties, by loading and running it.

    Raises:
        ModelError: it does not load.
    """
    from rolememory.schema.settings import EmbeddingSettings
    from rolememory.text.embed.base import background
    from rolememory.text.embed.local import LocalModel

    if find_spec("sentence_transformers") is None:
        install = 'pip install "rolememory[semantic]"'
        raise ModelError("sentence-transformers is not installed; {install}", install=install)
    settings = EmbeddingSettings(**_prefixes(model))
    with out.progress(say("checking that it loads")):
        loaded = LocalModel(folder, settings)
        languages = sorted(background(loaded))
    return {"dims": loaded.dim, "languages": languages}


def _prefixes(model: RecommendedModel | None) -> dict[str, str]:
    """The prefixes of texts for this model, by setting."""
    names = "query_prefix passage_prefix"
    return picked(model, names) if model else dict.fromkeys(names.split(), "")


def _use(setting: str, model: RecommendedModel | None) -> None:
    """Write the model into the home's settings; prefixes of the previous one are removed."""
    from rolememory.storage.settings import load_settings
    from rolememory.storage.settings_text import set_value

    now = load_settings(home_path()).settings.embedding
    for key, value in {"model": setting, **_prefixes(model)}.items():
        if getattr(now, key) != value:
            set_value(home_path(), f"embedding.{key}", value or None)
    if now.backend in ("off", "endpoint"):
        set_value(home_path(), "embedding.backend", "auto")


def _tell(name: str, folder: Path, found: Row) -> None:
    if out.json({"model": name, "folder": str(folder), **found}):
        return
    names = say(", ", msgctxt="list").join(say(LANGUAGES[one]) for one in found["languages"])
    out.say(
        "{name}: in use; {dims} dimensions, knows {names}",
        style="bold",
        name=name,
        dims=found["dims"],
        names=names or "-",
    )
    if ProcessLanguage.language not in found["languages"]:
        out.warn(
            say(
                "it does not know this language; take {model}",
                model=f"`rolememory model fetch {MULTILINGUAL}`",
            )
        )
    out.say("memories are embedded again at the next recall; nothing else is to be done")
