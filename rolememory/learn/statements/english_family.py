"""Marriages, partners, separations, deaths."""

from dataclasses import replace
from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_frames import reads
from rolememory.learn.statements.english_names import name_at, name_behind
from rolememory.learn.statements.english_people import owned_at
from rolememory.learn.statements.english_say import Claims, behind, claim, sentence
from rolememory.learn.statements.english_scene import Owned, Who
from rolememory.learn.statements.english_values import Span, timed, told
from rolememory.learn.statements.english_verbs import PAST
from rolememory.learn.statements.english_words import listed

_OF_WHAT: Final = frozenset(
    "of from in at after before during when while because and but on with to peacefully suddenly young".split()
)
_STATES: Final = {
    "married": "married",
    "divorced": "divorced",
    "engaged": "engaged",
    "separated": "separated",
    "hitched": "married",
    "remarried": "married",
}


@reads("get", tenses=PAST, denied=False)
def got_married(clause: Clause) -> Claims:
    """As in "I got engaged on Saturday"."""
    low, more = clause.low(clause.at), clause.low(clause.at + 1)
    busy = (
        low == "engaged" and more in ("in", "with") and not clause.capital(clause.at + 2)
    )  # "engaged in talks"
    if low not in _STATES or busy:
        return
    yield from claim(
        clause, "marital_status", _STATES[low], sentence(clause, behind(clause, clause.at + 1))
    )
    name = name_at(clause.words, clause.at + 2, clause.end, clause.scene) if more == "to" else None
    yield from _spouse(clause, name.name) if name else ()


def _spouse(clause: Clause, name: str) -> Claims:
    yield from claim(
        clause, "relation", name, f"{clause.who.shown}'s spouse is called {name}.", about="spouse"
    )


@reads("marry", "divorce", tenses=PAST, denied=False)
def married(clause: Clause) -> Claims:
    """As in "I married Tom in 2010"."""
    name = name_at(clause.words, clause.at, clause.end, clause.scene)
    kin = owned_at(clause.words, clause.at, clause.end, clause.scene)
    state = "married" if clause.lemma == "marry" else "divorced"
    if name or kin:
        end = name.end if name else kin.end if kin else clause.at
        yield from claim(clause, "marital_status", state, sentence(clause, behind(clause, end)))
    if name and state == "married":
        yield from _spouse(clause, name.name)


@reads("date", "see", tenses=("progressive",), denied=False)
def dates(clause: Clause) -> Claims:
    """As in "I'm dating a guy named Mark"."""
    at = clause.at + 2 * (clause.low(clause.at) in ("a", "this"))
    name = name_behind(clause.words, at, clause.end, clause.scene)
    if (
        name
        and (at == clause.at or clause.low(at) in ("named", "called"))
        and clause.lemma == "date"
    ):
        yield from claim(
            clause,
            "relation",
            name.name,
            sentence(clause, behind(clause, name.end)),
            about="partner",
        )


@reads("break", "split", tenses=PAST, denied=False)
def broke_up(clause: Clause) -> Claims:
    """As in "I broke up with Tom", "my girlfriend and I broke up", "we split up"."""
    if clause.low(clause.at) != "up" or clause.who.plural:
        return
    ties = clause.company.owned if clause.company else None
    if clause.low(clause.at + 1) == "with":
        yield from _parted(clause, clause.at + 2)
    elif ties and listed("kin_love", ties.about):
        yield from _over(clause, ties.about, ties.name)
    elif clause.we and not clause.company and clause.low(clause.at + 1) not in ("the", "into"):
        partner = _partner(clause)
        yield from _over(
            clause, partner.about if partner else "partner", partner.name if partner else ""
        )


def _over(clause: Clause, about: str, name: str) -> Claims:
    content = f"{clause.who.shown} and their {f'{about} {name}'.strip()} broke up."
    yield from claim(clause, "relation", name, content, about=about, holds=False)


def _partner(clause: Clause) -> Owned | None:
    """The one partner that the message has spoken of."""
    owned = (third.who.owned for third in clause.scene.thirds if third.who)
    found = [
        ties
        for ties in owned
        if ties and listed("kin_love", ties.about) and ties.owner == clause.who
    ]
    return found[0] if len(found) == 1 else None


def _parted(clause: Clause, at: int) -> Claims:
    kin = owned_at(clause.words, at, clause.end, clause.scene)
    name = name_at(clause.words, at, clause.end, clause.scene)
    if kin and kin.who.owned:
        ties = kin.who.owned
        yield from claim(
            clause,
            "relation",
            ties.name,
            sentence(clause, behind(clause, kin.end)),
            about=ties.about,
            holds=False,
        )
    elif name:
        yield from claim(
            clause,
            "relation",
            name.name,
            sentence(clause, behind(clause, name.end)),
            about="partner",
            holds=False,
        )


@reads("leave", "dump", tenses=PAST, denied=False)
def left(clause: Clause) -> Claims:
    """As in "my husband left me"."""
    ties, at = clause.who.owned, clause.at
    if (
        not ties
        or not listed("kin_love", ties.about)
        or clause.low(at) not in ("me", ties.owner.shown.lower())
    ):
        return
    if not clause.low(at + 1)[:1].isalpha() or timed(clause, at + 1) > at + 1:
        content = f"{ties.phrase()} left {ties.owner.shown}."
        yield from claim(
            clause, "relation", ties.name, content, about=ties.about, holds=False, who=ties.owner
        )


@reads("die", "pass", "perish", "drown", tenses=PAST, denied=False)
def died(clause: Clause) -> Claims:
    """As in "my dog died", "my grandmother passed away last week"."""
    who, away = clause.who, clause.low(clause.at) in ("away", "on")
    if who.person != "third" or (clause.lemma == "pass" and not away):
        return
    end = timed(clause, clause.at + away)
    if clause.low(end)[:1].isalpha() and clause.low(end) not in _OF_WHAT:  # "died laughing"
        return
    if who.owned and who.owned.attribute == "owns":
        content = sentence(clause, told(clause, Span(clause.at, end)), who=_owners(who))
        yield from claim(
            clause,
            "owns",
            who.owned.name,
            content,
            about=who.owned.about,
            holds=False,
            who=who.owned.owner,
        )
    elif who.known:
        said = " ".join(low for part, low in clause.group.said if part == "word")
        yield from claim(
            clause,
            "did",
            f"{said} {'away' if away else ''}".strip(),
            sentence(clause, told(clause, Span(clause.at, end))),
        )


def _owners(who: Who) -> Who:
    """A dead animal is told of by its owner: "Lin's dog Rex"."""
    return replace(who, shown=who.owned.phrase()) if who.owned else who
