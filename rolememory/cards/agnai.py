"""Memory books of Agnai, as world entries. Source: spec/worldinfo.md 7.4; `priority` has no place there, `weight` is the order."""

from collections.abc import Mapping
from typing import Any

from rolememory.cards.sillytavern import MISSING, entries_by_place, new_entry


def is_agnai(raw: Mapping[str, Any]) -> bool:
    """Whether this is an Agnai memory book."""
    return raw.get("kind") == "memory"


def to_world(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The book as a world file."""
    return {"entries": entries_by_place(raw.get("entries"), world_entry), "originalData": dict(raw)}


def world_entry(source: Mapping[str, Any], index: int) -> dict[str, Any]:
    """One entry."""
    return new_entry(
        uid=index,
        key=source.get("keywords", MISSING),
        comment=source.get("name", MISSING),
        addMemo=bool(source.get("name")),
        content=source.get("entry", MISSING),
        selective=False,
        order=source.get("weight", MISSING),
        disable=not source.get("enabled"),
        delayUntilRecursion=False,
        displayIndex=index,
    )
