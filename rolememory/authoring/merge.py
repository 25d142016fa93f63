"""Two memories become one: what stays takes over what the other rests on, knows and replaced. Pure."""

from typing import Any, TypeVar

from rolememory.schema.memory import Memory

Thing = TypeVar("Thing")


def merged(keep: Memory, drop: Memory) -> dict[str, Any]:
    """The fields that change in `keep` once it speaks for both; its text, time and person stay its own.

    What an author wrote rests on nothing, and so does what it is merged with.

    >>> merged(Memory(id="a", content="Tea.", keys=("tea",)), Memory(id="b", content="Tea!", keys=("Jasmine", "tea"), salience=0.9))
    {'keys': ['tea', 'Jasmine'], 'salience': 0.9}
    """
    lists = {
        name: _united(getattr(keep, name), getattr(drop, name))
        for name in ("keys", "topics", "emotions", "tags")
    }
    numbers = {
        name: max(getattr(keep, name), getattr(drop, name))
        for name in ("weight", "salience", "priority", "confidence")
    }
    flags = {name: getattr(keep, name) or getattr(drop, name) for name in ("constant", "locked")}
    replaced = dict.fromkeys((*keep.supersedes, *drop.supersedes))
    both_rest = keep.evidence and drop.evidence
    rests = _united(keep.evidence, drop.evidence) if both_rest else []
    after = {
        **lists,
        **numbers,
        **flags,
        "supersedes": [one for one in replaced if one not in (keep.id, drop.id)],
        "evidence": [one.model_dump() for one in rests],
    }
    before = {name: _plain(getattr(keep, name)) for name in after}
    return {name: value for name, value in after.items() if value != before[name]}


def _united(own: tuple[Thing, ...], other: tuple[Thing, ...]) -> list[Thing]:
    return [*own, *(one for one in other if one not in own)]


def _plain(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    return [one if isinstance(one, str) else one.model_dump() for one in value]
