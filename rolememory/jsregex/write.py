"""Writes a tree as source of the `regex` module."""

from dataclasses import dataclass, field

from rolememory.jsregex import sets
from rolememory.jsregex.analysis import generous, never_set, nullable, walk, widthless
from rolememory.jsregex.nodes import (
    Alternation,
    Assertion,
    Backreference,
    CapturingGroup,
    CharacterSet,
    Concatenation,
    Lookaround,
    Node,
    Quantifier,
    Ranges,
)

_NOT_LINE_END = "[^\n\r\u2028\u2029]"


@dataclass(slots=True)
class Writer:
    """Writer of one tree."""

    tree: Node
    ascii: bool = False  # whether the engine runs with ASCII word characters
    _referred: frozenset[int] = field(init=False, default=frozenset())
    _never: frozenset[int] = field(init=False, default=frozenset())
    _guards: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._referred = frozenset(
            node.group for node in walk(self.tree) if isinstance(node, Backreference)
        )
        self._never = never_set(self.tree)

    def whole(self, *, sticky: bool) -> str:
        """The source; it contains all flags but "dot matches all"."""
        source = self._node(self.tree, behind=False)
        return rf"\A(?:{source})" if sticky else source

    def _node(self, node: Node, *, behind: bool) -> str:  # noqa: PLR0911 - a case for each kind of node
        """The source of a node; `behind`: inside a lookbehind, which matches from right to left."""
        match node:
            case CharacterSet():
                return self._chars(node)
            case Assertion():
                return self._edge(node)
            case Backreference():
                return self._back(node)
            case Concatenation(parts):
                return "".join(self._part(part, behind=behind) for part in parts)
            case Alternation(options):
                return "|".join(self._node(option, behind=behind) for option in options)
            case CapturingGroup(number=number, body=body):
                opening = f"(?P<g{number}>" if number in self._referred else "(?:"
                return f"{opening}{self._node(body, behind=behind)})"
            case Lookaround(body=body, ahead=ahead, negated=negated):
                return f"(?{'' if ahead else '<'}{'!' if negated else '='}{self._node(body, behind=not ahead)})"
            case Quantifier():
                return self._repeat(node, behind=behind)

    def _part(self, node: Node, *, behind: bool) -> str:
        source = self._node(node, behind=behind)
        return f"(?:{source})" if isinstance(node, Alternation) else source

    def _back(self, node: Backreference) -> str:
        if id(node) in self._never:
            return ""
        flag = "i" if node.ignore_case else ""
        return f"(?(g{node.group})(?{flag}:(?P=g{node.group}))|)"

    def _edge(self, node: Assertion) -> str:
        if node.kind == "start":
            return rf"(?<!{_NOT_LINE_END})" if node.lines else r"\A"
        if node.kind == "end":
            return rf"(?!{_NOT_LINE_END})" if node.lines else r"\Z"
        if self.ascii and not node.wide:
            return r"\b" if node.kind == "word" else r"\B"
        word = self._chars(CharacterSet(sets.WIDE_WORDS if node.wide else sets.WORDS))
        if node.kind == "word":
            return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"

    def _repeat(self, node: Quantifier, *, behind: bool) -> str:
        if widthless(node.body):  # empty iterations beyond the minimum are refused
            return self._part(node.body, behind=behind) if node.least else ""
        body = self._node(node.body, behind=behind)
        atom = (
            body
            if isinstance(node.body, CharacterSet | CapturingGroup) and body != ""
            else f"(?:{body})"
        )
        lazy = "" if node.greedy else "?"
        if nullable(node.body) and not generous(node.body):
            most = None if node.most is None else node.most - node.least
            rounds = (
                self._guarded(atom, behind=behind) + _bounds(0, most) + lazy if most != 0 else ""
            )
            return (atom + _bounds(node.least, node.least) if node.least else "") + rounds
        return atom + _bounds(node.least, node.most) + lazy

    def _guarded(self, atom: str, *, behind: bool) -> str:
        """The atom, refused if it matches the empty text: the rest of the text after it must differ from before."""
        self._guards += 1
        name = f"n{self._guards}"
        before = f"(?=(?P<{name}>.*))"
        after = rf"(?!(?P={name})\Z)"
        return f"(?:{after}{atom}{before})" if behind else f"(?:{before}{atom}{after})"

    def _chars(self, node: CharacterSet) -> str:
        if not node.properties:
            return self._ranges(node.ranges)
        properties = "".join(
            rf"\{'P' if each.negated else 'p'}{{{each.spelling}}}" for each in node.properties
        )
        return f"[{'^' if node.negated else ''}{properties}{_members(node.ranges)}]"

    def _ranges(self, ranges: Ranges) -> str:
        if not ranges:
            return "(?!)"
        if ranges == ((0, sets.LAST),):
            return "."
        if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
            return _char(ranges[0][0])
        if ranges[0][0] == 0:
            return f"[^{_members(sets.complement(ranges))}]"
        return f"[{_members(ranges)}]"


def _bounds(least: int, most: int | None) -> str:
    short = {(0, None): "*", (1, None): "+", (0, 1): "?", (1, 1): ""}.get((least, most))
    return (
        short
        if short is not None
        else f"{{{least}}}"
        if least == most
        else f"{{{least},{'' if most is None else most}}}"
    )


def _members(ranges: Ranges) -> str:
    return "".join(
        _char(low) if low == high else f"{_char(low)}-{_char(high)}" for low, high in ranges
    )


def _char(code: int) -> str:
    char = chr(code)
    if code > 0x7F or char.isalnum():
        return char
    return f"\\x{code:02x}" if code <= 0x20 or code == 0x7F else "\\" + char
