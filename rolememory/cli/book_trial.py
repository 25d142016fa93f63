"""book test: does a lorebook do what is expected of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rolememory.cli.bookshelf import FOUND_FAULTS, BookName, Watch, again, book_path, read_file
from rolememory.cli.context import open_role
from rolememory.cli.files import read_text
from rolememory.cli.options import Text, option
from rolememory.cli.output import out, picked
from rolememory.cli.words import say, worded

if TYPE_CHECKING:
    from rolememory.authoring.expectation_run import CaseRunner, Failure
    from rolememory.authoring.expectations import ExpectationCase


def try_book(
    book: BookName,
    tests: Annotated[
        Text, option("--tests FILE", "the expectations; else those beside the book")
    ] = None,
    role: Annotated[
        Text, option("--role ROLE", "ask this role: its books and memories together")
    ] = None,
    watch: Watch = False,
) -> None:
    """Exit code 3 when something fails."""
    from rolememory.authoring.expectations import beside, read_expectations

    path = book_path(book)
    sheet = Path(tests) if tests else beside(path)
    good = True

    def once() -> None:
        nonlocal good
        cases = read_expectations(read_text(str(sheet)), str(sheet))
        found = list(_tried(path, cases, role, sheet))
        values = _tried_json(path, found)
        good = not values["failures"]
        if not out.json(values):
            _show_tried(found)

    again(once, [path, sheet], watch)
    if not good:
        raise typer.Exit(FOUND_FAULTS)


def _tried(
    path: Path, cases: "list[ExpectationCase]", role: str | None, sheet: Path
) -> "Iterator[tuple[ExpectationCase, list[Failure]]]":
    from rolememory.authoring.expectation_run import BookRunner, check

    file = read_file(path)
    if role is None:
        stage: CaseRunner = BookRunner(file.book)
        yield from check(stage, cases, str(sheet))
        return
    from rolememory.authoring.role_run import RoleRunner

    with open_role(role) as role_memory:
        yield from check(RoleRunner(role_memory, file.book, path.stem), cases, str(sheet))


def _tried_json(path: Path, found: "list[tuple[ExpectationCase, list[Failure]]]") -> dict[str, Any]:
    failures = [
        picked(one, "case turn code name") | {"text": worded(one)}
        for _, failed in found
        for one in failed
    ]
    return {"book": path.name, "cases": len(found), "failures": failures}


def _show_tried(found: "list[tuple[ExpectationCase, list[Failure]]]") -> None:
    failed = 0
    for case, failures in found:
        failed += bool(failures)
        if failures:
            out.line(f"✗ {case.name}", "bold red")
        for one in failures:
            turn = say("turn {turn}: ", turn=one.turn) if len(case.steps) > 1 else ""
            out.line(f"    {turn}{worded(one)}")
    out.say(
        "{count} of {count2} cases hold",
        style="red" if failed else "green",
        count=len(found) - failed,
        count2=len(found),
    )
