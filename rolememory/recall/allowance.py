"""Limits on passages recalled without a question, and on repetition by the character.

Questions get passages up to the budget. Ordinary talk gets a few at most, and hardly ever the character's own words, which
the model would repeat.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import TypeGuard

from rolememory.recall.query import RecallQuery
from rolememory.schema.evidence import Reason, Scored
from rolememory.schema.memory import Memory
from rolememory.schema.passage import Passage
from rolememory.schema.scene import Segment
from rolememory.shipped import lexicon
from rolememory.text.fold import fold
from rolememory.text.intent import intent, meeting
from rolememory.text.late_pattern import late_pattern
from rolememory.text.marks import marks
from rolememory.text.sentences import sentences
from rolememory.text.shared_names import Names
from rolememory.text.words import kind, tokens, weighty
from rolememory.triggers.informativeness import questions
from rolememory.triggers.subjects import asks_of_you, named, names_of_present, without_addressee

CHARACTERS_A_TOKEN = 4  # about so many, where a budget is counted in tokens
RUN_WORDS, RUN_HAN = 6, 12
"""Consecutive words (characters of Chinese) that count as a quotation."""

FAINTEST = 0.5
"""What a passage needs at least, however few are heard: else a single everyday word would do."""
BESIDE = 1 / 3
"""Of the odds of the best passage that another needs beside it, where nobody asks."""
NAMED_ANEW = 2.3
"""So many times the doubt is allowed of a passage that holds a name which the talk before lacks, however many are heard."""
OWN_SURER = 3
"""The character's own words, which it might repeat, are allowed this part of the doubt."""
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
"""... where the question names the character: then it is about them."""
OWN_OF_YOU = 0.8
"""... where it asks the character about itself ..."""
MOST_OF_YOU = 2
"""... beyond so many, for which `OWN_ABOUT` is enough."""

_TOKEN = late_pattern(r"[\u3400-\u9fff\u3040-\u30ff]|[^\W_\u3400-\u9fff\u3040-\u30ff]+(?:['’]\w+)?")
_NAME_WORD = late_pattern(r"[^\W_]+")
_HAN = late_pattern(r"[\u3400-\u9fff\u3040-\u30ff]")
_QUESTION = late_pattern(r"[?？]")
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
Why = Reason | FoundOutLater | None
"""The reason of a refusal; None = not refused."""


@dataclass(eq=False)
class Allowance:
    """What the message of a query allows of passages: its reading, from which `RULES` decide."""

    question: RecallQuery

    @cached_property
    def asked(self) -> bool:
        """Whether the message asks for something."""
        return asks(self.question.scene.query)

    @cached_property
    def query(self) -> str:
        """The message, without the name that it addresses."""
        return without_addressee(self.question.scene)

    @cached_property
    def _said(self) -> list[Segment]:
        return [one for one in self.question.scene.segments if one.role]

    @cached_property
    def talk(self) -> tuple[str, ...]:
        """The messages before the newest one, newest first."""
        query = self.question.scene.query
        return tuple(one.text for one in self._said[: TALK + 1] if one.text != query)

    @cached_property
    def part(self) -> PartAsked:
        """What of the message asks."""
        return PartAsked.of(self.query)

    @cached_property
    def names(self) -> Names:
        """The names in the message."""
        return Names(self.query, names_of_present(self.question.scene), self.talk)

    @cached_property
    def continues(self) -> bool:
        """Whether the message only continues the talk."""
        return self.part.continues(self.talk)

    @property
    def of_you(self) -> bool:
        """Whether the question is about the character: what it is, said or did."""
        return self.asked and asks_of_you(self.query)

    @cached_property
    def again(self) -> frozenset[str]:
        """The ids that the same message was told before: another reply gets the same block."""
        state = self.question.state
        return state.injected if state.is_again else frozenset()

    @cached_property
    def resting(self) -> Mapping[str, int]:
        """Passages that left the prompt, by id: how many turns ago."""
        return self.question.state.left(self.question.settings.recall.passages.rest)

    def room(self, share: float) -> int:
        """A share of the block, in characters."""
        budget = self.question.settings.budget
        unit = 1 if budget.unit == "characters" else CHARACTERS_A_TOKEN
        return int(share * (budget.max_total_length * unit))

    @cached_property
    def heard(self) -> int:
        """The number of candidates that whoever asks may hear."""
        return len(self.question.heard)

    def doubt(self, heard: int) -> float:
        """The factor on the allowed doubt of a passage, where so many are heard."""
        return doubt_allowed(1 if self.question.scene.vector is None else 2, heard)

    def doubt_of(self, memory: Memory) -> float:
        """The factor on the allowed doubt of a passage; the strictest for the character's own passages."""
        return self.doubt(MUCH) / OWN_SURER if _is_own(memory) else self.doubt(self.heard)

    @cached_property
    def least(self) -> float:
        """The minimum relevance of passages that share no name with the message."""
        return max(self._shared(self.doubt(self.heard)), self.floor)

    @property
    def floor(self) -> float:
        """The minimum relevance of passages that share no name with the message, however few are heard.

        Not less than the setting where it names a time that is over or to come: alone it would do for all that was said of it.
        """
        scene, rules = self.question.scene, self.question.settings.recall.passages
        now = all(one.start <= scene.now < one.end for one in scene.times)
        least = rules.uninvited_threshold
        return min(FAINTEST, least) if now else least

    @cached_property
    def least_doubtful(self) -> float:
        """The minimum relevance of passages that may share a name with the message."""
        named = self._shared(self.doubt(self.heard))
        return min(self._shared(NAMED_ANEW), named) if self.names.has_new else named

    @cached_property
    def least_asked(self) -> float:
        """The minimum relevance of passages that share words with what is asked; 0 if that is the past."""
        scene, rules = self.question.scene, self.question.settings.recall.passages
        if self.part.past or any(one.end <= scene.now for one in scene.times):
            return 0.0
        doubt = doubt_allowed(1, self.heard) * (1.0 - rules.asked_threshold)
        return round(max(1.0 - doubt, 0.0), 4)

    def needed(self, memory: Memory, beside: int = 0) -> float:
        """The relevance that a passage needs beside so many others if the message does not ask for it."""
        return max(self._shared(self.doubt_of(memory), beside), self.floor)

    def _shared(self, doubt: float, beside: int = 0) -> float:
        """The minimum relevance where the allowed doubt is shared: one line that may fit is welcome, a second must be twice as sure."""
        allowed = doubt * (1.0 - self.question.settings.recall.passages.uninvited_threshold)
        return round(max(1.0 - allowed / (1 + beside), 0.0), 4)

    def is_faint(self, memory: Memory, relevance: float, beside: int = 0) -> bool:
        """Whether a passage is too weak to be recalled beside so many others by a message that does not ask for it."""
        if relevance >= self.needed(memory, beside) or (
            self.asked and self.part.asks_for(memory.content)
        ):
            return False
        if relevance < self.least_doubtful:
            return True
        if not _is_own(memory) and self.names.new_in(memory.content):
            return False
        least = self._shared(self.doubt(self.heard), beside)
        return relevance < least or memory.content not in self.names

    def is_named(self, who: str | None) -> bool:
        """Whether the message names them."""
        return bool(who) and named(who or "", self.query, self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(_NAME_WORD.findall(self.query.casefold()))

    def refuses(self, memory: Memory, relevance: float, chosen: Sequence[Scored]) -> Why:
        """Why this passage is refused; None for other memories, or if allowed, except by `recited`, which is checked last."""
        if not isinstance(memory, Passage) or memory.constant:
            return None
        if reason := _speaker_share(self, memory, relevance, chosen):
            return reason
        if memory.id in self.again:
            return None
        whys = (rule(self, memory, relevance, chosen) for rule in RULES[self.asked])
        return next((self.before(memory, why) for why in whys if why), None)

    def recited(self, memory: Memory) -> Reason | None:
        """Why a passage of the character is refused that quotes its replies in the window."""
        if not _is_own(memory) or memory.id in self.again:
            return None
        replies, theirs = self._replies, runs(memory.content)
        again = any(not theirs.isdisjoint(runs(reply)) for reply in replies)
        return Reason("recited") if again else None

    @cached_property
    def _replies(self) -> list[str]:
        return [one.text for one in self._said if one.role == "assistant"]

    def before(self, memory: Memory, otherwise: Reason | FoundOutLater) -> Reason | FoundOutLater:
        """The reason to show for a refused memory: recitation goes before others."""
        if not self._replies or not _is_own(memory):
            return otherwise
        return partial(self._first, memory, otherwise)

    def _first(self, memory: Memory, otherwise: Reason | FoundOutLater) -> Reason:
        recited = self.recited(memory)
        return recited or (otherwise if isinstance(otherwise, Reason) else otherwise())


def _is_own(memory: Memory) -> bool:
    return isinstance(memory, Passage) and memory.role == "assistant"


def _too_faint(code: str, relevance: float, least: float, *values: tuple[str, float]) -> Reason:
    return Reason(code, (("relevance", relevance), ("threshold", least), *values))


def _too_long(
    code: str, told: Iterable[Memory], limit: int, *values: tuple[str, str]
) -> Reason | None:
    needed = sum(len(one.content) for one in told)
    if needed <= limit:
        return None
    return Reason(code, (*values, ("needed", needed), ("limit", limit)))


@lru_cache(maxsize=16)
def _used_up(limit: int) -> Reason:
    return Reason("allowance", (("limit", limit),))


def _is_passage(memory: Memory) -> TypeGuard[Passage]:
    return isinstance(memory, Passage) and not memory.constant


def _passages_in(chosen: Sequence[Scored]) -> list[Passage]:
    """The passages among the selected lines, without those in every prompt."""
    return [one.memory for one in chosen if _is_passage(one.memory)]


def _speaker_share(
    allowed: Allowance, memory: Passage, _: float, chosen: Sequence[Scored]
) -> Reason | None:
    """Limits one person's share of the block, unless it is the current user."""
    question = allowed.question
    asker = question.scene.user
    if memory.role != "user" or not asker or memory.user in (None, asker):
        return None
    told = (one.memory for one in chosen if isinstance(one.memory, Passage))
    theirs = [one for one in told if one.user == memory.user]
    limit = allowed.room(question.settings.recall.passages.speaker_share)
    return _too_long("speaker_share", [*theirs, memory], limit, ("speaker", memory.user or ""))


def _faint(
    allowed: Allowance, memory: Passage, relevance: float, chosen: Sequence[Scored]
) -> Reason | None:
    """What is not asked for comes only if it is near; a question gets no more for what it says besides."""
    beside = len(_passages_in(chosen))
    if not allowed.is_faint(memory, relevance, beside):
        return None
    code = "not_asked_for" if allowed.asked else "uninvited"
    setting = allowed.question.settings.recall.passages.uninvited_threshold
    return _too_faint(code, relevance, allowed.needed(memory, beside), ("setting", setting))


def _beside_better(
    allowed: Allowance, memory: Passage, relevance: float, chosen: Sequence[Scored]
) -> Reason | None:
    """Beside a passage that fits far better, what is not asked for says little; one that holds a new name comes all the same."""
    best = max((one.relevance for one in chosen if _is_passage(one.memory)), default=0.0)
    least = BESIDE * best / (1.0 - best * (1.0 - BESIDE))  # the relevance of that share of the odds
    if relevance >= least or allowed.names.new_in(memory.content):
        return None
    return _too_faint("beside_better", relevance, round(least, 4))


def _by_chance(
    allowed: Allowance, memory: Passage, relevance: float, chosen: Sequence[Scored]
) -> Reason | None:
    """After the best ones, none that is no nearer than others are by chance, and neither holds nor is by whom it names."""
    if relevance >= allowed.least_asked or len(_passages_in(chosen)) < BEST:
        return None
    if allowed.is_named(memory.subject) or memory.content in allowed.names:
        return None
    return _too_faint("by_chance", relevance, allowed.least_asked)


def _continued(
    allowed: Allowance, memory: Passage, _: float, chosen: Sequence[Scored]
) -> Reason | None:
    """A question that only continues the talk gets part of the block: its answer is seldom in the past."""
    if not allowed.continues:
        return None
    told = _passages_in(chosen)
    limit = allowed.room(allowed.question.settings.recall.passages.continued_share)
    return _too_long("continued", [*told, memory], limit) if told or not limit else None


def _own_share(allowed: Allowance, memory: Passage, chosen: Sequence[Scored]) -> float:
    """What part of the best relevance the character's own words need beside better passages."""
    if allowed.is_named(memory.subject):
        return OWN_ABOUT
    if not allowed.of_you:
        return OWN_LEAST
    few = sum(_is_own(one.memory) for one in chosen) < MOST_OF_YOU
    return OWN_ABOUT if few else OWN_OF_YOU


def _reply_beside(
    allowed: Allowance, memory: Passage, relevance: float, chosen: Sequence[Scored]
) -> Reason | None:
    """The character's own words only repeat what is more to the point."""
    if memory.role != "assistant":
        return None
    best = max((one.relevance for one in chosen), default=0.0)
    least = best * _own_share(allowed, memory, chosen)
    return None if relevance >= least else _too_faint("reply_beside", relevance, least)


def _resting(allowed: Allowance, memory: Passage, _: float, __: Sequence[Scored]) -> Reason | None:
    """What left the prompt shortly before does not return."""
    turns = allowed.resting.get(memory.id, 0)
    rests = 0 < turns <= allowed.question.settings.recall.passages.rest
    return Reason("resting", (("turns", turns),)) if rests else None


def _allowance(
    allowed: Allowance, memory: Passage, relevance: float, chosen: Sequence[Scored]
) -> Reason | None:
    """Talk in which nobody asks gets few passages, short ones, and hardly any of the character's own."""
    rules, told = allowed.question.settings.recall.passages, _passages_in(chosen)
    by_name = relevance < allowed.needed(memory, len(told))
    full = (
        len(told) >= (min(MOST_BY_NAME, rules.uninvited) if by_name else rules.uninvited)
        or sum(len(one.content) for one in (*told, memory)) > rules.uninvited_length
        or (_is_own(memory) and sum(map(_is_own, told)) >= rules.uninvited_own)
    )
    return _used_up(rules.uninvited) if full else None


_Rule = Callable[[Allowance, Passage, float, Sequence[Scored]], Reason | None]
RULES: tuple[tuple[_Rule, ...], tuple[_Rule, ...]] = (
    (_resting, _faint, _beside_better, _allowance),
    (_faint, _by_chance, _continued, _reply_beside),
)
"""The rules of talk in which nobody asks, and those of a question, in order."""
