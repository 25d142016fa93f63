"""The words that comparing statements needs: which phrases mean the same, what denies, ends, changes or corrects.

`worldbook_rules/lexicons/reconcile.{en,zh}.json` give words to meanings, `reconcile.json` says how meanings are related.
Both languages are read at once, so that 讨厌 and "hate" are one meaning.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from rolememory.shipped import shipped
from rolememory.text.fold import folded_key
from rolememory.text.words import stem

Kind = str
"""What a phrase does: word, people, time, filler, break, or a name of `_MARKED`; `past` and `perfect` are found without a phrase."""
Mark = tuple[Kind, str]
"""What a phrase does in a sentence, and the meaning or person it stands for where it is one."""

_MARKED: tuple[Kind, ...] = (
    "not",
    "never",
    "ended",
    "changed",
    "switched",
    "moved",
    "corrected",
    "over",
    "unreal",
    "also",
    "third",
)
_TABLES = ("numbers", "units", "days", "months")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々〇"
_UNITS = re.compile(
    rf"[\ue000-\uf8ff{_HAN}]|[^\W\d_{_HAN}]+(?:['-][^\W\d_{_HAN}]+)*|\d+(?:[.:]\d+)*|[,;.!?:，。；！？：、…\n]+"
)
_STOPS = frozenset(",;.!?:，。；！？：、…\n")
BREAK, ASKED = "\n", "?"  # the units that end a clause, and a question


@dataclass(frozen=True, slots=True)
class End:
    """What is said when a state of things is over: hearing one of `told` ends a state that one of `ends` speaks of."""

    told: frozenset[str]
    ends: frozenset[str]
    free: bool = False  # needs no further word in common
    named: bool = False  # needs one in any case: "changed my mind" must be about the same
    event: bool = False  # is to have happened: "graduated", not "graduates in June"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All phrases as sequences of units, and the relations of meanings."""

    phrases: Mapping[tuple[str, ...], tuple[Mark, ...]]
    longest: Mapping[str, int]  # first unit -> how long phrases get that begin with it
    particles: frozenset[str]  # of verbs: what may stand between the two parts
    spelling: Mapping[int, int]  # traditional characters as simplified ones
    against: Mapping[str, frozenset[str]]  # meaning -> its contraries
    rivals: Mapping[str, int]  # meaning -> its group: two of one group exclude each other
    only: frozenset[str]  # of these one has one: hair, a favourite, a shift
    transitive: frozenset[str]  # meanings that say nothing without an object
    intents: frozenset[str]  # wants, plans: what is wanted does not hold yet
    lasting: frozenset[str]  # meanings whose forms in -ed tell what is, not what was
    switchable: frozenset[str]  # verbs with one object at a time: lives in, supports
    ends: tuple[End, ...]
    light: frozenset[str]  # meanings that carry little: have, go, make
    faint: frozenset[str]  # and those that a restatement may leave out: works as, comes from
    things: frozenset[str]  # meanings that are told apart by their place: "dogs rather than cats"
    people: frozenset[str]
    unique: frozenset[str]  # of these people one has one at a time
    vague: frozenset[str]  # words of places that are no names: two of them may be one place
    wide: frozenset[str]  # countries and the like: a town may lie in them
    tongues: frozenset[str]  # languages
    attributes: Mapping[str, tuple[str, ...]]  # of claims -> meanings in whose words they are said
    numbers: Mapping[str, int]
    past: frozenset[str]  # words as they stand: "went" tells what happened, "go" does not
    units: Mapping[str, tuple[str, float]]
    days: Mapping[str, int]
    months: Mapping[str, int]


def units(text: str) -> list[str]:
    r"""The smallest pieces that phrases are made of: words, Han characters, numbers; `BREAK` or `ASKED` behind clauses.

    >>> units("she hated it, 我讨厌它")
    ['she', 'hated', 'it', '\n', '我', '讨', '厌', '它']
    """
    return [
        found if found[0] not in _STOPS else ASKED if "?" in found or "？" in found else BREAK
        for found in _UNITS.findall(text)
    ]


def base(unit: str) -> str:
    """A unit as phrases are compared: Latin words by their stem, so that any form counts.

    >>> base("hated"), base("don't"), base("厌")
    ('hate', "don't", '厌')
    """
    return (
        stem(unit) if "a" <= unit[0] <= "z" and "'" not in unit and unit not in _exact() else unit
    )


@cache
def _exact() -> frozenset[str]:
    """Words whose stem is that of another word: quite and quit."""
    return frozenset(_read("reconcile.en")["exact"])


@cache
def lexicon() -> Lexicon:
    """The shipped words, read once."""
    told = _read("reconcile")
    languages = [_read("reconcile.en"), _read("reconcile.zh")]
    phrases: dict[tuple[str, ...], dict[Mark, None]] = {}
    for words in languages:
        for phrase, mark in _marked(words):
            phrases.setdefault(tuple(map(base, units(folded_key(phrase)))), {})[mark] = None
    sets: dict[str, Any] = {
        name: frozenset(told[name])
        for name in ("only", "transitive", "intents", "lasting", "switchable", "light", "unique")
    }
    tables: dict[str, Any] = {
        name: {key: value for words in languages for key, value in words[name].items()}
        for name in _TABLES
    }
    return Lexicon(
        phrases={phrase: tuple(marks) for phrase, marks in phrases.items() if phrase},
        longest=_longest(phrases),
        particles=frozenset(languages[0]["particles"]),
        spelling=str.maketrans(languages[1]["traditional"], languages[1]["simplified"]),
        against=_against(told["opposites"]),
        rivals={name: group for group, names in enumerate(told["rivals"]) for name in names},
        ends=tuple(_end(one) for one in told["ends"]),
        faint=sets["light"] | frozenset(told["faint"]),
        things=frozenset(name for words in languages for name in words["things"]),
        people=frozenset(name for words in languages for name in words["people"]),
        attributes={name: tuple(meant) for name, meant in told["attributes"].items()},
        tongues=_units_of(languages[:1], "languages"),
        vague=_units_of(languages, "vague_places"),
        wide=_units_of(languages, "countries"),
        past=frozenset(phrase for words in languages for phrase in words["past"]),
        **sets,
        **tables,
    )


def _units_of(languages: Iterable[Mapping[str, Any]], section: str) -> frozenset[str]:
    return frozenset(
        "".join(map(base, units(folded_key(word))))
        for words in languages
        for word in words[section]
    )


def _end(one: Mapping[str, Any]) -> End:
    flags = {name: bool(value) for name, value in one.items() if name not in ("told", "ends")}
    return End(frozenset(one["told"]), frozenset(one["ends"]), **flags)


def _longest(phrases: Iterable[tuple[str, ...]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for phrase in filter(None, phrases):
        found[phrase[0]] = max(found.get(phrase[0], 0), len(phrase))
    return found


def _against(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in pairs:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {name: frozenset(names) for name, names in found.items()}


def undone(word: str) -> frozenset[str]:
    """The contrary that a Latin word has by its prefix.

    >>> undone("lock"), undone("unlock"), undone("锁")
    (frozenset({'unlock'}), frozenset({'lock'}), frozenset())
    """
    if not word.isascii():
        return frozenset()
    return frozenset({word[2:] if word.startswith("un") else f"un{word}"})


@cache
def meanings() -> frozenset[str]:
    """The meanings that are predicates: what is left when things and people are taken out."""
    known = lexicon()
    return (
        frozenset(
            name for marks in known.phrases.values() for kind, name in marks if kind == "word"
        )
        - known.things
    )


def _marked(words: Mapping[str, Any]) -> Iterable[tuple[str, Mark]]:
    for name, phrases in (words["mean"] | words["things"]).items():
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
