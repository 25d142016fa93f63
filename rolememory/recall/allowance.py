"""How much of what was said may come uninvited, and what would be recited.

Who asks gets passages up to the budget. Ordinary talk gets a few at most, and hardly ever the character's own words: a
character that is shown what it said before says it again.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Protocol

from rolememory.schema.evidence import Reason, Scored
from rolememory.schema.memory import Memory
from rolememory.schema.passage import Passage
from rolememory.schema.settings import PassageSettings
from rolememory.shipped import shipped
from rolememory.text.fold import fold
from rolememory.text.intent import intent
from rolememory.text.sentences import sentences

RUN_WORDS, RUN_HAN = 6, 12
"""Words (characters of Chinese) in a row that are a quotation."""

_TOKEN = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]|[^\W_\u3400-\u9fff\u3040-\u30ff]+(?:['’]\w+)?")
_HAN = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]")
_QUESTION = re.compile(r"[?？]")
_AROUND = " \t\n*_\"'“”‘’「」『』（）()"


def asks(query: str) -> bool:
    """Whether a message ends in asking for something, so that what was said may be told up to the budget.

    >>> asks("Where did I hide the map?"), asks("还记得我妹妹吗"), asks("I pour us both some tea.")
    (True, True, False)
    """
    ends = [query[one.start : one.end] for one in sentences(query)[-2:]]
    return any(_asks(sentence) for sentence in ends)


def _asks(sentence: str) -> bool:
    told = sentence.strip(_AROUND).lower()
    if _QUESTION.search(sentence):
        return intent(sentence) != "chat"  # small talk asks for nothing
    return any(pattern.search(told) for pattern in _asking())


@cache
def _asking() -> tuple[re.Pattern[str], ...]:
    text = shipped("worldbook_rules", "lexicons", "asking.json").read_text(encoding="utf-8")
    rows = json.loads(text)
    return tuple(re.compile(row) for language in ("en", "zh") for row in rows[language])


@lru_cache(maxsize=4096)
def runs(text: str) -> frozenset[int]:
    """Every run of words in a text that is long enough to be a quotation, by its hash."""
    plain = fold(text).text
    words = _TOKEN.findall(plain)
    mostly_han = 2 * len(_HAN.findall(plain)) > len(words)
    shifted = [words[at:] for at in range(RUN_HAN if mostly_han else RUN_WORDS)]
    return frozenset(map(hash, zip(*shifted, strict=False)))


@lru_cache(maxsize=64)
def _said(replies: tuple[str, ...]) -> frozenset[int]:
    return frozenset[int]().union(*map(runs, replies))


class Weighed(Protocol):
    """A memory and how much it is to the point."""

    @property
    def memory(self) -> Memory: ...  # noqa: D102

    @property
    def relevance(self) -> float: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Allowance:
    """The rules for passages of one turn."""

    rules: PassageSettings
    asked: bool = False
    replies: tuple[str, ...] = ()  # what the character said in the window

    def refuses(self, candidate: Weighed, chosen: Iterable[Scored]) -> Reason | None:
        """Why this passage may not come; None for what is none, or may."""
        memory = candidate.memory
        if not isinstance(memory, Passage):
            return None
        if memory.role == "assistant" and self._recited(memory):
            return Reason("recited")
        return None if self.asked else self._uninvited(candidate, memory, chosen)

    def _uninvited(
        self, candidate: Weighed, memory: Passage, chosen: Iterable[Scored]
    ) -> Reason | None:
        rules = self.rules
        if candidate.relevance < rules.uninvited_threshold:
            values = (("relevance", candidate.relevance), ("threshold", rules.uninvited_threshold))
            return Reason("uninvited", values)
        told = [one.memory for one in chosen if isinstance(one.memory, Passage)]
        own = sum(one.role == "assistant" for one in told)
        length = sum(len(one.content) for one in told) + len(memory.content)
        if (
            len(told) >= rules.uninvited
            or length > rules.uninvited_length
            or (memory.role == "assistant" and own >= rules.uninvited_own)
        ):
            return Reason("allowance", (("limit", rules.uninvited),))
        return None

    def _recited(self, memory: Passage) -> bool:
        """Whether the character said a run of these words within the window."""
        return not _said(self.replies).isdisjoint(runs(memory.content))
