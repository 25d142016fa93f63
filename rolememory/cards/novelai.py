"""Lorebooks of NovelAI, as world entries. Source: spec/worldinfo.md 7.4; what has no place there (search range, prefix, suffix) is left."""

from collections.abc import Mapping
from typing import Any

from rolememory.cards.sillytavern import MISSING, entries_by_place, new_entry
from rolememory.text.boundaries import JS_SPACE

_BLANKS = "".join(JS_SPACE)


def is_novelai(raw: Mapping[str, Any]) -> bool:
    """Whether this is a NovelAI lorebook."""
    return "lorebookVersion" in raw


def to_world(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The book as a world file. `forceActivation` is not taken over: such entries would stand in every prompt."""
    return {"entries": entries_by_place(raw.get("entries"), world_entry), "originalData": dict(raw)}


def world_entry(source: Mapping[str, Any], index: int) -> dict[str, Any]:
    """One entry; `budgetPriority` becomes the insertion order."""
    title = source.get("displayName") or ""
    budget = source.get("contextConfig") or {}
    priority = budget.get("budgetPriority") if isinstance(budget, Mapping) else None
    return new_entry(
        uid=index,
        key=source.get("keys", MISSING),
        comment=title,
        addMemo=bool(str(title).strip(_BLANKS)),
        content=source.get("text", MISSING),
        selective=False,
        order=0 if priority is None else priority,
        disable=not source.get("enabled"),
        delayUntilRecursion=False,
        displayIndex=index,
    )
