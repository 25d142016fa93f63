"""model list, model fetch: the models of meaning. Only here is the hub ever asked."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from rolememory.cli.catalogue import MODELS, Model, known_by
from rolememory.cli.desk import Desk, desk
from rolememory.cli.meaning import look
from rolememory.cli.options import Text, argument, option
from rolememory.cli.out import Column
from rolememory.cli.verbs import TUNE, verb
from rolememory.cli.words import Tongue, both, say, told
from rolememory.errors import ModelError

_LANGUAGES = {"zh": ("Chinese", "中文"), "en": ("English", "英文"), "multi": ("more", "更多")}


@verb(
    "model list",
    TUNE,
    both(
        "the models we recommend, what they know and cost, and the one in use",
        "推荐的模型、懂的语言和开销，以及正在使用的模型",
    ),
)
def model_list() -> None:
    """From our own table; nothing is asked for over the network."""
    from rolememory.text.embed.local import cached, packaged

    here = desk()
    using = look(here.path)
    rows = []
    for model in MODELS:
        present = (bool(model.package) and packaged() is not None) or cached(
            model.repository
        ) is not None
        rows.append(
            {
                "name": model.name, "repository": model.repository, "languages": list(model.languages), "dims": model.dims, "window": model.window,
                "megabytes": model.megabytes, "licence": model.licence, "about": told(model.about), "here": present,
                "in_use": using.works and known_by(using.model) is model, "package": model.package,
            }
        )  # fmt: skip
    if here.out.as_json:
        here.out.data({"in_use": using.as_json(), "models": rows})
        return
    here.out.table([_shown(row) for row in rows], _columns())
    here.out.say(using.text())
    here.out.say(
        say(
            "`rolememory model fetch NAME` fetches one; a folder works too",
            "`rolememory model fetch 名称` 可取得一个；也可以给出本地文件夹",
        )
    )


def _columns() -> list[Column]:
    return [
        Column("mark", ""),
        Column("name", say("name", "名称"), style="cyan"),
        Column("languages", say("languages", "语言")),
        Column("megabytes", "MB", right=True),
        Column("dims", say("dims", "维数"), right=True),
        Column("window", say("tokens", "窗口"), right=True),
        Column("licence", say("licence", "许可")),
        Column("about", say("about", "说明"), fold=3),
    ]


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    mark = "*" if row["in_use"] else "+" if row["here"] else ""
    return row | {"mark": mark, "languages": [say(*_LANGUAGES[one]) for one in row["languages"]]}


Wanted = Annotated[
    str,
    argument(
        "NAME|FOLDER",
        "a name from `model list`, any on the hub, or a folder",
        "`model list` 里的名称、hub 上的任意模型，或本地文件夹",
    ),
]
Mirror = Annotated[
    Text,
    option(
        "--mirror URL",
        "ask this mirror of the hub (or HF_ENDPOINT)",
        "从 hub 的这个镜像下载（或 HF_ENDPOINT）",
    ),
]
To = Annotated[
    Path | None,
    option(
        "--to FOLDER",
        "put its files here; not given: the shared cache, or where they are",
        "存放到这里；不写则放共享缓存，本地文件夹就地使用",
    ),
]


@verb(
    "model fetch",
    TUNE,
    both(
        "fetch a model, check it, and use it in this home", "取得一个模型，检查后在这个记忆库里使用"
    ),
)
def model_fetch(name: Wanted, mirror: Mirror = None, to: To = None) -> None:
    """Nothing is written to the settings unless the model loads."""
    here = desk()
    here.check_home()
    model = known_by(name)
    folder, setting = _obtained(here, name, model, mirror, to)
    found = _checked(here, folder, model)
    _use(here, setting, model)
    _tell(here, setting or "all-MiniLM-L6-v2", folder, found)


def _obtained(
    here: Desk, name: str, model: Model | None, mirror: str | None, to: Path | None
) -> tuple[Path, str]:
    """The model's folder, and what embedding.model has to say for it; empty = the one that is used by itself."""
    from rolememory.cli import fetching

    source = Path(name).expanduser()
    if source.is_dir():
        folder = fetching.copied(source, to) if to else source.resolve()
        return folder, str(folder)
    if model and model.package and to is None and (own := fetching.packaged()):
        return own, ""
    repository = model.repository if model else name
    folder = fetching.downloaded(here, repository, mirror, to)
    return folder, str(folder) if to else repository


def _checked(here: Desk, folder: Path, model: Model | None) -> dict[str, Any]:
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
    with here.out.progress(say("checking that it loads", "检查能否加载")):
        loaded = LocalModel(folder, settings)
        languages = sorted(background(loaded))
    return {"dims": loaded.dim, "languages": languages}


def _refuse_without_library() -> None:
    if find_spec("sentence_transformers") is None:
        install = 'pip install "rolememory[semantic]"'
        raise ModelError(
            f"sentence-transformers is not installed; {install}",
            zh=f"没有安装 sentence-transformers；请运行 {install}",
        )


def _use(here: Desk, setting: str, model: Model | None) -> None:
    """Write the model into the settings of the home; prefixes of the one before go."""
    from rolememory.storage.settings import load_settings
    from rolememory.storage.settings_text import set_value

    wanted = {
        "model": setting,
        "query_prefix": model.query_prefix if model else "",
        "passage_prefix": model.passage_prefix if model else "",
    }
    now = load_settings(here.path).settings.embedding
    for key, value in wanted.items():
        if getattr(now, key) != value:
            set_value(here.path, f"embedding.{key}", value or None)
    if now.backend in ("off", "endpoint"):
        set_value(here.path, "embedding.backend", "auto")


def _tell(here: Desk, name: str, folder: Path, found: dict[str, Any]) -> None:
    if here.out.as_json:
        here.out.data({"model": name, "folder": str(folder), **found})
        return
    names = say(", ", "、").join(say(*_LANGUAGES[one]) for one in found["languages"]) or "-"
    here.out.say(
        say(
            f"{name}: in use; {found['dims']} dimensions, knows {names}",
            f"{name}：已启用；{found['dims']} 维，懂{names}",
        ),
        "bold",
    )
    if Tongue.language == "zh" and "zh" not in found["languages"]:
        here.out.warn(
            "它不懂中文；中文请用 `rolememory model fetch paraphrase-multilingual-MiniLM-L12-v2`"
        )
    here.out.say(
        say(
            "memories are embedded anew at the next recall; nothing else is to be done",
            "下次回忆时会重新计算向量，不用再做别的",
        )
    )
