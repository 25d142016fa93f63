"""Whose words stand in quotation marks, and whether what stands around them is speech or a tale.

`Mei said "I hate tea"` is Mei's. In role-play prose, `"I'm a doctor," he says` and a quote that stands by itself are the speaker's own,
unless the paragraph is about somebody else; the tale around such quotes claims nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from rolememory.learn.statements.base import Speaker, as_said_by, named, quotes
from rolememory.learn.statements.english_words import Words, lexicon, words_of

HEARSAY: Final = 0.7
_SPEECH: Final = re.compile(r"\b(?:i|i'm|im|my|me|we|our|you|your|you're)\b|[.!?,…—-]\s*$", re.IGNORECASE)
_STOPPED: Final = re.compile(r"[.!?…*:\n—-]\s*[\"“«]?\s*$|^\s*[\"“«]?\s*$")
_READING: Final = frozenset(
    "sings sang sing reads read reading says wrote writes lyrics song sign title poem line quote book chorus verse slogan called titled named headline lyric t-shirt screen letter note".split()
)
_THIRDS: Final = frozenset({"he", "she", "they"})


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one voice."""

    start: int
    end: int
    speaker: Speaker
    certainty: float = 1.0


def passages(text: str, speaker: Speaker) -> Iterator[Passage]:
    """The stretches that claim something, in order; quotes that are no speech stay where they are."""
    spoken = [span for span in quotes(text) if _is_speech(text[span[0] : span[1]])]
    if not spoken:
        yield Passage(0, len(text), speaker)
        return
    voices = [_voice(text, span, spoken, speaker) for span in spoken]
    tale = any(voice is not None and voice.tale for voice in voices)
    place = 0
    for (start, end), voice in zip(spoken, voices, strict=True):
        if not tale and text[place : start - 1].strip():
            yield Passage(place, start - 1, speaker)
        if voice is not None and voice.label is not None:
            yield _quoted(start, end, voice.label, speaker)
        place = end + 1
    if not tale and text[place:].strip():
        yield Passage(place, len(text), speaker)


def _quoted(start: int, end: int, label: str, speaker: Speaker) -> Passage:
    if label == speaker.me:
        return Passage(start, end, speaker)
    return Passage(start, end, replace(as_said_by(label, speaker), you=speaker.you if label == speaker.me else None), HEARSAY)


@dataclass(frozen=True, slots=True)
class _Voice:
    label: str | None  # None = nobody can tell whose
    tale: bool  # the words around it tell a story


def _is_speech(quote: str) -> bool:
    """Whether somebody speaks here: not a title or a single word in quotation marks."""
    return len(quote.split()) > 1 and bool(_SPEECH.search(quote))


def _voice(text: str, span: tuple[int, int], spoken: list[tuple[int, int]], speaker: Speaker) -> _Voice | None:
    start, end = span
    line = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    earlier = max((other[1] + 1 for other in spoken if line <= other[1] < start), default=line)
    later = min((other[0] - 1 for other in spoken if end < other[0] <= stop), default=stop)
    before, behind = words_of(text, earlier, start - 1), words_of(text, end + 1, later)
    teller = _teller_before(before, text, speaker) or _teller_behind(behind, text, speaker)
    if teller is not None:
        return _told_by(teller, text, spoken, line, stop, speaker)
    if not _STOPPED.search(text[line:start]) and earlier == line:
        return None
    return _unsaid(text, spoken, line, stop, speaker)


def _told_by(teller: str, text: str, spoken: list[tuple[int, int]], line: int, stop: int, speaker: Speaker) -> _Voice:
    """A teller as a label: "I" is the speaker, a pronoun the only one that the line is about."""
    if teller in ("i", "we"):
        return _Voice(speaker.me, tale=False)
    if teller == "?":
        return _Voice(None, tale=False)
    if teller in _THIRDS:
        names = _names(_around(text, spoken, 0, len(text)), text, speaker)
        return _Voice(speaker.me if names <= {speaker.me} else None, tale=True)
    return _Voice(teller, tale=teller == speaker.me)


def _unsaid(text: str, spoken: list[tuple[int, int]], line: int, stop: int, speaker: Speaker) -> _Voice:
    """A quote that nobody is said to say: the speaker's own, unless its line is about somebody else."""
    around = _around(text, spoken, line, stop)
    names = _names(around, text, speaker)
    first = next((word.low for word in around if word.low[0].isalnum()), "")
    if names - {speaker.me} or any(word.low in _READING for word in around) or (first in _THIRDS and not names):
        return _Voice(None, tale=True)
    return _Voice(speaker.me, tale=True)


def _around(text: str, spoken: list[tuple[int, int]], start: int, end: int) -> Words:
    """The words of a stretch that stand in none of the quotes."""
    return [word for word in words_of(text, start, end) if not any(first <= word.start < last for first, last in spoken)]


def _names(words: Words, text: str, speaker: Speaker) -> set[str]:
    """Who is named there: known people, and capitalised words that begin no sentence."""
    found = set()
    for place, word in enumerate(words):
        if word.low in speaker.names:
            found.add(speaker.names[word.low])
        elif (
            word.capital
            and word.low not in lexicon()["no_names"]
            and word.low != "i"
            and (place and words[place - 1].low not in (".", "!", "?", "…"))
        ):
            found.add(word.raw)
        elif (
            word.low in ("my", "his", "her", "the", "a")
            and place + 1 < len(words)
            and (words[place + 1].low in lexicon()["kin"] or words[place + 1].low in lexicon()["jobs"])
        ):
            found.add(f"{word.low} {words[place + 1].low}")
    return found


def _teller_before(words: Words, text: str, speaker: Speaker) -> str | None:
    """As in `Mei said "..."`: the label, "i", a pronoun, or "?" for somebody that has none."""
    at = len(words)
    while at and (
        words[at - 1].low in (",", ":", "that", "me", "us", "him", "her", "like", "to", "softly", "quietly")
        or words[at - 1].low.endswith("ly")
    ):
        at -= 1
    if not at or words[at - 1].low not in lexicon()["say_verbs"]:
        return None
    at -= 1
    while at and words[at - 1].low in lexicon()["adverbs"]:
        at -= 1
    return _subject_ending(words, at, text, speaker)


def _subject_ending(words: Words, at: int, text: str, speaker: Speaker) -> str | None:
    """Who stands before a verb of saying."""
    if not at:
        return None
    word = words[at - 1]
    if word.low in ("i", "we") or word.low in _THIRDS:
        return word.low
    for length in (3, 2, 1):
        phrase = " ".join(one.low for one in words[max(at - length, 0) : at])
        if at >= length and phrase in speaker.names:
            return speaker.names[phrase]
    if word.low in lexicon()["kin"] and at > 1 and words[at - 2].low == "my":
        from rolememory.learn.statements.base import related, shown_as

        return related(shown_as(speaker.me, speaker.shown, "en"), lexicon().kin[word.low], "en")
    return named(word.raw, speaker) if word.capital and word.low not in lexicon()["no_names"] else "?"


def _teller_behind(words: Words, text: str, speaker: Speaker) -> str | None:
    """As in `"...," Mei said`, `"...," said Mei`, `"...," she whispers`."""
    at = 0
    while at < len(words) and words[at].low in (",", "-", "—"):
        at += 1
    for place in range(at, min(at + 4, len(words))):
        if words[place].low in (".", "!", "?", ";"):
            return None
        if words[place].low in lexicon()["say_verbs"]:
            if place > at:
                return _subject_ending(words[at:place], place - at, text, speaker)
            behind = words[place + 1 : place + 4]
            if not behind or (behind[0].low in (".", ",")):
                return None
            if behind[0].low == "my" and len(behind) > 1:
                return _subject_ending(behind, 2, text, speaker)
            return _subject_ending(behind, 1, text, speaker)
    return None
