"""What stands before a clause and says nothing itself: greetings, called names, conjunctions, "just so you know"."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rolememory.learn.statements.english_people import known_at
from rolememory.learn.statements.english_scene import Scene, Who
from rolememory.learn.statements.english_time import starts_time, times_at
from rolememory.learn.statements.english_verbs import UNSURE
from rolememory.learn.statements.english_words import Words, lexicon, listed

NOMINATIVE: Final = frozenset({"i", "we", "he", "she", "they"})
_STATEMENTS: Final = NOMINATIVE | frozenset(
    {"my", "your", "our", "you", "that", "his", "her", "the", "there"}
)
_CALLING: Final = frozenset({"i", "you", "we", "my", "your"})
_EVERYONE: Final = frozenset({"everyone", "everybody", "all", "y'all"})
_HALF_SAID: Final = frozenset({"i", "did", "remember", "do", "keep", "note", "know", "you"})


@dataclass(slots=True)
class Lead:
    """The way to the next clause, and what it says about it."""

    at: int
    link: str = ""  # "if", "because", "think", "&" = shares the subject of the clause before
    certainty: float = 1.0
    corrects: bool = False
    backshift: bool = False  # "I told you I lived": the tense says nothing
    opening: bool = False  # it opens the sentence
    time: tuple[int, int] | None = None  # the words of a time that stands before: "next week I ..."


Step = Callable[[Words, Lead, int, Scene], int]


def follow(words: Words, lead: Lead, end: int, scene: Scene) -> Lead:
    """The lead moved to the first word of the clause."""
    lead.opening &= lead.at == 0
    while lead.at < end:
        low = words.lows[lead.at]
        taken = next((taken for step in _steps(low) if (taken := step(words, lead, end, scene))), 0)
        if not taken and (low in scene.names or low == "the"):
            taken = _called(words, lead, end, scene)
        if not taken:
            break
        lead.at += taken
        lead.opening = False
    return lead


@lru_cache(maxsize=8192)
def _steps(low: str) -> tuple[Step, ...]:
    """The steps that a word may begin: most words begin none."""
    may: tuple[tuple[Step, bool], ...] = (
        (_phrase, low in lexicon()["opening_phrases"].firsts),
        (_time, starts_time(low)),
        (_mark, not low[0].isalnum()),
        (_hedge, listed("hedges", low)),
        (_opener, listed("openers", low)),
        (_everyone, low in _EVERYONE),
        (_subordinate, listed("subordinate", low)),
        (_called, low == "@" or listed("kin_bare", low)),
    )
    return tuple(step for step, begins in may if begins)


def _phrase(words: Words, lead: Lead, end: int, scene: Scene) -> int:
    """As in "just so you know", "I told you that"."""
    del scene
    length = lexicon()["opening_phrases"].at(words, lead.at, end)
    if not length or not _opens(words, lead.at, lead.at + length, end):
        return 0
    phrase = " ".join(word.low for word in words[lead.at : lead.at + length])
    lead.corrects |= listed("correcting", phrase)
    lead.backshift |= listed("assertive_past", phrase)
    return length + (lead.at + length < end and words[lead.at + length].low == "that")


def _opens(words: Words, at: int, behind: int, end: int) -> bool:
    """Whether a phrase like "I know" opens a statement, instead of being one."""
    if behind >= end:
        return words[at].low not in ("i", "remember")
    low = words[behind].low
    if words[behind - 1].low == "that" or not low[0].isalnum() or words[at].low not in _HALF_SAID:
        return True
    return low in _STATEMENTS


def _mark(words: Words, lead: Lead, end: int, scene: Scene) -> int:
    del end, scene
    low = words[lead.at].low
    return not low[0].isalnum() and low != "@"


def _hedge(words: Words, lead: Lead, end: int, scene: Scene) -> int:
    """As in "maybe"."""
    del end, scene
    low = words[lead.at].low
    if low == "guess" or not listed("hedges", low):
        return 0
    lead.certainty = UNSURE
    return 1


def _time(words: Words, lead: Lead, end: int, scene: Scene) -> int:
    """As in "last year I moved", "on Fridays, I swim"."""
    del scene
    found = times_at(words, lead.at, end)
    if not found or found.end >= end:
        return 0
    low = words.lows[found.end]
    if (
        low != ","
        and low not in NOMINATIVE
        and low not in ("my", "our", "you")
        and found.end not in words.capitals
    ):
        return 0
    lead.time = (lead.at, found.end)
    return found.end - lead.at


def _subordinate(words: Words, lead: Lead, end: int, scene: Scene) -> int:
    """As in "if", "when"; not "as a nurse"."""
    del scene
    low = words[lead.at].low
    if not listed("subordinate", low):
        return 0
    lead.link = low if lead.link in ("", "that") else lead.link
    return 1


def _opener(words: Words, lead: Lead, end: int, scene: Scene) -> int:
    """As in "well", "hi", "because", "no"."""
    low = words[lead.at].low
    more = words[lead.at + 1].low if lead.at + 1 < end else ""
    if (
        not listed("openers", low)
        or (low == "no" and more == "longer")
        or (low in ("as", "being") and more in ("a", "an"))
    ):
        return 0
    if lead.at and words[lead.at].capital and known_at(words, lead.at, end, scene):
        return 0
    lead.corrects |= listed("correcting", low) or (
        lead.opening and listed("correcting_first", low) and end - lead.at > 2
    )
    if low in ("or", "otherwise"):
        lead.link = low
    return 1


def _everyone(words: Words, lead: Lead, end: int, scene: Scene) -> int:
    """As in "everyone I'm moving"."""
    del scene
    return lead.at + 1 < end and words.lows[lead.at + 1] in ("i", "we", ",")


def _called(words: Words, lead: Lead, end: int, scene: Scene) -> int:
    """A name that is called: "Mira, you promised", "Mira I love tea"; that one is "you" from here on."""
    at = lead.at + (words[lead.at].low == "@")
    found = known_at(words, at, end, scene) if at < end else None
    if not found and words[lead.at].low != "@" and not listed("kin_bare", words[lead.at].low):
        return 0
    behind = found.end if found else at + 1
    low = words[behind].low if behind < end else ""
    if low not in _CALLING and (low != "," or _apposed(words, behind, end)):
        return 0
    if found and found.who.label != scene.speaker.me and not scene.told:
        scene.you = Who(found.who.label, found.who.shown, "you")
    return behind + (low == ",") - lead.at


def _apposed(words: Words, comma: int, end: int) -> bool:
    """Whether what stands behind the comma describes: "Lin, a doctor, ..."."""
    return comma + 1 < end and words[comma + 1].low in ("a", "an", "the", "who", "whose", "and")
