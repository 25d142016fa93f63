"""Why each line is there, and for every other memory the first closed gate and the smallest change that opens it.

A change is only named when trying it out lets the memory in: the question is asked again with exactly that change.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rolememory.errors import UnknownMemoryError
from rolememory.recall.answer import Answer, Question, answer
from rolememory.recall.gates import eligible, first_closed
from rolememory.schema.evidence import Change, Reason, Refusal, Scored
from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.settings import Settings
from rolememory.text.edges import FUNCTION_CHARACTERS
from rolememory.text.words import ask as split

_WIDEST = 1 << 20  # characters; no budget is searched beyond this


def refusal(question: Question, given: Answer, memory_id: str) -> Refusal | None:
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
    reason, ways = _first_gate(question, given, memory, scored)
    remedy = next((way for way in ways if lets_in(question, memory, way)), None)
    return Refusal(memory_id, reason.code, reason, remedy, scored)


def _of_another(
    question: Question, given: Answer, memory_id: str, scored: Scored | None
) -> Refusal:
    """Why a memory of an associated role is not in the prompt; its own file is not ours to change, settings are."""
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
    ways = (
        way
        for way in _ways_past(reason, question, scored.memory, scored)
        if way.target == "settings"
    )
    return Refusal(
        memory_id,
        reason.code,
        reason,
        next((way for way in ways if lets_in(question, scored.memory, way)), None),
        scored,
    )


def refused(given: Answer) -> list[Refusal]:
    """Every memory that was woken and left out, best first, without looking for remedies: cheap."""
    reasons = given.fitted.refused
    return [
        Refusal(one.memory.id, reasons[one.memory.id].code, reasons[one.memory.id], scored=one)
        for one in given.scored
        if one.memory.id in reasons
    ]


def lets_in(question: Question, memory: Memory, change: Change) -> bool:
    """Whether the memory would be in the prompt, had just this been changed."""
    try:
        asked = changed(question, memory, change)
    except ValueError:  # the change leaves the bounds of a setting or field
        return False
    return any(one.memory.id == memory.id for one in answer(asked).fitted.chosen)


def changed(question: Question, memory: Memory, change: Change) -> Question:
    """The question as it would be after the change."""
    if change.target == "settings":
        return question.under(with_setting(question.settings, change.field, change.value))
    meant = question.index.memories[change.entry_id] if change.entry_id else memory
    return question.about(with_field(meant, change.field, change.value))


def with_setting(settings: Settings, dotted: str, value: object) -> Settings:
    """The settings with one key set, checked as if it came from the file.

    >>> with_setting(Settings(), "recall.max_items", 3).recall.max_items
    3
    """
    tree: dict[str, Any] = settings.model_dump(mode="json")
    *sections, key = dotted.split(".")
    table = tree
    for section in sections:
        table = table[section]
    table[key] = value
    return Settings.model_validate(tree)


def with_field(memory: Memory, field: str, value: object) -> Memory:
    """The memory with one field set, checked as if it came from a file."""
    return Memory.model_validate({**memory.model_dump(), field: value})


def _first_gate(
    question: Question, given: Answer, memory: Memory, scored: Scored | None
) -> tuple[Reason, Iterator[Change]]:
    if given.closed:
        reason, change = given.closed
        return reason, iter((change,))
    if closed := first_closed(memory, question.asker):
        gate, reason = closed
        return reason, filter(None, (gate.remedy(memory, question.asker),))
    if scored is None:
        return Reason("no_evidence"), _ways_to_wake(question, memory)
    reason = given.fitted.refused[memory.id]
    return reason, _ways_past(reason, question, memory, scored)


def _ways_to_wake(question: Question, memory: Memory) -> Iterator[Change]:
    if memory.triggers:
        yield Change("memory", "triggers", ())
    for word in _telling_words(question):
        yield Change("memory", "keys", (*memory.keys, word))
    yield Change("memory", "constant", True)


def _telling_words(question: Question) -> list[str]:
    """Words of the message that may serve as a key: the most telling first, three of them; Chinese ones without function words."""
    import numpy as np

    found, index = split(question.scene.query), question.index.terms
    heard = np.zeros(index.n_rows, dtype=np.bool_)
    heard[index.rows(eligible(question.index.memories.values(), question.asker))] = True
    terms = index.among(heard)
    worth = {
        found.surfaces[token]: terms.information(token) * len(token) for token in found.weights
    }
    words = [word for word in worth if len(word) > 1 and not set(word) & FUNCTION_CHARACTERS]
    return sorted(words, key=lambda word: (-worth[word], word))[:3]


def _ways_past(
    reason: Reason, question: Question, memory: Memory, scored: Scored
) -> Iterator[Change]:
    finder = _PAST.get(reason.code)
    if finder:
        yield from finder(reason, question, memory, scored)


def _past_threshold(
    _: Reason, question: Question, memory: Memory, scored: Scored
) -> Iterator[Change]:
    yield Change("settings", "recall.relevance_threshold", _just_below(scored.relevance))
    yield from _ways_to_wake(question, memory)


def _past_high(_: Reason, question: Question, __: Memory, scored: Scored) -> Iterator[Change]:
    yield Change("settings", f"recall.{question.high}", _just_below(scored.relevance))
    yield Change("settings", "recall.mode", "inject")


def _past_type_limit(
    reason: Reason, question: Question, memory: Memory, _: Scored
) -> Iterator[Change]:
    limit = int(reason.get("limit", 0))
    yield from _more(
        "recall.max_per_type." + MemoryType(memory.type).array,
        limit,
        question.size,
        question,
        memory,
    )
    yield Change("memory", "constant", True)


def _past_max_items(
    reason: Reason, question: Question, memory: Memory, _: Scored
) -> Iterator[Change]:
    yield from _more(
        "recall.max_items", int(reason.get("limit", 0)), question.size, question, memory
    )


def _past_enough(reason: Reason, question: Question, memory: Memory, _: Scored) -> Iterator[Change]:
    yield from _more("recall.enough", int(reason.get("limit", 0)), question.size, question, memory)
    yield Change("memory", "constant", True)


def _past_type_budget(
    reason: Reason, question: Question, memory: Memory, _: Scored
) -> Iterator[Change]:
    yield from _more(
        "budget.per_type." + MemoryType(memory.type).array,
        int(reason.get("limit", 0)),
        _WIDEST,
        question,
        memory,
    )


def _past_budget(reason: Reason, question: Question, memory: Memory, _: Scored) -> Iterator[Change]:
    yield from _more(
        "budget.max_total_length", int(reason.get("limit", 0)), _WIDEST, question, memory
    )


def _past_uninvited(_: Reason, __: Question, ___: Memory, scored: Scored) -> Iterator[Change]:
    field = "recall.passages.uninvited_threshold"
    yield Change("settings", field, _just_below(scored.relevance))


def _past_speaker_share(_: Reason, __: Question, ___: Memory, ____: Scored) -> Iterator[Change]:
    yield Change("settings", "recall.passages.speaker_share", 1.0)


def _past_resting(reason: Reason, _: Question, __: Memory, ___: Scored) -> Iterator[Change]:
    yield Change("settings", "recall.passages.rest", int(reason.get("turns", 1)) - 1)


def _past_allowance(
    reason: Reason, question: Question, memory: Memory, _: Scored
) -> Iterator[Change]:
    field = "recall.passages.uninvited"
    yield from _more(field, int(reason.get("limit", 0)), question.size, question, memory)


def _past_visible(_: Reason, __: Question, ___: Memory, ____: Scored) -> Iterator[Change]:
    yield Change("settings", "recall.skip_visible", False)


def _past_duplicate(
    reason: Reason, question: Question, __: Memory, ___: Scored
) -> Iterator[Change]:
    other = str(reason.get("of"))
    if other in question.index.memories:
        yield Change("memory", "archived", True, entry_id=other)


def _more(
    field: str, limit: int, widest: int, question: Question, memory: Memory
) -> Iterator[Change]:
    """The smallest larger limit that lets the memory in, by doubling and halving: O(log widest) questions."""
    enough, step = limit + 1, 1
    while enough <= widest and not lets_in(question, memory, Change("settings", field, enough)):
        enough, step = enough + step, step * 2
    too_small = max(limit, enough - step // 2 - 1) if step > 1 else limit
    while enough - too_small > 1 and enough <= widest:
        middle = (enough + too_small) // 2
        if lets_in(question, memory, Change("settings", field, middle)):
            enough = middle
        else:
            too_small = middle
    yield Change("settings", field, enough)


def _just_below(relevance: float) -> float:
    """The largest threshold of three decimals that this relevance reaches.

    >>> _just_below(0.28765), _just_below(0.5)
    (0.287, 0.5)
    """
    return int(relevance * 1000 + 1e-9) / 1000


_PAST = {
    "below_threshold": _past_threshold,
    "low_relevance": _past_high,
    "type_limit": _past_type_limit,
    "max_items": _past_max_items,
    "enough": _past_enough,
    "type_budget": _past_type_budget,
    "budget": _past_budget,
    "uninvited": _past_uninvited,
    "allowance": _past_allowance,
    "resting": _past_resting,
    "speaker_share": _past_speaker_share,
    "visible": _past_visible,
    "near_duplicate": _past_duplicate,
}


@dataclass(frozen=True, slots=True)
class Line:
    """One row of an explanation as it is shown and sent: codes and numbers."""

    id: str
    score: float | None
    relevance: float | None
    reasons: tuple[tuple[str, Reason], ...]  # (strategy or part, reason), strongest first
    gate: str | None = None
    remedy: Change | None = None


def lines(given: Answer, refusals: Mapping[str, Refusal] | None = None) -> list[Line]:
    """The rows of an answer: those in the prompt first, then the refused ones asked for."""
    told = [_line(one) for one in given.fitted.chosen]
    for one in (refusals or {}).values():
        row = _line(one.scored) if one.scored else Line(one.entry_id, None, None, ())
        told.append(
            replace(
                row,
                gate=one.gate,
                remedy=one.remedy,
                reasons=((one.gate, one.because), *row.reasons),
            )
        )
    return told


def _line(scored: Scored) -> Line:
    hits = tuple((hit.trigger, hit.because) for hit in scored.hits)
    parts = tuple(
        (part.name, part.because)
        for part in sorted(scored.contributions, key=lambda part: -abs(part.amount))
    )
    return Line(scored.memory.id, scored.score, scored.relevance, hits + parts)
