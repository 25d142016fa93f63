"""What a later memory makes of an earlier one: the same, the contrary, or nothing. The same two give the same answer in any company."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from rapidfuzz import fuzz

from rolememory.learn.reconcile import by_claims, by_words
from rolememory.learn.reconcile.told import Told
from rolememory.text.fold import folded_key

Alike = Callable[[str, str], float | None]
"""(text, text) -> cosine of their embeddings; None = no model at hand."""

_LONG = 2  # clauses: what says more is not outdated by one of them
_STORY = 4  # clauses
_CLOSE = 0.9  # cosine from which two texts may say the same in other words
_SHARED = 0.5  # of the words that such texts must still have in common
_RETOLD = 85.0  # likeness, 0..100, from which an event is the same event told again,
_SOON = timedelta(hours=36)  # if it is told within this time


@dataclass(frozen=True, slots=True)
class Relation:
    """How the later of two memories relates to the earlier one."""

    kind: Literal["same", "contradicts"]
    shape: str = ""  # how they clash


SAME = Relation("same")


def relation(earlier: Told, later: Told, alike: Alike | None = None) -> Relation | None:
    """Same, contradicts, or None: both may stand. Cost: O(words of both)."""
    if earlier.subject != later.subject and not _one_person(earlier, later):
        return None
    found = (
        by_claims.relation(earlier.claims, later.claims)
        if later.claims.each and earlier.claims.each
        else None
    )
    if found == by_claims.SAME and _agree(earlier, later):
        return SAME if _same_event(earlier, later) else None
    if found and found != by_claims.SAME and not _of_events(earlier, found):
        return Relation("contradicts", found)
    if by_claims.decided(earlier.claims, later.claims):
        return None
    if _restates(earlier, later, alike):
        return SAME if _same_event(earlier, later) else None
    return _clash(earlier, later)


def _one_person(earlier: Told, later: Told) -> bool:
    """Whether both speak of the same other: "the user's sister" as a subject, and a memory of the user that names the sister."""
    people = earlier.statement.people
    return bool(people) and people == later.statement.people and earlier.owner == later.owner


def _agree(earlier: Told, later: Told) -> bool:
    """Whether numbers and times agree, where the claims leave them out: plans, habits and deeds."""
    if by_claims.decided(earlier.claims, later.claims):
        return True
    return (
        earlier.statement.numbers == later.statement.numbers
        and earlier.statement.times == later.statement.times
    )


def _clash(earlier: Told, later: Told) -> Relation | None:
    if len(earlier.statement.clauses) > _LONG or _tells_a_story(later):
        return None
    shape = by_words.clash(earlier.statement, later.statement)
    if (
        not shape
        or _of_events(earlier, shape)
        or (shape == "denied" and not _at_that_time(earlier, later))
    ):
        return None
    return Relation("contradicts", shape)


def _tells_a_story(later: Told) -> bool:
    """Whether it is a turn in which others act as well: whose habit "he quit" ends is not to be seen in words."""
    return later.is_event and (
        len(later.statement.clauses) > _STORY or "third" in later.statement.marks
    )


def _at_that_time(earlier: Told, later: Told) -> bool:
    """Whether what is denied is denied for the time at which it is held: "no coffee after five" leaves the mornings."""
    no, yes = (later, earlier) if "denied" in later.statement.stances else (earlier, later)
    return (
        no.quoted.times <= yes.quoted.times | yes.statement.times
        or not no.quoted.marks.isdisjoint({"ended", "changed"})
    )


def _of_events(earlier: Told, shape: str) -> bool:
    """Whether this is about something that happened, which stays so: unless it is corrected, or was said never to have happened."""
    never = "denied" in earlier.statement.stances
    return earlier.is_event and not (shape == "corrected" or (shape == "denied" and never))


def _restates(earlier: Told, later: Told, alike: Alike | None) -> bool:
    old, new = earlier.statement, later.statement
    if by_words.restates(old, new):
        return True
    if alike is None or (old.people, old.numbers, old.times, old.stances) != (
        new.people,
        new.numbers,
        new.times,
        new.stances,
    ):
        return False
    shared = len(old.words & new.words)
    if shared < _SHARED * len(old.words | new.words) or by_words.clash(old, new):
        return False
    return (alike(earlier.memory.content, later.memory.content) or 0.0) >= _CLOSE


def _same_event(earlier: Told, later: Told) -> bool:
    """States are the same whenever they are told; an event and a fact that follows from it are two things, and each stands by itself.

    What happened is another event on another day, and told with little in common but a fact it is another event, too.
    """
    if not (earlier.is_event and later.is_event):
        return earlier.is_event == later.is_event
    alike = fuzz.token_sort_ratio(
        folded_key(earlier.memory.content), folded_key(later.memory.content)
    )
    return alike >= _RETOLD and abs(later.told_at - earlier.told_at) <= _SOON
