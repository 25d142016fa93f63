"""All verbs, in the order of the help page: a module per group, each verb marked with `verb`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import typer

from rolememory.cli.manual import Contents, Page
from rolememory.cli.words import both

Verb = TypeVar("Verb", bound=Callable[..., Any])

MODULES = (
    "founding",
    "show",
    "roles",
    "memories",
    "writing",
    "turns",
    "chatting",
    "observing",
    "sessions",
    "chapters",
    "people",
    "past",
    "upkeep",
    "exchange",
    "book",
    "book_trial",
    "book_moves",
    "card",
    "card_moves",
    "tuning",
    "models",
    "graphs",
    "serving",
    "keys",
    "integrating",
    "mcp",
    "live",
    "health",
    "measuring",
)
_GROUPS = {
    "story": both("stories: which chats know of one another", "故事：哪些会话彼此知道"),
    "users": both("people: who is known, under which names", "人物：认识谁，有哪些名字"),
    "keys": both("keys of a service: who may ask", "服务的密钥：谁可以访问"),
    "integrate": both(
        "frontends: what they need of us put in and taken out", "前端：装上和取下所需的内容"
    ),
    "model": both(
        "models of meaning: which there are, fetching one, making it quick",
        "语义模型：有哪些可用，怎样取得，怎样加快",
    ),
    "card": both(
        "character cards: in, out, and from one format into another", "角色卡：导入、导出、转换格式"
    ),
    "book": both(
        "lorebooks: what fires, what is wrong, what is expected",
        "世界书：激活了什么、有什么问题、是否符合期望",
    ),
}

BEGIN = both("Begin", "开始使用")
MEMORIES = both("Memories", "记忆")
ASK = both("Ask", "提问与缘由")
LEARN = both("Learn", "学习")
KEEP = both("Keep", "保管")
DOORS = both("Frontends", "接入前端")
AUTHOR = both("Books and cards", "世界书与角色卡")
TUNE = both("Tune and check", "设置与检查")

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
            groups[group] = typer.Typer(
                cls=Contents, help=_GROUPS[group], rich_markup_mode=None, no_args_is_help=False
            )
            app.add_typer(groups[group], name=group, rich_help_panel=panel)
        place = groups[group] if group else app
        place.command(own, cls=Page, help=text, rich_help_panel=panel)(function)
