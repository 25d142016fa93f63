"""Differences between two JSON values, field by field, and applying them to a third of the same layout."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rolememory.cards.json_edit import same
from rolememory.schema.json_types import JsonMapping, JsonObject, object_of
from rolememory.schema.value_class import value_class

Path = tuple[str, ...]


class _Absent:
    """Marks a missing field; null is a value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


@value_class
class FieldChange:
    """A changed field: ABSENT if missing. Lists are compared as a whole."""

    path: Path
    before: Any
    after: Any


def changes(before: JsonMapping, after: JsonMapping, path: Path = ()) -> Iterator[FieldChange]:
    """Every difference, in the order of `before`, then fields only in `after`.

    >>> [(one.path, one.before, one.after) for one in changes({"a": 1, "b": {"c": 2}}, {"b": {"c": 3}, "d": None})]
    [(('a',), 1, ABSENT), (('b', 'c'), 2, 3), (('d',), ABSENT, None)]
    """
    for name in [*before, *(name for name in after if name not in before)]:
        one = before.get(name, ABSENT)
        other = after.get(name, ABSENT)
        if isinstance(one, Mapping) and isinstance(other, Mapping) and one is not other:
            yield from changes(one, other, (*path, name))
        elif not same(one, other):
            yield FieldChange((*path, name), one, other)


def value_at(raw: Any, path: Path) -> Any:
    """The value there, or ABSENT.

    >>> value_at({"a": {"b": None}}, ("a", "b")) is None, value_at({"a": 1}, ("a", "b"))
    (True, ABSENT)
    """
    for name in path:
        if not isinstance(raw, Mapping) or name not in raw:
            return ABSENT
        raw = raw[name]
    return raw


def with_value(raw: JsonMapping, path: Path, value: Any) -> JsonObject:
    """A copy with that value there; ABSENT removes the field. Everything beside the path is shared, not copied.

    >>> with_value({"a": {"b": 1}, "c": 2}, ("a", "x", "y"), 3), with_value({"a": 1}, ("a",), ABSENT)
    ({'a': {'b': 1, 'x': {'y': 3}}, 'c': 2}, {})
    """
    name = path[0]
    rest = path[1:]
    if not rest and value is ABSENT:
        return {key: kept for key, kept in raw.items() if key != name}
    if rest:
        inner = raw.get(name)
        if value is ABSENT and not isinstance(inner, Mapping):
            return dict(raw)
        value = with_value(object_of(inner), rest, value)
    return {**raw, name: value}


def applied(raw: JsonMapping, what: Iterator[FieldChange] | list[FieldChange]) -> JsonObject:
    """The value with every change made."""
    changed = dict(raw)
    for one in what:
        changed = with_value(changed, one.path, one.after)
    return changed


def spoken(path: Path, above: str = "") -> str:
    """A path for messages.

    >>> spoken(("extensions", "sticky"), "entries[3]")
    'entries[3].extensions.sticky'
    """
    return ".".join(part for part in (above, *path) if part)
