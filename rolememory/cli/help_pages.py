"""Help pages: short, aligned for Chinese and Latin, in the person's language, without rich for speed."""

import shutil
from collections.abc import Iterator, Sequence
from typing import Any

import typer

from rolememory.cli.command_line import OPTIONS
from rolememory.cli.output import say
from rolememory.locales import translatable
from rolememory.text.width import cells, padded

WIDEST = 100
Row = tuple[str, str]

translatable("Install completion for the current shell.")
translatable("Show completion for the current shell, to copy it or customize the installation.")
translatable("Show this message and exit.")


class HelpPage(typer.core.TyperCommand):
    """A verb with our help page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        formatter.write(page(self, ctx))


def page(command: Any, ctx: Any) -> str:
    """The help of a verb or group: usage, what it does, its arguments, verbs and options."""
    line = " ".join(usage(command, ctx))
    parts = [say("Usage: ") + line + "\n", *_about(command)]
    for title, rows in _sections(command, ctx):
        if rows:
            parts += [title + say(":"), *_aligned(rows), ""]
    return "\n".join(parts).rstrip() + "\n"


def _sections(command: Any, ctx: Any) -> Iterator[tuple[str, list[Row]]]:
    yield say("Arguments"), list(map(argument_row, _shown(command, ctx, "argument")))
    verbs = command.rows(ctx) if hasattr(command, "rows") else ()
    for panel in dict.fromkeys(panel for panel, _, _ in verbs):
        yield say(panel), [(name, say(text)) for of, name, text in verbs if of == panel]
    yield say("Options"), list(map(option_row, _shown(command, ctx, "option")))
    yield say("Options of every verb"), [(name, say(text)) for name, text in OPTIONS]


def _shown(command: Any, ctx: Any, kind: str) -> Iterator[Any]:
    for one in command.get_params(ctx):
        if one.param_type_name == kind and not getattr(one, "hidden", False):
            yield one


def usage(command: Any, ctx: Any) -> list[str]:
    """The words of a command line: the verb, its arguments, `[OPTIONS]` where it has any of its own."""
    given = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    words = [ctx.command_path, *(metavar(one) for one in given)]
    if hasattr(command, "rows"):
        words.append(say("VERB ..."))
    options = [one for one in command.params if one.param_type_name == "option"]
    return [*words, say("[OPTIONS]")] if options else words


def metavar(argument: Any) -> str:
    """An argument in a usage line: optional ones in brackets, lists with dots."""
    name = argument.metavar or argument.name.upper()
    name += "..." if argument.nargs == -1 and "..." not in name else ""
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _about(command: Any) -> list[str]:
    text = say(command.help or "").strip()
    lines = [line for part in text.split("\n") for line in (wrapped(part, _width() - 2) or [""])]
    return [*("  " + line if line else "" for line in lines), ""]


def argument_row(argument: Any) -> Row:
    """An argument and its description."""
    return metavar(argument), _with_default(argument)


def option_row(option: Any) -> Row:
    """An option and its description."""
    names = ", ".join(sorted([*option.opts, *option.secondary_opts], key=len))
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    return names + value, _with_default(option)


def _with_default(parameter: Any) -> str:
    text = say(parameter.help or "")
    default = parameter.default
    if (
        parameter.required
        or default in (None, False, "", (), [])
        or callable(default)
        or parameter.name == "help"
    ):
        return text
    return text + say(" (default: {default})", default=default)


def _width() -> int:
    return min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST)


def _aligned(rows: Sequence[Row]) -> Iterator[str]:
    left = min(max((cells(name) for name, _ in rows), default=0), 28) + 4
    for name, text in rows:
        lines = wrapped(text, max(_width() - left, 20))
        head = f"  {name}"
        if cells(head) + 2 > left:
            yield head
            head = ""
        yield (padded(head, left) + (lines[0] if lines else "")).rstrip()
        yield from (" " * left + line for line in lines[1:])


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a paragraph to `width` columns; Chinese breaks after any character, Latin at spaces.

    >>> wrapped("the beacon is dark", 10), wrapped("灯塔灭了，今夜无光", 10)
    (['the beacon', 'is dark'], ['灯塔灭了，', '今夜无光'])
    """
    lines = []
    line = ""
    for piece in _pieces(text):
        if line and cells(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line.rstrip()] if line.strip() else lines


_CLOSING = "，。；：！？、）》」』”’…"


def _pieces(text: str) -> Iterator[str]:
    """Unbreakable pieces: Latin words with the space after them, Chinese characters with following punctuation."""
    piece = ""
    for letter in text:
        if (
            piece
            and not (letter in _CLOSING or letter == " ")
            and (piece[-1] == " " or _wide(piece[-1]) or _wide(letter))
        ):
            yield piece
            piece = ""
        piece += letter
    if piece:
        yield piece


def _wide(letter: str) -> bool:
    return cells(letter) == 2
