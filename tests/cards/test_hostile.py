"""P16: importing is inert. Every hostile file is refused with file and reason, in time and memory; nothing is written, no socket opened."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rolememory.cards import limits
from rolememory.cards.base import load
from rolememory.errors import FileError
from tests.paths import ROOT


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Every hostile file read in one process of its own, in an empty folder, without sockets; what is left there is told last.

    Large blocks go back to the system when they are freed, so that the peak is what was held and no chance of the heap.
    """
    folder = tmp_path_factory.mktemp("empty")
    done = subprocess.run(
        [sys.executable, "-m", "tests.cards.hostile"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "MALLOC_MMAP_THRESHOLD_": "131072"},
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [*rows, {"left": [str(path) for path in folder.rglob("*")]}]


def test_every_file_is_refused_or_read_as_it_should(judged: list[dict[str, Any]]) -> None:
    cases = [row for row in judged if "id" in row]
    assert len([row for row in cases if row["wanted"] == "refused"]) >= 150
    assert [row for row in cases if row["outcome"] != row["wanted"]] == []


def test_every_refusal_is_one_line_with_the_file(judged: list[dict[str, Any]]) -> None:
    told = [row["told"] for row in judged if row.get("outcome") == "refused"]
    assert [
        one for one in told if not one.startswith("strange.file:") or "\n" in one or len(one) > 300
    ] == []


def test_none_takes_long_and_none_takes_much(judged: list[dict[str, Any]]) -> None:
    """Measured against a large card that means no harm, in the same process: a slow machine is slow for both."""
    honest_s = next(row["honest_s"] for row in judged if "honest_s" in row)
    assert [row for row in judged if row.get("cpu_s", 0) > 2 * honest_s] == []
    assert next(row["peak_mb"] for row in judged if "peak_mb" in row) < 256


def test_nothing_is_written_beside(judged: list[dict[str, Any]]) -> None:
    assert judged[-1] == {"left": []}


def test_a_file_is_not_read_beyond_its_cap(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(limits.FILE + 10)
    with pytest.raises(FileError, match=r"large\.json: the file has more than 128 MB"):
        load(path)


@pytest.mark.parametrize("name", ["", "missing.png"])
def test_what_is_no_file_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match="is not a file"):
        load(tmp_path / name)
