"""What somebody plans and promises, and the few events that are clear."""

from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_frames import reads
from rolememory.learn.statements.english_say import Claims, behind, claim, sentence, simply
from rolememory.learn.statements.english_time import Time, time_at
from rolememory.learn.statements.english_values import (
    LONGEST,
    Span,
    cut_short,
    noun_phrase,
    phrase,
    raw,
    timed,
    told,
    value_of,
)
from rolememory.learn.statements.english_verbs import PAST
from rolememory.learn.statements.english_words import lexicon, listed, union

_TRAVELS: Final = frozenset("go fly travel move drive head sail come".split())
_ON_THE_WAY: Final = frozenset(
    "to back on for abroad away over home hiking camping skiing diving fishing sailing".split()
)
_NO_OBJECTS: Final = frozenset("it that this him her them there to a the".split())
_FOLLOWS_EVENT: Final = frozenset(
    "on at in with for tomorrow next tonight this coming later".split()
)
_ALONE: Final = frozenset({"retire", "graduate"})


def future(clause: Clause) -> Claims:
    """A plan or a promise, whatever the verb: "I'm flying to Oslo on Friday", "I'll bring it, I promise"."""
    if clause.conditional or not clause.lemma:
        return
    if clause.promised and clause.tense in ("future", "unreal"):
        yield from _promise(clause)
    elif clause.tense in ("future", "progressive") and not clause.group.ceased:
        yield from _plan(clause)


def _promise(clause: Clause) -> Claims:
    """What is promised, as a deed: "write to Mira", "never leave"."""
    span = Span(clause.at, deed_end(clause, clause.at))
    if span.end - span.first > LONGEST + 6:
        return
    no = next((low for _, low in clause.group.said if low in ("not", "never")), "")
    deed, shown = told(clause, span), told(clause, Span(clause.at, timed(clause, span.end)))
    promises = "promise" if clause.who.plural else "promises"
    content = (
        None
        if shown is None
        else f"{clause.who.shown} {' '.join(f'{promises} {no} to {clause.lemma} {shown}'.split())}."
    )
    value = f"{no} {clause.lemma} {raw(clause, span) if deed is None else deed}"
    yield from claim(clause, "promise", " ".join(value.split()), content, holds=True)


def deed_end(clause: Clause, at: int) -> int:
    """The end of all that is to be done: "tell Tom and Anna about it", without the time at its end."""
    place = at
    while place < clause.end:
        span = phrase(clause, place)
        place = max(span.end, place)
        low = clause.low(place)
        if (
            low in ("and", "or", ",")
            and span.end > span.first
            and clause.low(place + 1)[:1].isalpha()
            and clause.low(place + 1) not in ("promise", "please")
        ):
            place += 1
        elif low == "how" and clause.low(place + 1) == "to":
            place += 2
        elif (
            not listed("prepositions", low)
            or time_at(clause.words, place, clause.end)
            or span.end <= span.first
        ):
            break
    return place


def _plan(clause: Clause) -> Claims:
    """A plan needs a time to come, or a deed that is never done in passing."""
    span, when = phrase(clause, clause.at), clause.when
    if (when and when.tense in ("past", "often", "now")) or (
        listed("vague_ends", clause.low(span.end - 1)) and span.end > span.first
    ):
        return
    will = clause.group.said[0][1] == "will" if clause.group.said else False
    if (
        cut_short(clause, span)
        or (will and clause.group.negated)
        or time_at(clause.words, clause.at, clause.end)
    ):
        return
    weighty = _weighty(clause, span) and not (
        will and when is None and listed("plan_passing", clause.lemma)
    )
    if clause.lemma in _TRAVELS:
        planned = _travels(clause, span, when) or (
            weighty and (when is not None or clause.tense == "future") and clause.lemma != "go"
        )
    elif clause.tense == "progressive":
        planned = when is not None and (weighty or listed("plan_doing", clause.lemma))
    else:
        planned = weighty or (when is not None and not listed("passing", clause.lemma))
    deed = told(clause, span)
    if planned and deed is not None and (deed or clause.lemma in _ALONE):
        yield from claim(
            clause,
            "plan",
            f"{clause.lemma} {deed}".strip(),
            sentence(clause, behind(clause, span.end)),
        )


def _weighty(clause: Clause, span: Span) -> bool:
    """Whether the deed is in the list of weighty ones: visit Rome, buy a house, get married."""
    if listed("plan_verbs", clause.lemma):
        return span.end > span.first or clause.lemma in _ALONE
    deed = " ".join([clause.lemma, *clause.lows(*span)])
    return any(deed.startswith(one) for one in lexicon()["plan_deeds"].spelt)


def _travels(clause: Clause, span: Span, when: Time | None) -> bool:
    """Whether a journey is meant: to a named place, or to any at a time to come."""
    way, last = clause.low(clause.at), clause.low(span.end - 1)
    if way not in _ON_THE_WAY or (listed("soon_places", last) and not when):
        return False
    there = any(clause.capital(at) for at in range(clause.at + 1, span.end)) and way in (
        "to",
        "back",
        "on",
        "over",
        "for",
    )
    return there or (when is not None and last not in ("bed", "sleep"))


@reads("plan", "intend", "aim", "prepare", tenses=("present", "progressive", "perfect"))
def plans(clause: Clause) -> Claims:
    """As in "I plan to open a bakery", "I'm planning a trip to Norway"."""
    at, low = clause.at, clause.low(clause.at)
    if clause.conditional or low not in ("to", "on", "a", "an", "my", "our", "the"):
        return
    if low not in ("to", "on") and clause.lemma != "plan":
        return
    span = Span(at + 1, deed_end(clause, at + 1)) if low in ("to", "on") else phrase(clause, at)
    vague = listed("vague_ends", clause.low(span.end - 1)) or clause.low(span.end - 1) == "surprise"
    if span.end > span.first and not vague and not cut_short(clause, span):
        yield from simply(clause, "plan", span)


@reads("have", tenses=("present",), denied=False)
def appointment(clause: Clause) -> Claims:
    """As in "I have an exam on Friday"."""
    span = noun_phrase(clause, clause.at)
    start = span.first + listed("determiners", clause.low(span.first))
    when = clause.when
    event = lexicon()["events"].ending(clause.words, start, span.end) and span.end - start <= 4
    follows = (
        clause.time is not None
        or clause.low(span.end) in _FOLLOWS_EVENT
        or listed("weekdays", clause.low(span.end))
    )
    if event and follows and when and when.tense in ("future", "") and not clause.conditional:
        yield from claim(
            clause,
            "plan",
            value_of(clause, span),
            sentence(clause, behind(clause, deed_end(clause, span.first))),
        )


@reads(
    "promise", "swear", "vow", tenses=("present", "past", "perfect", "progressive"), denied=False
)
def promises(clause: Clause) -> Claims:
    """As in "you promised (me) to bring a lantern", "I promise never to lie"."""
    at = clause.at
    while clause.low(at) and clause.low(at) not in ("to", "never", "not") and at - clause.at < 3:
        at += 1
    no = clause.low(at) if clause.low(at) in ("never", "not") else ""
    to = at + bool(no)
    verb = clause.low(to + 1)
    if (
        clause.low(to) != "to"
        or not (verb in lexicon().bases or verb == "be")
        or verb in union("determiners")
    ):
        return
    span = Span(to + 1, deed_end(clause, to + 1))
    if deed := told(clause, span):
        content = told(clause, Span(clause.at, timed(clause, span.end)))
        yield from claim(
            clause, "promise", f"{no} {deed}".strip(), sentence(clause, content), holds=True
        )


_ANY: Final = frozenset({"a", "the", "my", "our", "their", "an"})
_OBJECTS: Final[dict[str, frozenset[str]]] = {
    "pass": frozenset("exam exams test class bar".split()), "fail": frozenset("exam exams test class".split()),
    "break": frozenset("arm leg wrist ankle foot nose finger toe rib ribs collarbone hip hand".split()), "sprain": frozenset("ankle wrist knee".split()),
    "lose": frozenset({"job"}), "quit": frozenset({"job"}), "get": frozenset("fired promoted promotion tattoo".split()), "crash": frozenset({"car", "bike"}),
    "finish": frozenset("university college degree thesis novel school phd dissertation".split()), "give": frozenset({"birth"}), "write": frozenset({"book", "novel"}),
}  # fmt: skip
_NAMED: Final = frozenset(
    {"visit", "climb", "fight", "travel", "join"}
)  # they need a name: "visited Kyoto"
_THINGS: Final = frozenset(
    {"win", "publish", "inherit", "survive"}
)  # they need an object: "won a prize"


@reads(*_OBJECTS, *_NAMED, *_THINGS, *_ALONE, tenses=PAST, denied=False)
def did(clause: Clause) -> Claims:
    """As in "I passed my exam", "I broke my arm last week", "I visited Kyoto in 2019"."""
    span = phrase(clause, clause.at)
    lows = clause.lows(*span)
    if (
        clause.who.person != "you"
        and not {"you", "me", "your"} & set(lows)
        and _clear(clause, span, lows)
    ):
        said = " ".join(low for part, low in clause.group.said if part not in ("adverb", "have"))
        yield from claim(
            clause,
            "did",
            f"{said} {told(clause, span)}".strip(),
            sentence(clause, behind(clause, span.end)),
        )


def _clear(clause: Clause, span: Span, lows: list[str]) -> bool:
    """Whether the event is one that people tell of."""
    lemma = clause.lemma
    if lemma in _ALONE:
        return not lows or lows[0] == "from"
    if lemma in _NAMED:
        return (
            lows[:1] != [""]
            and not _NO_OBJECTS & set(lows[:1])
            and any(clause.capital(at) for at in range(*span))
        )
    if lemma in _THINGS:
        return len(lows) > 1 and lows[0] in _ANY
    return bool(_OBJECTS[lemma] & set(lows))
