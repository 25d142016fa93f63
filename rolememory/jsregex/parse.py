"""Parser of what `new RegExp(body, flags)` accepts. Source: ECMA-262, Patterns, and Annex B without `u`.

Without the flag `u` a pattern is a sequence of UTF-16 units, so an emoji in it is two characters, as in JavaScript.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from rolememory.errors import PatternError
from rolememory.jsregex import sets
from rolememory.jsregex.escapes import ClassSet, PatternScanner
from rolememory.jsregex.nodes import (
    EMPTY,
    Alternation,
    Assertion,
    Backreference,
    CapturingGroup,
    CharacterSet,
    Concatenation,
    Lookaround,
    Node,
    Quantifier,
)
from rolememory.locales import Listed, LocalizedText, translatable

MAX_LENGTH = 1000  # characters of a body
MAX_NESTING = 20  # groups inside groups
FLAGS = "gimsuy"
_MODIFIERS = re.compile(r"\(\?(?P<on>[ims]*)(?P<minus>-(?P<off>[ims]*))?:")


class CostlyPatternError(PatternError):
    """Valid in JavaScript, refused here: running it could cost too much."""


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags after the last slash."""

    ignore_case: bool = False
    lines: bool = False
    dot_all: bool = False
    unicode: bool = False
    sticky: bool = False

    @classmethod
    def read(cls, letters: str) -> "Flags":
        """The flags these letters set.

        Raises:
            PatternError: an unknown flag, or a duplicate.
        """
        for at, letter in enumerate(letters):
            if letter not in FLAGS or letter in letters[:at]:
                raise PatternError(
                    "flag {letter!r} stands twice; write each of {known} at most once"
                    if letter in FLAGS
                    else "{letter!r} is no flag here; write each of {known} at most once",
                    letter=letter,
                    known=Listed(FLAGS),
                )
        return cls("i" in letters, "m" in letters, "s" in letters, "u" in letters, "y" in letters)


def parse(body: str, flags: Flags) -> Node:
    """The tree of a pattern.

    Raises:
        PatternError: JavaScript refuses it (SyntaxError).
        CostlyPatternError: it is too long or nested too deeply.
    """
    if len(body) > MAX_LENGTH:
        raise CostlyPatternError(
            "the pattern has {length} characters, at most {most} are run; split it into several keys",
            length=len(body),
            most=MAX_LENGTH,
        )
    return _Parser(body, flags).whole()


class _Parser(PatternScanner):
    """Recursive descent, one method per production; depth is bounded by MAX_NESTING."""

    def __init__(self, body: str, flags: Flags) -> None:
        super().__init__(body, unicode=flags.unicode)
        self.flags = flags
        self.names, self.total = self.groups()
        self.opened = 0
        self.depth = 0
        self.branches: tuple[
            tuple[int, int], ...
        ] = ()  # enclosing alternatives: disjunction, option
        self.named: dict[
            str, list[tuple[tuple[int, int], ...]]
        ] = {}  # name -> enclosing alternatives of its groups

    def whole(self) -> Node:
        tree = self.disjunction()
        if self.peek() == ")":
            raise self.syntax_error(
                "unmatched ')'", r"write '\)' for a bracket that is meant literally"
            )
        return tree

    def disjunction(self) -> Node:
        outer = self.branches
        begins = self.at
        options: list[Node] = []
        while not options or self.take("|"):
            self.branches = (*outer, (begins, len(options)))
            options.append(self.alternative())
        self.branches = outer
        return options[0] if len(options) == 1 else Alternation(tuple(options))

    def alternative(self) -> Node:
        parts: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.term())
        return parts[0] if len(parts) == 1 else Concatenation(tuple(parts)) if parts else EMPTY

    def term(self) -> Node:
        node = self.assertion()
        if node is None:
            return self.quantified(self.atom())
        loops = (
            isinstance(node, Lookaround) and node.ahead and not self.unicode
        )  # Annex B: a lookahead may be repeated
        if not loops and self.at_quantifier():
            raise self.syntax_error(
                "nothing to repeat: an assertion matches no text", "take the quantifier away"
            )
        return self.quantified(node) if loops else node

    def assertion(self) -> Node | None:
        kinds: dict[str, Literal["start", "end", "word", "inside"]] = {
            "^": "start",
            "$": "end",
            r"\b": "word",
            r"\B": "inside",
        }
        for text, kind in kinds.items():
            if self.take(text):
                return Assertion(kind, self.flags.lines, self.flags.ignore_case and self.unicode)
        for text, ahead, negated in (
            ("(?=", True, False),
            ("(?!", True, True),
            ("(?<=", False, False),
            ("(?<!", False, True),
        ):
            if self.take(text):
                return Lookaround(self.inside(), ahead, negated)
        return None

    def inside(self) -> Node:
        """The rest of a group after its opening."""
        opening = self.at - 1
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise CostlyPatternError(
                "groups are nested more than {most} deep; split the pattern into several keys",
                most=MAX_NESTING,
            )
        body = self.disjunction()
        if not self.take(")"):
            raise self.syntax_error(
                "a group is not closed",
                r"add ')', or write '\(' for a bracket that is meant literally",
                at=opening,
            )
        self.depth -= 1
        return body

    def atom(self) -> Node:
        char = self.peek()
        if char == "(":
            return self.group()
        special: dict[str, Callable[[], Node]] = {
            ".": self.dot,
            "[": self.bracket,
            "\\": self.escape,
        }
        if char in special:
            return special[char]()
        if self.at_quantifier() or (char == "{" and self.unicode):
            raise self.syntax_error(
                "nothing to repeat before {char!r}",
                r"write '\{char}' for a character that is meant literally",
                char=char,
            )
        if char in "]}" and self.unicode:
            raise self.syntax_error("lone {char!r} with the flag u", r"write '\{char}'", char=char)
        return self.literal(self.next())

    def group(self) -> Node:
        if self.take("(?:"):
            return self.inside()
        if (modified := self.match(_MODIFIERS)) is not None:
            return self.modified(modified["on"], modified["off"] or "")
        if self.take("(?<"):
            self.name(self.group_name())
        elif self.starts("(?"):
            raise self.syntax_error(
                "unknown group {found!r}", _group_remedy(self.ahead(4)), found=self.ahead(3)
            )
        else:
            self.take("(")
        self.opened += 1
        number = self.opened
        return CapturingGroup(number, self.inside())

    def name(self, name: str) -> None:
        """Register a group name; two groups may share one in different alternatives."""
        places = self.named.setdefault(name, [])
        for place in places:
            if not any(one in dict(place) and dict(place)[one] != at for one, at in self.branches):
                raise self.syntax_error(
                    "two groups are named {name!r}",
                    "give each its own name, or an option of its own",
                    name=name,
                )
        places.append(self.branches)

    def modified(self, on: str, off: str) -> Node:
        """A group with flags of its own: `(?i-s:...)`."""
        if len({*on, *off}) < len(on + off) or not on + off:
            raise self.syntax_error(
                "a flag stands twice, or none at all", "write (?i:...), (?-i:...)"
            )
        outer = self.flags

        def now(letter: str, before: bool) -> bool:
            return letter in on or (before and letter not in off)

        self.flags = replace(
            outer,
            ignore_case=now("i", outer.ignore_case),
            lines=now("m", outer.lines),
            dot_all=now("s", outer.dot_all),
        )
        body = self.inside()
        self.flags = outer
        return body

    def dot(self) -> Node:
        self.take(".")
        return CharacterSet(sets.complement(() if self.flags.dot_all else sets.LINE_ENDS))

    def bracket(self) -> Node:
        found = self.char_class(self.flags.ignore_case)
        return self.chars(found.ranges, found)

    def escape(self) -> Node:
        self.take("\\")
        if self.peek() == "k" and (self.names or self.unicode):
            return self.named_back()
        if (group := self.back_reference(self.total)) is not None:
            return Backreference(group, self.flags.ignore_case)
        found = self.class_escape(self.flags.ignore_case)
        if found is not None:
            return self.chars(found.ranges, found)
        return self.literal(self.character_escape())

    def named_back(self) -> Node:
        start = self.at
        self.take("k")
        name = self.group_name() if self.take("<") else None
        if name not in self.names:
            raise self.syntax_error(
                r"\k names no group of this pattern (named groups: {known})",
                r"write \k<name> of a group (?<name>...)",
                at=start,
                known=Listed(self.names) if self.names else LocalizedText("none"),
            )
        backs = tuple(Backreference(group, self.flags.ignore_case) for group in self.names[name])
        return backs[0] if len(backs) == 1 else Concatenation(backs)  # at most one of them matched

    def literal(self, code: int) -> Node:
        return self.chars(((code, code),))

    def chars(
        self, ranges: tuple[tuple[int, int], ...], found: ClassSet | None = None
    ) -> CharacterSet:
        properties, negated = (found.properties, found.negated) if found else ((), False)
        return sets.chars(
            ranges,
            properties,
            negated=negated,
            fold=self.flags.ignore_case,
            unicode=self.unicode,
        )

    def quantified(self, node: Node) -> Node:
        bounds = self.quantifier()
        if bounds is None:
            return node
        least, most = bounds
        return Quantifier(node, least, most, greedy=not self.take("?"))


def _group_remedy(opening: str) -> str:
    if opening.startswith("(?P"):
        return translatable("JavaScript writes a named group (?<name>...)")
    if opening.startswith("(?>"):
        return translatable("JavaScript has no atomic groups; write (?:...)")
    if opening[2:3].isalpha() or opening[2:3] == "-":
        return translatable(
            "write (?i:...) with flags out of i, m and s, or flags behind the last slash: /.../i"
        )
    return translatable("write (?:...), (?=...), (?!...), (?<=...), (?<!...) or (?<name>...)")
