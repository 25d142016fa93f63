"""Variables of macros: texts and numbers by name, with JavaScript's arithmetic. State of one chat, bounded."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal
from typing import Any

from rolememory.schema.json_types import JsonObject
from rolememory.schema.value_class import value_class
from rolememory.text.boundaries import BLANKS

MOST, LONGEST_NAME, LONGEST = 200, 100, 2_000  # variables; characters

Value = str | float

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BASED = {"0x": 16, "0o": 8, "0b": 2}
_ENDLESS = {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}


class VariableSet:
    """Variables by name.

    >>> kept = VariableSet({"n": "007"})
    >>> kept.add("n", "3"), kept.get("n"), kept.get("other")
    ('10', '10', '')
    """

    def __init__(self, held: Mapping[str, Value] | None = None) -> None:
        self.held: dict[str, Value] = dict(held or {})

    def has(self, name: str) -> bool:
        """Whether the variable exists."""
        return name in self.held

    def get(self, name: str, key: str | None = None) -> str:
        """Its text, numbers in shortest form; `key`: a member of a list or an object."""
        value: Any = self.held.get(name)
        if key is not None:
            value = _member(value, key)
        if value is None:
            return ""
        number = number_of(value)
        return str(value) if number is None or str(value).strip(BLANKS) == "" else shown(number)

    def set(self, name: str, value: Value) -> None:
        """Set a variable; ignored if too long or too many."""
        full = name not in self.held and len(self.held) >= MOST
        if not full and len(name) <= LONGEST_NAME and len(str(value)) <= LONGEST:
            self.held[name] = value

    def set_member(self, name: str, key: str, value: str) -> None:
        """Set a member of a list or an object; ignored for other values."""
        member = _with_member(self.held.get(name), key, value)
        if member is not None:
            self.set(name, member)

    def add(self, name: str, value: Value) -> str:
        """Add a number, append a text, or append to a list; the new value."""
        now = self.get(name) or "0"
        listed, one, other = _parsed(now), number_of(now), number_of(value)
        if isinstance(listed, list) or one is None or other is None:
            text = _appended(listed, value) if isinstance(listed, list) else _hung_on(now, value)
            self.set(name, text)
            return text
        total = one + other
        if not math.isnan(total):
            self.set(name, _whole(total))
        return "" if math.isnan(total) else shown(total)

    def delete(self, name: str) -> None:
        """Remove it."""
        self.held.pop(name, None)


@value_class
class Variables:
    """Two sets of variables: `x` of the chat, and `$x`, global in frontends; here both belong to the chat.

    No other chat can read or write them, so cards cannot pass on private data.
    """

    local: VariableSet = field(default_factory=VariableSet)
    everywhere: VariableSet = field(default_factory=VariableSet)

    @classmethod
    def of(cls, raw: object) -> "Variables":
        """Read the value of `to_json`; empty for anything else."""
        told = raw if isinstance(raw, Mapping) else {}
        made = cls()
        for name, kept in made._named():
            held = told.get(name)
            for one, value in held.items() if isinstance(held, Mapping) else ():
                if isinstance(value, str | int | float) and not isinstance(value, bool):
                    kept.set(str(one), value)
        return made

    def of_sign(self, sign: str) -> VariableSet:
        """The set of `.x`, or of `$x`."""
        return self.everywhere if sign == "$" else self.local

    def to_json(self) -> JsonObject:
        """Both sets, without empty ones."""
        return {name: dict(kept.held) for name, kept in self._named() if kept.held}

    def copy(self) -> "Variables":
        """An independent copy."""
        return Variables(VariableSet(self.local.held), VariableSet(self.everywhere.held))

    def _named(self) -> tuple[tuple[str, VariableSet], ...]:
        return ("local", self.local), ("global", self.everywhere)


def number_of(value: Value) -> float | None:
    """JavaScript's `Number(value)`, or None for NaN.

    >>> [number_of(text) for text in (" 007 ", "0x10", "", "1e3", "1,5", "abc")]
    [7.0, 16.0, 0.0, 1000.0, None, None]
    """
    if not isinstance(value, str):
        return float(value)
    text = value.strip(BLANKS)
    if not text:
        return 0.0
    if text in _ENDLESS:
        return _ENDLESS[text]
    if base := _BASED.get(text[:2].lower()):
        try:
            return float(int(text[2:], base)) if "_" not in text and text[2:3].isalnum() else None
        except (ValueError, OverflowError):
            return None
    return float(text) if _DECIMAL.fullmatch(text) else None


def shown(number: float) -> str:
    """A number as JavaScript writes it.

    >>> [shown(number) for number in (7.0, 0.1 + 0.2, 1e21, 1e-7, 123456789012345678901.0, -0.0)]
    ['7', '0.30000000000000004', '1e+21', '1e-7', '123456789012345680000', '0']
    """
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    exact = Decimal(repr(number)).normalize()
    if not exact:
        return "0"
    return format(exact, "f" if -6 <= exact.adjusted() <= 20 else "e")


def _whole(number: float) -> float:
    return (
        int(number)
        if math.isfinite(number) and number == int(number) and abs(number) < 2**53
        else number
    )


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json(value: Any) -> str:
    return json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"))


def _finite(value: Any) -> Any:
    """A number for JSON: NaN and infinities become null."""
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _appended(listed: list[Any], value: Value) -> str:
    return _json([*listed, value if isinstance(value, str) else _whole(value)])


def _hung_on(now: str, value: Value) -> str:
    return ("" if now == "0" else now) + (value if isinstance(value, str) else shown(value))


def _member(value: Any, key: str) -> Any:
    held = _parsed(value) if isinstance(value, str) else None
    if held is None:
        return value
    member = held.get(key) if isinstance(held, dict) else _element(held, number_of(key))
    if isinstance(member, bool):
        return "true" if member else ""
    return _json(member) if isinstance(member, list | dict) else member


def _element(held: Any, number: float | None) -> Any:
    """The element of a list at that index, or None."""
    if not isinstance(held, list) or number is None or not math.isfinite(number):
        return None
    at = int(number)
    return held[at] if 0 <= at < len(held) and at == number else None


def _with_member(value: Value | None, key: str, member: str) -> str | None:
    """The list or object with the member set, as JSON; None for other values."""
    number = number_of(key)
    held = _parsed(str(value)) if value is not None else ([] if number is not None else {})
    if isinstance(held, dict):
        return _json({**held, key: member})
    if not isinstance(held, list) or number is None or not 0 <= number < MOST:
        return None
    held.extend([None] * (int(number) + 1 - len(held)))
    held[int(number)] = member
    return _json(held)
