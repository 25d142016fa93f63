"""The patterns of explicit commands, one table per language, as worldbook_rules/lexicons/commands.{zh,en}.json has them."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from rolememory.schema.learning import Scope
from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.language import LANGUAGES
from rolememory.text.plain import longest_first

Kind = Literal["remember", "forget", "pin", "correct"]
Shape = Literal["statement", "any", "that", "before", "maybe", "next", "whole"]
Pattern = re.Pattern[str]
_PLAIN = (  # fields of a table that are patterns already
    "hint clause asks asks_politely asked_what still_orders tail statement no_statement "
    "advice cheer denied learned reported own_words"
)
_NAME = re.compile(r"\{(\w+)\}")


@value_class
class CommandPattern:
    """One phrasing of a command; rarely needed patterns are compiled on first use."""

    kind: Kind
    shape: Shape
    _says: str
    _unless: str

    @property
    def says(self) -> Pattern:
        """The pattern of the command."""
        return _compiled(self._says)

    @property
    def unless(self) -> Pattern | None:
        """What excludes it."""
        return _compiled(self._unless) if self._unless else None

    @property
    def short(self) -> bool:
        """Whether it ends at its clause: text after a comma is not part of it."""
        return self.kind == "forget" or self.shape in ("that", "before")


@value_class
class CommandPatterns:
    """The command patterns of a language, for `reading.plain` text."""

    hint: Pattern  # no match: no command in the text
    lead: Pattern  # politeness and fillers before a command
    clause: Pattern  # the separators of clauses
    rows: tuple[CommandPattern, ...]
    ooc_rows: tuple[CommandPattern, ...]  # also tried out of character
    called: tuple[str, ...]  # the memory, after a slash
    slash: Mapping[str, Kind]
    slashed: Pattern  # a line of such a command
    scope: Mapping[str, Scope]
    scoped: Pattern  # an out-of-character remark that sets the scope
    ended: Pattern  # an out-of-character remark that ends a chapter, and its title
    ooc: str  # the labels of out-of-character text, as a pattern
    asks: Pattern
    asks_politely: Pattern  # a question that is a command: "could you remember that ...?"
    asked_what: Pattern  # and one that is not: "could you remember when ...?"
    still_orders: Pattern  # ", ok?": a question mark without a question
    tail: Pattern
    statement: Pattern
    no_statement: Pattern
    advice: Pattern  # "remember, every problem has a solution": an encouragement
    cheer: Pattern  # the same, where no "that" or colon makes it a request: "don't forget you're worth it"
    denied: Pattern  # "..., not three": the wrong value in a correction
    learned: Pattern  # 记住了: with nothing before it, a reply to such a request
    reported: Pattern  # before the command: somebody is quoted
    own_words: Pattern  # "I said"


@cache
def aside() -> Pattern:
    """A pattern that all `scoped` and `ended` remarks match: a slash, or an out-of-character mark."""
    marks = (lexicon(f"commands.{language}")["ooc"] for language in LANGUAGES)
    return re.compile("|".join(("/", *marks)))


@cache
def command_patterns(language: Language) -> CommandPatterns:
    """The shipped rules of a language."""
    raw = lexicon(f"commands.{language}")
    parts: dict[str, str] = {}
    for name, pattern in raw["parts"].items():
        parts[name] = _filled(pattern, parts)
    slash, scope = _by_word(raw["slash"]), _by_word(raw["scope"])
    return CommandPatterns(
        lead=re.compile(
            f"(?>{raw['lead'].removesuffix('*')})*+"
        ),  # possessive: fillers are never backtracked
        rows=_rows(raw["rows"], parts),
        ooc_rows=_rows(raw["ooc_rows"], parts),
        called=tuple(parts["called"].strip("(?:)").split("|")),
        slash=slash,
        slashed=re.compile(
            rf"^[ \t]*/(?:{parts['called']}[ \t:]*|(?!{parts['called']}))(?P<word>{longest_first(slash)}|[a-z]{{6,}})(?![a-z])(?P<rest>[^\n]*)",
            re.MULTILINE,
        ),
        scope=scope,
        scoped=re.compile(
            rf"(?:^[ \t]*/|(?:^|[(\[])\s*(?:{raw['ooc']})\s*[:,.-]*\s*)"
            rf"(?:{_filled(raw['scope_said'], {**parts, 'scope': longest_first(scope)})})\s*(?=[)\]\n.!。]|$)",
            re.MULTILINE,
        ),
        ended=re.compile(
            rf"^[ \t]*/(?:{raw['chapter']})(?![a-z])[ \t:]*(?P<a>[^\n]*)$"
            rf"|[(\[]\s*(?:{raw['ooc']})\s*[:,.-]*\s*(?:{raw['chapter']})(?:\s*:\s*(?P<b>[^\n)\]]*))?\s*[)\]]",
            re.MULTILINE,
        ),
        ooc=raw["ooc"],
        **{name: re.compile(raw[name], re.DOTALL) for name in _PLAIN.split()},
    )


def _by_word(raw: Mapping[str, str]) -> dict[str, Any]:
    return {word: name for name, listed in raw.items() for word in listed.split("|")}


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    return _NAME.sub(lambda name: parts.get(name[1], name[0]), pattern)


def _rows(raw: list[list[Any]], parts: Mapping[str, str]) -> tuple[CommandPattern, ...]:
    """The rows, each with its pattern, and its exceptions if any."""
    return tuple(
        CommandPattern(kind, shape, _filled(says, parts), _filled("".join(unless), parts))
        for kind, shape, says, *unless in raw
    )


@cache
def _compiled(pattern: str) -> Pattern:
    return re.compile(pattern, re.DOTALL)
