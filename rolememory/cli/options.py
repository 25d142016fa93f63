"""Builds options and arguments for help pages, and defines those that several verbs share."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from rolememory.cli.output import say, worded
from rolememory.errors import InvalidValueError
from rolememory.locales import Listed


def option(written: str, about: str, parser: Callable[[str], Any] | None = None) -> Any:
    """An option as in help pages: its names, then its value; a switch has none, `a|b` is a choice.

    >>> option("--limit -l N", "at most so many").metavar
    'N'
    """
    names = [word for word in written.split() if word.startswith("-")]
    takes = " ".join(written.split()[len(names) :])
    parser = parser or (_one_of(takes.split("|")) if "|" in takes else None)
    return typer.Option(*names, metavar=takes or None, help=about, parser=parser)


def _one_of(known: Sequence[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            raise typer.BadParameter(
                say("expected one of {listed}, got '{text}'", listed=Listed(known), text=text)
            )
        return text

    return read


def argument(written: str, about: str) -> Any:
    """An argument by its placeholder in a usage line."""
    return typer.Argument(metavar=written, help=about)


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """A parser of integers from `least` up to `most`, for options."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise typer.BadParameter(
                say("expected a whole number from {least} up, got '{text}'", least=least, text=text)
            )
        if most is not None and number > most:
            raise typer.BadParameter(
                say("expected a whole number up to {most}, got '{text}'", most=most, text=text)
            )
        return number

    return read


def server_url(text: str) -> str:
    """A parser of base URLs of servers, for options."""
    from rolememory.storage.value_messages import url_expected
    from rolememory.upstream import place

    if not place(text.strip())[0]:
        raise typer.BadParameter(say("; ").join(map(worded, url_expected("", text))))
    return text.strip()


def time_given(name: str, text: str | None) -> datetime | None:
    """The time given by an option.

    Raises:
        InvalidValueError: not a time.
    """
    from rolememory.text.timestamps import moment

    try:
        return moment(text) if text else None
    except ValueError as error:
        raise InvalidValueError(
            "{name}: expected a time, got {text!r}; write 2024-05-01", name=name, text=text
        ) from error


Text = str | None
Words = list[str] | None
RoleName = Annotated[str, argument("ROLE", "a role: name, alias or id")]
MaybeRole = Annotated[Text, argument("ROLE", "a role: name, alias or id; none = all")]
MemoryId = Annotated[str, argument("ID", "the id of a memory, as `list` shows it")]
UserName = Annotated[
    Text, option("--user NAME", "act as this user: their own memories and the shared ones")
]
Wait = Annotated[
    bool, option("--wait", "load the embedding model and wait for it, to search by meaning too")
]
DryRun = Annotated[bool, option("--dry-run -n", "show what would happen and change nothing")]
Yes = Annotated[bool, option("--yes -y", "do not ask")]
FileOut = Annotated[Text, option("--out -o FILE", "into this file; else to standard output")]
