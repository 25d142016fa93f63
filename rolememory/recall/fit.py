"""What goes into the prompt: scored memories, best first, as far as rules and budget go.

A lower one may fill what a higher one did not fit into; a line is never cut. What was injected last turn gives way only
to something better by `keep_margin`, so that an unchanged memory does not move and the upstream's prompt cache lives.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Protocol

from rapidfuzz import fuzz

from rolememory.recall.weigh import order
from rolememory.schema.evidence import Reason, Scored
from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.settings import BudgetSettings, PerType, RecallSettings
from rolememory.text.fold import fold
from rolememory.text.words import tokens

_NUMBERS = re.compile(r"\d+")
_LEAST_BYTES = 12  # twelve Latin letters, four Chinese characters


class Measure(Protocol):
    """Lengths of the block as it will be rendered, in the budget's unit (characters or tokens)."""

    def block(self, memories: Sequence[Memory]) -> int:
        """Length of the whole block with these memories, fence and headings included; 0 for none."""
        ...

    def share(self, memories: Sequence[Memory]) -> int:
        """Length of the lines of these memories, which are of one type."""
        ...

    def least(self, memory: Memory) -> int:
        """A length that one memory's line cannot be below, found at once; 0 where that cannot be told."""
        ...


@dataclass(frozen=True, slots=True)
class Visible:
    """What the reader of the prompt sees anyway: folded texts of the visible messages, newest first."""

    query: str = ""
    texts: tuple[str, ...] = ()
    joined: str = ""

    @classmethod
    def of(cls, query: str, texts: Sequence[str]) -> "Visible":
        """Fold and join once what is compared often."""
        folded = tuple(plain(text) for text in texts)
        return cls(plain(query), folded, "\n".join(folded))


@dataclass(frozen=True, slots=True)
class Fitting:
    """The rules of one turn."""

    rules: RecallSettings
    budget: BudgetSettings
    now: datetime
    visible: Visible = field(default_factory=Visible)
    kept: Collection[str] = ()  # injected last turn
    room: int | None = None  # budget left by lore, when it is shared; None = all of it
    thresholds: bool = True  # off = a search: everything that was woken

    @property
    def limit(self) -> int:
        """How long the block may be."""
        return self.budget.max_total_length if self.room is None else self.room


@dataclass(slots=True)
class Fitted:
    """Who is in, in the order of scores; who is offered to the model instead; and why each other one is out."""

    chosen: list[Scored] = field(default_factory=list)
    near: list[Scored] = field(default_factory=list)
    refused: dict[str, Reason] = field(default_factory=dict)
    length: int = 0  # of the block so far
    tried: int = 0  # ... and with the candidate that is looked at


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    r"""A text as comparisons see it: folded, runs of white space as one blank.

    >>> plain("The  Beacon\nfailed")
    'the beacon failed'
    """
    return " ".join(fold(text).text.split())


def likeness(one: str, other: str, least: float) -> float:
    """How alike two plain texts are, 0..1: the share of words (CJK: pairs of characters) they have in common.

    0 below `least`, and 0 when they name different numbers: two dates are two facts.

    >>> likeness("she was born in 1887", "she was born in 1897", 0.5)
    0.0
    >>> likeness("the beacon failed", "the beacon failed.", 0.9), likeness("she likes tea", "she likes the sea", 0.9)
    (1.0, 0.0)
    """
    if not fuzz.ratio(one, other, score_cutoff=least * 50) or _NUMBERS.findall(one) != _NUMBERS.findall(other):
        return 0.0
    words, others = set(tokens(one)), set(tokens(other))
    alike = len(words & others) / len(words | others) if words | others else float(one == other)
    return round(alike, 3) if alike >= least else 0.0


def _says_enough(content: str) -> bool:
    """Whether a text is long enough that finding it inside a message means the message says it."""
    return len(content.encode()) >= _LEAST_BYTES


def fit(scored: Sequence[Scored], measure: Measure, fitting: Fitting) -> Fitted:
    """Choose from `scored`; each is afterwards chosen or refused with a reason (hybrid: also `near`)."""
    fitted = Fitted()
    gates = [gate for gate in _GATES if _asks(gate, fitting)]
    for candidate in sorted(scored, key=lambda one: order(_with_margin(one, fitting)) if fitting.kept else order(one)):
        reason = next((reason for gate in gates if (reason := gate(candidate, fitted, fitting, measure))), None)
        if reason is None:
            fitted.chosen.append(candidate)
            fitted.length = fitted.tried
            continue
        fitted.refused[candidate.memory.id] = reason
        if reason.code == "low_relevance":
            fitted.near.append(candidate)
    fitted.chosen.sort(key=order)
    return fitted


def _with_margin(scored: Scored, fitting: Fitting) -> Scored:
    kept = scored.memory.id in fitting.kept
    return replace(scored, score=scored.score + fitting.rules.keep_margin) if kept else scored


_Gate = Callable[[Scored, Fitted, Fitting, Measure], Reason | None]


def _threshold(candidate: Scored, _: Fitted, fitting: Fitting, __: Measure) -> Reason | None:
    rules = fitting.rules
    margin = rules.keep_margin if candidate.memory.id in fitting.kept else 0.0
    if not fitting.thresholds or candidate.relevance >= rules.relevance_threshold - margin:
        return None
    return Reason("below_threshold", (("relevance", candidate.relevance), ("threshold", rules.relevance_threshold)))


def _low_relevance(candidate: Scored, _: Fitted, fitting: Fitting, __: Measure) -> Reason | None:
    high = fitting.rules.high_relevance_threshold
    if not fitting.thresholds or candidate.relevance >= high:
        return None
    return Reason("low_relevance", (("relevance", candidate.relevance), ("threshold", high)))


def _limit(limits: PerType, kind: MemoryType) -> int | None:
    return getattr(limits, kind.array)  # type: ignore[no-any-return]


def _type_limit(candidate: Scored, fitted: Fitted, fitting: Fitting, _: Measure) -> Reason | None:
    kind = candidate.memory.type
    limit = _limit(fitting.rules.max_per_type, kind)
    taken = Counter(one.memory.type for one in fitted.chosen)[kind] if limit is not None else 0
    return Reason("type_limit", (("type", kind.value), ("limit", limit))) if limit is not None and taken >= limit else None


def _max_items(_: Scored, fitted: Fitted, fitting: Fitting, __: Measure) -> Reason | None:
    limit = fitting.rules.max_items
    return Reason("max_items", (("limit", limit),)) if limit is not None and len(fitted.chosen) >= limit else None


def _type_budget(candidate: Scored, fitted: Fitted, fitting: Fitting, measure: Measure) -> Reason | None:
    kind = candidate.memory.type
    limit = _limit(fitting.budget.per_type, kind)
    if limit is None:
        return None
    needed = measure.share([*(one.memory for one in fitted.chosen if one.memory.type is kind), candidate.memory])
    return Reason("type_budget", (("type", kind.value), ("needed", needed), ("limit", limit))) if needed > limit else None


def _budget(candidate: Scored, fitted: Fitted, fitting: Fitting, measure: Measure) -> Reason | None:
    limit = fitting.limit
    needed = fitted.length + measure.least(candidate.memory)  # at least so much: most that do not fit need no rendering
    if needed <= limit:
        needed = fitted.tried = measure.block([*(one.memory for one in fitted.chosen), candidate.memory])
    return Reason("budget", (("needed", needed), ("limit", limit))) if needed > limit else None


def _echo(candidate: Scored, _: Fitted, fitting: Fitting, __: Measure) -> Reason | None:
    said, created = fitting.visible.query, candidate.memory.created
    if not said or plain(candidate.memory.content) != said:
        return None
    fresh = created is None or fitting.now - created <= timedelta(seconds=fitting.rules.echo_window_s)
    return Reason("echo") if fresh or fitting.rules.skip_visible else None


def _visible(candidate: Scored, _: Fitted, fitting: Fitting, __: Measure) -> Reason | None:
    content = plain(candidate.memory.content)
    told = _says_enough(content) and content in fitting.visible.joined
    stands = told or any(likeness(content, text, fitting.rules.near_duplicate) for text in fitting.visible.texts)
    return Reason("visible") if stands else None


def told_within(memory: Memory, other: Memory) -> bool:
    """Whether a fact was read out of the very words that another memory holds: the same message, its quote standing in the other's text."""
    if not memory.evidence or not other.evidence:
        return False
    places = {(one.chat, one.version) for one in other.evidence if one.version}
    return any((one.chat, one.version) in places and one.quote and one.quote in other.content for one in memory.evidence)


def once(scored: Sequence[Scored], limit: int) -> list[Scored]:
    """The best so many, without facts that a better one holds already in the words they were read from."""
    kept: list[Scored] = []
    for candidate in scored:
        if len(kept) >= limit:
            break
        if not any(told_within(candidate.memory, other.memory) for other in kept):
            kept.append(candidate)
    return kept


def _near_duplicate(candidate: Scored, fitted: Fitted, fitting: Fitting, _: Measure) -> Reason | None:
    content = plain(candidate.memory.content)
    within = next((other for other in fitted.chosen if told_within(candidate.memory, other.memory)), None)
    if within is not None:
        return Reason("near_duplicate", (("of", within.memory.id), ("alike", 1.0)))
    for other in fitted.chosen:
        alike = likeness(content, plain(other.memory.content), fitting.rules.near_duplicate)
        if alike:
            return Reason("near_duplicate", (("of", other.memory.id), ("alike", alike)))
    return None


def _asks(gate: _Gate, fitting: Fitting) -> bool:
    """Whether a gate can be closed at all under these rules."""
    rules, unlimited = fitting.rules, PerType()
    idle: dict[_Gate, bool] = {
        _low_relevance: rules.mode == "inject",
        _type_limit: rules.max_per_type == unlimited,
        _max_items: rules.max_items is None,
        _type_budget: fitting.budget.per_type == unlimited,
        _echo: not fitting.visible.query,
        _visible: not (rules.skip_visible and fitting.visible.texts),
    }
    return not idle.get(gate, False)


_GATES: tuple[_Gate, ...] = (
    _threshold,
    _low_relevance,
    _type_limit,
    _max_items,
    _type_budget,
    _budget,
    _echo,
    _visible,
    _near_duplicate,
)
