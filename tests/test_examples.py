"""Every script of examples/ prints what stands beside it; `pytest --update-golden` writes it again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rolememory.cards.book import read_book
from tests.paths import ROOT

EXAMPLES = ROOT / "examples"
SCRIPTS = sorted(EXAMPLES.glob("[0-9]*.py"))


@pytest.fixture(scope="session")
def moon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the third-party strategy as pip installs it, entry point and all."""
    target = tmp_path_factory.mktemp("installed")
    options = "--quiet --no-deps --no-index --no-build-isolation --no-compile --disable-pip-version-check --target".split()
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, target, EXAMPLES / "strategy_package"],
        check=True,
    )
    assert list(target.glob("rolememory_moon-*.dist-info/entry_points.txt"))
    return target


def printed(script: Path, moon: Path) -> str:
    """What a script prints, run as a reader would, in a folder of its own."""
    environment = os.environ | {
        "PYTHONPATH": f"{moon}{os.pathsep}{ROOT}",
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "error",
    }
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        cwd=moon,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_prints_what_stands_beside_it(
    script: Path, moon: Path, request: pytest.FixtureRequest
) -> None:
    recorded = script.with_suffix(".out")
    told = printed(script, moon)
    if request.config.getoption("--update-golden"):
        recorded.write_text(told, encoding="utf-8", newline="\n")
    assert told == recorded.read_text(encoding="utf-8")


def test_no_output_without_its_script() -> None:
    assert {file.stem for file in EXAMPLES.glob("*.out")} == {script.stem for script in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_numbers_have_no_gap(script: Path) -> None:
    assert int(script.stem[:2]) == SCRIPTS.index(script) + 1


@pytest.mark.parametrize(
    "file",
    sorted((ROOT / "worldbook_rules" / "worldbooks").glob("*.json")),
    ids=lambda file: file.stem,
)
def test_a_shipped_book_is_whole(file: Path) -> None:
    book = read_book(json.loads(file.read_text(encoding="utf-8")), file.stem)
    assert book.format == "sillytavern"
    assert book.problems == ()
    assert all(entry.content and (entry.keys or entry.constant) for entry in book.entries)
    assert {"sticky", "cooldown", "group", "secondary_keys", "delay_until_recursion"} <= {
        name
        for entry in book.entries
        for name in type(entry).model_fields
        if getattr(entry, name) != type(entry).model_fields[name].default
    }
