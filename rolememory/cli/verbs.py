"""All verbs, in the order of the help page: a module per group, each verb marked with `verb`."""

from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, TypeVar

import typer

from rolememory.cli.manual import Contents, Page
from rolememory.cli.words import both, say

Verb = TypeVar("Verb", bound=Callable[..., Any])

MODULES = (
    "founding",
    "show",
    "roles",
    "memories",
    "writing",
    "turns",
    "past",
    "upkeep",
    "exchange",
    "tuning",
    "models",
    "live",
    "health",
    "measuring",
)
_GROUPS = {"model": both("models of meaning: which there are, and fetching one", "语义模型：有哪些可用，怎样取得")}

BEGIN = both("Begin", "开始使用")
MEMORIES = both("Memories", "记忆")
ASK = both("Ask", "提问与缘由")
KEEP = both("Keep", "保管")
TUNE = both("Tune and check", "设置与检查")

RoleName = Annotated[str, typer.Argument(metavar="ROLE", help=both("a role: name, alias or id", "角色的名字、别名或 id"))]
MaybeRole = Annotated[
    str | None, typer.Argument(metavar="ROLE", help=both("a role: name, alias or id; none = all", "角色的名字、别名或 id；不写 = 全部"))
]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help=both("the id of a memory, as `list` shows it", "记忆的 id，见 `list`"))]
UserName = Annotated[
    str | None,
    typer.Option(
        "--user", metavar="NAME", help=both("whose turn it is: his own memories and the shared ones", "当前用户：只看本人的和共享的记忆")
    ),
]
Wait = Annotated[
    bool,
    typer.Option(
        "--wait", help=both("load the embedding model and wait for it: meaning counts too", "加载语义模型并等它就绪，意思相近也算数")
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", "-n", help=both("show what would happen and change nothing", "只显示会做什么，不改动任何东西"))
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help=both("do not ask", "不再询问"))]


def whole(least: int) -> Callable[[str], int]:
    """A reader of whole numbers from `least` up, for options."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise typer.BadParameter(
                say(f"expected a whole number from {least} up, got '{text}'", f"应为不小于 {least} 的整数，却是“{text}”")
            )
        return number

    return read


_found: list[tuple[str, str, str, Callable[..., Any]]] = []


def verb(name: str, panel: str, help: str) -> Callable[[Verb], Verb]:  # noqa: A002  # as typer calls it
    """Make a function a verb; `model list` belongs to the group `model`."""

    def add(function: Verb) -> Verb:
        _found.append((name, panel, help, function))
        return function

    return add


def _place(row: tuple[str, str, str, Callable[..., Any]]) -> int:
    """Where a verb's module stands; within it the verbs stay as they are written."""
    return MODULES.index(row[3].__module__.rpartition(".")[2])


def gather(app: typer.Typer) -> None:
    """Give the application every verb there is."""
    for module in MODULES:
        import_module(f"rolememory.cli.{module}")
    groups: dict[str, typer.Typer] = {}
    for name, panel, text, function in sorted(_found, key=_place):
        group, _, own = name.rpartition(" ")
        if group and group not in groups:
            groups[group] = typer.Typer(cls=Contents, help=_GROUPS[group], rich_markup_mode=None, no_args_is_help=False)
            app.add_typer(groups[group], name=group, rich_help_panel=panel)
        place = groups[group] if group else app
        place.command(own, cls=Page, help=text, rich_help_panel=panel)(function)
