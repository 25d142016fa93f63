"""Stores scene states that a model extracted; they are no memories."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rolememory.schema.value_class import value_class
from rolememory.storage.port import Space
from rolememory.storage.state import StateFile

FILE = "scenes"
KEPT = 12  # maximum states of a chat

State = Mapping[str, str]
"""Field and value."""


@value_class
class SceneRecord:
    """A state, and its evidence."""

    of: tuple[str, ...]  # versions read for it
    before: str  # the last version of the previous state, "" = none
    fields: State

    @property
    def at(self) -> str:
        """Its last version."""
        return self.of[-1]


class Scenes:
    """`state/scenes.json`: the newest states of each chat."""

    def __init__(self, space: Space) -> None:
        self._file = StateFile(space, FILE)

    def of(self, chat: str) -> list[SceneRecord]:
        """The states of a chat, oldest first."""
        rows = self._file.load().get(chat)
        return [one for row in rows if (one := _read(row))] if isinstance(rows, list) else []

    def standing(self, chat: str, stands: Callable[[Sequence[str]], bool]) -> list[SceneRecord]:
        """The newest valid state with its predecessors, oldest first: messages of all must stand; empty if none is."""
        known = {one.at: one for one in self.of(chat)}
        for newest in reversed(list(known.values())):
            chain = list(_chain(newest, known))
            if all(stands(one.of) for one in chain):
                return chain[::-1]
        return []

    def add(self, chat: str, reading: SceneRecord) -> None:
        """Add a state. Raises: NotWrittenError."""
        with self._file.changing() as states:
            told = [one for one in self.of(chat) if one.at != reading.at]
            states[chat] = [
                {"of": one.of, "before": one.before, "fields": one.fields}
                for one in (*told, reading)[-KEPT:]
            ]

    def forget(self) -> None:
        """Delete all, as they may name an erased person; the next pass extracts them again. Raises: NotWrittenError."""
        with self._file.changing() as states:
            states.clear()


def _chain(newest: SceneRecord, known: Mapping[str, SceneRecord]) -> Iterator[SceneRecord]:
    one: SceneRecord | None = newest
    seen = set[str]()
    while one and one.at not in seen:
        yield one
        seen.add(one.at)
        one = known.get(one.before)


def _read(row: Any) -> SceneRecord | None:
    try:
        of, fields = tuple(map(str, row["of"])), dict(row["fields"])
        return SceneRecord(of, str(row["before"]), fields) if of else None
    except (KeyError, TypeError, ValueError):
        return None
