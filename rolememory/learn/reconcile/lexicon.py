"""The words that comparing statements needs: which phrases mean the same, what denies, ends, changes or corrects.

`worldbook_rules/lexicons/reconcile.{en,zh}.json` give words to meanings, `reconcile.json` says how meanings are related.
Both languages are read at once, so that 讨厌 and "hate" are one meaning.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import orjson
import regex

from rolememory.shipped import shipped
from rolememory.text.fold import folded_key
from rolememory.text.words import stem

Kind = Literal[
    "word",
    "people",
    "time",
    "filler",
    "not",
    "never",
    "ended",
    "changed",
    "switched",
    "moved",
    "corrected",
    "over",
    "unreal",
    "past",
    "break",
]
Mark = tuple[Kind, str]
"""What a phrase does in a sentence, and the meaning or person it stands for where it is one."""

_MARKED: tuple[Kind, ...] = ("not", "never", "ended", "changed", "switched", "moved", "corrected", "over", "unreal")
_UNITS = regex.compile(r"[\uE000-\uF8FF]|[\p{Han}]|[\p{L}\p{M}]+(?:['-][\p{L}\p{M}]+)*|\d+(?:[.:]\d+)*|[,;.!?:，。；！？：、…\n]+")
_STOPS = frozenset(",;.!?:，。；！？：、…\n")
BREAK = "\n"  # the unit that ends a clause


@dataclass(frozen=True, slots=True)
class End:
    """What is said when a state of things is over: hearing one of `told` ends a state that one of `ends` speaks of."""

    told: frozenset[str]
    ends: frozenset[str]
    free: bool = False  # needs no further word in common


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All phrases as sequences of units, and the relations of meanings."""

    phrases: Mapping[tuple[str, ...], tuple[Mark, ...]]
    longest: int
    spelling: Mapping[int, int]  # traditional characters as simplified ones
    opposites: frozenset[frozenset[str]]
    rivals: Mapping[str, int]  # meaning -> its group: two of one group exclude each other
    only: frozenset[str]  # of these one has one: hair, a favourite, a shift
    switchable: frozenset[str]  # verbs with one object at a time: lives in, supports
    ends: tuple[End, ...]
    light: frozenset[str]  # meanings that a restatement may leave out
    people: frozenset[str]
    unique: frozenset[str]  # of these people one has one at a time
    numbers: Mapping[str, int]
    past: frozenset[str]  # words as they stand: "went" tells what happened, "go" does not
    units: Mapping[str, tuple[str, float]]
    days: Mapping[str, int]
    months: Mapping[str, int]


def units(text: str) -> list[str]:
    r"""The smallest pieces that phrases are made of: words, Han characters, numbers; `BREAK` between clauses.

    >>> units("she hated it, 我讨厌它")
    ['she', 'hated', 'it', '\n', '我', '讨', '厌', '它']
    """
    return [BREAK if found[0] in _STOPS else found for found in _UNITS.findall(text)]


def base(unit: str) -> str:
    """A unit as phrases are compared: Latin words by their stem, so that any form counts.

    >>> base("hated"), base("don't"), base("厌")
    ('hate', "don't", '厌')
    """
    return stem(unit) if "a" <= unit[0] <= "z" and "'" not in unit else unit


@cache
def lexicon() -> Lexicon:
    """The shipped words, read once."""
    told = _read("reconcile")
    languages = [_read("reconcile.en"), _read("reconcile.zh")]
    phrases: dict[tuple[str, ...], dict[Mark, None]] = {}
    for words in languages:
        for phrase, mark in _marked(words):
            phrases.setdefault(tuple(map(base, units(folded_key(phrase)))), {})[mark] = None
    return Lexicon(
        phrases={phrase: tuple(marks) for phrase, marks in phrases.items() if phrase},
        longest=max(map(len, phrases)),
        spelling=str.maketrans(languages[1]["traditional"], languages[1]["simplified"]),
        opposites=frozenset(map(frozenset, told["opposites"])),
        rivals={name: group for group, names in enumerate(told["rivals"]) for name in names},
        only=frozenset(told["only"]),
        switchable=frozenset(told["switchable"]),
        ends=tuple(End(frozenset(one["told"]), frozenset(one["ends"]), one.get("free", False)) for one in told["ends"]),
        light=frozenset(told["light"]),
        people=frozenset(name for words in languages for name in words["people"]),
        unique=frozenset(told["one_of"]),
        past=frozenset(phrase for words in languages for phrase in words["past"]),
        **{
            name: {key: value for words in languages for key, value in words[name].items()}
            for name in ("numbers", "units", "days", "months")
        },
    )


def meanings(names: Iterable[str]) -> frozenset[str]:
    """The names among these that are meanings or people of the lexicon."""
    known = {name for marks in lexicon().phrases.values() for kind, name in marks if kind in ("word", "people")}
    return frozenset(names) & known


def _marked(words: Mapping[str, Any]) -> Iterable[tuple[str, Mark]]:
    for name, phrases in words["mean"].items():
        yield from ((phrase, ("word", name)) for phrase in phrases)
    for name, phrases in words["people"].items():
        yield from ((phrase, ("people", name)) for phrase in phrases)
    for kind in _MARKED:
        yield from ((phrase, (kind, "")) for phrase in words[kind])
    yield from ((phrase, ("filler", "")) for phrase in words["fillers"])
    yield from ((phrase, ("break", "")) for phrase in words["clauses"])
    yield from ((phrase, ("time", phrase)) for phrase in words["times"])


def _read(name: str) -> Any:
    return orjson.loads(shipped("worldbook_rules", "lexicons", f"{name}.json").read_bytes())
