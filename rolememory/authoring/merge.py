"""Merges two memories: the one that stays takes over keys, evidence and replacements of the other. Pure."""

from collections.abc import Callable, Sequence
from typing import Any

from rolememory.schema.memory import Evidence, Memory


def merged(keep: Memory, drop: Memory) -> dict[str, Any]:
    """The fields of `keep` that change by the merge; its text, time and person stay.

    What an author wrote rests on nothing, and so does what it is merged with.

    >>> merged(Memory(id="a", content="Tea.", keys=("tea",)), Memory(id="b", content="Tea!", keys=("Jasmine", "tea"), salience=0.9))
    {'keys': ['tea', 'Jasmine'], 'salience': 0.9}
    """
    after = {
        name: unite(getattr(keep, name), getattr(drop, name))
        for names, unite in _UNITED
        for name in names
    }
    replaced = _both(keep.supersedes, drop.supersedes)
    after["supersedes"] = [one for one in replaced if one not in (keep.id, drop.id)]
    both_rest = keep.evidence and drop.evidence
    after["evidence"] = _both(keep.evidence, drop.evidence) if both_rest else []
    return {
        name: _plain(value)
        for name, value in after.items()
        if _plain(value) != _plain(getattr(keep, name))
    }


def _both(own: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    return [*own, *(one for one in other if one not in own)]


def _either(own: bool, other: bool) -> bool:
    return own or other


_UNITED: tuple[tuple[tuple[str, ...], Callable[[Any, Any], Any]], ...] = (
    (("keys", "topics", "emotions", "tags"), _both),
    (("weight", "salience", "priority", "confidence"), max),
    (("constant", "locked"), _either),
)
"""How the fields of both become one."""


def _plain(value: Any) -> Any:
    """A field as JSON has it."""
    if isinstance(value, list | tuple):
        return [one.model_dump() if isinstance(one, Evidence) else one for one in value]
    return value
