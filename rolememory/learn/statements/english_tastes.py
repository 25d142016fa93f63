"""What somebody likes, hates, wants, fears and believes."""

from dataclasses import replace
from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_frames import reads
from rolememory.learn.statements.english_say import Claims, behind, claim, each, sentence, simply
from rolememory.learn.statements.english_time import time_within
from rolememory.learn.statements.english_values import (
    Span,
    bare,
    cut_short,
    items,
    phrase,
    told,
    value_of,
)
from rolememory.learn.statements.english_words import lexicon, listed, union

_LIKING: Final = {"like": "likes", "love": "likes", "adore": "likes", "enjoy": "likes", "prefer": "likes", "cherish": "likes", "hate": "dislikes", "dislike": "dislikes", "detest": "dislikes", "loathe": "dislikes", "despise": "dislikes"}  # fmt: skip
_SAID_LIKES: Final = frozenset({"like", "love", "enjoy"})
_NO_DEEDS: Final = frozenset(
    "be see think hear say know imagine believe admit break ask bother tell interrupt burst point".split()
)
_SIZES: Final = frozenset("big large new better more two three own my little small".split())
_BY_ITSELF: Final = frozenset("write travel paint study retire graduate swim sing act".split())


@reads(*_LIKING, tenses=("present", "perfect", "former"))
def likes(clause: Clause) -> Claims:
    """As in "I really love tea and coffee"; not "I love you", "I love that song"; "I don't dislike it" says nothing."""
    attribute, at = _LIKING[clause.lemma], clause.at
    if attribute == "dislikes" and clause.group.negated and not _any_more(clause):
        return
    stops = ("more", "over", "to") if clause.lemma == "prefer" else ()
    if clause.any_of("replies", at) and attribute == "likes":
        yield from each(clause, "prefers_reply", at, fit=_reply)
        return
    spans = (
        [Span(at, phrase(clause, at + 1).end)]
        if clause.low(at) == "to"
        else items(clause, at, *stops)
    )
    for span in spans:
        if tasteful(clause, span):
            end = _than(clause, span.end) if len(spans) == 1 else span.end
            shown = behind(clause, end, span.first) if len(spans) == 1 else told(clause, span)
            yield from claim(clause, attribute, value_of(clause, span), sentence(clause, shown))
    if spans and clause.lemma in _SAID_LIKES and clause.holds:
        yield from _but_not(clause, spans[-1].end)


def _reply(clause: Clause, span: Span) -> bool:
    """Whether it is an answer that is liked: "short answers"."""
    return span.end - span.first > 1 and listed("replies", clause.low(span.end - 1))


def _any_more(clause: Clause) -> bool:
    said = " ".join(clause.lows(clause.at, clause.end))
    return clause.group.ceased or any(
        more in said for more in ("anymore", "any more", "any longer")
    )


def _than(clause: Clause, at: int) -> int:
    """The end of "tea over coffee", "tea to coffee" behind "prefer"."""
    return (
        phrase(clause, at + 1).end
        if clause.lemma == "prefer" and clause.low(at) in ("to", "over")
        else at
    )


def _but_not(clause: Clause, at: int) -> Claims:
    """As in "I like tea but not coffee"."""
    place = at
    while clause.low(place) in (",", "but", "and"):
        place += 1
    for span in items(clause, place + 1) if place > at and clause.low(place) == "not" else ():
        if tasteful(clause, span):
            yield from claim(
                clause,
                "likes",
                value_of(clause, span),
                f"{clause.who.shown} does not like {told(clause, span)}.",
                holds=False,
            )


def tasteful(clause: Clause, span: Span) -> bool:
    """Whether a span names something that one may like for good."""
    first, end = span
    if (
        not 0 < end - first <= 9
        or listed("vague_ends", clause.low(end - 1))
        or cut_short(clause, span)
        or clause.lows(first, first + 2) == ["all", "the"]
    ):
        return False
    if clause.low(first) == "to":
        return clause.low(first + 1) in lexicon().bases and clause.low(first + 1) not in _NO_DEEDS
    kept = bare(clause, span)
    low, head = clause.low(kept.first), _head(clause, span)
    if (
        low == "being"
        and kept.end > kept.first + 1
        and not listed("prepositions", clause.low(kept.first + 1))
    ):
        return clause.low(kept.first + 1) not in ("called", "told", "here", "right", "able")
    if low in union("deictic", "no_values") or listed("prepositions", low) or listed("vague", head):
        return False
    definite = clause.low(first) == "the" and not (
        (end - first == 2 and listed("generic_the", clause.low(end - 1)))
        or any(clause.capital(at) for at in range(first + 1, end))
    )
    return not definite or "of" in clause.lows(*span)


def _head(clause: Clause, span: Span) -> str:
    """The noun that a phrase is about: its last word before a preposition."""
    before = (
        at
        for at in range(span.first, span.end)
        if listed("prepositions", clause.low(at + 1)) or at + 1 == span.end
    )
    return clause.low(next(before, span.end - 1))


def lasting(clause: Clause, span: Span) -> bool:
    """Whether something is named that outlasts the moment: not "it", "you", "this", "losing you"."""
    low = clause.low(bare(clause, span).first)
    if (
        cut_short(clause, span)
        or low in union("no_values", "deictic", "prepositions")
        or low in ("losing", "getting", "being", "going")
    ):
        return False
    return not listed("vague_ends", clause.low(span.end - 1))


def fond(clause: Clause, at: int, words: str) -> Claims:
    """What stands behind "fond of", "into", "a fan of"."""
    yield from each(clause, "likes", at, words, fit=tasteful)


def liked_team(clause: Clause, first: int, end: int) -> Claims:
    """As in "a big Liverpool fan"."""
    start = first + listed("strict", clause.low(first))
    if clause.capital(start):
        yield from claim(
            clause,
            "likes",
            value_of(clause, Span(start, end)),
            sentence(clause, told(clause, Span(clause.at, end + 1))),
        )


_UPRIGHT: Final = frozenset(
    "up still here there by upright straight back on idle alone".split()
)  # "I can't stand up"


@reads("stand", "bear", tenses=("can",))
def cannot_stand(clause: Clause) -> Claims:
    """As in "I can't stand mushrooms"."""
    if clause.low(clause.at) in _UPRIGHT:
        return
    for found in each(clause, "dislikes", clause.at, fit=tasteful) if clause.group.negated else ():
        yield from claim(clause, "dislikes", found.value, found.content, holds=not clause.denied)


@reads("support")
def supports(clause: Clause) -> Claims:
    """As in "I support Everton"."""
    if clause.capital(clause.at):
        yield from each(clause, "likes", clause.at, fit=lasting)


@reads("want", "hope", "wish", tenses=("present", "perfect", "progressive", "former"))
def wants(clause: Clause) -> Claims:
    """As in "I want to learn to surf", "I've always wanted a dog"."""
    if clause.conditional or (clause.lemma == "wish" and clause.low(clause.at) != "to"):
        return
    if clause.low(clause.at) == "to":
        yield from _wants_to(clause, clause.at + 1)
    elif clause.lemma == "want":
        yield from each(clause, "wants", clause.at, fit=_wanted)


@reads("like", "love", tenses=("unreal",))
def would_like(clause: Clause) -> Claims:
    """As in "I'd love to visit Iceland"."""
    if clause.group.wishes and not clause.conditional and clause.low(clause.at) == "to":
        yield from _wants_to(clause, clause.at + 1)


@reads("dream", tenses=("present", "perfect", "progressive"))
def dreams(clause: Clause) -> Claims:
    """As in "I'm dreaming of moving to Iceland"."""
    span = phrase(clause, clause.at + 1)
    if (
        clause.low(clause.at) in ("of", "about")
        and clause.low(span.first).endswith("ing")
        and span.end - span.first > 1
        and lasting(clause, span)
    ):
        yield from simply(clause, "wants", span)


@reads("wait", tenses=("can",))
def cannot_wait(clause: Clause) -> Claims:
    """As in "I can't wait to visit Japan"."""
    if clause.group.negated and clause.low(clause.at) == "to":
        for found in _wants_to(clause, clause.at + 1):
            yield replace(found, holds=True)


def _wants_to(clause: Clause, at: int) -> Claims:
    """A wish that lasts: to be, become, learn, visit something; not to go home, to know more."""
    while listed("adverbs", clause.low(at)):
        at += 1
    span = phrase(clause, at)
    low = clause.low(at)
    if (
        not listed("want_lasting", low)
        or clause.listed("want_not", at, span.end)
        or listed("vague_ends", clause.low(span.end - 1))
    ):
        return
    soon = time_within(clause.words, span.end, clause.end)
    if (
        not cut_short(clause, span)
        and (span.end - span.first > 1 or low in _BY_ITSELF)
        and not clause.any_of("freezing", span.end)
        and not (soon and soon.tense == "now")
    ):
        yield from simply(clause, "wants", span)


def _wanted(clause: Clause, span: Span) -> bool:
    """Whether a thing is wanted for good: a dog, children, revenge; not a coffee."""
    if clause.low(span.first) in ("this", "that", "your", "the", "some"):
        return False
    first = bare(clause, span).first
    first += clause.low(first) in _SIZES
    whole = lexicon()["own_lasting"].ending(clause.words, first, span.end) or "of" in clause.lows(
        first, span.end
    )
    return bool(clause.listed("own_lasting", first, span.end) and whole)


@reads("fear")
def fears(clause: Clause) -> Claims:
    """As in "I fear deep water"."""
    yield from each(clause, "fears", clause.at, fit=lasting)


@reads("believe")
def believes(clause: Clause) -> Claims:
    """As in "I believe in ghosts"."""
    if clause.low(clause.at) == "in" and clause.low(clause.at + 1) not in ("my", "our", "being"):
        yield from each(clause, "belief", clause.at + 1, "in", fit=lasting)


@reads("suffer")
def suffers(clause: Clause) -> Claims:
    """As in "I suffer from migraines"."""
    if clause.low(clause.at) == "from":
        yield from each(clause, "health", clause.at + 1, "from", fit=lasting)
