"""Whose words stand in quotation marks, and whether what stands around them is speech or a tale.

`Mei said "I hate tea"` is Mei's. In role-play prose, `"I'm a doctor," he says` and a quote that stands by itself are the speaker's own,
unless the line is about somebody else; the tale around such quotes claims nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from rolememory.learn.statements.base import Speaker, as_said_by, named, quotes, related, shown_as
from rolememory.learn.statements.english_people import may_be_stranger
from rolememory.learn.statements.english_scene import SUBJECTS
from rolememory.learn.statements.english_words import Words, lexicon, listed, union, words_of

_HEARSAY: Final = 0.7
_MOST: Final = 200  # quotes that are read
_NEAR: Final = 300  # characters around a quote that may tell whose it is
_SPEECH: Final = re.compile(
    r"\b(?:i|i'm|im|my|me|we|our|you|your|you're)\b|[.!?,…—-]\s*$", re.IGNORECASE
)
_SCRIPT: Final = re.compile(
    r"^[ \t]*([A-Z][\w'-]{0,20}(?: [A-Z][\w'-]{0,20})?):[ \t]+(?=\S)([^\n]*)", re.MULTILINE
)  # "Mei: I hate tea"
_STOPPED: Final = re.compile(r"(?:^|[.!?…*:\n—-])\s*[\"“«]?\s*$")
_READING: Final = frozenset(
    "sings sang sing reads read reading wrote writes lyrics song sign title poem line quote book chorus verse slogan called titled headline letter note".split()
)
_BESIDE_SAYING: Final = frozenset({",", ":", "that", "me", "us", "him", "her", "like", "to"})


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one voice."""

    start: int
    end: int
    speaker: Speaker
    certainty: float = 1.0


def passages(text: str, speaker: Speaker) -> Iterator[Passage]:
    """The stretches that claim something, in order; quotes that are no speech stay where they are."""
    place = 0
    for head in _SCRIPT.finditer(text) if ":" in text else ():
        if all(may_be_stranger(word.lower()) for word in head[1].split()):
            yield from _of_page(text, place, head.start(), speaker)
            third = replace(as_said_by(named(head[1], speaker), speaker), you=None)
            yield Passage(head.start(2), head.end(2), third, _HEARSAY)
            place = head.end(2)
    yield from _of_page(text, place, len(text), speaker)


def _of_page(text: str, start: int, end: int, speaker: Speaker) -> Iterator[Passage]:
    for passage in _by_quotes(text[start:end], speaker) if text[start:end].strip() else ():
        yield replace(passage, start=passage.start + start, end=passage.end + start)


def _by_quotes(text: str, speaker: Speaker) -> Iterator[Passage]:
    spoken = [span for span in quotes(text) if _is_speech(text[span[0] : span[1]])]
    if len(spoken) > _MOST:
        spoken, text = spoken[:_MOST], text[: spoken[_MOST][0] - 1]
    if not spoken:
        yield Passage(0, len(text), speaker)
        return
    page = _Page(text, spoken, speaker)
    voices: list[_Voice] = []
    for number in range(len(spoken)):
        voices.append(page.voice(number, voices[-1] if voices else None))
    tale = any(voice.tale for voice in voices)
    place = 0
    for (start, end), voice in zip(spoken, voices, strict=True):
        if not tale and text[place : start - 1].strip():
            yield Passage(place, start - 1, speaker)
        if voice.label is not None:
            yield _quoted(start, end, voice.label, speaker)
        place = end + 1
    if not tale and text[place:].strip():
        yield Passage(place, len(text), speaker)


def _is_speech(quote: str) -> bool:
    """Whether somebody speaks here: not a title or a single word in quotation marks."""
    return len(quote.split()) > 1 and bool(_SPEECH.search(quote))


def _quoted(start: int, end: int, label: str, speaker: Speaker) -> Passage:
    if label == speaker.me:
        return Passage(start, end, speaker)
    return Passage(start, end, replace(as_said_by(label, speaker), you=None), _HEARSAY)


@dataclass(frozen=True, slots=True)
class _Voice:
    label: str | None  # None = nobody can tell whose
    tale: bool = False  # the words around it tell a story


class _Page:
    """A text with quotes: finds who says each of them."""

    def __init__(self, text: str, spoken: list[tuple[int, int]], speaker: Speaker) -> None:
        self._text, self._spoken, self._speaker = text, spoken, speaker

    @cached_property
    def _names(self) -> set[str]:
        """Whoever is named outside the quotes."""
        return self._named_in(self._around(0, len(self._text), 0, len(self._spoken)))

    def voice(self, number: int, previous: _Voice | None) -> _Voice:
        """Whose words the quote is."""
        text, (start, end) = self._text, self._spoken[number]
        line, stop = (
            text.rfind("\n", max(start - _NEAR, 0), start) + 1,
            text.find("\n", end, end + _NEAR),
        )
        line, stop = (
            line or max(start - _NEAR, 0),
            min(end + _NEAR, len(text)) if stop < 0 else stop,
        )
        earlier = max(self._spoken[number - 1][1] + 1 if number else 0, line)
        later = min(
            self._spoken[number + 1][0] - 1 if number + 1 < len(self._spoken) else stop, stop
        )
        before = words_of(text, earlier, start - 1)
        behind = words_of(text, end + 1, later)
        teller = self._teller_before(before) or self._teller_behind(behind)
        if teller is not None:
            return self._told_by(teller)
        if previous and earlier > line:  # one line has one voice, unless it says otherwise
            return previous
        if earlier == line and not _STOPPED.search(text[line : start - 1]):
            return _Voice(None)
        return self._unsaid(number, line, stop)

    def _told_by(self, teller: str) -> _Voice:
        """A teller as a label: "I" is the speaker, a pronoun the only one that the text is about."""
        me = self._speaker.me
        if teller in ("i", "we"):
            return _Voice(me)
        if teller == "?":
            return _Voice(None)
        if teller in SUBJECTS:
            return _Voice(me if self._names == {me} else None, tale=True)
        return _Voice(teller, tale=teller == me)

    def _unsaid(self, number: int, line: int, stop: int) -> _Voice:
        """A quote that nobody is said to say: the speaker's own, unless its line is about somebody else."""
        first, last = number, number + 1
        while first and self._spoken[first - 1][0] >= line:
            first -= 1
        while last < len(self._spoken) and self._spoken[last][1] <= stop:
            last += 1
        around = self._around(line, stop, first, last)
        names, lows = self._named_in(around), [low for low in around.lows if low[0].isalnum()]
        others = (
            bool(names - {self._speaker.me})
            or not _READING.isdisjoint(lows)
            or (lows[:1] and lows[0] in SUBJECTS and not names)
        )
        return _Voice(None if others else self._speaker.me, tale=True)

    def _around(self, start: int, end: int, first: int, last: int) -> Words:
        """The words of a stretch that stand in none of its quotes, those numbered from `first` to `last`."""
        edges = [start, *(edge for quote in self._spoken[first:last] for edge in quote), end]
        return Words(
            [
                word
                for since, until in zip(edges[::2], edges[1::2], strict=True)
                for word in words_of(self._text, since, until)
            ]
        )

    def _named_in(self, words: Words) -> set[str]:
        """Who is named: known people, capitalised words that begin no sentence, kin and professions."""
        found = {self._speaker.names[low] for low in words.lows if low in self._speaker.names}
        for at, word in enumerate(words):
            behind = words.lows[at + 1] if at + 1 < len(words) else ""
            if word.low in ("my", "his", "her", "the", "a") and (
                listed("kin", behind) or listed("jobs", behind)
            ):
                found.add(f"{word.low} {behind}")
            elif at in words.capitals and (may_be_stranger if _begins(words, at) else _no_pronoun)(
                word.low
            ):
                found.add(self._speaker.names.get(word.low, word.raw))
        return found

    def _teller_before(self, words: Words) -> str | None:
        """As in `Mei said "..."`: a label, "i", a pronoun, or "?" for somebody that has no label."""
        at, lows = len(words), words.lows
        while at and (lows[at - 1] in _BESIDE_SAYING or lows[at - 1].endswith("ly")):
            at -= 1
        if not at or not listed("say_verbs", lows[at - 1]):
            return None
        at -= 1
        while at and listed("adverbs", lows[at - 1]):
            at -= 1
        return self._subject_ending(words, at)

    def _teller_behind(self, words: Words) -> str | None:
        """As in `"...," Mei said`, `"...," said Mei`, `"...," she whispers`."""
        at, lows = 0, words.lows
        while at < len(words) and lows[at] in (",", "-", "—"):
            at += 1
        for place in range(at, min(at + 4, len(words))):
            if lows[place] in (".", "!", "?", ";"):
                return None
            if listed("say_verbs", lows[place]):
                return (
                    self._subject_ending(words, place)
                    if place > at
                    else self._subject_behind(words, place + 1)
                )
        return None

    def _subject_behind(self, words: Words, at: int) -> str | None:
        """As in "said Mei", "said my sister"."""
        if at >= len(words) or not words.lows[at][0].isalpha():
            return None
        return self._subject_ending(words, min(at + 1 + (words.lows[at] == "my"), len(words)))

    def _subject_ending(self, words: Words, at: int) -> str | None:
        """Who stands before a verb of saying."""
        if not at:
            return None
        low, raw = words.lows[at - 1], words[at - 1].raw
        if low in ("i", "we") or low in SUBJECTS:
            return low
        for length in range(min(at, 4), 0, -1):
            if label := self._speaker.names.get(" ".join(words.lows[at - length : at])):
                return label
            if length == 1 and low in self._speaker.names:
                return self._speaker.names[low]
        if listed("kin", low) and at > 1 and words.lows[at - 2] == "my":
            return related(
                shown_as(self._speaker.me, self._speaker.shown, "en"), lexicon().kin[low], "en"
            )
        return (
            named(raw, self._speaker)
            if at - 1 in words.capitals and low not in union("no_names", "clause_words")
            else "?"
        )


def _begins(words: Words, at: int) -> bool:
    """Whether a word begins a sentence, so that its capital says little."""
    return not at or words.lows[at - 1] in (".", "!", "?", "…")


def _no_pronoun(low: str) -> bool:
    return not listed("no_names", low)
