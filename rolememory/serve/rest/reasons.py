"""Reasons as they go out: codes and numbers for programs, and the words beside them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from rolememory.authoring.books import title
from rolememory.recall.explain import ExplanationRow as Row
from rolememory.recall.lore.activation import Activation
from rolememory.recall.turn import Turn
from rolememory.schema.evidence import Change, Reason, Recalled, Refusal, Scored
from rolememory.schema.lorebook import LoreEntry
from rolememory.schema.wording import word, word_change, word_gate
from rolememory.serve.rest.reader import reader
from rolememory.serve.rest.schemas import ChangeOut, Out, Part, Rounded, Target, Why

TARGETS = get_args(Target)


class ItemOut(Out):
    """A memory of a turn."""

    id: str
    type: str
    score: Rounded
    relevance: Rounded
    why: list[Why]
    """the strategies that recalled it, strongest first"""
    parts: list[Part]
    """contributions: score = relevance + all parts, clipped to 0..1"""
    content: str
    line: str = ""
    """its line in the prompt"""
    cost: int = 0
    """cost of the line, in the budget's unit"""


class LoreItem(Out):
    """A lorebook entry of a turn."""

    id: str
    uid: str
    title: str
    why: Why
    in_pass: int
    tokens: int
    content: str


class RowOut(Out):
    """Why a memory is in the prompt or not, and the change that would include it."""

    id: str
    injected: bool
    gate: str | None
    """the first filter that excluded it"""
    score: float | None
    relevance: float | None
    reasons: list[Why]
    remedy: ChangeOut | None


class LoreRefused(Out):
    """A lorebook entry that is not in the prompt."""

    id: str
    title: str
    gate: str
    text: str
    remedy: ChangeOut | None


def why(by: str, reason: Reason, strength: float | None = None) -> Why:
    """One reason."""
    return Why.from_value(
        reason,
        by=by,
        values=dict(reason.values),
        text=word(reason, reader().language),
        strength=strength,
    )


def item_of(one: Scored | Recalled) -> ItemOut:
    """A memory with its reasons."""
    scored = one.scored if isinstance(one, Recalled) else one
    parts = scored.contributions
    memory = scored.memory
    return ItemOut.from_value(
        one,
        id=memory.id,
        type=memory.type.value,
        score=scored.score,
        relevance=scored.relevance,
        why=[why(hit.trigger, hit.because, round(hit.strength, 4)) for hit in scored.hits],
        parts=[Part.from_value(part, text=word(part.because, reader().language)) for part in parts],
        content=memory.content,
    )


def items_of(found: Iterable[Scored | Recalled]) -> list[ItemOut]:
    """Memories with their reasons."""
    return list(map(item_of, found))


def lore_items(lore: Activation | None) -> list[LoreItem]:
    """The entries that are in the prompt."""
    return [
        LoreItem.from_value(one, uid=one.entry.id, title=title(one.entry), why=why("lore", one.why))
        for one in (lore.awake if lore else ())
    ]


def lore_refusals(
    lore: Activation, ids: Iterable[str], entries: Mapping[str, LoreEntry]
) -> Iterator[LoreRefused]:
    """Entries that are not in, with what would let them in."""
    for lore_id in ids:
        if refusal := lore.explain(lore_id):
            yield LoreRefused(
                id=lore_id,
                title=title(entries[lore_id]) if lore_id in entries else lore_id,
                gate=refusal.gate,
                text=word(refusal.because, reader().language),
                remedy=change_out(refusal),
            )


def row_out(row: Row) -> RowOut:
    """A row of an explanation."""
    return RowOut.from_value(
        row,
        injected=row.gate is None and row.score is not None,
        reasons=[why(by, reason) for by, reason in row.reasons],
        remedy=changed(row.remedy, row.id),
    )


def refusal_out(refusal: Refusal) -> RowOut:
    """A refusal without its remedy."""
    return RowOut(
        id=refusal.entry_id,
        injected=False,
        gate=refusal.gate,
        score=refusal.scored and refusal.scored.score,
        relevance=refusal.scored and refusal.scored.relevance,
        reasons=[why(refusal.gate, refusal.because)],
        remedy=None,
    )


def change_out(refusal: Refusal) -> ChangeOut | None:
    """The way in."""
    return changed(refusal.remedy, refusal.entry_id)


def changed(change: Change | None, entry_id: str) -> ChangeOut | None:
    """A change as it goes out, to come back to `apply`."""
    if change is None:
        return None
    target = change.target if change.target in TARGETS else "memory"
    about = change.entry_id or (entry_id if target == "memory" else "")
    text = word_change(change, reader().language)
    return ChangeOut.from_value(change, target=target, id=about, text=text)


def closed_by(turn: Turn) -> str | None:
    """Why nothing was asked at all, in words."""
    gate = turn.answer.closed
    return word_gate(Refusal("", gate[0].code, *gate), reader().language) if gate else None
