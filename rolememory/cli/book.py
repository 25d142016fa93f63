"""book scan, lint, show: what fires in a lorebook, what is wrong with it, what is in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rolememory.cli import bookshelf
from rolememory.cli.bookshelf import (
    FOUND_FAULTS,
    BookName,
    BookNames,
    Watch,
    again,
    book_path,
    chat_of,
    read_file,
    settings_of,
)
from rolememory.cli.options import Text, UserName, option
from rolememory.cli.output import out
from rolememory.cli.words import say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from rolememory.authoring.scan import ScanReport

RulesName = Annotated[Text, option("--rules NAME", "default or sillytavern")]
Everything = Annotated[bool, option("--all -a", "every entry, and notes too")]


def scan(
    books: BookNames,
    say_: Annotated[
        Text,
        option("--say -s TEXT", "what the user says last; - reads it"),
    ] = None,
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
    seed: Annotated[int, option("--seed N", "the seed of chance")] = 0,
    everything: Everything = False,
    watch: Watch = False,
) -> None:
    """A preview: no timers, no home needed."""
    if chat is None and say_ is None:
        raise InvalidValueError("no messages; give --say TEXT or --chat FILE")
    paths = [book_path(name) for name in books]
    settings = settings_of(rules)

    def once() -> None:
        from rolememory.authoring.scan import look
        from rolememory.schema.role import Character

        files = [read_file(path) for path in paths]
        card = Character(name=char, user=user or "User")
        messages = chat_of(chat, say_, user)
        report = look(
            [file.book for file in files],
            messages,
            settings=settings,
            card=card,
            chance=seed,
            everything=everything,
        )
        names = [file.name for file in files]
        if not out.json(bookshelf.report_json(report, names, settings.rules)):
            _show_report(report)
        for file in files:
            for problem in file.book.problems:
                out.warn(f"{file.name}: {problem}")

    again(once, [*paths, *([Path(chat)] if chat and chat != "-" else [])], watch)


def _show_report(report: "ScanReport") -> None:
    if report.fired:
        out.table([bookshelf.fired_row(one) for one in report.fired], bookshelf.fired_columns())
    else:
        out.say("nothing fires")
    if report.silent:
        out.say("kept out:", style="bold")
        out.table([bookshelf.silent_row(one) for one in report.silent], bookshelf.silent_columns())
    over = say(", something did not fit") if report.overflowed else ""
    quiet = (
        say("; {quiet} not spoken of (--all shows them)", quiet=report.quiet)
        if report.quiet
        else ""
    )
    out.say(
        "{count} of {count2} entries, {used} of {budget} tokens{over}; {many}, {many2}{quiet}",
        count=len(report.fired),
        count2=len(report.fired) + len(report.silent) + report.quiet,
        used=report.used,
        budget=report.budget,
        over=over,
        many=bookshelf.many(report.passes, "pass", "es"),
        many2=bookshelf.many(report.messages, "message"),
        quiet=quiet,
        passes=report.passes,
        messages=report.messages,
    )
    for note in report.notes:
        out.warn(note)


def lint(
    books: BookNames, rules: RulesName = None, everything: Everything = False, watch: Watch = False
) -> None:
    """Exit code 3 when there are errors."""
    paths = [book_path(name) for name in books]
    settings = settings_of(rules)
    errors = 0

    def once() -> None:
        nonlocal errors
        from rolememory.authoring.lint.check import check

        files = [(path, read_file(path)) for path in paths]
        rows = [
            row
            for path, file in files
            for row in bookshelf.lint_rows(path, check(file, settings), file.book.format)
        ]
        errors = sum(row["severity"] == "error" for row in rows)
        shown = [row for row in rows if everything or row["severity"] != "note"]
        if out.json(shown):
            return
        if shown:
            out.table(shown, bookshelf.lint_columns(several=len(paths) > 1))
        out.line(bookshelf.counted(rows, hidden=len(rows) - len(shown)))

    again(once, paths, watch)
    if errors:
        raise typer.Exit(FOUND_FAULTS)


def show(
    book: BookName,
    texts: Annotated[bool, option("--texts -t", "with their texts")] = False,
) -> None:
    """One row per entry."""
    file = read_file(book_path(book))
    rows = bookshelf.entry_rows(file)
    if out.json(
        {
            "name": file.name,
            "format": file.book.format,
            "description": file.book.description,
            "entries": rows,
        }
    ):
        return
    out.line(f"{file.name}  ({file.book.format}, {len(rows)})", "bold")
    columns = bookshelf.entry_columns()
    out.table(rows, {**columns, "content": say("text")} if texts else columns)
    for problem in file.book.problems:
        out.warn(problem)
