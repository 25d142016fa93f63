"""model list, model fetch: the models of meaning. Only here is the hub ever asked."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from rolememory.cli.context import check_home, home_path
from rolememory.cli.embedding_status import look
from rolememory.cli.model_catalogue import MODELS, RecommendedModel, known_by
from rolememory.cli.options import Text, argument, option
from rolememory.cli.output import out
from rolememory.cli.words import Tongue, say
from rolememory.errors import ModelError
from rolememory.locales import translatable

_LANGUAGES = translatable({"zh": "Chinese", "en": "English", "multi": "more"})


def model_list() -> None:
    """From our own table; nothing is asked for over the network."""
    from rolememory.text.embed.local import cached, packaged

    using = look(home_path())
    rows = []
    for model in MODELS:
        present = (bool(model.package) and packaged() is not None) or cached(
            model.repository
        ) is not None
        rows.append(
            {
                "name": model.name, "repository": model.repository, "languages": list(model.languages), "dims": model.dims, "window": model.window,
                "megabytes": model.megabytes, "licence": model.licence, "about": say(model.about), "here": present,
                "in_use": using.works and known_by(using.model) is model, "package": model.package,
            }
        )  # fmt: skip
    if out.json({"in_use": using.as_json(), "models": rows}):
        return
    out.table([_shown(row) for row in rows], _columns())
    out.line(using.text())
    out.say("`rolememory model fetch NAME` fetches one; a folder works too")


def _columns() -> dict[str, str]:
    return {
        "mark": "",
        "name": say("name", msgctxt="model"),
        "languages": say("languages"),
        "megabytes": "MB",
        "dims": say("dims"),
        "window": say("tokens"),
        "licence": say("licence"),
        "about": say("about"),
    }


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    mark = "*" if row["in_use"] else "+" if row["here"] else ""
    return row | {"mark": mark, "languages": [say(_LANGUAGES[one]) for one in row["languages"]]}


Wanted = Annotated[
    str,
    argument("NAME|FOLDER", "a name from `model list`, any on the hub, or a folder"),
]
Mirror = Annotated[
    Text,
    option("--mirror URL", "ask this mirror of the hub (or HF_ENDPOINT)"),
]
To = Annotated[
    Path | None,
    option("--to FOLDER", "put its files here; not given: the shared cache, or where they are"),
]


def model_fetch(name: Wanted, mirror: Mirror = None, to: To = None) -> None:
    """Nothing is written to the settings unless the model loads."""
    check_home()
    model = known_by(name)
    folder, setting = _obtained(name, model, mirror, to)
    found = _checked(folder, model)
    _use(setting, model)
    _tell(setting or "all-MiniLM-L6-v2", folder, found)


def _obtained(
    name: str, model: RecommendedModel | None, mirror: str | None, to: Path | None
) -> tuple[Path, str]:
    """The model's folder, and what embedding.model has to say for it; empty = the one that is used by itself."""
    from rolememory.cli import model_download

    source = Path(name).expanduser()
    if source.is_dir():
        folder = model_download.copied(source, to) if to else source.resolve()
        return folder, str(folder)
    if model and model.package and to is None and (own := model_download.packaged()):
        return own, ""
    repository = model.repository if model else name
    folder = model_download.downloaded(repository, mirror, to)
    return folder, str(folder) if to else repository


def _checked(folder: Path, model: RecommendedModel | None) -> dict[str, Any]:
    """What the model can do, by loading it and asking it.

    Raises:
        ModelError: it does not load.
    """
    from rolememory.schema.settings import EmbeddingSettings
    from rolememory.text.embed.base import background
    from rolememory.text.embed.local import LocalModel

    _refuse_without_library()
    settings = EmbeddingSettings(
        query_prefix=model.query_prefix if model else "",
        passage_prefix=model.passage_prefix if model else "",
    )
    with out.progress(say("checking that it loads")):
        loaded = LocalModel(folder, settings)
        languages = sorted(background(loaded))
    return {"dims": loaded.dim, "languages": languages}


def _refuse_without_library() -> None:
    if find_spec("sentence_transformers") is None:
        install = 'pip install "rolememory[semantic]"'
        raise ModelError("sentence-transformers is not installed; {install}", install=install)


def _use(setting: str, model: RecommendedModel | None) -> None:
    """Write the model into the settings of the home; prefixes of the one before go."""
    from rolememory.storage.settings import load_settings
    from rolememory.storage.settings_text import set_value

    wanted = {
        "model": setting,
        "query_prefix": model.query_prefix if model else "",
        "passage_prefix": model.passage_prefix if model else "",
    }
    now = load_settings(home_path()).settings.embedding
    for key, value in wanted.items():
        if getattr(now, key) != value:
            set_value(home_path(), f"embedding.{key}", value or None)
    if now.backend in ("off", "endpoint"):
        set_value(home_path(), "embedding.backend", "auto")


def _tell(name: str, folder: Path, found: dict[str, Any]) -> None:
    if out.json({"model": name, "folder": str(folder), **found}):
        return
    names = (
        say(", ", msgctxt="list").join(say(_LANGUAGES[one]) for one in found["languages"]) or "-"
    )
    out.say(
        "{name}: in use; {dims} dimensions, knows {names}",
        style="bold",
        name=name,
        dims=found["dims"],
        names=names,
    )
    if Tongue.language not in found["languages"]:
        out.warn(
            say(
                "it does not know this language; take {model}",
                model="`rolememory model fetch paraphrase-multilingual-MiniLM-L12-v2`",
            )
        )
    out.say("memories are embedded again at the next recall; nothing else is to be done")
