"""What fires in a book, what is wrong with it, and whether it does what is expected of it."""

from typing import Annotated

from fastapi import Query, Response
from pydantic import Field

from rolememory.authoring.expectation_run import BookRunner
from rolememory.authoring.expectation_run import check as play
from rolememory.authoring.expectations import ExpectationCase, beside, read_expectations
from rolememory.authoring.lint.check import check
from rolememory.authoring.scan import Fired, Silent, look
from rolememory.schema.scene import Language
from rolememory.schema.wording import word_gate
from rolememory.serve.rest.book_folders import BookFolder, BookName, TheShelf, read, ruled
from rolememory.serve.rest.book_schemas import FindingOut, finding_out
from rolememory.serve.rest.dependencies import (
    Alone,
    AppStateDep,
    IfMatch,
    LanguageDep,
    router,
    seen,
    tag,
)
from rolememory.serve.rest.error_responses import clean, private
from rolememory.serve.rest.reasons import change_out, why
from rolememory.serve.rest.recall import raw_message
from rolememory.serve.rest.schemas import ChangeOut, In, Name, Out, Why
from rolememory.serve.rest.turn_schemas import CharacterIn, Messages
from rolememory.storage.files.space import FileSpace
from rolememory.storage.port import rewrite

trials = router("books", under="/books/{shelf}/{book}")
MOST_TEXT = 500_000
Rules = Annotated[
    str | None, Query(max_length=40, description="default or sillytavern; else as the settings say")
]


class FindingsOut(Out):
    """Every fault, the worst first."""

    items: list[FindingOut]
    errors: int
    warnings: int
    notes: int


class ScanIn(In):
    """A chat to scan."""

    messages: Messages
    rules: Name | None = None
    character: CharacterIn | None = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0
    trigger: Name = "normal"
    everything: bool = Field(False, description="also explain entries that nobody spoke of")


class PlaceOut(Out):
    """Where the text that woke an entry stands."""

    source: str
    message: int = Field(description="from 1; 0 = no message")
    offset: int
    match: str
    quote: str


class FiredOut(Out):
    """An entry that came into the prompt."""

    uid: str
    title: str
    in_pass: int
    phase: str
    why: Why
    place: PlaceOut | None
    woken_by: str
    tokens: int
    target: str
    content: str


class SilentOut(Out):
    """An entry that did not."""

    uid: str
    title: str
    gate: str
    text: str
    remedy: ChangeOut | None


class ScanOut(Out):
    """A scan, told."""

    fired: list[FiredOut]
    silent: list[SilentOut]
    quiet: int
    budget: int
    used: int
    overflowed: bool
    passes: int
    rolls: int
    notes: list[str]


class TestsOut(Out):
    """The expectations beside a book."""

    text: str
    cases: int
    etag: str


class TestsIn(In):
    """Expectations as TOML; see docs/en/lorebooks.md."""

    text: Annotated[str, Field(max_length=MOST_TEXT)]


class RunIn(In):
    """Which expectations; without a text those beside the book."""

    text: Annotated[str, Field(max_length=MOST_TEXT)] | None = None


class CaseOut(Out):
    """A case and what failed in it."""

    name: str
    passed: bool
    failures: list[str]


class RunOut(Out):
    """Every case."""

    cases: list[CaseOut]
    passed: int
    failed: int


@trials.get("/lint")
def lint(
    shelf: TheShelf, book: BookName, language: LanguageDep, rules: Rules = None
) -> FindingsOut:
    """Everything that is wrong with the book, and what to write instead."""
    _, file = read(shelf.file(book))
    found = [
        finding_out(one, file.book.format, language)
        for one in check(file, ruled(shelf.settings, rules))
    ]
    counted = {
        level: sum(one.severity == level for one in found) for level in ("error", "warning", "note")
    }
    return FindingsOut(
        items=found, errors=counted["error"], warnings=counted["warning"], notes=counted["note"]
    )


@trials.post("/scan")
def scan(
    app_state: AppStateDep, shelf: TheShelf, book: BookName, language: LanguageDep, given: ScanIn
) -> ScanOut:
    """What fires at these messages: by which key, where, at what cost. No timers are kept."""
    _, file = read(shelf.file(book))
    report = look(
        [file.book],
        [raw_message(one) for one in given.messages],
        settings=ruled(shelf.settings, given.rules),
        card=given.character.card() if given.character else None,
        trigger=given.trigger,
        chance=given.seed,
        everything=given.everything,
    )
    return ScanOut(
        fired=[_fired_out(one, language) for one in report.fired],
        silent=[_silent_out(one, language) for one in report.silent],
        quiet=report.quiet,
        budget=report.budget,
        used=report.used,
        overflowed=report.overflowed,
        passes=report.passes,
        rolls=report.rolls,
        notes=[private(note, app_state) for note in report.notes],
    )


@trials.get("/tests")
def tests(response: Response, shelf: TheShelf, book: BookName) -> TestsOut:
    """The expectations beside the book."""
    shown = _tests_out(shelf, book)
    response.headers["etag"] = shown.etag
    return shown


@trials.put("/tests")
def write_tests(
    response: Response,
    shelf: TheShelf,
    book: BookName,
    alone: Alone,
    given: TestsIn,
    if_match: IfMatch = None,
) -> TestsOut:
    """Write them; what cannot be read is refused with its place."""
    path = beside(shelf.file(book))
    with alone.through(f"book {path}"):
        now = _tests_out(shelf, book)
        seen(if_match, now.etag, lambda: now.model_dump(mode="json"))
        read_expectations(given.text, path.name)
        rewrite(FileSpace(path.parent), path.name, given.text.encode())
    shown = _tests_out(shelf, book)
    response.headers["etag"] = shown.etag
    return shown


@trials.post("/tests/run")
def run_tests(
    shelf: TheShelf, book: BookName, language: LanguageDep, given: RunIn | None = None
) -> RunOut:
    """Play every case and tell what failed, and why."""
    path = shelf.file(book)
    _, file = read(path)
    found = [
        CaseOut(
            name=case.name,
            passed=not failures,
            failures=[clean(one.text(language)) for one in failures],
        )
        for case, failures in play(
            BookRunner(file.book), _cases(shelf, book, given), beside(path).name
        )
    ]
    passed = sum(one.passed for one in found)
    return RunOut(cases=found, passed=passed, failed=len(found) - passed)


def _tests_out(shelf: BookFolder, book: str) -> TestsOut:
    path = beside(shelf.file(book))
    text = path.read_text("utf-8", "replace") if path.is_file() else ""
    return TestsOut(text=text, cases=text.count("[[case]]"), etag=tag(text))


def _cases(shelf: BookFolder, book: str, given: RunIn | None) -> list[ExpectationCase]:
    """The cases to play. Raises: FileError; there are none beside the book."""
    path = beside(shelf.file(book))
    text = (
        given.text
        if given and given.text is not None
        else path.read_text("utf-8", "replace")
        if path.is_file()
        else ""
    )
    return read_expectations(text, path.name)


def _fired_out(one: Fired, language: Language) -> FiredOut:
    place = one.place
    return FiredOut(
        uid=clean(one.uid),
        title=clean(one.title),
        in_pass=one.in_pass,
        phase=one.phase,
        why=why("lore", one.why, language),
        place=PlaceOut(
            source=place.source,
            message=place.message,
            offset=place.offset,
            match=clean(place.match),
            quote=clean(place.quote),
        )
        if place
        else None,
        woken_by=clean(one.woken_by),
        tokens=one.tokens,
        target=one.target,
        content=clean(one.content),
    )


def _silent_out(one: Silent, language: Language) -> SilentOut:
    return SilentOut(
        uid=clean(one.uid),
        title=clean(one.title),
        gate=one.refusal.gate,
        text=clean(word_gate(one.refusal, language)),
        remedy=change_out(one.refusal, language),
    )
