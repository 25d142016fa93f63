"""Runs expectations against a role: its books and memories together."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from rolememory.authoring.books import entry_named
from rolememory.authoring.expectation_run import Played, placed_texts
from rolememory.authoring.expectations import ExpectationCase, ExpectationStep
from rolememory.authoring.scan import target
from rolememory.engine import RoleMemory
from rolememory.errors import UnknownNameError
from rolememory.recall.lore.rules import rules_named
from rolememory.recall.turn import Turn
from rolememory.schema.evidence import Reason, Refusal
from rolememory.schema.lorebook import Lorebook, lore_id
from rolememory.schema.message import Message


class RoleRunner:
    """A role, asked by previews: no timer runs between turns, and the settings are the role's own."""

    def __init__(self, role_memory: RoleMemory, book: Lorebook, file: str = "") -> None:
        self._role_memory, self._book, self._books = role_memory, book, (file, book.name)

    def id_of(self, name: str) -> str:
        """A memory's id, or an entry's of the book by title or uid."""
        if name in self._role_memory.memories:
            return name
        try:
            return entry_named(self._book.entries, name).id
        except UnknownNameError as error:
            raise UnknownNameError(
                "entry or memory", name, [*error.known, *self._role_memory.memories]
            ) from error

    def name_of(self, one: str) -> str:
        """The id, or the title of an entry."""
        found = next((entry for entry in self._book.entries if entry.id == one), None)
        return found.comment or one if found else one

    def play(self, case: ExpectationCase) -> Iterator[tuple[ExpectationStep, Played]]:
        """The turns, each a preview."""
        told: list[Message] = []
        for step in case.steps:
            told += step.messages
            turn = self._role_memory.recall(
                told, character=case.character if case.character.name else None, dry_run=True
            )
            yield step, _played(turn, self._role_memory.settings.lore.rules, self._books)


def _played(turn: Turn, rules: str, books: Sequence[str]) -> Played:
    """Entries, then memories in the order of the block."""
    lore = {one.entry.id: one for one in turn.lore.awake} if turn.lore else {}
    return Played(
        fired=[*lore, *(one.memory.id for one in turn.recalled)],
        text="\n".join([*(placed_texts(turn.lore) if turn.lore else ()), turn.text]),
        cost=(turn.lore.used if turn.lore else 0) + turn.stats.total_tokens,
        place=lambda name: (
            target(lore[name].lore, rules_named(rules)) if name in lore else "memory"
        ),
        why=lambda name: lore[name].why if name in lore else _memory_reason(turn, name),
        why_not=lambda name: _lore_refusal(turn, books, name) or _memory_refusal(turn, name),
    )


def _lore_refusal(turn: Turn, books: Sequence[str], entry: str) -> Refusal | None:
    """Why an entry did not fire; its book may be known by its name or its file."""
    for book in books:
        with suppress(UnknownNameError):
            return turn.lore.explain(lore_id(book, entry)) if turn.lore else None
    return None


def _memory_refusal(turn: Turn, name: str) -> Refusal | None:
    with suppress(UnknownNameError):
        return turn.why_not(name)
    return None


def _memory_reason(turn: Turn, name: str) -> Reason | None:
    found = next((one for one in turn.recalled if one.memory.id == name), None)
    return found.scored.hits[0].because if found and found.scored.hits else None
