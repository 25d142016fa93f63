"""What somebody has: kin, animals, things, illnesses, looks."""

from typing import Final, NamedTuple

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_frames import reads
from rolememory.learn.statements.english_names import names_behind
from rolememory.learn.statements.english_people import owned_at
from rolememory.learn.statements.english_say import Claims, behind, claim, sentence
from rolememory.learn.statements.english_scene import Owned
from rolememory.learn.statements.english_tastes import lasting
from rolememory.learn.statements.english_time import time_at
from rolememory.learn.statements.english_values import Span, told, value_of
from rolememory.learn.statements.english_verbs import PAST, Group
from rolememory.learn.statements.english_words import lexicon, listed, single, union

_NO_COUNTS: Final = frozenset(
    "the your this that his her their such enough 's what which toy imaginary fake dream of to".split()
)
_STOPS: Final = frozenset(
    "not you me it too now myself already left today tomorrow tonight anymore back here there together".split()
)
_ONLY_NAMED: Final = frozenset(
    "crush captain master student teacher friend manager assistant guardian coach colleague coworker classmate tutor servant".split()
)
_FOOD: Final = frozenset({"fish", "chicken", "duck", "lamb", "pig", "goose", "snail"})
_PLAIN: Final = frozenset({"hair", "eyes", "skin", "ears", "eyebrows", "nose", "accent"})
_SEVERE: Final = frozenset(
    "severe bad serious terrible mild deadly slight a an some any no".split()
)
_ONCE: Final = frozenset("once kid child ago young".split())


class Thing(NamedTuple):
    """One noun phrase behind "have": its words, and how many of them at its end are the noun."""

    span: Span
    head: int

    @property
    def noun(self) -> Span:
        """The noun alone."""
        return Span(self.span.end - self.head, self.span.end)


@reads("have", "own")
def has(clause: Clause) -> Claims:
    """As in "I have two cats, Tofu and Miso", "I've got asthma", "I don't have a car"."""
    yield from _things(clause)


@reads("have", tenses=("past",), denied=False)
def had(clause: Clause) -> Claims:
    """As in "I had a dog once": no longer."""
    lows = clause.words.lows
    once = not _ONCE.isdisjoint(lows) or ("when" in lows and "was" in lows)
    if once:
        former = Group("have", "former", said=[("word", "used to have")])
        yield from (
            found
            for found in _things(clause.saying(clause.who, former, clause.at))
            if found.attribute == "owns"
        )


@reads("buy", "adopt", "get", "rescue", tenses=PAST, denied=False)
def got(clause: Clause) -> Claims:
    """As in "we adopted a kitten named Miso"."""
    yield from (
        found
        for found in _things(clause)
        if found.attribute == "owns" and (found.value or found.about not in _FOOD)
    )


@reads(
    "carry", "wield", "ride", "keep", "drive", "sail", "captain", tenses=("present",), denied=False
)
def carries(clause: Clause) -> Claims:
    """As in "I carry a sword named Whisper": what has a name is one's own."""
    yield from (found for found in _things(clause) if found.attribute == "owns" and found.value)


@reads("sell", "rehome", tenses=PAST, denied=False)
def sold(clause: Clause) -> Claims:
    """As in "I sold my car"."""
    found = owned_at(clause.words, clause.at, clause.end, clause.scene)
    ties = found.who.owned if found else None
    if found and ties and ties.attribute == "owns":
        yield from claim(
            clause,
            "owns",
            ties.name,
            sentence(clause, behind(clause, found.end)),
            about=ties.about,
            holds=False,
        )


@reads("name", tenses=PAST, denied=False)
def named_it(clause: Clause) -> Claims:
    """As in "I named my dog Rex"."""
    found = owned_at(clause.words, clause.at, clause.end, clause.scene)
    ties = found.who.owned if found else None
    if found and ties and ties.attribute == "owns" and ties.name:
        yield from claim(
            clause, "owns", ties.name, sentence(clause, behind(clause, found.end)), about=ties.about
        )


def _things(clause: Clause) -> Claims:
    """Each noun phrase of the list behind the verb."""
    at = clause.at
    while at < clause.end:
        span = _noun_phrase(clause, at)
        found = (
            list(_thing(clause, span))
            if span.end > span.first and clause.low(span.end) != "'s"
            else []
        )
        yield from found
        names, end = names_behind(clause.words, span.end, clause.end, clause.scene)
        end = max(end if names else span.end, span.end)
        if not found or clause.low(end) not in ("and", ",", "&", "or"):
            return
        at = end + 1 + (clause.low(end + 1) in ("and", "&", "also"))


def _noun_phrase(clause: Clause, at: int) -> Span:
    """From a determiner to the last word before a preposition, a clause, a time or a mark."""
    place, stops = at, union("prepositions", "clause_words")
    while (
        (low := clause.low(place)) and low[0].isalnum() and low not in stops and low not in _STOPS
    ):
        if place > at and time_at(clause.words, place, clause.end):
            break
        place += 1
    return Span(at, place)


def _thing(clause: Clause, span: Span) -> Claims:
    for reader in (_allergy, _kin, _belonging, _illness, _feature):
        if found := list(reader(clause, span)):
            yield from found
            return


def _headed(clause: Clause, span: Span, name: str) -> Thing | None:
    """The phrase as one of a list's nouns behind an article or a count, adjectives between."""
    head = lexicon()[name].ending(clause.words, span.first, span.end) or _plural(clause, span, name)
    return (
        Thing(span, head)
        if head and not _NO_COUNTS & set(clause.lows(span.first, span.end - head))
        else None
    )


def _plural(clause: Clause, span: Span, name: str) -> int:
    """How many words a plural noun of a list has: "guinea pigs"; 0 = there is none."""
    for length in (2, 1):
        spelt = (
            " ".join(clause.lows(span.end - length, span.end))
            if span.end - span.first >= length
            else ""
        )
        if spelt and single(spelt) != spelt and listed(name, single(spelt)):
            return length
    return 0


def _kin(clause: Clause, span: Span) -> Claims:
    """As in "a sister named Mei", "two brothers", "no siblings"."""
    thing = _headed(clause, span, "kin")
    about = lexicon().kin.get(" ".join(clause.lows(*thing.noun)), "") if thing else ""
    if (
        thing
        and about
        and (
            about not in _ONLY_NAMED
            or names_behind(clause.words, span.end, clause.end, clause.scene)[0]
        )
    ):
        yield from _each_name(clause, Owned(clause.who, "relation", about), thing)


def _belonging(clause: Clause, span: Span) -> Claims:
    """As in "a cat", "two old cars": something of the lists, with an article, a count, or in the plural."""
    for name in ("animals", "things"):
        thing = _headed(clause, span, name)
        if thing:
            spelt = " ".join(clause.lows(*thing.noun))
            about = spelt if listed(name, spelt) else single(spelt)
            if thing.head < span.end - span.first or about != spelt:
                yield from _each_name(clause, Owned(clause.who, "owns", about), thing)
            return


def _each_name(clause: Clause, ties: Owned, thing: Thing) -> Claims:
    """One claim for each name, or one without."""
    span, no = thing.span, clause.low(thing.span.first) == "no"
    names, end = names_behind(clause.words, span.end, clause.end, clause.scene)
    for name in names or [""]:
        shown = (
            told(clause, span)
            if len(names) == 1
            else f"a {single(' '.join(clause.lows(*thing.noun)))}"
        )
        content = (
            f"{shown} named {name}"
            if name
            else behind(clause, max(end, span.end) if names else span.end, span.first)
        )
        yield from claim(
            clause,
            ties.attribute,
            name,
            sentence(clause, content),
            about=ties.about,
            holds=False if no else None,
        )


def _illness(clause: Clause, span: Span) -> Claims:
    """As in "asthma", "a bad knee"."""
    thing = _headed(clause, span, "health") if clause.lemma != "own" else None
    if thing:
        no = clause.low(span.first) == "no"
        content = sentence(clause, behind(clause, span.end))
        yield from claim(
            clause, "health", value_of(clause, thing.noun), content, holds=False if no else None
        )


def _feature(clause: Clause, span: Span) -> Claims:
    """As in "long red hair", "green eyes", "a scar on my cheek"."""
    thing = _headed(clause, span, "body") if clause.lemma != "own" else None
    if thing is None:
        return
    about = " ".join(clause.lows(*thing.noun))
    how = Span(span.first + (clause.low(span.first) in ("a", "an", "my", "some")), thing.noun.first)
    end = _where(clause, span.end)
    if (how.end <= how.first and about in _PLAIN) or (
        clause.who.person == "you" and clause.any_of("evaluations", *how)
    ):
        return
    value = value_of(clause, how if how.end > how.first else Span(thing.noun.first, end))
    yield from claim(
        clause, "looks", value, sentence(clause, behind(clause, end, span.first)), about=about
    )


def _where(clause: Clause, at: int) -> int:
    """The end of "on my left cheek"."""
    place = at + 1
    while (
        clause.low(at) in ("on", "across", "over", "under", "down", "around")
        and clause.low(place)[:1].isalpha()
        and not clause.any_of("clause_words", place, place + 1)
    ):
        place += 1
    return place if place > at + 1 else at


def _allergy(clause: Clause, span: Span) -> Claims:
    """As in "a nut allergy", "an allergy to nuts", "a fear of heights"."""
    last, more = clause.low(span.end - 1), clause.low(span.end)
    attribute = "fears" if last in ("fear", "phobia") else "allergy"
    if last in ("allergy", "allergies", "fear", "phobia") and more in ("to", "of"):
        what = _noun_phrase(clause, span.end + 1)
        if what.end > what.first and lasting(clause, what):
            yield from claim(
                clause,
                attribute,
                value_of(clause, what),
                sentence(clause, behind(clause, what.end)),
            )
    elif last in ("allergy", "allergies"):
        first = span.first
        while first < span.end - 1 and clause.low(first) in _SEVERE:
            first += 1
        no = clause.low(span.first) == "no"
        yield from claim(
            clause,
            "allergy",
            value_of(clause, Span(first, span.end - 1)),
            sentence(clause, behind(clause, span.end)),
            holds=False if no else None,
        )
