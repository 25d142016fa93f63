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
from rolememory.cli.context import CommandContext, desk
from rolememory.cli.options import Text, UserName, option
from rolememory.cli.output import TableColumn
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
    here = desk()
    if chat is None and say_ is None:
        raise InvalidValueError("no messages; give --say TEXT or --chat FILE")
    paths = [book_path(here, name) for name in books]
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
        if here.out.as_json:
            here.out.data(bookshelf.report_json(report, names, settings.rules))
        else:
            _show_report(here, report)
        for file in files:
            for problem in file.book.problems:
                here.out.warn(f"{file.name}: {problem}")

    again(here, once, [*paths, *([Path(chat)] if chat and chat != "-" else [])], watch)


def _show_report(here: CommandContext, report: "ScanReport") -> None:
    if report.fired:
        here.out.table(
            [bookshelf.fired_row(one) for one in report.fired], bookshelf.fired_columns()
        )
    else:
        here.out.say(say("nothing fires"))
    if report.silent:
        here.out.say(say("kept out:"), "bold")
        here.out.table(
            [bookshelf.silent_row(one) for one in report.silent], bookshelf.silent_columns()
        )
    over = say(", something did not fit") if report.overflowed else ""
    quiet = (
        say("; {quiet} not spoken of (--all shows them)", quiet=report.quiet)
        if report.quiet
        else ""
    )
    here.out.say(
        say(
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
    )
    for note in report.notes:
        here.out.warn(note)


def lint(
    books: BookNames, rules: RulesName = None, everything: Everything = False, watch: Watch = False
) -> None:
    """Exit code 3 when there are errors."""
    here = desk()
    paths = [book_path(here, name) for name in books]
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
        if here.out.as_json:
            here.out.data(shown)
            return
        if shown:
            here.out.table(shown, bookshelf.lint_columns(several=len(paths) > 1))
        here.out.say(bookshelf.counted(rows, hidden=len(rows) - len(shown)))

    again(here, once, paths, watch)
    if errors:
        raise typer.Exit(FOUND_FAULTS)


def show(
    book: BookName,
    texts: Annotated[bool, option("--texts -t", "with their texts")] = False,
) -> None:
    """One row per entry."""
    here = desk()
    file = read_file(book_path(here, book))
    rows = bookshelf.entry_rows(file)
    if here.out.as_json:
        here.out.data(
            {
                "name": file.name,
                "format": file.book.format,
                "description": file.book.description,
                "entries": rows,
            }
        )
        return
    here.out.say(f"{file.name}  ({file.book.format}, {len(rows)})", "bold")
    columns = bookshelf.entry_columns()
    here.out.table(
        rows, [*columns, TableColumn("content", say("text"), fold=3)] if texts else columns
    )
    for problem in file.book.problems:
        here.out.warn(problem)
