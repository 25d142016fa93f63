"""All verbs, in the order of the help page: a module per group, each verb marked with `verb`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import typer

from rolememory.cli.help_pages import HelpGroup, HelpPage
from rolememory.locales import translatable

Verb = TypeVar("Verb", bound=Callable[..., Any])

MODULES = (
    "init",
    "demo",
    "roles",
    "memories",
    "writing",
    "turns",
    "chat",
    "observing",
    "sessions",
    "chapters",
    "people",
    "history",
    "upkeep",
    "exchange",
    "book",
    "book_trial",
    "book_moves",
    "card",
    "card_moves",
    "settings",
    "models",
    "model_export",
    "serve",
    "keys",
    "integrate",
    "mcp",
    "watch",
    "health",
    "measuring",
)
_GROUPS = {
    "story": translatable("stories: which chats know of one another"),
    "users": translatable("people: who is known, under which names"),
    "keys": translatable("keys of a service: who may ask"),
    "integrate": translatable("frontends: what they need of us put in and taken out"),
    "model": translatable("models of meaning: which there are, fetching one, making it quick"),
    "card": translatable("character cards: in, out, and from one format into another"),
    "book": translatable("lorebooks: what fires, what is wrong, what is expected"),
}

BEGIN = translatable("Begin")
MEMORIES = translatable("Memories")
ASK = translatable("Ask")
LEARN = translatable("Learn")
KEEP = translatable("Keep")
DOORS = translatable("Frontends")
AUTHOR = translatable("Books and cards")
TUNE = translatable("Tune and check")

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
                cls=HelpGroup, help=_GROUPS[group], rich_markup_mode=None, no_args_is_help=False
            )
            app.add_typer(groups[group], name=group, rich_help_panel=panel)
        place = groups[group] if group else app
        place.command(own, cls=HelpPage, help=text, rich_help_panel=panel)(function)
