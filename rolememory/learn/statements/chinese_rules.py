"""The predicates that claim something: 住在…, 是做…的, 对…过敏. A rule is heads and a rest, both data; heads find their rules by their words."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from rolememory.learn.statements.chinese_dates import age, date
from rolememory.learn.statements.chinese_spans import Span
from rolememory.learn.statements.chinese_text import Plain
from rolememory.learn.statements.chinese_values import spans
from rolememory.learn.statements.chinese_words import LAST, NUMBER, lexicon, longest_first

_SLOT = re.compile(r"(?<!\?P)<(\w+)>")
_LIST = re.compile(r"\{([a-z_]+)\}")
_DIGITS = frozenset("0123456789一二两三四五六七八九十百千")
_NORMAL = {"number": age, "date": date}
_COUNTED = frozenset(
    {"noun", "job"}
)  # kinds whose measure word is kept for the sentence: 想要一只猫
_LONGEST_COUNT = 5
_EVERYBODY = "me we you third"


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to claim something. `rest` is what follows the head, to the end of the clause."""

    attribute: str
    rest: re.Pattern[str]
    kind: str  # of its value, as in `chinese_values`
    value: str | None  # fixed, where the words as a whole mean it
    about: str | None  # fixed; None = what <a> holds
    content: tuple[
        str, ...
    ]  # templates of its own, for what holds and what does not; () = those of the attribute
    denied: str  # what 不 does: holds (it does not hold), void (nothing is claimed), must (only so), opposite, ended (only 不再)
    holds: bool
    possessed: bool  # may stand behind 的: 我的生日…
    alone: str  # may begin a message without a subject: "yes", "strongly" (超爱…)
    need: str  # what it asks beside its words, as in `chinese_needs`
    persons: frozenset[str]  # of whom it may claim it
    from_head: bool  # the value begins with the head: 去过京都
    timed: bool  # the words of time belong to the value: 下周去京都


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that fits, and what its slots hold."""

    rule: Rule
    value: str  # as rules compare it
    raw: str  # with its measure word, as it was said
    about: str
    slots: Mapping[str, str]  # further slots by name
    end: int = -1  # of the value in the text; -1 = it stands nowhere


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by head."""

    by_head: Mapping[str, tuple[Rule, ...]]
    lengths: Mapping[
        str, tuple[int, ...]
    ]  # first character of a head -> how long such heads are, the longest first
    by_number: tuple[Rule, ...]  # for predicates that begin with a number
    by_time: tuple[Rule, ...]  # for whatever stands behind words of time

    def at(self, text: str, start: int, end: int) -> Iterator[tuple[Rule, int]]:
        """Rules whose head stands at this place, the longest head first, and where the head ends."""
        for length in self.lengths.get(text[start : start + 1], ()):
            for rule in (
                self.by_head.get(text[start : min(start + length, end)], ())
                if start + length <= end
                else ()
            ):
                yield rule, start + length
        if start < end and text[start] in _DIGITS:
            for rule in self.by_number:
                yield rule, start


@cache
def rules() -> Rules:
    """The shipped rules, compiled once."""
    by_head: dict[str, list[Rule]] = {}
    special: dict[str, list[Rule]] = {"#": [], "*": []}
    for row in lexicon().raw["rules"]:
        for rule in _rules_of(row):
            for head in _heads(row["heads"]):
                special.get(head, by_head.setdefault(head, [])).append(rule)
    heads = {head: tuple(found) for head, found in by_head.items() if found}
    return Rules(heads, _lengths(heads), tuple(special["#"]), tuple(special["*"]))


def _lengths(heads: Iterable[str]) -> dict[str, tuple[int, ...]]:
    lengths: dict[str, set[int]] = {}
    for head in heads:
        lengths.setdefault(head[0], set()).add(len(head))
    return {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}


def _heads(said: str) -> list[str]:
    """The heads of a row; {habits} stands for all words of that list."""
    listed = _LIST.fullmatch(said)
    return lexicon().words(listed[1]) if listed else said.split()


def _rules_of(row: Mapping[str, Any]) -> Iterator[Rule]:
    for rest in [row["rest"]] if isinstance(row["rest"], str) else row["rest"]:
        yield Rule(
            row["says"],
            pattern(rest),
            row.get("kind", "any"),
            row.get("value"),
            row.get("about"),
            tuple([own] if isinstance(own := row.get("content", ()), str) else own),
            row.get("denied", "holds"),
            row.get("holds", True),
            row.get("possessed", False),
            row.get("alone", ""),
            row.get("need", ""),
            frozenset(row.get("for", _EVERYBODY).split()) - set(row.get("not_for", "").split()),
            row.get("takes") == "head",
            row.get("timed", False),
        )


def pattern(rest: str) -> re.Pattern[str]:
    """The rest of a rule as a regular expression: <v> is a stretch of text, {kin} a word of that list, # a number."""
    lex = lexicon()
    filled = _LIST.sub(
        lambda found: _any_kin() if found[1] == "kin" else lex.any_of(found[1]), rest
    )
    named = _SLOT.sub(lambda found: f"(?P<{found[1]}>.{{1,40}}?)", filled)
    return re.compile(f"(?:{named.replace('#', NUMBER)})(?:{LAST})*")


@cache
def _any_kin() -> str:
    return f"(?:{'|'.join(word for word in longest_first(lexicon().kin) if len(word) > 1)})"


def matches(rule: Rule, source: Plain, head: Span, end: int) -> list[Match]:
    """What the rule reads behind its head; several matches for a list of values, none where it does not fit."""
    found = rule.rest.fullmatch(source.text, head[1], end)
    if not found:
        return []
    slots = {
        name: source.said(*found.span(name))
        for name, held in found.groupdict().items()
        if held is not None and name != "v"
    }
    about = (
        slots.get("a", "")
        if rule.about is None
        else source.said(*head) + slots.get("x", "")
        if rule.about == "<head>"
        else rule.about
    )
    if rule.value is not None:
        value = source.said(*head) if rule.value == "<head>" else rule.value
        return [Match(rule, value, value, about, slots)]
    if not found.groupdict().get("v"):
        return [Match(rule, "", "", about, slots)]
    return [
        _match(rule, source, one, found.span("v"), about, slots)
        for one in spans(rule.kind, source.text, *found.span("v"))
    ]


def _match(
    rule: Rule, source: Plain, value: Span, whole: Span, about: str, slots: Mapping[str, str]
) -> Match:
    normal = _NORMAL.get(rule.kind)
    said = normal(source.text[slice(*value)]) if normal else source.said(*value)
    begin = (
        whole[0] if rule.kind in _COUNTED and value[0] - whole[0] <= _LONGEST_COUNT else value[0]
    )
    return Match(
        rule, said, said if normal else source.said(begin, value[1]), about, slots, value[1]
    )
