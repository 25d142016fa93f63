"""Lorebooks exported by RisuAI, as world entries. Source: spec/worldinfo.md 7.4; modes and folders have no place there."""

from collections.abc import Mapping
from typing import Any

from rolememory.cards.sillytavern import MISSING, entries_by_place, new_entry
from rolememory.text.boundaries import JS_SPACE

_BLANKS = "".join(JS_SPACE)


def is_risu(raw: Mapping[str, Any]) -> bool:
    """Whether this is a lorebook of RisuAI."""
    return raw.get("type") == "risu"


def is_risu_module(raw: Mapping[str, Any]) -> bool:
    """Whether this is a module of RisuAI as JSON; its lorebook stands beside scripts, which are kept and never run."""
    return raw.get("type") == "risuModule"


def to_world(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The book as a world file."""
    return {
        "entries": entries_by_place(raw.get("data") or raw.get("lorebook"), world_entry),
        "originalData": dict(raw),
    }


def world_entry(source: Mapping[str, Any], index: int) -> dict[str, Any]:
    """One entry. `activationPercent` is also the switch of the roll: 0 turns it off, so that the entry always passes."""
    percent = source.get("activationPercent")
    second = source.get("secondkey")
    return new_entry(
        uid=index,
        key=split_keys(source.get("key")),
        keysecondary=split_keys(second) if second else [],
        comment=source.get("comment", MISSING),
        addMemo=True,
        content=source.get("content", MISSING),
        constant=source.get("alwaysActive", MISSING),
        selective=source.get("selective", MISSING),
        order=source.get("insertorder", MISSING),
        probability=100 if percent is None else percent,
        useProbability=True if percent is None else percent,
        delayUntilRecursion=False,
        displayIndex=index,
    )


def split_keys(listed: object) -> list[str]:
    r"""Keys of a comma list, trimmed as scripts trim; empty pieces stay.

    >>> split_keys("dragon, wyrm ,,\ufeff龙")
    ['dragon', 'wyrm', '', '龙']
    """
    return [key.strip(_BLANKS) for key in str(listed or "").split(",")]
