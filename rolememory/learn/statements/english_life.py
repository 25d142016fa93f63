"""Where somebody lives and comes from."""

from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_frames import reads
from rolememory.learn.statements.english_names import name_at
from rolememory.learn.statements.english_say import Claims, behind, claim, naming, sentence, simply
from rolememory.learn.statements.english_time import time_at
from rolememory.learn.statements.english_values import Span, bare, contrast, phrase, told, value_of
from rolememory.learn.statements.english_verbs import LASTING, PAST
from rolememory.learn.statements.english_words import listed

_PLACE_ENDS: Final = (
    "with",
    "for",
    "since",
    "from",
    "at",
    "until",
    "without",
    "like",
    "to",
    "during",
)
_HOW: Final = frozenset(
    "just right over up down out back together alone there full-time quite close somewhere deep high".split()
)
_NO_COMPANY: Final = frozenset("it that this the you me".split())
_NOWHERE: Final = frozenset(
    "fear peace hope denial shame pain sin constant harmony your this that these those".split()
)
_NO_GOALS: Final = frozenset(
    "in to with there here bed work school tears my your his her their".split()
)
_VEHICLES: Final = frozenset("car bus train bike foot plane boat".split())


@reads("live", "reside", "dwell", tenses=(*LASTING, "past"))
def home(clause: Clause) -> Claims:
    """As in "I live with my parents in Rome"; what was is no longer."""
    at = clause.at
    if alone := _alone(clause):
        yield from simply(clause, "is", Span(at, alone), value="live alone")
    if clause.low(at) == "with":
        span = phrase(clause, at, "in", "at", "near")
        if (
            span.end - span.first > 1
            and clause.low(at + 1) not in _NO_COMPANY
            and (company := told(clause, span))
        ):
            yield from simply(clause, "is", span, value=f"live {company}")
        at = span.end
    start = at
    while clause.low(at) in _HOW:
        at += 1
    there = place(clause, at + 1) if listed("place_prepositions", clause.low(at)) else None
    if there:
        past = clause.tense == "past"
        content = sentence(clause, behind(clause, there.end, start))
        yield from claim(
            clause,
            "home",
            value_of(clause, there),
            content,
            holds=False if past else None,
            certainty=0.8 if past else 1.0,
            former=contrast(clause, there.end),
        )


def _alone(clause: Clause) -> int:
    """The end of "alone", "by myself", "on my own"; 0 = in company."""
    lows = clause.lows(clause.at, clause.at + 3)
    if lows[:1] == ["alone"]:
        return clause.at + 1
    if lows[:1] == ["by"] and lows[1:2] and lows[1].endswith(("self", "selves")):
        return clause.at + 2
    return clause.at + 3 if lows[:1] == ["on"] and lows[2:] == ["own"] else 0


def place(clause: Clause, at: int) -> Span | None:
    """The name or description of a place; None for "here", "the moment", "fear"."""
    span = phrase(clause, at, *_PLACE_ENDS)
    if (
        span.end <= span.first
        or listed("prepositions", clause.low(bare(clause, span).first))
        or clause.low(span.first) in _NOWHERE
        or clause.any_of("no_places", *span)
    ):
        return None
    unreal = clause.listed("places_not", bare(clause, span).first, span.end) or clause.listed(
        "places_not", span.first, span.end
    )
    if unreal and (
        span.first + unreal >= span.end
        or clause.low(span.first + unreal) in ("of", "that", "where")
    ):
        return None
    return _with_country(clause, span)


def _with_country(clause: Clause, span: Span) -> Span:
    """As in "Springfield, Ohio"."""
    if (
        clause.low(span.end) != ","
        or not clause.capital(span.end - 1)
        or not clause.capital(span.end + 1)
    ):
        return span
    more = phrase(clause, span.end + 1)
    alone = more.end == clause.end or clause.low(more.end) == ","
    whole = (
        alone
        and all(clause.capital(at) for at in range(*more))
        and not listed("no_names", clause.low(more.first))
    )
    return Span(span.first, more.end) if whole else span


@reads("move", "relocate", "settle", tenses=PAST, denied=False)
def moved(clause: Clause) -> Claims:
    """As in "I moved from Rome to Paris last year"; not "I moved to the window"."""
    source, goal = _behind_any(clause, "from", "out"), _behind_any(clause, "to", "into", "in")
    left = place(clause, source) if source else None
    there = place(clause, goal) if goal else None
    if there and _livable(clause, there):
        until = max(there.end, left.end if left else 0)
        former = value_of(clause, left) if left else ""
        yield from claim(
            clause,
            "home",
            value_of(clause, there),
            sentence(clause, behind(clause, until)),
            former=former,
        )
    elif left and not goal and _livable(clause, left):
        yield from claim(
            clause,
            "home",
            value_of(clause, left),
            sentence(clause, behind(clause, left.end)),
            holds=False,
        )


def _behind_any(clause: Clause, *prepositions: str) -> int:
    """Where the words behind the first of these prepositions begin; 0 = none stands here. "In 2010" is a time."""
    for at in range(clause.at, clause.end - 1):
        if clause.low(at) in prepositions and not (
            clause.low(at) == "in" and time_at(clause.words, at, clause.end)
        ):
            return at + 1 + (clause.low(at) == "out" and clause.low(at + 1) == "of")
    return 0


def _livable(clause: Clause, span: Span) -> bool:
    """Whether one can move there for good: a name, a town, a house; not "the window"."""
    kept = bare(clause, span)
    if clause.low(kept.first) in _NO_GOALS:
        return False
    if any(clause.capital(at) for at in range(*kept)) or clause.any_of("living_places", *kept):
        return True
    return kept.first == span.first and not clause.scene.capitals and kept.end - kept.first <= 2


@reads("come", "hail", "originate", tenses=("present",))
def origin(clause: Clause) -> Claims:
    """As in "I come from Toronto"."""
    if clause.low(clause.at) == "from":
        yield from from_there(clause, clause.at + 1)


@reads("grow", tenses=("past",))
def grew_up(clause: Clause) -> Claims:
    """As in "I grew up in Leeds"."""
    if clause.low(clause.at) == "up" and listed("place_prepositions", clause.low(clause.at + 1)):
        yield from from_there(clause, clause.at + 2)


def from_there(clause: Clause, at: int) -> Claims:
    """The origin that stands at `at`."""
    span = place(clause, at)
    if span and not clause.any_of("origins_not", *span):
        yield from simply(clause, "origin", span)


@reads("go")
def goes_by(clause: Clause) -> Claims:
    """As in "I go by Al"."""
    at = (
        clause.at
        + 1
        + 2 * (clause.lows(clause.at + 1, clause.at + 3) == ["the", "name"])
        + (clause.low(clause.at + 3) == "of")
    )
    found = (
        name_at(clause.words, at, clause.end, clause.scene, spoken=True)
        if clause.low(clause.at) == "by"
        else None
    )
    if found and clause.low(found.end - 1) not in _VEHICLES:
        yield from naming(
            clause, clause.who, found.name, nick=True, former=contrast(clause, found.end)
        )


@reads("change", tenses=PAST, denied=False)
def renamed(clause: Clause) -> Claims:
    """As in "I changed my name from Anna to Hannah"."""
    if clause.low(clause.at + 1) != "name" or clause.low(clause.at) not in (
        "my",
        "their",
        "his",
        "her",
        "your",
    ):
        return
    source, goal = _behind_any(clause, "from"), _behind_any(clause, "to")
    before = name_at(clause.words, source, clause.end, clause.scene) if source else None
    after = name_at(clause.words, goal, clause.end, clause.scene) if goal else None
    if after:
        content = sentence(clause, behind(clause, max(after.end, before.end if before else 0)))
        yield from claim(clause, "name", after.name, content, former=before.name if before else "")
