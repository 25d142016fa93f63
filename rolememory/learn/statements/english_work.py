"""What somebody does for a living and what he learns."""

from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_frames import reads
from rolememory.learn.statements.english_say import Claims, behind, claim, sentence, simply
from rolememory.learn.statements.english_time import time_at
from rolememory.learn.statements.english_values import (
    Span,
    bare,
    contrast,
    items,
    phrase,
    timed,
    told,
    value_of,
)
from rolememory.learn.statements.english_verbs import LASTING, PAST
from rolememory.learn.statements.english_words import listed, union

_ENDS: Final = (
    "at",
    "for",
    "in",
    "with",
    "on",
    "near",
    "to",
    "from",
    "since",
    "during",
    "under",
    "as",
)
_WHERE: Final = frozenset("as at for in from by".split())
_HOW: Final = frozenset(
    "the night shift day graveyard evenings weekends part-time full-time mostly now currently remotely part full time nights shifts over there mainly".split()
)
_ONCE: Final = frozenset("yesterday tonight late tomorrow today out".split())
_NOT_STUDIED: Final = frozenset(
    "real really extra super more less harder like for with to the my your this that hard him her it every all a them on abroad".split()
)
_INSTITUTES: Final = ("university of", "college of", "academy of", "institute of")
_JOBS: Final = frozenset({"job", "position", "gig", "internship"})


@reads("work", tenses=(*LASTING, "past"))
def work(clause: Clause) -> Claims:
    """As in "I work as a nurse at St. Mary's"."""
    if not _ONCE & set(clause.lows(clause.at, clause.end)):
        at = clause.at
        while clause.low(at) in _HOW:
            at += 1
        if clause.lows(at, at + 2) == ["from", "home"]:
            yield from simply(clause, "habit", Span(at, at + 2), value="work from home")
        yield from worked(clause, at)


def worked(clause: Clause, at: int) -> Claims:
    """The job and the employer behind "work": as a nurse, at a bakery, for Google, in finance. Of the past nothing holds."""
    past = clause.tense == "past" and clause.lemma == "work"
    before = told(clause, Span(clause.at, at))
    while span := workplace(clause, at):
        attribute = work_attribute(clause, clause.low(at), span)
        if not attribute:
            return
        shown = told(clause, Span(at, timed(clause, span.end)))
        content = None if shown is None else sentence(clause, f"{before} {shown}")
        holds, certainty = (False, 0.8) if past else (None, 1.0)
        former = contrast(clause, span.end)
        yield from claim(
            clause,
            attribute,
            value_of(clause, span),
            content,
            holds=holds,
            certainty=certainty,
            former=former,
        )
        at = span.end


def workplace(clause: Clause, at: int) -> Span | None:
    """The words behind "as", "at", "for", "in"."""
    how = clause.low(at)
    return (
        phrase(clause, at + 1, *(end for end in _ENDS if (how, end) != ("at", "in")))
        if how in _WHERE
        else None
    )


def work_attribute(clause: Clause, how: str, span: Span) -> str:
    """Job, employer, or neither: "at night", "for you"."""
    kept, low = bare(clause, span), clause.low(span.first)
    if (
        span.end <= span.first
        or clause.listed("employers_not", span.first)
        or time_at(clause.words, span.first - 1, clause.end)
    ):
        return ""
    if (
        low[0].isdigit()
        or listed("deictic", low)
        or listed("units", clause.low(kept.first))
        or listed("vague_ends", clause.low(kept.end - 1))
    ):
        return ""
    if how == "as":
        return "job" if kept.first > span.first or listed("jobs", clause.low(kept.end - 1)) else ""
    if how != "in" or low in ("a", "an", "my", "their"):
        return "employer"
    if kept.first > span.first:
        return ""
    return (
        "" if clause.capital(span.first) and not clause.words[span.first].raw.isupper() else "job"
    )


@reads("get", "start", "begin", "find", "take", tenses=PAST, denied=False)
def new_job(clause: Clause) -> Claims:
    """As in "I got a job at Bosch"."""
    for at in range(clause.at, min(clause.at + 5, clause.end)):
        if (
            clause.low(at) in _JOBS
            and clause.low(at + 1) in ("at", "as", "for", "with")
            and clause.low(at - 1) not in ("my", "your")
        ):
            yield from worked(clause, at + 1)
        if listed("prepositions", clause.low(at)):
            return


@reads("teach")
def teaches(clause: Clause) -> Claims:
    """As in "I teach maths at a school"."""
    span = phrase(clause, clause.at, "at", "in", "to", "for", "from")
    low = clause.low(span.first)
    if span.end > span.first and low not in union("no_values", "determiners", "vague_people"):
        yield from simply(clause, "job", span, value=f"teach {value_of(clause, span)}")


def for_a_living(clause: Clause) -> Claims:
    """Any verb with "for a living"."""
    for at in range(clause.at, clause.end - 2) if "living" in clause.words.lows else ():
        if clause.lows(at, at + 3) == ["for", "a", "living"] and clause.tense in LASTING:
            deed = told(clause, Span(clause.at, at))
            yield from claim(
                clause,
                "job",
                f"{clause.lemma} {deed}".strip(),
                None if deed is None else sentence(clause, f"{deed} for a living"),
            )


@reads("run", "manage")
def runs(clause: Clause) -> Claims:
    """As in "I run a small bakery in Bath"."""
    span = phrase(clause, clause.at, "in", "at", "on", "near", "with", "for", "from", "of", "by")
    kept = bare(clause, span)
    if (
        kept.end > kept.first
        and clause.low(span.first) in ("a", "an", "the", "my", "our", "their")
        and _business(clause, kept)
    ):
        yield from simply(clause, "job", span, value=f"{clause.lemma} {told(clause, span)}")


def _business(clause: Clause, span: Span) -> bool:
    return any(
        clause.listed("thing_businesses", at, span.end) == span.end - at for at in range(*span)
    )


@reads("serve")
def serves(clause: Clause) -> Claims:
    """As in "I serve the Duke of Harrow"."""
    span = phrase(clause, clause.at, "in", "at", "with", "to", "for")
    if any(clause.capital(at) for at in range(*span)):
        yield from simply(clause, "employer", span)


@reads("study", "major", tenses=(*LASTING, "past"))
def studies(clause: Clause) -> Claims:
    """As in "I study law in Leiden", "I'm majoring in physics"."""
    low, past = clause.low(clause.at), clause.tense == "past"
    if (
        low in _NOT_STUDIED
        or (clause.lemma == "major" and low != "in")
        or _ONCE & set(clause.lows(clause.at, clause.end))
    ):
        return
    spans = items(
        clause,
        clause.at + (low in ("at", "in")),
        "at",
        "in",
        "for",
        "with",
        "on",
        "from",
        "to",
        "under",
    )
    if not spans or clause.low(spans[0].first) in union("no_values", "tails"):
        return
    until = _past_school(clause, spans[0].end)
    content = sentence(clause, told(clause, Span(clause.at, timed(clause, until))))
    former = contrast(clause, spans[0].end)
    yield from claim(
        clause,
        "study",
        value_of(clause, spans[0]),
        content,
        holds=False if past else None,
        certainty=0.8 if past else 1.0,
        former=former,
    )


def _past_school(clause: Clause, at: int) -> int:
    """The end of "at Bologna" behind the subject of a study."""
    if clause.low(at) not in ("at", "in"):
        return at
    span = phrase(clause, at + 1, "with", "for", "to")
    return span.end if span.end > span.first else at


@reads("drop", tenses=PAST, denied=False)
def drops_out(clause: Clause) -> Claims:
    """As in "I dropped out of college"."""
    if clause.lows(clause.at, clause.at + 2) == ["out", "of"]:
        span = phrase(clause, clause.at + 2)
        yield from claim(
            clause,
            "study",
            value_of(clause, span),
            sentence(clause, behind(clause, span.end)),
            holds=False,
        )


@reads("go", "attend")
def goes_to_school(clause: Clause) -> Claims:
    """As in "I go to Leeds University", "I attend art school"."""
    if clause.tense == "progressive" or (clause.lemma == "go") != (clause.low(clause.at) == "to"):
        return
    span = phrase(
        clause,
        clause.at + (clause.lemma == "go"),
        "in",
        "for",
        "with",
        "on",
        "near",
        "by",
        "to",
        "at",
    )
    lows = clause.lows(*bare(clause, span))
    named = (
        len(lows) > 1
        and listed("schools", lows[-1])
        and lows[0] not in union("determiners", "soon_places")
        and lows[0] != "same"
    )
    if named or " ".join(lows).startswith(_INSTITUTES):
        yield from simply(clause, "study", span)
