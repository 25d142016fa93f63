"""What commands are given: options and arguments as they stand on a help page, and those that several verbs share."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from rolememory.cli.words import both, say


def option(written: str, en: str, zh: str, parser: Callable[[str], Any] | None = None) -> Any:
    """An option as a help page has it: its names, then what it takes; a switch takes nothing.

    >>> option("--limit -l N", "at most so many", "最多几条").metavar
    'N'
    """
    names = [word for word in written.split() if word.startswith("-")]
    takes = written.split()[len(names) :]
    return typer.Option(*names, metavar=" ".join(takes) or None, help=both(en, zh), parser=parser)


def argument(written: str, en: str, zh: str) -> Any:
    """An argument by the word that stands for it in a usage line."""
    return typer.Argument(metavar=written, help=both(en, zh))


def whole(least: int) -> Callable[[str], int]:
    """A reader of whole numbers from `least` up, for options."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise typer.BadParameter(
                say(
                    f"expected a whole number from {least} up, got '{text}'",
                    f"应为不小于 {least} 的整数，却是“{text}”",
                )
            )
        return number

    return read


RoleName = Annotated[str, argument("ROLE", "a role: name, alias or id", "角色的名字、别名或 id")]
MaybeRole = Annotated[
    str | None,
    argument("ROLE", "a role: name, alias or id; none = all", "角色的名字、别名或 id；不写 = 全部"),
]
MemoryId = Annotated[
    str, argument("ID", "the id of a memory, as `list` shows it", "记忆的 id，见 `list`")
]
UserName = Annotated[
    str | None,
    option(
        "--user NAME",
        "act as this user: their own memories and the shared ones",
        "当前用户：只看本人的和共享的记忆",
    ),
]
Wait = Annotated[
    bool,
    option(
        "--wait",
        "load the embedding model and wait for it: meaning counts too",
        "加载语义模型并等它就绪，意思相近也算数",
    ),
]
DryRun = Annotated[
    bool,
    option(
        "--dry-run -n",
        "show what would happen and change nothing",
        "只显示会做什么，不改动任何东西",
    ),
]
Yes = Annotated[bool, option("--yes -y", "do not ask", "不再询问")]
Text = str | None
Words = list[str] | None
