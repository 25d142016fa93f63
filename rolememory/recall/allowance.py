"""Limits on passages recalled without a question, and on repetition by the character.

Questions get passages up to the budget. Ordinary talk gets a few at most, and hardly ever the character's own words, which
the model would repeat.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial

from rolememory.schema.evidence import Reason, Scored
from rolememory.schema.memory import Memory
from rolememory.schema.passage import Passage
from rolememory.schema.settings import PassageSettings
from rolememory.shipped import lexicon
from rolememory.text.fold import fold
from rolememory.text.intent import intent, meeting
from rolememory.text.marks import marks
from rolememory.text.sentences import sentences
from rolememory.text.shared_names import Names
from rolememory.text.words import kind, tokens, weighty
from rolememory.triggers.informativeness import questions
from rolememory.triggers.subjects import asks_of_you, named

CHARACTERS_A_TOKEN = 4  # about so many, where a budget is counted in tokens
RUN_WORDS, RUN_HAN = 6, 12
"""Consecutive words (characters of Chinese) that count as a quotation."""

NAMED = 2.2
"""So many times the doubt is allowed of a passage that holds a name of the story which the message holds."""
NAMED_ANEW = 8.5
"""... which holds a name that the talk before lacks, however many are heard and however they are found."""
BEST = 2
"""So many passages, the best, a question gets though lines of a long chat may be as near by chance."""
MOST_BY_NAME = 2
"""So many passages are recalled for no more than a name that the talk before lacks."""
NEW = 0.9
"""Content words that the talk before lacks, from which a question is about more than the talk: one rare word."""
TALK = 8
"""Messages before that a question may continue."""
OWN_LEAST = 0.9
"""Of the relevance of the best that is told: what words of the character's own must have to stand beside it, where somebody asks."""
OWN_ABOUT = 0.5
"""... where the question names the character, or asks them about themselves: then it is about them."""
MOST_OF_YOU = 2
"""Their own words that come so where it only asks them."""

_TOKEN = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]|[^\W_\u3400-\u9fff\u3040-\u30ff]+(?:['’]\w+)?")
_NAME_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]")
_QUESTION = re.compile(r"[?？]")
_AROUND = " \t\n*_\"'“”‘’「」『』（）()"


@lru_cache(maxsize=256)
def asks(query: str) -> bool:
    """Whether a message ends with a question or request, so that passages may fill the budget.

    >>> asks("Where did I hide the map?"), asks("还记得我妹妹吗"), asks("I pour us both some tea.")
    (True, True, False)
    >>> asks("I hid the map, right?"), asks("Right?"), asks("Let us go on where we left off.")
    (True, False, True)
    >>> asks("My sister's name?"), asks("My lord?"), asks("你的生日？"), asks("真的？")
    (True, False, True, False)
    """
    named = meeting(query)
    if named and named[0] != "back":
        return True
    ends = [query[one.start : one.end] for one in sentences(query)[-2:]]
    return any(_asks(sentence) for sentence in ends)


def _asks(sentence: str) -> bool:
    if _QUESTION.search(sentence):
        said = intent(sentence) != "chat"  # small talk asks for nothing
        return said or _phrases("marked").search(sentence.lower()) is not None
    return _phrases().search(sentence.strip(_AROUND).lower()) is not None


@dataclass(frozen=True, slots=True)
class PartAsked:
    """What of a message asks, and what it says besides."""

    asks: bool  # whether there is a question; without one all of it counts as asked
    asked: frozenset[str]  # the content words of what it asks
    told: frozenset[str]  # ... and those that stand only beside it
    past: bool  # whether it asks for the past

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, query: str) -> "PartAsked":
        """The parts of a message."""
        found = questions(_without_actions(query))
        asking = found or query
        past = meeting(query) is not None or intent(asking) in ("past", "mixed")
        asked = weighty(asking)
        told = weighty(query) - asked if asked else frozenset()  # "The mill is gone. Whose was it?"
        return cls(bool(found), asked, told, past)

    def asks_for(self, text: str) -> bool:
        """Whether a text shares words with what is asked, or none with what is said besides."""
        if not self.told:
            return True
        held = frozenset(tokens(text))
        return self.told.isdisjoint(held) or not self.asked.isdisjoint(held)

    def continues(self, before: Iterable[str]) -> bool:
        """Whether it only continues the talk before it: it asks about no past, and names nothing new.

        >>> said = ["I opened a studio."]
        >>> PartAsked.of("How is it going?").continues(said), PartAsked.of("Is the studio open?").continues(said)
        (True, True)
        >>> [PartAsked.of(one).continues([]) for one in ("What did I open?", "那我该怎么办？", "我妹妹住在哪里？")]
        [False, True, False]
        """
        if self.past or not self.asks:
            return False
        known = {token for text in before for token in tokens(text)}
        return sum(kind(token)[0] for token in self.asked - known) < NEW


def _without_actions(text: str) -> str:
    """A message without its stage directions."""
    for one in reversed(marks(text)):
        if one.kind == "action":
            text = text[: one.start] + text[one.end :]
    return text


@cache
def _phrases(name: str = "") -> re.Pattern[str]:
    rows = lexicon("asking")[name] if name else lexicon("asking")
    return re.compile("|".join([*rows["en"], *rows["zh"]]))


MUCH, LITTLE = 1200, 20
"""Numbers of candidates: from the first on the threshold is used unchanged; fewer than the second count as the second."""


@lru_cache(maxsize=64)
def doubt_allowed(kinds: int, heard: int) -> float:
    """The factor on the allowed doubt, 1 - threshold, of a passage recalled without a question.

    Each of so many kinds of evidence, fused by noisy-or, may be mistaken: it is shared among them. Where little is heard it may be
    greater: even the right passage shares few rare words with a message there, and hardly any other is as near by chance.

    >>> doubt_allowed(1, 1200), doubt_allowed(2, 1200), round(doubt_allowed(1, 150), 2)
    (1.0, 0.5, 2.0)
    """
    return float(max(MUCH / max(heard, LITTLE), 1.0) ** (1 / 3) / kinds)


@lru_cache(maxsize=2048)
def runs(text: str) -> frozenset[int]:
    """The hashes of all runs of words long enough to be a quotation."""
    plain = fold(text).text
    words = _TOKEN.findall(plain)
    mostly_han = 2 * len(_HAN.findall(plain)) > len(words)
    shifted = [words[at:] for at in range(RUN_HAN if mostly_han else RUN_WORDS)]
    return frozenset(map(hash, zip(*shifted, strict=False)))


FoundOutLater = Callable[[], Reason]
"""A lazily computed reason."""


def _is_own(memory: Memory) -> bool:
    return isinstance(memory, Passage) and memory.role == "assistant"


def _too_faint(code: str, relevance: float, least: float) -> Reason:
    return Reason(code, (("relevance", relevance), ("threshold", least)))


@lru_cache(maxsize=16)
def _used_up(limit: int) -> Reason:
    return Reason("allowance", (("limit", limit),))


@dataclass(frozen=True)
class Allowance:
    """The rules for passages of one turn."""

    rules: PassageSettings
    asked: bool = False
    query: str = ""
    replies: tuple[str, ...] = ()  # what the character said in the window
    asker: str = ""  # who asks; "" = nobody says
    room: int = 0  # characters of the block
    left: Mapping[str, int] = field(
        default_factory=dict
    )  # by id: how many turns ago it was in the prompt and left it
    again: frozenset[str] = (
        frozenset()
    )  # ids that the same message was told before: another reply gets the same block
    kinds: int = 1  # of evidence that are asked: words, and meaning where there are vectors
    heard: int = MUCH  # candidates that whoever asks may hear
    present: frozenset[str] = frozenset()  # the words that name those who talk
    talk: tuple[str, ...] = ()  # the messages before the query, newest first
    earlier: bool = False  # the query names a time that is past

    def refuses(
        self, memory: Memory, relevance: float, chosen: Sequence[Scored]
    ) -> Reason | FoundOutLater | None:
        """Why this passage is refused; None for other memories, or if allowed, except by `recited`, which is checked last."""
        if not isinstance(memory, Passage) or memory.constant:
            return None
        if reason := self._too_much_of_one(memory, chosen):
            return reason
        if memory.id in self.again:
            return None
        told = self._beside if self.asked else self._uninvited
        why = told(memory, relevance, chosen)
        return why and self.before(memory, why)

    @cached_property
    def least(self) -> float:
        """The minimum relevance of passages that share no name with the message."""
        return self._least(doubt_allowed(self.kinds, self.heard))

    @cached_property
    def _own_least(self) -> float:
        """The same for the character's own passages."""
        return self._least(doubt_allowed(self.kinds, MUCH))

    @cached_property
    def _least_named(self) -> float:
        """The minimum relevance of passages that share a name with the message."""
        return self._least(NAMED * doubt_allowed(self.kinds, self.heard))

    @cached_property
    def least_doubtful(self) -> float:
        """The minimum relevance of passages that may share a name with the message."""
        return self._least(NAMED_ANEW) if self._names_said.has_new else self._least_named

    @cached_property
    def _continues(self) -> bool:
        return self._part_asked.continues(self.talk)

    @cached_property
    def _least_asked(self) -> float:
        """The minimum relevance of passages that share words with what is asked; 0 if that is the past."""
        doubt = doubt_allowed(1, self.heard) * (1.0 - self.rules.asked_threshold)
        return 0.0 if self.earlier or self._part_asked.past else round(max(1.0 - doubt, 0.0), 4)

    def needed(self, memory: Memory) -> float:
        """The relevance that a passage needs if the message does not ask for it."""
        return self._own_least if _is_own(memory) else self.least

    def doubt_of(self, memory: Memory) -> float:
        """The factor on the allowed doubt of a passage; the strictest for the character's own passages."""
        return doubt_allowed(self.kinds, MUCH if _is_own(memory) else self.heard)

    def _least(self, doubt: float) -> float:
        return round(max(1.0 - doubt * (1.0 - self.rules.uninvited_threshold), 0.0), 4)

    def is_faint(self, memory: Memory, relevance: float) -> bool:
        """Whether a passage is too weak to be recalled by a message that does not ask for it."""
        if relevance >= self.needed(memory) or self._is_asked_for(memory):
            return False
        if relevance < self.least_doubtful:
            return True
        if not _is_own(memory) and self._names_said.new_in(memory.content):
            return False
        return relevance < self._least_named or memory.content not in self._names_said

    def _may_be_chance(self, memory: Passage, relevance: float) -> bool:
        """Whether a passage is no nearer to a question than others are by chance, and neither holds nor is by whom it names."""
        if relevance >= self._least_asked or self._names(memory.subject or ""):
            return False
        return memory.content not in self._names_said

    def _is_asked_for(self, memory: Memory) -> bool:
        """Whether a passage shares words with what the message asks, or none with what it says besides."""
        return self.asked and self._part_asked.asks_for(memory.content)

    @cached_property
    def _part_asked(self) -> PartAsked:
        return PartAsked.of(self.query)

    @cached_property
    def _names_said(self) -> Names:
        """The names in the message."""
        return Names(self.query, self.present, self.talk)

    def recited(self, memory: Memory) -> Reason | None:
        """Why a passage of the character is refused that quotes its replies in the window."""
        theirs = runs(memory.content) if self._is_told(memory) else frozenset()
        again = any(not theirs.isdisjoint(runs(reply)) for reply in self.replies)
        return Reason("recited") if again else None

    def before(self, memory: Memory, otherwise: Reason | FoundOutLater) -> Reason | FoundOutLater:
        """The reason to show for a refused memory: recitation goes before others."""
        if not self.replies or not self._is_told(memory):
            return otherwise
        return partial(self._first, memory, otherwise)

    def _is_told(self, memory: Memory) -> bool:
        return _is_own(memory) and memory.id not in self.again

    def _first(self, memory: Memory, otherwise: Reason | FoundOutLater) -> Reason:
        recited = self.recited(memory)
        return recited or (otherwise if isinstance(otherwise, Reason) else otherwise())

    def _too_much_of_one(self, memory: Passage, chosen: Sequence[Scored]) -> Reason | None:
        """Why no more passages of this person, not the current user, are recalled: limits one person's share of the block."""
        if memory.role != "user" or not self.asker or memory.user in (None, self.asker):
            return None
        told = (one.memory for one in chosen if isinstance(one.memory, Passage))
        theirs = (len(one.content) for one in told if one.user == memory.user)
        needed, limit = sum(theirs) + len(memory.content), int(self.rules.speaker_share * self.room)
        if needed <= limit:
            return None
        values = (("speaker", memory.user or ""), ("needed", needed), ("limit", limit))
        return Reason("speaker_share", values)

    def _beside(self, memory: Passage, relevance: float, chosen: Sequence[Scored]) -> Reason | None:
        """Why a question gets no such passage: it has enough, or the character's own words only repeat what is more to the point."""
        if self.is_faint(memory, relevance):
            return _too_faint("not_asked_for", relevance, self.needed(memory))
        if len(_passages_in(chosen)) >= BEST and self._may_be_chance(memory, relevance):
            return _too_faint("by_chance", relevance, self._least_asked)
        if self._continues and (why := self._continued(memory, chosen)):
            return why
        if memory.role != "assistant":
            return None
        best = max((one.relevance for one in chosen), default=0.0)
        replies = sum(_is_own(one.memory) for one in chosen) if self.of_you else MOST_OF_YOU
        about = replies < MOST_OF_YOU or self._names(memory.subject or "")
        least = best * (OWN_ABOUT if about else OWN_LEAST)
        if relevance >= least:
            return None
        return _too_faint("reply_beside", relevance, least)

    def _continued(self, memory: Passage, chosen: Sequence[Scored]) -> Reason | None:
        """Why a question that only continues the talk gets no more passages: its answer is seldom in the past."""
        passages, limit = _passages_in(chosen), int(self.rules.continued_share * self.room)
        needed = sum(len(one.content) for one in (*passages, memory))
        if needed <= limit or (limit and not passages):
            return None
        return Reason("continued", (("needed", needed), ("limit", limit)))

    @property
    def of_you(self) -> bool:
        """Whether the question is about the character: what it is, said or did."""
        return self.asked and asks_of_you(self.query)

    def _names(self, who: str) -> bool:
        return bool(who) and named(who, self.query, self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(_NAME_WORD.findall(self.query.casefold()))

    def _uninvited(
        self, memory: Passage, relevance: float, chosen: Sequence[Scored]
    ) -> Reason | FoundOutLater | None:
        rules = self.rules
        if 0 < (turns := self.left.get(memory.id, 0)) <= rules.rest:
            return Reason("resting", (("turns", turns),))
        if self.is_faint(memory, relevance):
            return _too_faint("uninvited", relevance, self.needed(memory))
        told, own = _passages_in(chosen), memory.role == "assistant"
        full = (
            len(told) >= rules.uninvited
            or (relevance < self._least_named and self._by_name(chosen) >= MOST_BY_NAME)
            or sum(len(one.content) for one in (*told, memory)) > rules.uninvited_length
            or (own and sum(one.role == "assistant" for one in told) >= rules.uninvited_own)
        )
        return _used_up(rules.uninvited) if full else None

    def _by_name(self, chosen: Sequence[Scored]) -> int:
        """How many of the selected passages are there only for a new name."""
        faint = (one.memory for one in chosen if one.relevance < self._least_named)
        return sum(isinstance(memory, Passage) for memory in faint)


def _passages_in(chosen: Sequence[Scored]) -> Sequence[Passage]:
    """The passages among the selected lines, without those in every prompt."""
    memories = (one.memory for one in chosen if not one.memory.constant)
    return [one for one in memories if isinstance(one, Passage)]
