"""Lore as a test says it, in one line each."""

from typing import Any

from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.scan import scan
from rolememory.schema.lorebook import Lorebook, LoreEntry
from rolememory.schema.settings import ScanSettings


def lore(entry_id: str, *keys: str, **fields: Any) -> LoreEntry:
    """An entry; its content is its id unless said otherwise.

    >>> lore("lamp", "beacon").content
    'lamp'
    """
    return LoreEntry(id=entry_id, keys=keys, **{"content": entry_id, **fields})


def awake(given: Activation) -> list[str]:
    """Ids of the entries that came in, in order."""
    return [one.entry.id for one in given.awake]


def told(
    entries: list[LoreEntry],
    *messages: str,
    rules: str = "default",
    book: dict[str, Any] | None = None,
    **asked: Any,
) -> Activation:
    """Scan one book; words that are settings go there, all others to `scan`."""
    settings = {name: asked.pop(name) for name in list(asked) if name in ScanSettings.model_fields}
    made = Lorebook(name="book", entries=tuple(entries), **(book or {}))
    tokens = {"cost": lambda text: len(text.split()), **asked}
    return scan(made, list(messages), settings=ScanSettings(rules=rules, **settings), **tokens)
