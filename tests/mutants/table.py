"""The table of promises, one row each: what breaks it, and which tests must fail then."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLES = Path(__file__).parent / "promises"


class StaleRowError(Exception):
    """A row of the table speaks of what is no longer there."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A promise, and one change of a file that breaks it."""

    promise: str
    file: str  # below the root of the repository
    text: str  # stands in the file exactly once
    instead: str  # what is written in its place
    tests: tuple[str, ...]  # pytest ids; at least one of them fails on the change

    def broken(self, whole: str) -> str:
        """The file with the promise broken.

        >>> Mutant("p", "f.py", "a and b", "a", ()).broken("if a and b:")
        'if a:'

        Raises:
            StaleRowError: the text to replace does not stand in it once.
        """
        found = whole.count(self.text)
        if found != 1:
            raise StaleRowError(
                f"{self.promise!r}: {self.file}: the text to replace stands there {found} times, not once; "
                f"write the row again: {self.text!r}"
            )
        return whole.replace(self.text, self.instead)


def mutants() -> list[Mutant]:
    """Every row of every table."""
    return [
        Mutant(**{**row, "tests": tuple(row["tests"])})
        for table in sorted(TABLES.glob("*.toml"))
        for row in tomllib.loads(table.read_text("utf-8"))["mutant"]
    ]
