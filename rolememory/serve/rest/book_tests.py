"""Scanning, linting and testing of lorebooks."""

from collections import Counter
from pathlib import Path
from typing import Annotated

from fastapi import Query
from pydantic import Field

from rolememory.authoring.expectation_run import check as play
from rolememory.authoring.expectations import beside, read_expectations
from rolememory.authoring.lint import check
from rolememory.authoring.lint.finding import WordedFinding
from rolememory.authoring.scan import MatchPlace, Silent, look
from rolememory.recall.lore.rules import under
from rolememory.schema.role import Character
from rolememory.schema.wording import word_gate
from rolememory.serve.rest.book_folders import BookCall, read
from rolememory.serve.rest.dependencies import IfMatch, router, tag
from rolememory.serve.rest.reader import reader
from rolememory.serve.rest.reasons import change_out, why
from rolememory.serve.rest.recall import raw_message
from rolememory.serve.rest.schemas import ChangeOut, In, Name, Out, Translated, Why
from rolememory.serve.rest.turn_schemas import Messages
from rolememory.storage.files.space import FileSpace
from rolememory.storage.port import rewrite

routes = router("books", under="/books/{shelf}/{book}")
MOST_TEXT = 500_000
Rules = Annotated[
    str | None,
    Query(max_length=40, description="default or sillytavern; by default as in the settings"),
]


class FindingsOut(Out):
    """Lint findings, most severe first."""

    items: list[WordedFinding]
    errors: int
    warnings: int


class ScanIn(In):
    """A chat to scan."""

    messages: Messages
    rules: Name | None = None
    character: Character | None = None
    seed: int = Field(0, ge=0, le=2**31)
    trigger: Name = "normal"
    everything: bool = False
    """also explain entries whose keys were not found"""


class FiredOut(Out):
    """An activated entry."""

    uid: str
    title: str
    in_pass: int
    phase: str
    why: Why
    place: MatchPlace | None
    woken_by: str
    tokens: int
    target: str
    content: str


class SilentOut(Out):
    """An entry that was not activated."""

    uid: str
    title: str
    gate: str
    text: str
    remedy: ChangeOut | None


class ScanOut(Out):
    """The result of a scan."""

    fired: list[FiredOut]
    silent: list[SilentOut]
    quiet: int
    budget: int
    used: int
    overflowed: bool
    passes: int
    rolls: int
    notes: list[Translated]


class TestsOut(Out):
    """The expectations beside a book."""

    text: str
    cases: int
    etag: str


class TestsIn(In):
    """Expectations as TOML; see docs/en/lorebooks.md."""

    text: str = Field(max_length=MOST_TEXT)


class RunIn(In):
    """The expectations to run; without a text those stored beside the book."""

    text: str | None = Field(None, max_length=MOST_TEXT)


class CaseOut(Out):
    """A case with its failures."""

    name: str
    passed: bool
    failures: list[Translated]


class RunOut(Out):
    """The results of all cases."""

    cases: list[CaseOut]
    passed: int
    failed: int


@routes.get("/lint")
def lint(call: BookCall, rules: Rules = None) -> FindingsOut:
    """All lint findings on the book, each with a suggested fix."""
    file = read(call.path)
    items = check.worded_findings(file, under(rules, call.shelf.settings), call.language)
    of = Counter(one.severity for one in items)
    return FindingsOut(items=items, errors=of["error"], warnings=of["warning"])


@routes.post("/scan")
def scan(call: BookCall, given: ScanIn) -> ScanOut:
    """Which entries these messages activate: by which key, where, at what cost. Timers are not stored."""
    report = look(
        [read(call.path).book],
        [raw_message(one) for one in given.messages],
        settings=under(given.rules, call.shelf.settings),
        card=given.character,
        trigger=given.trigger,
        chance=given.seed,
        everything=given.everything,
    )
    return ScanOut.from_value(
        report,
        fired=[FiredOut.from_value(one, why=why("lore", one.why)) for one in report.fired],
        silent=list(map(_silent_out, report.silent)),
    )


@routes.get("/tests")
def tests(call: BookCall) -> TestsOut:
    """The expectations beside the book."""
    return call.tagged(_tests_out(call.path))


@routes.put("/tests")
def write_tests(call: BookCall, given: TestsIn, if_match: IfMatch) -> TestsOut:
    """Write the expectations. Invalid ones are refused with their position."""
    path = beside(call.path)
    with call.alone(f"book {path}"):
        if_match.check(lambda: _tests_out(call.path))
        read_expectations(given.text, path.name)
        rewrite(FileSpace(path.parent), path.name, given.text.encode())
    return tests(call)


@routes.post("/tests/run")
def run_tests(call: BookCall, given: RunIn | None = None) -> RunOut:
    """Run every case and return the failures with their reasons."""
    sheet = beside(call.path).name
    text = given.text if given else None
    text = _text_beside(call.path) if text is None else text
    played = play(read(call.path).book, read_expectations(text, sheet), sheet)
    found = [
        CaseOut.from_value(case, passed=not failures, failures=failures)
        for case, failures in played
    ]
    passed = sum(one.passed for one in found)
    return RunOut(cases=found, passed=passed, failed=len(found) - passed)


def _tests_out(book: Path) -> TestsOut:
    text = _text_beside(book)
    return TestsOut(text=text, cases=text.count("[[case]]"), etag=tag(text))


def _text_beside(book: Path) -> str:
    path = beside(book)
    return path.read_text("utf-8", "replace") if path.is_file() else ""


def _silent_out(one: Silent) -> SilentOut:
    refusal = one.refusal
    text = word_gate(refusal, reader().language)
    return SilentOut.from_value(one, gate=refusal.gate, text=text, remedy=change_out(refusal))
