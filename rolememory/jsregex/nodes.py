"""The syntax tree of a pattern: frozen values."""

from dataclasses import dataclass
from typing import Literal

Ranges = tuple[tuple[int, int], ...]
"""Code points as closed ranges, ascending, neither touching nor overlapping."""


@dataclass(frozen=True, slots=True)
class Property:
    r"""`\p{...}`: a Unicode property as the `regex` module spells it."""

    spelling: str  # "Script=Han", "Lu", ...
    negated: bool = False


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """One character of a set; case folding is already applied to the set."""

    ranges: Ranges
    properties: tuple[Property, ...] = ()  # added to the ranges
    negated: bool = False  # one character outside all of them

    @property
    def only(self) -> int | None:
        """The code point if the set has exactly one, else None."""
        lone = (
            len(self.ranges) == 1
            and self.ranges[0][0] == self.ranges[0][1]
            and not self.properties
            and not self.negated
        )
        return self.ranges[0][0] if lone else None


@dataclass(frozen=True, slots=True)
class Assertion:
    """A zero-width assertion; `lines`: flag m; `wide`: word characters of flags i and u together."""

    kind: Literal["start", "end", "word", "inside"]
    lines: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Backreference:
    """Matches the text of a group again, or nothing if the group did not match."""

    group: int
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Concatenation:
    """A sequence; without parts it matches the empty text."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Alternation:
    """Tries its options in order."""

    options: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class CapturingGroup:
    """A capturing group, numbered from 1."""

    number: int
    body: "Node"


@dataclass(frozen=True, slots=True)
class Lookaround:
    """Lookahead or lookbehind: matches no text itself."""

    body: "Node"
    ahead: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Quantifier:
    """The body `least` to `most` times (None = unbounded)."""

    body: "Node"
    least: int
    most: int | None
    greedy: bool


Node = (
    CharacterSet
    | Assertion
    | Backreference
    | Concatenation
    | Alternation
    | CapturingGroup
    | Lookaround
    | Quantifier
)
EMPTY = Concatenation(())
