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
from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import Text, UserName, option
from rolememory.cli.out import Column
from rolememory.cli.verbs import AUTHOR, verb
from rolememory.cli.words import both, say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from rolememory.author.scan import Report

RulesName = Annotated[
    Text, option("--rules NAME", "default or sillytavern", "default 或 sillytavern")
]
Everything = Annotated[bool, option("--all -a", "every entry, and notes too", "列出所有条目和提示")]


@verb(
    "book scan",
    AUTHOR,
    both(
        "what fires at these messages: by which key, where, at what cost",
        "这些消息会激活哪些条目：凭哪个关键词、在哪里、花多少",
    ),
)
def scan(
    books: BookNames,
    say_: Annotated[
        Text,
        option(
            "--say -s TEXT",
            "what the user says last; - reads it",
            "用户最后说的话；- 表示从标准输入读取",
        ),
    ] = None,
    chat: Annotated[
        Text,
        option(
            "--chat -c FILE",
            "the messages: JSON, JSON lines, a SillyTavern chat, or lines `Name: text`",
            "消息：JSON、JSON Lines、SillyTavern 聊天记录，或“名字：话”的文本",
        ),
    ] = None,
    rules: RulesName = None,
    char: Annotated[str, option("--char NAME", "the character's name", "角色的名字")] = "",
    user: UserName = None,
    seed: Annotated[int, option("--seed N", "the seed of chance", "随机种子")] = 0,
    everything: Everything = False,
    watch: Watch = False,
) -> None:
    """A preview: no timers, no home needed."""
    here = desk()
    if chat is None and say_ is None:
        raise InvalidValueError(
            "no messages; give --say TEXT or --chat FILE", zh="没有消息；请用 --say 或 --chat 给出"
        )
    paths = [book_path(here, name) for name in books]
    settings = settings_of(rules)

    def once() -> None:
        from rolememory.author.scan import look
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


def _show_report(here: Desk, report: "Report") -> None:
    if report.fired:
        here.out.table(
            [bookshelf.fired_row(one) for one in report.fired], bookshelf.fired_columns()
        )
    else:
        here.out.say(say("nothing fires", "没有条目激活"))
    if report.silent:
        here.out.say(say("kept out:", "没能进来的："), "bold")
        here.out.table(
            [bookshelf.silent_row(one) for one in report.silent], bookshelf.silent_columns()
        )
    over = say(", something did not fit", "，有条目放不下") if report.overflowed else ""
    quiet = (
        say(
            f"; {report.quiet} not spoken of (--all shows them)",
            f"；另有{report.quiet}个没提到（--all 可列出）",
        )
        if report.quiet
        else ""
    )
    here.out.say(
        say(
            f"{len(report.fired)} of {len(report.fired) + len(report.silent) + report.quiet} entries, {report.used} of {report.budget} tokens{over}"
            f"; {bookshelf.many(report.passes, 'pass', 'es')}, {bookshelf.many(report.messages, 'message')}{quiet}",
            f"激活 {len(report.fired)} 个条目，用去 {report.used} / {report.budget} tokens{over}；扫描 {report.passes} 遍，{report.messages} 条消息{quiet}",
        )
    )
    for note in report.notes:
        here.out.warn(note)


@verb(
    "book lint",
    AUTHOR,
    both(
        "everything that is wrong with a book, and what to write instead",
        "找出世界书里的全部问题，并说明该怎么写",
    ),
)
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
        from rolememory.author.lint.check import check

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


@verb("book show", AUTHOR, both("the entries of a book", "列出世界书的条目"))
def show(
    book: BookName,
    texts: Annotated[bool, option("--texts -t", "with their texts", "连同正文")] = False,
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
        rows, [*columns, Column("content", say("text", "正文"), fold=3)] if texts else columns
    )
    for problem in file.book.problems:
        here.out.warn(problem)
