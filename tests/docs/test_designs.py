"""Every requirement has one row, and what the row names is there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from tests.paths import ROOT

LAST = {"S0": 29, "S1": 48, "S2": 31, "S3": 36, "S4": 37, "N": 20}
NUMBERS = [
    f"{design}.{number}" for design, last in LAST.items() for number in range(1, last + 1)
] + [f"P{n}" for n in range(1, 22)]
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Row:
    number: str
    what: str
    where: str
    shown: str


def rows() -> list[Row]:
    lines = (ROOT / "docs" / "designs.md").read_text(encoding="utf-8").splitlines()
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if re.match(r"\| (?:[SP]\d|N\.)", line)
    ]
    return [Row(*row) for row in cells]


ROWS = rows()


@cache
def functions(path: str) -> frozenset[str]:
    """The tests that a file defines."""
    return frozenset(
        re.findall(
            r"^ *(?:async )?def (test_\w+)",
            (ROOT / "tests" / path).read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )


def named(text: str) -> Iterator[str]:
    """What a cell names in code, places and tests alike."""
    yield from (
        found
        for found in _CODE.findall(text)
        if "/" in found or found.endswith((".py", ".toml")) or "::" in found
    )


def test_every_number_has_exactly_one_row_in_order() -> None:
    assert [row.number for row in ROWS] == NUMBERS


def missing(row: Row) -> Iterator[str]:
    """What a row names and is not there."""
    for place in named(row.where):
        if not ((ROOT / "rolememory" / place).exists() or (ROOT / place).exists()):
            yield place
    for test in named(row.shown):
        path, _, name = test.partition("::")
        if not (ROOT / "tests" / path).is_file() or (name and name not in functions(path)):
            yield f"tests/{test}"


def test_what_a_row_names_is_there() -> None:
    assert {row.number: found for row in ROWS if (found := list(missing(row)))} == {}


def is_open(row: Row) -> bool:
    """Whether a row says that something is missing."""
    return "later: " in row.shown or row.shown.startswith("none: ")


def test_a_row_shows_something_or_says_what_is_missing() -> None:
    assert [row.number for row in ROWS if not row.what] == []
    shown = [one for one in ROWS if not list(named(one.shown)) and "python -m" not in one.shown]
    assert [row.number for row in shown if not is_open(row)] == []
    assert [row.number for row in ROWS if not row.where and not is_open(row)] == [], "live nowhere"


@pytest.mark.parametrize(
    "command",
    sorted(
        {
            found
            for row in ROWS
            for found in _CODE.findall(row.shown)
            if found.startswith("python -m ")
        }
    ),
)
def test_commands_are_modules_that_are_there(command: str) -> None:
    assert (ROOT / (command.split()[2].replace(".", "/") + ".py")).is_file()
