"""What somebody is for good: a job, a character, a belief; only what the lists know to last."""

from dataclasses import replace
from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_life import from_there
from rolememory.learn.statements.english_people import owned_at
from rolememory.learn.statements.english_say import Claims, claim, sentence, simply, tied
from rolememory.learn.statements.english_time import time_at
from rolememory.learn.statements.english_values import (
    Span,
    contrast,
    noun_phrase,
    phrase,
    told,
    value_of,
)
from rolememory.learn.statements.english_words import lexicon, listed
from rolememory.learn.statements.english_work import work_attribute, workplace

_ADJECTIVES: Final = (
    ("nationalities", "is"), ("beliefs", "belief"), ("genders", "gender"), ("orientations", "is"), ("traits", "is"), ("looks", "looks"), ("job_states", "job"),
)  # fmt: skip
_NOUNS: Final = (
    ("beliefs", "belief"),
    ("genders", "gender"),
    ("persons", "is"),
    ("nationalities", "is"),
    ("orientations", "is"),
)
_COMPLETED: Final = frozenset("and but or because so by not who since anymore any myself".split())
_BESIDE_NOUN: Final = frozenset("of at with from by in".split())
_TITLES: Final = frozenset("mayor president captain sheriff principal innkeeper lighthouse".split())
_BIRTH: Final = frozenset("youngest oldest eldest middle only second firstborn".split())


def complete(clause: Clause, at: int) -> bool:
    """Whether a statement is complete at this place."""
    low = clause.low(at)
    if low in ("%", "°", "$", "€", "£", "/", "'s"):
        return False
    if not low or not low[0].isalnum() or low in _COMPLETED:
        return True
    return bool(clause.listed("tails", at)) or time_at(clause.words, at, clause.end) is not None


def adjective(clause: Clause, at: int) -> Claims:
    """As in "I'm shy", "I'm Italian", "I'm retired"."""
    for name, attribute in _ADJECTIVES:
        end = at + clause.listed(name, at)
        if (
            end > at
            and complete(clause, end)
            and (attribute == "job" or not clause.any_of("moods", end))
        ):
            yield from simply(clause, attribute, Span(at, end))
            yield from adjective(clause, end + 1) if clause.low(end) == "and" else ()
            return


def noun(clause: Clause, at: int) -> Claims:
    """As in "I'm a doctor", "I'm an introvert", "I'm a 23 year old student from Ohio", "I'm the captain of the Rose"."""
    article = clause.low(at)
    if article in ("your", "my", "their") or clause.low(at + 1) == "'s":
        yield from _somebodys(clause, at)
    if article not in ("a", "an", "the"):
        return
    start = at + 1
    if clause.low(start).split("-")[0].isdigit() and (old := _years_old(clause, start)):
        number = clause.low(start).split("-")[0]
        yield from claim(clause, "age", number, sentence(clause, f"{number} years old"))
        start = old
    span = _until_participle(clause, noun_phrase(clause, start))
    if span.end > span.first:
        yield from _classed(clause, at, span)


def _years_old(clause: Clause, at: int) -> int:
    """Behind "23 year old", "23-year-old"; 0 = no age stands here."""
    if clause.low(at).endswith("-year-old"):
        return at + 1
    return at + 3 if clause.lows(at + 1, at + 3) in (["year", "old"], ["years", "old"]) else 0


def _until_participle(clause: Clause, span: Span) -> Span:
    """As in "a student studying law": the noun ends before what it does."""
    for at in range(span.first + 1, span.end):
        form = lexicon().verbs.get(clause.low(at))
        if form and form.form == "ing":
            return Span(span.first, at)
    return span


def _classed(clause: Clause, at: int, span: Span) -> Claims:
    the = clause.low(at) == "the"
    for name, attribute in () if the else _NOUNS:
        if clause.listed(name, span.first, span.end) == span.end - span.first and _beside(
            clause, attribute, span.end
        ):
            end = phrase(clause, span.end + 1).end if clause.low(span.end) == "of" else span.end
            yield from simply(
                clause,
                attribute,
                Span(span.first, max(end, span.end + 2 * (clause.low(span.end) == "of"))),
            )
            return
    last = clause.words[span.end - 1]
    if last.low.startswith("ex-") and listed("jobs", last.low[3:]):
        yield from claim(
            clause,
            "job",
            last.raw[3:],
            sentence(clause, told(clause, Span(at, span.end))),
            holds=not clause.holds,
        )
    elif _is_job(clause, span) or (listed("job_heads", last.low) and clause.low(span.end) == "of"):
        yield from _job(clause, at, span)
    elif the or clause.low(span.end - 1) == "child":
        yield from _birth_order(clause, span)


def _beside(clause: Clause, attribute: str, at: int) -> bool:
    """Whether what stands behind a noun leaves it as it is: "a mother of two", not "a man of my word"."""
    if complete(clause, at):
        return True
    if attribute == "gender" or clause.low(at) not in _BESIDE_NOUN:
        return False
    more = clause.low(at + 1)
    return (
        clause.low(at) != "of"
        or listed("numbers", more)
        or more.isdigit()
        or more in ("house", "the")
    )


def _is_job(clause: Clause, span: Span) -> bool:
    known = lexicon()["jobs"].ending(clause.words, span.first, span.end)
    last = clause.low(span.end - 1)
    return (
        0 < known <= span.end - span.first <= 4
        and not clause.any_of("mocking", span.first, span.end - known)
        and not listed("states_not", last)
    )


def _job(clause: Clause, at: int, span: Span) -> Claims:
    """The job, whose it is done for, where one learns it, where one is from; "a former nurse" is none any more."""
    end = (
        phrase(clause, span.end + 1, "at", "in", "for", "with", "from").end
        if clause.low(span.end) == "of"
        else span.end
    )
    low, alone = clause.low(end), end == span.end and span.end - span.first == 1
    trained = clause.lows(end, end + 2) == ["by", "training"]
    if (
        low in ("to", "when", "like", "about")
        or trained
        or (clause.low(at) == "the" and alone and clause.low(span.first) not in _TITLES)
    ):
        return
    former = clause.low(span.first) in ("former", "ex")
    value = value_of(clause, Span(span.first + former, end))
    content = sentence(clause, f"{clause.low(at)} {told(clause, Span(span.first, end))}")
    yield from claim(
        clause,
        "job",
        value,
        content,
        holds=not clause.holds if former else None,
        former=contrast(clause, end),
    )
    if low in ("at", "for") and not value.endswith("student") and not former:
        yield from _employer(clause, end)
    elif low in ("at", "studying"):
        yield from _school(clause, end)
    elif low == "from":
        yield from from_there(replace(clause, at=end), end + 1)


def _employer(clause: Clause, at: int) -> Claims:
    verb = "works" if clause.holds and clause.tense != "past" else "no longer works"
    span = workplace(clause, at)
    if span and work_attribute(clause, clause.low(at), span):
        content = f"{clause.who.shown} {verb} {clause.low(at)} {told(clause, span)}."
        yield from claim(clause, "employer", value_of(clause, span), content, holds=verb == "works")


def titled(clause: Clause, at: int) -> Claims:
    """As in "I'm head of security at the palace": a title without an article."""
    if listed("job_heads", clause.low(at)) and clause.low(at + 1) == "of":
        end = phrase(clause, at + 2, "at", "in", "for", "with", "on").end
        if end > at + 2:
            yield from simply(clause, "job", Span(at, end))
            yield from _employer(clause, end) if clause.low(end) in ("at", "for") else ()


def _school(clause: Clause, at: int) -> Claims:
    span = phrase(clause, at + 1, "in", "with", "on", "since", "as", "at")
    verb = "studies at" if clause.low(at) == "at" else "studies"
    if span.end > span.first:
        yield from claim(
            clause,
            "study",
            value_of(clause, span),
            f"{clause.who.shown} {verb} {told(clause, span)}.",
        )


def _birth_order(clause: Clause, span: Span) -> Claims:
    """As in "the youngest of three", "the middle child"."""
    family = clause.low(span.end - 1) in ("child", "daughter", "son", "sibling", "one")
    counted = clause.low(span.end) == "of" and (
        listed("numbers", clause.low(span.end + 1)) or clause.low(span.end + 1).isdigit()
    )
    if clause.low(span.first) in _BIRTH and (family or counted):
        yield from simply(clause, "is", Span(span.first, span.end + 2 * counted))


def _somebodys(clause: Clause, at: int) -> Claims:
    """As in "you are my best friend", "Mei is my sister"."""
    found, who = owned_at(clause.words, at, clause.end, clause.scene), clause.who
    ties = found.who.owned if found and complete(clause, found.end) else None
    if (
        ties
        and not ties.name
        and ties.owner.label != who.label
        and ties.attribute == "relation"
        and not (who.owned or ties.owner.person == "you")
    ):
        yes = "is" if clause.holds else "is not"
        yield from tied(
            clause,
            ties,
            who.shown,
            f"{ties.owner.shown}'s {ties.about} {yes} called {who.shown}.",
            holds=clause.holds,
        )
