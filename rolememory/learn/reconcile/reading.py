"""A statement as it is compared: clause by clause, what is meant, of whom, how many, when, and whether it holds.

text ─ quantities ─▶ numbers and times ─ units ─▶ phrases of the lexicon, the rest as it stands ─▶ clauses
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeVar

from rolememory.learn.reconcile.lexicon import (
    ASKED,
    BREAK,
    Kind,
    Mark,
    base,
    lexicon,
    meanings,
    undone,
    units,
)
from rolememory.learn.reconcile.quantities import Quantity, quantities
from rolememory.text.fold import fold

Stance = Literal["holds", "denied", "over"]
LONGEST = 400  # characters that are compared word by word: what is longer tells a story
_SHORT = 4  # letters: red, bed and need are no past forms
_PRIVATE = re.compile("[\ue000-\uf8ff]")  # characters that stand for quantities here
_APART = 6  # units at most from a verb to its particle
_BEING = frozenset(
    "is are am be been being i'm he's she's it's we're they're 's feel feels get gets has have i've stay stays seem seems".split()
)
"""Behind these a form in -ed tells what is: "the gate is locked"."""
_PERFECT = frozenset("has have i've we've they've he's she's".split())
_FIRST = 0xE000  # stands for the first quantity of a text


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause. Words are meanings of the lexicon, stems, or runs of Han that the lexicon does not know."""

    words: frozenset[str]
    people: frozenset[str]  # sister, boss, ...: whom it speaks of beside its subject
    stance: Stance
    numbers: frozenset[tuple[float, str]]
    times: frozenset[str]
    marks: frozenset[Kind]
    order: tuple[str, ...] = ()  # things, people and unknown words as they follow each other
    size: int = 0  # phrases

    @property
    def says(self) -> bool:
        """Whether it says anything by itself."""
        return bool(self.words or self.people or self.numbers)


@dataclass(frozen=True, slots=True)
class Outdates:
    """What a statement may outdate or be outdated by, so that most pairs are told apart at a glance."""

    denies: bool  # some clause does not hold
    against: frozenset[str]  # contraries of its words, and what it may end
    groups: frozenset[int]  # of rivals


@dataclass(frozen=True, slots=True)
class Statement:
    """All clauses of a text, and what stands in any of them."""

    clauses: tuple[Clause, ...]
    words: frozenset[str]
    people: frozenset[str]
    numbers: frozenset[tuple[float, str]]
    times: frozenset[str]
    marks: frozenset[Kind]
    stances: frozenset[Stance]
    order: tuple[str, ...]  # things and unknown words, then people
    outdates: Outdates


@lru_cache(maxsize=32768)
def read(text: str) -> Statement:
    """The statement in a text of either language. Cost: O(length), at most `LONGEST` characters.

    >>> [(sorted(clause.words), clause.stance) for clause in read("I quit smoking, I like tea now.").clauses]
    [(['smoke'], 'denied'), (['like', 'tea'], 'holds')]
    """
    folded = _PRIVATE.sub(" ", fold(text[:LONGEST]).text).translate(lexicon().spelling)
    found = quantities(folded)
    clauses = tuple(_clause(pieces, found) for pieces in _clauses(units(_marked(folded, found))))
    said = tuple(clause for clause in clauses if clause.says)
    words, people = (
        _union(clause.words for clause in said),
        _union(clause.people for clause in said),
    )
    return Statement(
        said,
        words,
        people,
        _union(clause.numbers for clause in clauses),
        _union(clause.times for clause in clauses),
        frozenset(mark for clause in clauses for mark in clause.marks),
        frozenset(clause.stance for clause in said),
        tuple(
            sorted(
                (one for clause in said for one in clause.order), key=lexicon().people.__contains__
            )
        ),
        Outdates(
            any(clause.stance != "holds" for clause in clauses),
            _against(words | people),
            _groups(words),
        ),
    )


def _against(said: frozenset[str]) -> frozenset[str]:
    ended = (end.ends for end in lexicon().ends if end.told & said)
    return _union(
        [*(lexicon().against.get(name, frozenset()) | undone(name) for name in said), *ended]
    )


def _groups(words: frozenset[str]) -> frozenset[int]:
    return frozenset(lexicon().rivals[word] for word in words if word in lexicon().rivals)


_Item = TypeVar("_Item")


def _union(sets: Iterable[frozenset[_Item]]) -> frozenset[_Item]:
    return frozenset(one for each in sets for one in each)


def _marked(text: str, found: list[Quantity]) -> str:
    """The text with a character of its own for every quantity."""
    out, end = [], 0
    for number, one in enumerate(found):
        out += [text[end : one.start], " ", chr(_FIRST + number), " "]
        end = one.end
    return "".join([*out, text[end:]])


@dataclass(frozen=True, slots=True)
class _Piece:
    """A phrase: as it is compared, what it does in the sentence (nothing: the lexicon does not know it), its units as they stand."""

    text: str
    marks: tuple[Mark, ...]
    stands: tuple[str, ...]

    @property
    def is_quantity(self) -> bool:
        return len(self.text) == 1 and "\ue000" <= self.text <= "\uf8ff"

    @property
    def is_past(self) -> bool:
        """Whether it tells what happened: an irregular form, or one in -ed that names no lasting state and no change."""
        if not lexicon().past.isdisjoint(self.stands):
            return True
        formed = any(unit.endswith("ed") and len(unit) > _SHORT for unit in self.stands)
        return (
            formed
            and _BEING.isdisjoint(self.stands)
            and all(kind == "word" and name not in lexicon().lasting for kind, name in self.marks)
        )


_QUESTION = _Piece("", (("unreal", ""),), ("",))  # what is asked is not claimed


def _clauses(pieces: list[str]) -> Iterator[list[_Piece]]:
    """The phrases of each clause."""
    clause: list[_Piece] = []
    for piece in _phrases(pieces):
        if piece.text in (BREAK, ASKED) or any(kind == "break" for kind, _ in piece.marks):
            yield [*clause, _QUESTION] if piece.text == ASKED else clause
            clause = []
        else:
            clause.append(piece)
    yield clause


def _phrases(stands: list[str]) -> Iterator[_Piece]:
    """The longest phrases of the lexicon, and what stands between them."""
    known, longest, place = lexicon().phrases, lexicon().longest, 0
    pieces = [base(unit) for unit in stands]
    while place < len(pieces):
        if apart := _apart(pieces, place):
            pieces[place : apart + 1] = [pieces[place], pieces[apart], *pieces[place + 1 : apart]]
            stands[place : apart + 1] = [stands[place], stands[apart], *stands[place + 1 : apart]]
        for length in range(min(longest.get(pieces[place], 1), len(pieces) - place), 0, -1):
            marks = known.get(tuple(pieces[place : place + length]))
            if marks or length == 1:
                yield _Piece(
                    " ".join(pieces[place : place + length]),
                    marks or (),
                    tuple(stands[place : place + length]),
                )
                place += length
                break


def _apart(pieces: list[str], place: int) -> int:
    """Where the particle of a verb stands that something came between ("paid Ben back"); 0 where there is none."""
    if lexicon().longest.get(pieces[place], 1) < 2:
        return 0
    for far in range(place + 2, min(place + _APART, len(pieces))):
        if pieces[far] in (BREAK, ASKED):
            return 0
        if pieces[far] in lexicon().particles and (pieces[place], pieces[far]) in lexicon().phrases:
            return far
    return 0


def _clause(pieces: list[_Piece], found: list[Quantity]) -> Clause:
    """What one clause says."""
    counted = [found[ord(piece.text) - _FIRST] for piece in pieces if piece.is_quantity]
    named = {
        kind: frozenset(name for piece in pieces for each, name in piece.marks if each == kind)
        for kind in ("word", "people", "time")
    }
    kinds = frozenset(kind for piece in pieces for kind, _ in piece.marks)
    before = ["", *(piece.stands[-1] for piece in pieces)]
    if any(
        piece.is_past and behind not in _BEING
        for behind, piece in zip(before, pieces, strict=False)
    ) or _did_so_much(pieces):
        kinds |= {"past"}
    if any(piece.stands[-1] == "了" for piece in pieces):
        kinds |= {"changed"}
    if any(not _PERFECT.isdisjoint(piece.stands) for piece in pieces):
        kinds |= {"perfect"}
    stance = _stance(pieces, kinds)
    told = list(_told(pieces))
    words = named["word"] | frozenset(word for word, known in told if not known)
    if _lacks(pieces, words):
        words |= {"have"}
    if stance == "denied" and "like" in words:
        words, stance = words - {"like"} | {"dislike"}, "holds"
    return Clause(
        words,
        named["people"],
        stance,
        frozenset(one.number for one in counted if one.number),
        named["time"] | frozenset(one.time for one in counted if one.time),
        kinds,
        tuple(word for word, _ in told),
        len(pieces),
    )


def _did_so_much(pieces: list[_Piece]) -> bool:
    """Whether so much was done (睡了八个小时); what one has so many of, one has still (养了两只猫)."""
    counted = any(one.stands[-1] == "了" and other.is_quantity for one, other in pairwise(pieces))
    return counted and ("word", "have") not in [mark for piece in pieces for mark in piece.marks]


def _stance(pieces: list[_Piece], kinds: frozenset[Kind]) -> Stance:
    """Denied by an odd number of denials; over where the past is named and the present is not."""
    denials = sum(any(kind in ("not", "ended") for kind, _ in piece.marks) for piece in pieces)
    if denials % 2:
        return "denied"
    return "over" if "over" in kinds and "changed" not in kinds else "holds"


def _lacks(pieces: list[_Piece], words: frozenset[str]) -> bool:
    """Whether the clause denies that somebody has a thing: 没有车, but not 没有怀孕."""
    return (
        bool(words)
        and any(piece.text == "没 有" for piece in pieces)
        and words.isdisjoint(meanings())
    )


def _told(pieces: list[_Piece]) -> Iterator[tuple[str, bool]]:
    """Things, people and unknown words in order, with whether they are known; neighbouring unknown Han are one word."""
    run = ""
    for piece in pieces:
        if (
            not piece.marks
            and len(piece.text) == 1
            and not piece.text.isascii()
            and not piece.is_quantity
        ):
            run += piece.text
            continue
        if run:
            yield run, False
        run = ""
        if not piece.marks and not piece.is_quantity:
            yield piece.text, False
        yield from (
            (name, True)
            for kind, name in piece.marks
            if kind == "people" or (kind == "word" and name in lexicon().things)
        )
    if run:
        yield run, False
