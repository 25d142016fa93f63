"""book test: does a lorebook do what is expected of it, and would anybody notice if it did not."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rolememory.cli.bookshelf import FOUND_FAULTS, BookName, Watch, again, book_path, read_file
from rolememory.cli.context import open_role
from rolememory.cli.files import read_text
from rolememory.cli.options import Text, option, whole
from rolememory.cli.output import one_line, out, picked
from rolememory.cli.words import ProcessLanguage, say
from rolememory.errors import InvalidValueError
from rolememory.locales import Listed, translatable

if TYPE_CHECKING:
    from rolememory.authoring.expectation_run import CaseRunner, Failure
    from rolememory.authoring.expectations import ExpectationCase
    from rolememory.authoring.mutation_run import MutationReport, Uncovered


def try_book(
    book: BookName,
    tests: Annotated[
        Text, option("--tests FILE", "the expectations; else those beside the book")
    ] = None,
    role: Annotated[
        Text, option("--role ROLE", "ask this role: its books and memories together")
    ] = None,
    mutate: Annotated[
        bool, option("--mutate -m", "put faults into the book and list those that no test finds")
    ] = False,
    limit: Annotated[
        int | None, option("--limit N", "try at most so many faults", whole(1))
    ] = None,
    at_least: Annotated[
        float, option("--at-least SHARE", "fail below this share of found faults, 0 to 1")
    ] = 0.0,
    watch: Watch = False,
) -> None:
    """Exit code 3 when something fails."""
    from rolememory.authoring.expectations import beside, read_expectations

    if mutate and role is not None:
        raise InvalidValueError("--mutate puts faults into a book alone; leave --role out")
    path = book_path(book)
    sheet = Path(tests) if tests else beside(path)
    good = True

    def once() -> None:
        nonlocal good
        cases = read_expectations(read_text(str(sheet)), str(sheet))
        found = list(_tried(path, cases, role, sheet))
        values, views = _tried_json(path, found), [partial(_show_tried, found)]
        good = not values["failures"]
        if mutate:
            verdict, missing = _mutated(path, cases, limit)
            good = good and verdict.score >= at_least
            values |= _mutated_json(verdict, missing)
            views.append(partial(_show_mutated, verdict, missing))
        if not out.json(values):
            for view in views:
                view()

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
        picked(one, "case turn code name") | {"text": one.text(ProcessLanguage.language)}
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
            out.line(f"    {turn}{one.text(ProcessLanguage.language)}")
    out.say(
        "{count} of {count2} cases hold",
        style="red" if failed else "green",
        count=len(found) - failed,
        count2=len(found),
    )


def _mutated(
    path: Path, cases: "list[ExpectationCase]", limit: int | None
) -> "tuple[MutationReport, Uncovered]":
    from rolememory.authoring.mutation_run import run_mutations, uncovered

    file = read_file(path)
    with out.progress(say("putting faults in")) as progress:
        return run_mutations(file, cases, limit, progress), uncovered(file, cases)


def _mutated_json(verdict: "MutationReport", missing: "Uncovered") -> dict[str, Any]:
    survivors = [
        picked(one, "title field was value") | {"uid": one.entry, "change": one.code}
        for one in verdict.survivors
    ]
    report = picked(verdict, "tried noticed") | {"score": round(verdict.score, 4)}
    return {
        "mutation": {**report, "survivors": survivors},
        "uncovered": picked(missing, "entries keys"),
    }


_CHANGES = translatable(
    {"delete": "deleted", "flip": "flipped", "set": "changed", "empty": "emptied"}, "fault"
)


def _show_mutated(verdict: "MutationReport", missing: "Uncovered") -> None:
    rows = [
        {
            **picked(one, "title field"),
            "change": say(_CHANGES[one.code], msgctxt="fault"),
            "was": one_line(one.was)[:60],
            "value": "" if one.code in ("delete", "empty") else str(one.value),
        }
        for one in verdict.survivors
    ]
    if rows:
        out.say("changes that no case notices:", style="bold")
        columns = {
            "title": say("entry"),
            "field": say("field"),
            "change": say("change"),
            "was": say("was"),
            "value": say("became"),
        }
        out.table(rows, columns)
    for uid in missing.entries:
        out.say("entry {uid} fires in no case", uid=uid)
    for uid, keys in missing.keys.items():
        out.say("entry {uid}: never said: {keys}", uid=uid, keys=Listed(keys))
    share = f"{100 * verdict.score:.1f} %"
    out.say(
        "{noticed} of {tried} faults noticed ({share})",
        share=share,
        **picked(verdict, "noticed tried"),
    )
