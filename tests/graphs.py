"""A home whose model was exported by the command, once per session; needs the extras semantic, onnx and offline."""

import contextlib
import io
import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from rolememory.cli.app import run
from rolememory.storage.home import init
from rolememory.text.embed.local import packaged

NEEDED = ("sentence_transformers", "onnx", "onnxruntime", "tokenizers")
needs_tools = [
    pytest.mark.slow,
    pytest.mark.skipif(
        packaged() is None or not all(map(find_spec, NEEDED)),
        reason="the extras semantic, onnx and offline are not installed",
    ),
    pytest.mark.filterwarnings("default"),  # torch and transformers warn about themselves
]


@cache
def exported(folder: Path, *options: str) -> tuple[Path, list[str]]:
    """A fresh home in `folder` with the graph of the packaged model, and what the command said on its way."""
    home = folder / "-".join(["home", *options])
    init(home, "en")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = run(["--home", str(home), "--lang", "zh", "model", "export", *options])
    assert code == 0
    return home, said.getvalue().splitlines()


def of_session(factory: pytest.TempPathFactory, *options: str) -> Path:
    """The one that all tests of a session share: look at it, change nothing."""
    return exported(factory.getbasetemp(), *options)[0]


def manifest(graph: Path) -> dict[str, Any]:
    """What stands in a graph's manifest."""
    read: dict[str, Any] = json.loads((graph / "manifest.json").read_text("utf-8"))
    return read
