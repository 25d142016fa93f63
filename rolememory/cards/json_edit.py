"""Edits a JSON text: unchanged parts keep their notation, letter by letter.

Number notation, escapes, blank lines and indentation of the author survive; new values use the file's style,
without ASCII escapes.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from rolememory.schema.json_types import JsonObject
from rolememory.schema.value_class import value_class
from rolememory.text.json_walker import DECODER, skip_space

_FIRST_LINE = re.compile(r"\s*[{\[](\r?\n)([ \t]+)")
_COLON = re.compile(r'"\s*:([ \t]?)')


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, including types: 1 is not 1.0, null is not absent; key order is ignored.

    >>> same({"a": 1, "b": [None]}, {"b": [None], "a": 1}), same(1, 1.0), same(True, 1), same(0.0, -0.0)
    (True, False, False, False)
    """
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) and (type(one) is not float or str(one) == str(other))


def rewrite(text: str, old: Any, new: Any) -> str:
    r"""Rewrite `text`, which encodes `old`, to encode `new`.

    >>> rewrite('{"b": 1.50, "a": "\\u00e9"}', {"b": 1.5, "a": "é"}, {"b": 1.5, "a": "é", "c": [1]})
    '{"b": 1.50, "a": "\\u00e9", "c": [1]}'
    """
    editor = _Editor(text, _style(text))
    start = skip_space(text, 1 if text.startswith("\ufeff") else 0)
    end = editor.write(start, old, new, 0)
    return text[:start] + "".join(editor.said) + text[end:]


@value_class
class _Style:
    """The formatting of a text. Without indentation everything is on one line."""

    newline: str = ""
    indent: str = ""
    colon: str = ": "

    def dump(self, value: Any, depth: int) -> str:
        if not self.newline:
            return json.dumps(
                value,
                ensure_ascii=False,
                separators=("," + self.colon[1:], self.colon),
            )
        told = json.dumps(
            value, ensure_ascii=False, indent=self.indent, separators=(",", self.colon)
        )
        return told.replace("\n", self.newline + self.indent * depth)

    def lead(self, depth: int) -> str:
        return self.newline + self.indent * depth if self.newline else ""


def _style(text: str) -> _Style:
    first = _FIRST_LINE.match(text.removeprefix("\ufeff"))
    colon = _COLON.search(text)
    gap = ": " if colon is None or colon[1] else ":"
    return _Style(first[1], first[2], gap) if first else _Style(colon=gap)


@value_class
class _Item:
    """A member of an object or list in the text: start (of its key, if any), value, end."""

    key: str | None
    start: int
    value: int
    end: int


@value_class
class _Slot:
    """A member to write: in place of an old one (None = new), and its key."""

    at: int | None
    key: str | None
    value: Any


class _Editor:
    def __init__(self, text: str, style: _Style) -> None:
        self._text = text
        self._style = style
        self.said: list[str] = []

    def write(self, at: int, old: Any, new: Any, depth: int) -> int:
        """Replace the value at `at` by `new`; return its end."""
        if same(old, new) or type(old) is not type(new) or not isinstance(new, dict | list):
            end = self._end(at)
            self.said.append(self._text[at:end] if same(old, new) else self._style.dump(new, depth))
            return end
        items, end = self._items(at)
        old = _as_written(old, items) if isinstance(old, dict) else old
        slots = _members(old, new) if isinstance(new, dict) else _elements(old, new)
        values = list(old.values()) if isinstance(old, dict) else old
        self._write_slots(at, items, slots, values, depth)
        self.said.append(self._text[(items[-1].end if items and slots else end - 1) : end])
        return end

    def _write_slots(
        self,
        at: int,
        items: Sequence[_Item],
        slots: Sequence[_Slot],
        old: Sequence[Any],
        depth: int,
    ) -> None:
        self.said.append(self._text[at])
        first = self._text[at + 1 : items[0].start] if items else self._style.lead(depth + 1)
        for place, slot in enumerate(slots):
            self.said.append(self._between(slot, items, first) if place else first)
            if slot.at is None:
                self._write_new(slot, depth + 1)
            else:
                known = items[slot.at]
                self.said.append(self._text[known.start : known.value])
                self.write(known.value, old[slot.at], slot.value, depth + 1)
        if not items and slots:
            self.said.append(self._style.lead(depth))

    def _between(self, slot: _Slot, items: Sequence[_Item], first: str) -> str:
        """The separator before a member: the original one, or the one before the first."""
        if slot.at:
            return self._text[items[slot.at - 1].end : items[slot.at].start]
        return "," + (first if self._style.newline or first else self._style.colon[1:])

    def _write_new(self, slot: _Slot, depth: int) -> None:
        if slot.key is not None:
            self.said.append(json.dumps(slot.key, ensure_ascii=False) + self._style.colon)
        self.said.append(self._style.dump(slot.value, depth))

    def _items(self, at: int) -> tuple[list[_Item], int]:
        """The members of the object or list at `at`, and its end."""
        keyed = self._text[at] == "{"
        items: list[_Item] = []
        at = skip_space(self._text, at + 1)
        while self._text[at] not in "}]":
            start = at
            key = None
            if keyed:
                key, at = DECODER.raw_decode(self._text, at)
                at = skip_space(self._text, skip_space(self._text, at) + 1)
            end = self._end(at)
            items.append(_Item(key, start, at, end))
            at = skip_space(self._text, end)
            if self._text[at] == ",":
                at = skip_space(self._text, at + 1)
        return items, at + 1

    def _end(self, at: int) -> int:
        return int(DECODER.raw_decode(self._text, at)[1])


def _as_written(old: JsonObject, items: Sequence[_Item]) -> JsonObject:
    """The object in the order of its text, which may differ if it was changed before writing."""
    ordered = {one.key: old[one.key] for one in items if one.key in old}
    return ordered if len(ordered) == len(old) else old


def _members(old: JsonObject, new: JsonObject) -> list[_Slot]:
    kept = [_Slot(at, key, new[key]) for at, key in enumerate(old) if key in new]
    return [*kept, *(_Slot(None, key, value) for key, value in new.items() if key not in old)]


def _elements(old: list[Any], new: list[Any]) -> list[_Slot]:
    """Equal elements at both ends are kept; the others are paired in order."""
    head = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if not same(*pair)),
        min(len(old), len(new)),
    )
    short = min(len(old), len(new)) - head
    backwards = zip(reversed(old), reversed(new), strict=False)
    tail = next((at for at, pair in enumerate(backwards) if at >= short or not same(*pair)), short)
    slots = []
    for at, value in enumerate(new):
        shifted = at + len(old) - len(new)
        here = shifted if at >= len(new) - tail else at if at < len(old) - tail else None
        slots.append(_Slot(here, None, value))
    return slots
