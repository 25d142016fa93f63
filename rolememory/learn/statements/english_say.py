"""Claims out of clauses: how sure they are, whose they are, and how they read in the third person."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from rolememory.learn.statements.base import named
from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_scene import Owned, Who
from rolememory.learn.statements.english_values import (
    Span,
    contrast,
    items,
    raw,
    timed,
    told,
    value_of,
)
from rolememory.learn.statements.english_verbs import UNSURE, denying, now, spoken_of
from rolememory.learn.statements.english_words import lexicon
from rolememory.schema.claims import Claim

Claims = Iterator[Claim]
_OF_YOU: Final = frozenset(
    "name nickname age birthday gender home origin job employer relation favourite likes dislikes fears owns looks promise allergy skill language marital_status diet is".split()
)
_OF_STRANGERS: Final = frozenset(
    "name age birthday home origin job employer likes dislikes fears allergy language marital_status relation owns skill diet study".split()
)
_SPAN: Final = re.compile(r"\b(?:for|since|all)\b")
_NAMED_DAYS: Final = lexicon()["weekdays"].spelt
_OF_OTHERS: Final = 0.8  # how sure a speaker is of somebody else
_WAS_TRUE: Final = frozenset(
    {"move", "relocate", "switch", "change", "leave", "go"}
)  # what they call former was no mistake


def claim(
    clause: Clause,
    attribute: str,
    value: str,
    content: str | None,
    *,
    about: str = "",
    holds: bool | None = None,
    certainty: float = 1.0,
    former: str = "",
    who: Who | None = None,
) -> Claims:
    """The claim, unless it says nothing or may not be said of this person on these grounds. Without content the sentence is quoted."""
    who = who or clause.who
    if not _may(clause, who, attribute) or not (value or attribute in ("relation", "owns")):
        return
    sure = (
        clause.certainty
        * certainty
        * (1.0 if who.person == "me" or clause.scene.told or who.owned else _OF_OTHERS)
    )
    said = content or _quoted(clause)
    if sure <= UNSURE and content and not clause.scene.told:
        said = f"perhaps {said}"
    words = clause.words
    yield Claim(
        subject=who.label,
        attribute=attribute,
        value=value,
        content=said[:1].upper() + said[1:],
        quote=clause.scene.text[words[0].start : words[-1].end],
        about=about,
        holds=clause.holds if holds is None else holds,
        start=words[0].start,
        end=words[-1].end,
        certainty=round(min(sure, 1.0), 2),
        former=former,
        corrects=clause.corrects or bool(former and clause.lemma not in _WAS_TRUE),
    )


def _may(clause: Clause, who: Who, attribute: str) -> bool:
    plural = not who.known and any(
        low in ("are", "were", "have") for _, low in clause.group.said
    )  # "Pets are ..."
    if plural:
        return False
    if who.person == "you" and attribute not in _OF_YOU:
        return False
    return who.known or attribute in _OF_STRANGERS


def _quoted(clause: Clause) -> str:
    """The sentence in its own words, for what cannot be told safely."""
    words = clause.words
    text = clause.scene.text[words[0].start : words[-1].end].replace('"', "'")
    return f'{clause.scene.me.shown} says: "{" ".join(text.split())}"'


def sentence(clause: Clause, behind: str | None, *, who: Who | None = None) -> str | None:
    """Subject, verb and the words behind it, in the third person; None where those cannot be told."""
    if behind is None:
        return None
    who = who or clause.who
    group = denying(clause.group) if clause.denied else clause.group
    if group.lasting and not (
        group.ongoing
        or group.negated
        or "always" in (low for _, low in group.said)
        or _SPAN.search(behind)
    ):
        group = now(group)
    return f"{' '.join(f'{who.shown} {spoken_of(group, plural=who.plural)} {behind}'.split())}."


def behind(clause: Clause, end: int, first: int | None = None) -> str | None:
    """The words from behind the verb to `end`, and the time that follows, or that stood before."""
    until = timed(clause, end)
    shown = told(clause, Span(clause.at if first is None else first, until))
    if shown is None or until > end or clause.time is None:
        return shown
    before = raw(clause, Span(*clause.time))
    return (
        f"{shown} {before[:1].lower()}{before[1:]}"
        if clause.words.lows[clause.time[0]] not in _NAMED_DAYS
        else f"{shown} {before}"
    )


def simply(
    clause: Clause,
    attribute: str,
    span: Span,
    *,
    about: str = "",
    holds: bool | None = None,
    certainty: float = 1.0,
    value: str = "",
) -> Claims:
    """The claim whose value are the words of a span, told as the clause tells it."""
    worth = value or value_of(clause, span)
    content = sentence(clause, behind(clause, span.end))
    yield from claim(
        clause,
        attribute,
        worth,
        content,
        about=about,
        holds=holds,
        certainty=certainty,
        former=contrast(clause, span.end),
    )


def each(
    clause: Clause,
    attribute: str,
    at: int,
    before: str = "",
    *,
    fit: Callable[[Clause, Span], bool] | None = None,
    value: str = "{}",
) -> Claims:
    """A claim for every member of the list at `at`; `before` are the words between the verb and it."""
    spans = items(clause, at, titles=attribute != "language")
    for span in spans:
        if fit is None or fit(clause, span):
            shown = told(
                clause, Span(span.first, timed(clause, span.end) if len(spans) == 1 else span.end)
            )
            content = None if shown is None else sentence(clause, f"{before} {shown}")
            former = contrast(clause, span.end) if attribute in ("allergy", "diet") else ""
            yield from claim(
                clause, attribute, value.format(value_of(clause, span)), content, former=former
            )


def tied(
    clause: Clause, ties: Owned, name: str, content: str | None, *, holds: bool = True
) -> Claims:
    """The relation or possession with its name, as a claim about the owner."""
    if holds:
        clause.scene.christen(ties, name, named(name, clause.scene.speaker))
    yield from claim(
        clause, ties.attribute, name, content, who=ties.owner, about=ties.about, holds=holds
    )


def naming(clause: Clause, who: Who, name: str, *, nick: bool = False, former: str = "") -> Claims:
    """Somebody's name is told: the claim is about the owner where it is somebody's sister or dog."""
    yes = "is" if clause.holds else "is not"
    if who.owned and not who.owned.name:
        yield from tied(
            clause, who.owned, name, f"{who.shown} {yes} called {name}.", holds=clause.holds
        )
    elif nick:
        yield from claim(
            clause,
            "nickname",
            name,
            f"{who.shown} {'goes' if clause.holds else 'does not go'} by {name}.",
            who=who,
            former=former,
        )
    else:
        yield from claim(
            clause, "name", name, f"{who.shown}'s name {yes} {name}.", who=who, former=former
        )
