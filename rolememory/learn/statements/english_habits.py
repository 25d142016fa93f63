"""What somebody can do, speaks, plays, eats, does every day, or has given up."""

from dataclasses import replace
from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_frames import read, reads
from rolememory.learn.statements.english_names import name_at
from rolememory.learn.statements.english_say import (
    Claims,
    behind,
    claim,
    each,
    naming,
    sentence,
    simply,
)
from rolememory.learn.statements.english_time import time_at, time_within
from rolememory.learn.statements.english_values import (
    Span,
    bare,
    items,
    phrase,
    raw,
    timed,
    told,
    value_of,
)
from rolememory.learn.statements.english_verbs import LASTING, PAST, Group, Part
from rolememory.learn.statements.english_words import lexicon, listed

_DAILY: Final = ("smoke", "vape", "meditate", "jog", "drink", "exercise", "journal", "snore")
_AROUND_LANGUAGES: Final = frozenset(
    ", and & or some fluent a little bit of basic decent good native broken perfect also both conversational any".split()
)
_NO_SPEAKERS: Final = frozenset(
    "teacher food class lesson literature history people guy girl man woman".split()
)
_BEHIND_SKILL: Final = frozenset("and but or better like very pretty quite really with".split())
_WITH_OBJECT: Final = frozenset("drive fly ride sail wield use pick".split())
_USUAL: Final = frozenset(
    "mostly usually normally regularly often sometimes rarely typically".split()
)
_REGULAR: Final = _USUAL | frozenset(
    "every each once twice times daily weekly monthly nightly everyday weekends weekdays always night time mondays tuesdays wednesdays thursdays "
    "fridays saturdays sundays".split()
)
_WORN: Final = frozenset("glasses contacts braces dentures spectacles".split())


@reads("speak", "know", "learn", tenses=(*LASTING, "can"))
def speaks(clause: Clause) -> Claims:
    """As in "I speak French and a little German", "I know how to swim", "I'm learning Dutch"."""
    at, learns = clause.at, clause.lemma == "learn"
    if clause.lemma == "know" and clause.lows(at, at + 2) == ["how", "to"]:
        yield from _skill(clause, at + 2)
        return
    spans = _languages(clause, at)
    for span in spans if not (learns and clause.tense == "can") else ():
        value = value_of(clause, span)
        content = sentence(clause, told(clause, span))
        yield from claim(
            clause,
            "habit" if learns else "language",
            f"learn {value}" if learns else value,
            content,
        )
    if learns and not spans and clause.tense in ("progressive", "perfect"):
        yield from _learning(clause, at)


def _learning(clause: Clause, at: int) -> Claims:
    """As in "I'm learning (to play) the cello"."""
    span = phrase(clause, at + 2 * (clause.lows(at, at + 2) == ["to", "play"]))
    kept = bare(clause, span)
    if kept.end > kept.first and clause.listed("instruments", *kept) == kept.end - kept.first:
        yield from simply(
            clause, "habit", Span(at, span.end), value=f"learn {told(clause, Span(at, span.end))}"
        )


def _languages(clause: Clause, at: int) -> list[Span]:
    """The languages of a list, without "fluent", "a little"."""
    found: list[Span] = []
    while clause.low(at):
        if length := clause.listed("languages", at):
            found.append(Span(at, at + length))
        elif clause.low(at) not in _AROUND_LANGUAGES:
            break
        at += length or 1
    return [] if clause.low(at) in _NO_SPEAKERS or listed("kin", clause.low(at)) else found


@reads(
    *"swim cook bake drive sing dance draw paint code program ski skate surf sew knit juggle ride whistle sail fly play read touch ice snowboard do climb".split(),
    *"fence fight shoot pick use wield teleport shapeshift see talk breathe turn heal weld crochet write whittle breakdance beatbox yodel".split(),
    tenses=("can",),
)
def can_do(clause: Clause) -> Claims:
    """As in "I can play the piano", "I can't swim"."""
    yield from _skill(clause, clause.at - 1)


def _skill(clause: Clause, at: int) -> Claims:
    """The ability whose verb stands at `at`; not what one could do just now."""
    length = clause.listed("skill_verbs", at)
    end = at + length
    if length and clause.low(at) == "play":
        end = _played(clause, end)
    elif length == 1 and clause.low(at) in _WITH_OBJECT and clause.low(end) in ("a", "an"):
        end = phrase(clause, end).end
    low = clause.low(end)
    open_ = (
        low and low[0].isalnum() and low not in _BEHIND_SKILL and not clause.listed("tails", end)
    )
    if (
        not length
        or not end
        or open_
        or clause.any_of("freezing", end)
        or {"you", "for"} & set(clause.lows(end, clause.end))
    ):
        return
    yield from claim(
        clause,
        "skill",
        told(clause, Span(at, end)) or "",
        sentence(clause, told(clause, Span(clause.at, end))),
    )


def _played(clause: Clause, at: int) -> int:
    """Where "the piano", "chess" ends; 0 = nothing is played."""
    start = at + (clause.low(at) in ("the", "a", "some", "my"))
    length = clause.listed("instruments", start) or clause.listed("games", start)
    return start + length if length else 0


@reads("play")
def plays(clause: Clause) -> Claims:
    """As in "I play the cello": a skill; "I play tennis": a habit."""
    end = _played(clause, clause.at)
    now = clause.tense == "progressive" and not time_within(clause.words, clause.at, clause.end)
    if (
        end
        and not now
        and not (
            {"you", "me"} & set(clause.lows(end, clause.end)) or clause.any_of("freezing", end)
        )
    ):
        start = clause.at + (clause.low(clause.at) in ("the", "a", "some", "my"))
        attribute = "skill" if clause.listed("instruments", start) else "habit"
        yield from simply(
            clause,
            attribute,
            Span(clause.at, end),
            value=f"play {told(clause, Span(clause.at, end))}",
        )


@reads("eat", "drink", tenses=("present", "perfect", "former", "can"))
def eats(clause: Clause) -> Claims:
    """As in "I don't eat meat", "I never drink alcohol", "I drink coffee every morning"."""
    name, value = ("shunned", "{}") if clause.lemma == "eat" else ("drinks", "drink {}")
    if clause.tense == "can" and not clause.group.negated:
        return
    for span in items(clause, clause.at):
        worth = value_of(clause, span)
        if listed(name, worth.lower()) and not clause.any_of("freezing", span.end):
            content = sentence(clause, behind(clause, span.end, span.first))
            yield from claim(
                clause, "diet" if clause.lemma == "eat" else "habit", value.format(worth), content
            )


@reads(*_DAILY)
def daily(clause: Clause) -> Claims:
    """As in "I don't smoke", "I quit smoking in January", "I smoke ten cigarettes a day"."""
    if clause.tense == "progressive":
        return
    often = time_within(clause.words, clause.at, clause.end)
    counted = (
        clause.low(clause.at) in ("a", "about", "around")
        or listed("numbers", clause.low(clause.at))
        or clause.low(clause.at).isdigit()
    )
    end = clause.end if counted and often else timed(clause, clause.at)
    low = clause.low(end)
    if low == "too" and clause.low(end + 1) in ("much", "many"):
        return  # of what, is more than rules read
    if (
        not low
        or not low[0].isalnum()
        or low in ("and", "or", "but")
        or clause.listed("tails", end)
    ):
        yield from claim(
            clause, "habit", clause.lemma, sentence(clause, told(clause, Span(clause.at, end)))
        )


@reads(
    "collect",
    "volunteer",
    "foster",
    "stream",
    "crochet",
    "knit",
    tenses=("present", "perfect", "former"),
)
def pastime(clause: Clause) -> Claims:
    """As in "I collect vintage postcards"."""
    span = phrase(clause, clause.at)
    if not clause.any_of("freezing", clause.at) and not clause.any_of(
        "vague_ends", span.end - 1, span.end
    ):
        yield from simply(
            clause, "habit", span, value=f"{clause.lemma} {told(clause, span)}".strip()
        )


@reads("use", tenses=("present",), denied=False)
def pronouns(clause: Clause) -> Claims:
    """As in "I use she/her pronouns"."""
    at = next((at for at in range(clause.at + 2, clause.end) if clause.low(at) == "pronouns"), 0)
    if at and at - clause.at <= 5:
        value = raw(clause, Span(clause.at, at))
        yield from claim(clause, "gender", value, sentence(clause, f"{value} pronouns"))


@reads("get", tenses=("present",))
def gets(clause: Clause) -> Claims:
    """As in "I get migraines"."""
    span = phrase(clause, clause.at)
    if clause.listed("health", span.first, span.end) == span.end - span.first > 0:
        yield from simply(clause, "health", span)


@reads("prefer", "like", "want", tenses=("present", "unreal"), denied=False)
def likes_to_be_called(clause: Clause) -> Claims:
    """As in "I prefer being called Sam"."""
    at = clause.at + (clause.low(clause.at) == "to")
    found = (
        name_at(clause.words, at + 2, clause.end, clause.scene)
        if clause.lows(at, at + 2) in (["being", "called"], ["be", "called"])
        else None
    )
    if found:
        yield from naming(clause, clause.who, found.name, nick=True)


@reads("wear", tenses=("present", "former"))
def wears(clause: Clause) -> Claims:
    """As in "I wear glasses"."""
    low = clause.low(clause.at)
    if low in _WORN:
        yield from claim(clause, "looks", low, sentence(clause, low), about=low)


@reads("dye", tenses=PAST, denied=False)
def dyes(clause: Clause) -> Claims:
    """As in "I dyed my hair red"."""
    if clause.low(clause.at + 1) == "hair":
        span = phrase(clause, clause.at + 2)
        yield from claim(
            clause,
            "looks",
            value_of(clause, span),
            sentence(clause, behind(clause, span.end)),
            about="hair",
        )


@reads("weigh", tenses=("present",))
def weighs(clause: Clause) -> Claims:
    """As in "I weigh 82 kilos"."""
    span = phrase(clause, clause.at)
    if clause.low(span.first)[:1].isdigit() and span.end > span.first:
        yield from simply(clause, "looks", span, about="weight")


@reads("turn", tenses=PAST, denied=False)
def turned(clause: Clause) -> Claims:
    """As in "I just turned 28"."""
    low = clause.low(clause.at)
    if low.isdigit() and 0 < int(low) < 120:
        yield from simply(clause, "age", Span(clause.at, clause.at + 1))


def often(clause: Clause) -> Claims:
    """Any verb with "every morning", "on Sundays", "usually": a habit."""
    group = clause.group
    if (
        _REGULAR.isdisjoint(clause.words.lows)
        or clause.who.person == "you"
        or clause.tense not in ("present", "former")
        or group.negated
        or listed("often_not", clause.lemma)
    ):
        return
    at_once = clause.low(clause.at) != "at" and time_at(
        clause.words, clause.at, clause.end
    )  # "swim every day": nothing stands between
    span = Span(clause.at, clause.at) if at_once else phrase(clause, clause.at)
    usual = any(part == "adverb" and low in _USUAL for part, low in group.said)
    before = clause.when
    regular = bool(before and before.tense == "often") or any(
        (when := time_at(clause.words, at, clause.end)) and when.tense == "often"
        for at in range(clause.at, clause.end)
    )
    empty = span.end <= span.first
    if (
        not (regular or (usual and not empty))
        or listed("vague_ends", clause.low(span.end - 1))
        or {"you", "your", "me"} & set(clause.lows(*span))
    ):
        return
    deed = told(clause, span)
    if clause.lemma == "go" and not (
        clause.low(clause.at) in ("to", "for") or clause.low(clause.at).endswith("ing")
    ):
        return
    yield from claim(
        clause,
        "habit",
        f"{clause.lemma} {deed}".strip(),
        sentence(clause, behind(clause, span.end)),
    )


@reads("quit", "stop", "cease", "give", "start", "begin", tenses=PAST, denied=False)
def gives_up(clause: Clause) -> Claims:
    """As in "I quit smoking", "I gave up eating meat", "I started learning Dutch": the second verb decides; "I gave up meat"."""
    up = clause.lemma == "give" and clause.low(clause.at) == "up"
    at = clause.at + up
    form = lexicon().verbs.get(clause.low(at))
    if form and form.form == "ing" and (up or clause.lemma != "give"):
        ends = clause.lemma not in ("start", "begin")
        said: list[tuple[Part, str]] = [
            *clause.group.said,
            *([("word", "up")] if up else []),  # type: ignore[list-item]
            ("word", clause.low(at)),
        ]
        yield from read(
            replace(
                clause,
                group=Group(form.lemma, negated=ends, ceased=ends, end=at + 1, said=said),
                at=at + 1,
            )
        )
    elif up or clause.lemma == "quit":
        for found in each(clause, "diet", at, "up" if up else ""):
            food = listed("shunned", found.value.lower())
            if food or listed("drinks", found.value.lower()):
                value = found.value if food else f"drink {found.value}"
                yield from claim(
                    clause, "diet" if food else "habit", value, found.content, holds=False
                )
