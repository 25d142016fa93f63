"""book scan, lint, show, test: what fires in a lorebook, what is wrong with it, what is in it, and whether it does what is expected."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.bookshelf import (
    BookName,
    BookNames,
    Watch,
    again,
    book_path,
    read_file,
    settings_of,
)
from rolememory.cli.chats import messages_of
from rolememory.cli.files import read_text
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import Text, UserName, option, whole
from rolememory.cli.output import Row, out, picked, say, told_reason, worded
from rolememory.errors import InvalidValueError
from rolememory.locales import Listed, translatable
from rolememory.schema.lorebook import LoreEntry
from rolememory.schema.role import Character
from rolememory.schema.wording import word_gate

if TYPE_CHECKING:
    from rolememory.authoring.expectation_run import Failure
    from rolememory.authoring.expectations import ExpectationCase
    from rolememory.authoring.lint.finding import WordedFinding
    from rolememory.authoring.scan import Fired, ScanReport, Silent


RulesName = Annotated[Text, option("--rules NAME", "default or sillytavern")]
Everything = Annotated[bool, option("--all -a", "every entry")]

_SOURCES = translatable({
    "description": "the description", "personality": "the personality", "scenario": "the scenario",
    "persona": "the persona", "depth_prompt": "the depth prompt", "creator_notes": "the notes",
    "note": "the author's note", "recursion": "an entry's text",
})  # fmt: skip
_FLAGS = translatable({
    "constant": "constant", "by_meaning": "meaning", "exclude_recursion": "no-recursion-in",
    "prevent_recursion": "no-recursion-out", "ignore_budget": "free", "character_filter": "filter",
}, "mark")  # fmt: skip
_VALUES = translatable({
    "sticky": "sticky", "cooldown": "cooldown", "delay": "delay", "group": "group", "scan_depth": "scan_depth",
    "delay_until_recursion": "level",
}, "mark")  # fmt: skip
translatable(("off", "probability", "and_any", "and_all", "not_any", "not_all"), "mark")
translatable(("error", "warning"))


def scan(
    books: BookNames,
    say_: Annotated[Text, option("--say -s TEXT", "what the user says last; - reads it")] = None,
    chat: Annotated[
        Text,
        option(
            "--chat -c FILE",
            "the messages: JSON, JSON lines, a SillyTavern chat, or lines `Name: text`",
        ),
    ] = None,
    rules: RulesName = None,
    char: Annotated[str, option("--char NAME", "the character's name")] = "",
    user: UserName = None,
    seed: Annotated[int, option("--seed N", "the random seed", whole(0))] = 0,
    everything: Everything = False,
    watch: Watch = False,
) -> None:
    """A preview: no timers, no home needed."""
    if chat is None and say_ is None:
        raise InvalidValueError("no messages; give --say TEXT or --chat FILE")
    paths = [book_path(name) for name in books]
    settings = settings_of(rules)

    def once() -> int:
        from rolememory.authoring.scan import look

        files = [read_file(path) for path in paths]
        card = Character(name=char, user=user or "User")
        messages = messages_of(chat, say_, user)
        report = look(
            [file.book for file in files],
            messages,
            settings=settings,
            card=card,
            chance=seed,
            everything=everything,
        )
        names = [file.name for file in files]
        values = {"books": names, "rules": settings.rules, **_report_json(report)}
        if not out.json(values):
            _show_report(report, values)
        for one in files:
            out.warn(*(Listed((one.name, problem), ": ") for problem in one.book.problems))
        return 0

    again(once, [*paths, *([Path(chat)] if chat and chat != "-" else [])], watch)


def _report_json(report: "ScanReport") -> Row:
    """A scan for scripts."""
    counts = picked(report, "messages passes rolls budget used overflowed quiet notes")
    fired = map(_fired, report.fired)
    silent = map(_silent, report.silent)
    return counts | {"fired": list(fired), "silent": list(silent)}


def _show_report(report: "ScanReport", values: Row) -> None:
    if report.fired:
        out.table(values["fired"], "pass title reason target tokens")
    else:
        out.say("nothing fires")
    if report.silent:
        out.say("kept out:", style="bold")
        out.table(values["silent"], "title gate reason", reason=say("why not"))
    hidden = say("; {quiet} not mentioned (--all shows them)", quiet=report.quiet)
    out.say(
        "{count} of {count2} entries, {used} of {budget} tokens{over}; {passes} {passes:pass|passes}, "
        "{messages} {messages:message|messages}{quiet}",
        count=len(report.fired),
        count2=len(report.fired) + len(report.silent) + report.quiet,
        over=say(", something did not fit") if report.overflowed else "",
        quiet=hidden if report.quiet else "",
        used=report.used,
        budget=report.budget,
        passes=report.passes,
        messages=report.messages,
    )
    out.warn(*report.notes)


def _fired(one: "Fired") -> Row:
    """A row of an activated entry."""
    return picked(one, "id uid title phase tokens target") | {
        "pass": one.in_pass,
        "why": one.why.code,
        "reason": _reason(one),
        "key": one.why.get("key") or None,
        "woken_by": one.woken_by or None,
        "place": one.place and picked(one.place, "source message offset match quote"),
    }


def _reason(one: "Fired") -> str:
    """Why it was activated, with the position of its key."""
    place = one.place
    if place is None:
        return told_reason(one.why)
    if place.in_message and place.offset < 0:
        return say(
            "'{match}', who says message {message}", match=place.match, message=place.message
        )
    if place.in_message:
        at = place.offset + 1
        return say(
            "'{match}' in message {message}, character {at}: {quote}",
            match=place.match,
            message=place.message,
            at=at,
            quote=place.quote,
        )
    if one.woken_by:
        return say(
            "'{match}' in the text of '{woken_by}'", match=place.match, woken_by=one.woken_by
        )
    where = say(_SOURCES.get(place.source, place.source))
    return say("'{match}' in {where}: {quote}", match=place.match, where=where, quote=place.quote)


def _silent(one: "Silent") -> Row:
    """A row of an entry that was not activated."""
    remedy = one.refusal.remedy
    return picked(one, "id uid title") | {
        "gate": one.refusal.gate,
        "reason": word_gate(one.refusal, ProcessLanguage.language),
        "remedy": remedy and picked(remedy, "target field value"),
    }


def lint(books: BookNames, rules: RulesName = None, watch: Watch = False) -> None:
    """Exit code 3 when there are errors."""
    paths = [book_path(name) for name in books]

    def once() -> int:
        rows = [row for path in paths for row in _faults_of(path, rules)]
        return show_faults(rows, several=len(paths) > 1)

    again(once, paths, watch)


def _faults_of(path: Path, rules: str | None) -> list[Row]:
    from rolememory.authoring.lint.check import worded_findings

    return fault_rows(
        path, worded_findings(read_file(path), settings_of(rules), ProcessLanguage.language)
    )


def fault_rows(path: Path, faults: "Iterable[WordedFinding]") -> list[Row]:
    """The faults of a file as rows."""
    columns = "severity code uid title field why write values"
    return [
        {"book": path.name, "level": say(one.severity), **picked(one, columns)} for one in faults
    ]


def show_faults(rows: list[Row], several: bool = False) -> int:
    """Show faults; return the number of errors."""
    errors: int = sum(row["severity"] == "error" for row in rows)
    if out.json(rows):
        return errors
    if not rows:
        out.say("no faults found")
        return 0
    columns = "level title field why write"
    columns = f"book {columns}" if several else columns
    out.table(rows, columns, why=say("what is wrong"))
    warnings = len(rows) - errors
    out.say(
        "{errors} {errors:error|errors}, {warnings} {warnings:warning|warnings}",
        errors=errors,
        warnings=warnings,
    )
    return errors


def show(
    book: BookName, texts: Annotated[bool, option("--texts -t", "with their texts")] = False
) -> None:
    """One row per entry."""
    from rolememory.authoring.books import title
    from rolememory.authoring.lint.subject import Subject
    from rolememory.authoring.scan import target

    file = read_file(book_path(book))
    subject = Subject.of(file)
    rows = [
        {
            "uid": lore.entry.id,
            "title": title(lore.entry),
            **picked(lore.entry, "keys secondary_keys content"),
            "marks": _marks(lore.entry),
            "target": target(lore, subject.rules),
            "order": lore.entry.insertion_order,
            "tokens": subject.costs[lore.entry.id],
        }
        for lore in subject.entries
    ]
    head = {"name": file.name, **picked(file.book, "format description")}
    if out.json({**head, "entries": rows}):
        return
    out.line(f"{file.name}  ({file.book.format}, {len(rows)})", "bold")
    columns = "uid title keys marks target order tokens"
    if texts:
        out.table(rows, f"{columns} content", content=say("text"))
    else:
        out.table(rows, columns)
    out.warn(*file.book.problems)


def _marks(entry: LoreEntry) -> list[str]:
    """An entry's non-default properties, in short."""
    flags = {"off": not entry.enabled}
    flags |= {word: getattr(entry, field) for field, word in _FLAGS.items()}
    values = {word: getattr(entry, field) for field, word in _VALUES.items()}
    if entry.use_probability and entry.probability != 100:
        values["probability"] = entry.probability
    if entry.selective:
        values[entry.selective_logic.value] = "|".join(entry.secondary_keys)
    return [say(word, msgctxt="mark") for word, is_set in flags.items() if is_set] + [
        f"{say(word, msgctxt='mark')} {value}" for word, value in values.items() if value
    ]


def try_book(
    book: BookName,
    tests: Annotated[
        Text, option("--tests FILE", "the expectations; else those beside the book")
    ] = None,
    watch: Watch = False,
) -> None:
    """Exit code 3 when something fails."""
    from rolememory.authoring.expectation_run import check
    from rolememory.authoring.expectations import beside, read_expectations

    path = book_path(book)
    sheet = Path(tests) if tests else beside(path)
    if not sheet.exists():
        raise InvalidValueError(
            "{sheet}: no such file; what the book should do is written there, and `rolememory book new` makes an example",
            sheet=sheet,
        )

    def once() -> int:
        cases = read_expectations(read_text(str(sheet)), str(sheet))
        found = list(check(read_file(path).book, cases, str(sheet)))
        values = _tried_json(path, found)
        if not out.json(values):
            _show_tried(found)
        return len(values["failures"])

    again(once, [path, sheet], watch)


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
