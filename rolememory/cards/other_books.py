"""Lorebooks of NovelAI, Agnai and RisuAI, as world files. Source: spec/worldinfo.md 7.4; what has no place there is left behind."""

from collections.abc import Callable, Mapping
from typing import Any

from rolememory.cards.sillytavern import folder_mark, new_entry
from rolememory.schema.json_types import JsonMapping, JsonObject, list_of
from rolememory.schema.value_class import value_class
from rolememory.text.boundaries import BLANKS


@value_class
class OtherBook:
    """A format: its detector, the place of its entries, and the world names of their fields."""

    fits: Callable[[JsonMapping], bool]
    entry: Callable[[JsonMapping], JsonObject]
    names: Mapping[str, str]  # field of a world entry -> its name here; missing ones are left out
    entries: tuple[str, ...] = ("entries",)

    def listed(self, raw: JsonMapping) -> Any:
        """Its raw entries."""
        return next((listed for name in self.entries if (listed := raw.get(name))), None)

    def to_world(self, raw: JsonMapping) -> JsonObject:
        """The book as a world file; entries that are no objects stay, and are reported when read."""
        entries = {
            str(at): self._world_entry(one, at) if isinstance(one, Mapping) else one
            for at, one in enumerate(list_of(self.listed(raw)))
        }
        return {"entries": entries, "originalData": dict(raw)}

    def _world_entry(self, source: JsonMapping, at: int) -> JsonObject:
        fresh = new_entry(uid=at, delayUntilRecursion=False, displayIndex=at, **self.entry(source))
        told = {ours: source.get(theirs) for ours, theirs in self.names.items()}
        missing = [ours for ours, theirs in self.names.items() if theirs not in source]
        return {name: value for name, value in (fresh | told).items() if name not in missing}


def other_book(raw: JsonMapping) -> str:
    """The format's name if it is one of these; else ""."""
    return next((name for name, one in OTHER_BOOKS.items() if one.fits(raw)), "")


def _novelai(source: JsonMapping) -> JsonObject:
    """`budgetPriority` becomes the order. `forceActivation` is ignored: such entries would be in every prompt."""
    title = source.get("displayName") or ""
    budget = source.get("contextConfig")
    priority = budget.get("budgetPriority") if isinstance(budget, Mapping) else None
    return {
        "comment": title,
        "addMemo": bool(str(title).strip(BLANKS)),
        "selective": False,
        "order": 0 if priority is None else priority,
        "disable": not source.get("enabled"),
    }


def _agnai(source: JsonMapping) -> JsonObject:
    """Drops `priority`; `weight` is the order."""
    return {
        "addMemo": bool(source.get("name")),
        "selective": False,
        "disable": not source.get("enabled"),
    }


def _risu(source: JsonMapping) -> JsonObject:
    """`activationPercent` also switches the roll: 0 turns it off, so that the entry always passes."""
    percent = source.get("activationPercent")
    second = source.get("secondkey")
    return {
        "key": split_keys(source.get("key")),
        "keysecondary": split_keys(second) if second else [],
        "addMemo": True,
        "probability": 100 if percent is None else percent,
        "useProbability": True if percent is None else percent,
        **folder_mark(source),
    }


def split_keys(listed: object) -> list[str]:
    r"""Keys of a comma list, trimmed as in JavaScript; empty ones stay.

    >>> split_keys("dragon, wyrm ,,\ufeff龙")
    ['dragon', 'wyrm', '', '龙']
    """
    return [key.strip(BLANKS) for key in str(listed or "").split(",")]


_OF_RISU = {
    "comment": "comment",
    "content": "content",
    "constant": "alwaysActive",
    "selective": "selective",
    "order": "insertorder",
}
OTHER_BOOKS: Mapping[str, OtherBook] = {
    "novelai": OtherBook(
        lambda raw: "lorebookVersion" in raw, _novelai, {"key": "keys", "content": "text"}
    ),
    "agnai": OtherBook(
        lambda raw: raw.get("kind") == "memory",
        _agnai,
        {"key": "keywords", "comment": "name", "content": "entry", "order": "weight"},
    ),
    "risu": OtherBook(lambda raw: raw.get("type") == "risu", _risu, _OF_RISU, ("data", "lorebook")),
    # scripts beside its lorebook are kept and never run
    "risu_module": OtherBook(
        lambda raw: raw.get("type") == "risuModule", _risu, _OF_RISU, ("data", "lorebook")
    ),
}
"""By the name of the format, in the order in which a document is asked."""
