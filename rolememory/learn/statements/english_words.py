"""English words as statements are read: contractions opened, phrases found, verb forms known.

The lists stand in worldbook_rules/lexicons/statements.en.json.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any, Final, NamedTuple

import orjson

from rolememory.shipped import shipped

_WORD = re.compile(
    r"w/(?=[\sa-z])|\d+(?:[.,:/]\d+)*[^\W\d_]*(?:-[^\W\d_]+)*|[^\W\d_][^\W_]*(?:['’ʼ-][^\W_]+)*|[^\w\s\"“”«»'‘’]"
)
_ENDINGS: Final = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "'d", "'s": "'s"}
_VOWELS = "aeiou"
_SIBILANT = ("ch", "sh", "ss", "x", "zz", "o")


_SINGLES: Final = {
    "mice": "mouse", "geese": "goose", "wolves": "wolf", "foxes": "fox", "children": "child", "kids": "kid", "wives": "wife", "donkeys": "donkey",
    "finches": "finch", "canvases": "canvas",
}  # fmt: skip


class Word(NamedTuple):
    """One word or mark of a text; "I'm" is two words."""

    low: str  # lower case, contractions written out, typing mistakes mended
    raw: str  # as it stands; empty where one written word became two
    start: int  # place in the text
    end: int

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.raw[:1].isupper()


_word = partial(tuple.__new__, Word)  # half the time of Word(...): a message has many words


class Words(list[Word]):
    """The words and marks of a sentence; `lows` are their lower-case forms alone, `capitals` the places of capitalised ones but "I"."""

    __slots__ = ("capitals", "lows")

    def __init__(self, words: Iterable[Word] = ()) -> None:
        super().__init__(words)
        self.lows = [word[0] for word in self]
        self.capitals = [
            place for place, word in enumerate(self) if word[1][:1].isupper() and word[0] != "i"
        ]


@dataclass(frozen=True, slots=True)
class Phrases:
    """A list of words and phrases, found at a place of a sentence."""

    spelt: frozenset[str]
    firsts: frozenset[str]  # the words that one may begin with
    alone: frozenset[str]  # the phrases of one word
    by_first: Mapping[
        str, Mapping[str, Sequence[list[str]]]
    ]  # first word -> second word -> the rest, longest first

    def at(self, words: Words, place: int, end: int) -> int:
        """How many words of the longest phrase stand at `place`; 0 = none does."""
        lows = words.lows
        if place >= end or (low := lows[place]) not in self.firsts:
            return 0
        if place + 1 < end and low in self.by_first:
            for rest in self.by_first[low].get(lows[place + 1], ()):
                behind = place + 2 + len(rest)
                if behind <= end and lows[place + 2 : behind] == rest:
                    return behind - place
        return 1 if low in self.alone else 0

    def ending(self, words: Words, first: int, end: int) -> int:
        """How many words of the longest phrase end at `end`, none before `first`."""
        return next(
            (
                end - place
                for place in range(max(first, end - 4), end)
                if self.at(words, place, end) == end - place
            ),
            0,
        )

    def within(self, words: Words) -> bool:
        """Whether one stands anywhere."""
        found = self.firsts.intersection(words.lows)
        return bool(found) and any(
            self.at(words, place, len(words))
            for place, low in enumerate(words.lows)
            if low in found
        )

    def inside(self, words: Words, first: int, end: int) -> bool:
        """Whether one stands between two places."""
        return any(self.at(words, place, end) for place in range(first, end))

    def __contains__(self, low: str) -> bool:
        return low in self.spelt


class Verb(NamedTuple):
    """A form of a verb: "lived" is ("live", "past")."""

    lemma: str
    form: str  # "base", "s", "past", "part", "ing"; "read" is "base" too


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What statements.en.json says."""

    lists: Mapping[str, Phrases]
    kin: Mapping[str, str]  # spelling -> what it is compared as
    verbs: Mapping[str, Verb]
    bases: frozenset[str]  # "live", "quit", "read"
    participles: frozenset[str]  # "lived", "gone", "come"
    thirds: Mapping[str, str]  # base -> third person, where it is irregular

    def __getitem__(self, name: str) -> Phrases:
        return self.lists[name]


def words_of(text: str, start: int = 0, end: int | None = None) -> Words:
    """The words and marks of a stretch of text; quotation marks are left out.

    >>> [word.low for word in words_of("I'm not sure; dont ask.")]
    ['i', 'am', 'not', 'sure', ';', 'do', 'not', 'ask', '.']
    """
    found: list[Word] = []
    for match in _WORD.finditer(text, start, len(text) if end is None else end):
        first = match.start()
        for low, raw, since, until in _opened(match[0]):
            found.append(_word((low, raw, first + since, first + until)))
    return Words(found)


_Part = tuple[str, str, int, int]


@lru_cache(maxsize=16384)
def _opened(raw: str) -> tuple[_Part, ...]:
    """A written word as the words it stands for: (low, raw, place inside, end inside)."""
    low, length = raw.lower().replace("’", "'").replace("ʼ", "'"), len(raw)
    written_out = _contractions().get(low)
    if written_out and (length > 1 or raw == low):
        return (
            (written_out[0], raw, 0, length),
            *((more, "", length, length) for more in written_out[1:]),
        )
    if "'" not in low:
        return ((low, raw, 0, length),)
    if low.endswith("n't"):
        return ((low[:-3], raw[:-3], 0, length - 3), ("not", raw[-3:], length - 3, length))
    head, mark, ending = low.rpartition("'")
    cut, full = len(head), _ENDINGS.get(mark + ending)
    return (
        ((head, raw[:cut], 0, cut), (full, raw[cut:], cut, length))
        if full and head
        else ((low, raw, 0, length),)
    )


@cache
def _contractions() -> Mapping[str, Sequence[str]]:
    return {short: full.split() for short, full in _raw()["contractions"].items()}


@cache
def _raw() -> Mapping[str, Any]:
    read: Mapping[str, Any] = orjson.loads(
        shipped("worldbook_rules", "lexicons", "statements.en.json").read_bytes()
    )
    return read


@cache
def lexicon() -> Lexicon:
    """The lists, read once."""
    raw = _raw()
    lists = {name: phrases(text.split(", ")) for name, text in raw.items() if isinstance(text, str)}
    kin = {
        form: base
        for base, forms in raw["kin"].items()
        for form in (base, *forms.split(", "))
        if form
    }
    lists["kin"] = phrases(kin)
    rows = [_regular(lemma) for lemma in sorted(lists["verbs"].spelt)] + [
        row.split() for row in raw["verbs_irregular"]
    ]
    bases, participles = (frozenset(row[place] for row in rows) for place in (0, 3))
    return Lexicon(
        lists, kin, _verb_forms(rows), bases, participles, {row[0]: row[1] for row in rows}
    )


def listed(name: str, low: str) -> bool:
    """Whether a word is in a list, as it is."""
    return low in lexicon().lists[name].spelt


def phrases(spelt: Sequence[str] | Mapping[str, str]) -> Phrases:
    """A list made ready for finding."""
    by_first: dict[str, dict[str, list[list[str]]]] = {}
    alone = set()
    for first, *rest in sorted((words_of(phrase).lows for phrase in spelt), key=len, reverse=True):
        if rest:
            by_first.setdefault(first, {}).setdefault(rest[0], []).append(rest[1:])
        else:
            alone.add(first)
    return Phrases(frozenset(spelt), frozenset(alone | by_first.keys()), frozenset(alone), by_first)


def _verb_forms(rows: Sequence[Sequence[str]]) -> dict[str, Verb]:
    """Every spelling; where several forms are spelt alike, the first of base, s, past, part, ing."""
    forms: dict[str, Verb] = {}
    for row in rows:
        for spelt, form in zip(row, ("base", "s", "past", "part", "ing"), strict=True):
            forms.setdefault(spelt, Verb(row[0], form))
    return forms | {
        "quit": Verb("quit", "past"),
        "left": Verb("leave", "past"),
        "born": Verb("bear", "part"),
        "found": Verb("find", "past"),
    }


def _regular(lemma: str) -> list[str]:
    stem = lemma.removesuffix("e")
    past = f"{lemma[:-1]}ied" if _turns_y(lemma) else f"{stem}ed"
    return [lemma, third_form(lemma), past, past, f"{stem}ing"]


def _turns_y(lemma: str) -> bool:
    return lemma.endswith("y") and lemma[-2:-1] not in _VOWELS


def third_form(lemma: str) -> str:
    """The third person singular of a regular verb.

    >>> third_form("bake"), third_form("watch"), third_form("carry"), third_form("play")
    ('bakes', 'watches', 'carries', 'plays')
    """
    if _turns_y(lemma):
        return f"{lemma[:-1]}ies"
    return f"{lemma}es" if lemma.endswith(_SIBILANT) else f"{lemma}s"


def third(lemma: str) -> str:
    """The third person singular of any verb.

    >>> third("have"), third("be"), third("forge")
    ('has', 'is', 'forges')
    """
    known = lexicon().thirds.get(lemma)
    return known or third_form(lemma)


def base(spelt: str) -> str:
    """The verb that a third person singular belongs to: the way back from `third`.

    >>> base("bakes"), base("watches"), base("carries"), base("goes")
    ('bake', 'watch', 'carry', 'go')
    """
    known = lexicon().verbs.get(spelt)
    if known:
        return known.lemma
    if spelt.endswith("ies") and len(spelt) > 4:
        return f"{spelt[:-3]}y"
    bare = spelt.removesuffix("s")
    return bare[:-1] if bare.endswith("e") and bare[:-1].endswith(_SIBILANT) else bare


@cache
def union(*names: str) -> frozenset[str]:
    """All that stands in any of these lists."""
    return frozenset().union(*(lexicon()[name].spelt for name in names))


def single(plural: str) -> str:
    """The singular of a noun.

    >>> single("puppies"), single("guinea pigs"), single("mice"), single("bus")
    ('puppy', 'guinea pig', 'mouse', 'bus')
    """
    head, _, last = plural.rpartition(" ")
    if last in _SINGLES:
        last = _SINGLES[last]
    elif last.endswith("ies"):
        last = f"{last[:-3]}y"
    elif last.endswith("s") and not last.endswith(("ss", "us")):
        last = last[:-1]
    return f"{head} {last}".strip()
