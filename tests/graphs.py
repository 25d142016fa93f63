"""A home whose model was exported by the command, once per session; needs the extras semantic, onnx and offline."""

import contextlib
import io
import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

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


def exported(factory: pytest.TempPathFactory, *options: str) -> tuple[Path, list[str]]:
    """A home with the graph of the packaged model, and what the command said on its way; all workers share one."""
    folder = factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    home = folder / "-".join(["graph", *options])
    told = home.with_suffix(".txt")  # written last
    with FileLock(home.with_suffix(".lock")):
        if not told.exists():
            told.write_text(_export(home, *options), "utf-8")
    return home, told.read_text("utf-8").splitlines()


def _export(home: Path, *options: str) -> str:
    init(home, "en")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = run(["--home", str(home), "--lang", "zh", "model", "export", *options])
    assert code == 0
    return said.getvalue()


def of_session(factory: pytest.TempPathFactory, *options: str) -> Path:
    """The one that all tests of a session share: look at it, change nothing."""
    return exported(factory, *options)[0]


def manifest(graph: Path) -> dict[str, Any]:
    """What stands in a graph's manifest."""
    read: dict[str, Any] = json.loads((graph / "manifest.json").read_text("utf-8"))
    return read
