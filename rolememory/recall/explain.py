"""Explanations: why each line is there, and for every other memory the first closed gate and the smallest change that opens it.

A change is only suggested if it works: the query is repeated with exactly that change.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rolememory.errors import UnknownMemoryError
from rolememory.recall.allowance import Allowance
from rolememory.recall.answer import RecallResult, answer
from rolememory.recall.fit import Fitted, fit
from rolememory.recall.gates import eligible, first_closed
from rolememory.recall.query import RecallQuery
from rolememory.schema.evidence import Change, Reason, Refusal, Scored
from rolememory.schema.json_types import JsonObject
from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import np
from rolememory.text.boundaries import FUNCTION_CHARACTERS
from rolememory.text.words import term_query as split

CHOOSING = (
    "budget.",
    "recall.max_",
    "recall.enough",
    "recall.relevance_threshold",
    "recall.skip_visible",
    "recall.passages.uninvited",
    "recall.passages.asked_threshold",
    "recall.passages.continued_share",
    "recall.passages.speaker_share",
    "recall.passages.rest",
)
"""Settings that only affect the selection, not the scores."""

_WIDEST = 1 << 20  # characters; no budget is searched beyond this


def refusal(question: RecallQuery, given: RecallResult, memory_id: str) -> Refusal | None:
    """Why this memory is not in the prompt; None when it is.

    Raises:
        UnknownMemoryError: the role has no such memory.
    """
    if any(one.memory.id == memory_id for one in given.fitted.chosen):
        return None
    memory = question.index.memories.get(memory_id)
    scored = next((one for one in given.scored if one.memory.id == memory_id), None)
    if memory is None:
        return _of_another(question, given, memory_id, scored)
    case = ExplainedMemory(question, given, memory, scored)
    reason, ways = _first_gate(case)
    remedy = next(filter(case.lets_in, ways), None)
    return Refusal(memory_id, reason.code, reason, remedy, scored)


def _of_another(
    question: RecallQuery, given: RecallResult, memory_id: str, scored: Scored | None
) -> Refusal:
    """Why a memory of an associated role is not in the prompt; suggests only settings, not changes of its file."""
    other, memory = next(
        ((one, found) for one in question.associated if (found := one.find(memory_id))),
        (None, None),
    )
    if other is None or memory is None:
        raise UnknownMemoryError(memory_id, question.index.memories)
    if given.closed:
        return Refusal(memory_id, given.closed[0].code, *given.closed)
    if reason := other.closed(memory, question.asker):
        return Refusal(memory_id, reason.code, reason)
    if scored is None:
        return Refusal(memory_id, "no_evidence", Reason("no_evidence"))
    reason = given.fitted.refused[memory_id]
    case = ExplainedMemory(question, given, scored.memory, scored)
    ways = (way for way in _ways_past(reason, case) if way.target == "settings")
    remedy = next(filter(case.lets_in, ways), None)
    return Refusal(memory_id, reason.code, reason, remedy, scored)


def refused(given: RecallResult) -> list[Refusal]:
    """Every activated memory that was left out, best first, without remedies: cheap."""
    reasons = given.fitted.refused
    return [
        Refusal(one.memory.id, reasons[one.memory.id].code, reasons[one.memory.id], scored=one)
        for one in given.scored
        if one.memory.id in reasons
    ]


@value_class
class ExplainedMemory:
    """One memory, and the query with its result."""

    question: RecallQuery
    given: RecallResult
    memory: Memory
    scored: Scored | None

    def lets_in(self, change: Change) -> bool:
        """Whether the memory would be in the prompt with this change. Settings of the selection only repeat the selection."""
        if change.target != "settings" or not change.field.startswith(CHOOSING):
            return lets_in(self.question, self.memory, change)
        return self.refused(change) is None

    def refused(self, change: Change) -> Reason | None:
        """Why the memory is still left out after a change of the selection; None if it is in."""
        try:
            asked = changed(self.question, self.memory, change)
        except ValueError:  # as below
            return self.given.fitted.refused[self.memory.id]
        fitted = fit(self.given.scored, asked)
        return None if _holds(fitted, self.memory) else fitted.refused[self.memory.id]


def lets_in(question: RecallQuery, memory: Memory, change: Change) -> bool:
    """Whether the memory would be in the prompt with this change: repeats the query."""
    try:
        asked = changed(question, memory, change)
    except ValueError:  # the change leaves the bounds of a setting or field
        return False
    return _holds(answer(asked, anew=True).fitted, memory)


def _holds(fitted: Fitted, memory: Memory) -> bool:
    return any(one.memory.id == memory.id for one in fitted.chosen)


def changed(question: RecallQuery, memory: Memory, change: Change) -> RecallQuery:
    """The query with the change."""
    if change.target == "settings":
        return question.under(with_setting(question.settings, change.field, change.value))
    meant = question.index.memories[change.entry_id] if change.entry_id else memory
    return replace(question, supposed=with_field(meant, change.field, change.value))


def with_setting(settings: Settings, dotted: str, value: object) -> Settings:
    """The settings with one key set, validated like the file.

    >>> with_setting(Settings(), "recall.max_items", 3).recall.max_items
    3
    """
    tree: JsonObject = settings.model_dump(mode="json")
    *sections, key = dotted.split(".")
    table = tree
    for section in sections:
        table = table[section]
    table[key] = value
    return Settings.model_validate(tree)


def with_field(memory: Memory, field: str, value: object) -> Memory:
    """The memory with one field set, validated like a file."""
    return Memory.model_validate({**memory.model_dump(), field: value})


def _first_gate(case: ExplainedMemory) -> tuple[Reason, Iterator[Change]]:
    question, given, memory = case.question, case.given, case.memory
    if given.closed:
        reason, change = given.closed
        return reason, iter((change,))
    if closed := first_closed(memory, question.asker):
        gate, reason = closed
        return reason, filter(None, (gate.remedy(memory, question.asker),))
    if case.scored is None:
        return Reason("no_evidence"), _ways_to_wake(question, memory)
    reason = given.fitted.refused[memory.id]
    return reason, _ways_past(reason, case)


def _ways_to_wake(question: RecallQuery, memory: Memory) -> Iterator[Change]:
    if memory.triggers:
        yield Change("memory", "triggers", ())
    for word in _telling_words(question):
        yield Change("memory", "keys", (*memory.keys, word))
    yield Change("memory", "constant", True)


def _telling_words(question: RecallQuery) -> list[str]:
    """Up to three words of the message that may serve as a key, most informative first; Chinese ones without function words."""
    found, index = split(question.scene.query), question.index.terms
    heard = np.zeros(index.n_rows, dtype=np.bool_)
    heard[index.rows(eligible(question.index.memories.values(), question.asker))] = True
    terms = index.among(heard)
    worth = {
        found.surfaces[token]: terms.information(token) * len(token) for token in found.weights
    }
    words = [word for word in worth if len(word) > 1 and not set(word) & FUNCTION_CHARACTERS]
    return sorted(words, key=lambda word: (-worth[word], word))[:3]


def _ways_past(reason: Reason, case: ExplainedMemory) -> Iterator[Change]:
    code, kind = reason.code, MemoryType(case.memory.type).array
    if code in _SETTINGS:
        yield Change("settings", *_SETTINGS[code])
    elif code in _LIMITS:
        widest = _WIDEST if code.endswith("budget") else case.question.size
        yield from _more(_LIMITS[code].format(kind), reason, widest, case)
        if code in ("type_limit", "enough"):
            yield Change("memory", "constant", True)
    elif finder := _PAST.get(code):
        yield from finder(reason, case)


def _past_threshold(_: Reason, case: ExplainedMemory) -> Iterator[Change]:
    yield Change("settings", "recall.relevance_threshold", _just_below(case))
    yield from _ways_to_wake(case.question, case.memory)


def _past_high(_: Reason, case: ExplainedMemory) -> Iterator[Change]:
    yield Change("settings", f"recall.{case.question.high}", _just_below(case))
    yield Change("settings", "recall.mode", "inject")


def _past_uninvited(_: Reason, case: ExplainedMemory) -> Iterator[Change]:
    allowed, relevance = Allowance(case.question), _just_below(case)
    doubt = (1.0 - relevance) / allowed.doubt_of(case.memory)
    most = relevance if relevance < allowed.floor else 1.0
    for shared in range(1, case.question.settings.recall.passages.uninvited + 1):
        least = min(round(max(1.0 - doubt * shared, 0.0), 3), most)
        yield Change("settings", "recall.passages.uninvited_threshold", least)


def _past_resting(reason: Reason, _: ExplainedMemory) -> Iterator[Change]:
    yield Change("settings", "recall.passages.rest", int(reason.get("turns", 1)) - 1)


def _past_duplicate(reason: Reason, case: ExplainedMemory) -> Iterator[Change]:
    other = str(reason.get("of"))
    if other in case.question.index.memories:
        yield Change("memory", "archived", True, entry_id=other)


def _more(field: str, reason: Reason, widest: int, case: ExplainedMemory) -> Iterator[Change]:
    """The smallest larger limit that lets the memory in, by doubling and halving; what a block would need tells more than a step.

    Repeats the selection O(log widest) times, mostly once.
    """
    too_small = _too_small(reason, int(reason.get("limit", 0)))
    enough, step = too_small + 1, 1
    while enough <= widest and (closed := case.refused(Change("settings", field, enough))):
        too_small = _too_small(closed, enough)
        enough, step = max(too_small, enough + step - 1) + 1, step * 2
    while enough - too_small > 1 and enough <= widest:
        middle = (enough + too_small) // 2
        if closed := case.refused(Change("settings", field, middle)):
            too_small = min(_too_small(closed, middle), enough - 1)
        else:
            enough = middle
    yield Change("settings", field, enough)


def _too_small(reason: Reason, limit: int) -> int:
    """The largest limit known to be too small: one below the block's length with the memory."""
    needed = reason.get("needed", 0) if reason.code in ("budget", "type_budget") else 0
    return max(limit, int(needed) - 1)


def _just_below(case: ExplainedMemory) -> float:
    """The largest threshold of three decimals that the memory's relevance reaches."""
    return int((case.scored.relevance if case.scored else 0.0) * 1000 + 1e-9) / 1000


_SETTINGS: Mapping[str, tuple[str, float | bool]] = {
    "by_chance": ("recall.passages.asked_threshold", 0.0),
    "continued": ("recall.passages.continued_share", 1.0),
    "speaker_share": ("recall.passages.speaker_share", 1.0),
    "visible": ("recall.skip_visible", False),
}
"""By reason: the setting that opens a gate, and the value at which it is always open."""
_LIMITS = {
    "type_limit": "recall.max_per_type.{}",
    "max_items": "recall.max_items",
    "enough": "recall.enough",
    "type_budget": "budget.per_type.{}",
    "budget": "budget.max_total_length",
    "allowance": "recall.passages.uninvited",
}
"""By reason: the setting with the limit; `{}` is the memory's type."""
_PAST = {
    "below_threshold": _past_threshold,
    "low_relevance": _past_high,
    "uninvited": _past_uninvited,
    "not_asked_for": _past_uninvited,
    "resting": _past_resting,
    "near_duplicate": _past_duplicate,
}
"""By reason: other ways."""


@value_class
class ExplanationRow:
    """One row of an explanation as it is shown and sent: codes and numbers."""

    id: str
    score: float | None
    relevance: float | None
    reasons: tuple[tuple[str, Reason], ...]  # (strategy or part, reason), strongest first
    gate: str | None = None
    remedy: Change | None = None


def lines(
    given: RecallResult, refusals: Mapping[str, Refusal] | None = None
) -> list[ExplanationRow]:
    """The rows of an answer: those in the prompt first, then the refused ones asked for."""
    told = [_line(one) for one in given.fitted.chosen]
    for one in (refusals or {}).values():
        row = _line(one.scored) if one.scored else ExplanationRow(one.entry_id, None, None, ())
        told.append(
            replace(
                row,
                gate=one.gate,
                remedy=one.remedy,
                reasons=((one.gate, one.because), *row.reasons),
            )
        )
    return told


def _line(scored: Scored) -> ExplanationRow:
    hits = tuple((hit.trigger, hit.because) for hit in scored.hits)
    parts = tuple(
        (part.name, part.because)
        for part in sorted(scored.contributions, key=lambda part: -abs(part.amount))
    )
    return ExplanationRow(scored.memory.id, scored.score, scored.relevance, hits + parts)
