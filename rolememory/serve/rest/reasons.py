"""Reasons as they go out: codes and numbers for programs, and the words beside them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from pydantic import Field

from rolememory.authoring.books import title
from rolememory.recall.explain import ExplanationRow as Row
from rolememory.recall.lore.activation import Activation, Awake
from rolememory.recall.turn import Turn
from rolememory.schema.evidence import Change, Reason, Recalled, Refusal, Scored
from rolememory.schema.lorebook import LoreEntry
from rolememory.schema.scene import Language
from rolememory.schema.wording import word, word_change, word_gate
from rolememory.serve.rest.error_responses import clean
from rolememory.serve.rest.schemas import ChangeOut, Out, Part, Target, Why

TARGETS = get_args(Target)


class ItemOut(Out):
    """A memory of a turn."""

    id: str
    type: str
    score: float
    relevance: float
    why: list[Why] = Field(description="the strategies that woke it, strongest first")
    parts: list[Part] = Field(
        description="what weighed: score = relevance and all parts, clipped to 0..1"
    )
    content: str
    line: str = Field("", description="as it stands in the prompt")
    cost: int = Field(0, description="of the line, in the budget's unit")


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
    """Why a memory is in the prompt, or why it is not and what would let it in."""

    id: str
    injected: bool
    gate: str | None = Field(description="the first closed gate")
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


def why(by: str, reason: Reason, language: Language, strength: float | None = None) -> Why:
    """One reason."""
    return Why(
        by=by,
        code=reason.code,
        values={name: _plain(value) for name, value in reason.values},
        text=clean(word(reason, language)),
        strength=strength,
    )


def _plain(value: float | int | str) -> float | int | str:
    return clean(value) if isinstance(value, str) else value


def item_of(one: Scored | Recalled, language: Language) -> ItemOut:
    """A memory with its reasons."""
    scored = one.scored if isinstance(one, Recalled) else one
    return ItemOut(
        id=scored.memory.id,
        type=scored.memory.type.value,
        score=round(scored.score, 4),
        relevance=round(scored.relevance, 4),
        why=[
            why(hit.trigger, hit.because, language, round(hit.strength, 4)) for hit in scored.hits
        ],
        parts=[
            Part(
                name=part.name,
                amount=round(part.amount, 4),
                text=clean(word(part.because, language)),
            )
            for part in scored.contributions
        ],
        content=clean(scored.memory.content),
        line=clean(one.line) if isinstance(one, Recalled) else "",
        cost=one.cost if isinstance(one, Recalled) else 0,
    )


def lore_items(lore: Activation | None, language: Language) -> list[LoreItem]:
    """The entries that are in the prompt."""
    return [_lore_item(one, language) for one in lore.awake] if lore else []


def _lore_item(one: Awake, language: Language) -> LoreItem:
    return LoreItem(
        id=clean(one.id),
        uid=clean(one.entry.id),
        title=clean(title(one.entry)),
        why=why("lore", one.why, language),
        in_pass=one.in_pass,
        tokens=one.tokens,
        content=clean(one.content),
    )


def lore_refusals(
    lore: Activation, ids: Iterable[str], entries: Mapping[str, LoreEntry], language: Language
) -> Iterator[LoreRefused]:
    """Entries that are not in, with what would let them in."""
    for lore_id in ids:
        if refusal := lore.explain(lore_id):
            yield LoreRefused(
                id=clean(lore_id),
                title=clean(title(entries[lore_id])) if lore_id in entries else clean(lore_id),
                gate=refusal.gate,
                text=clean(word(refusal.because, language)),
                remedy=change_out(refusal, language),
            )


def row_out(row: Row, language: Language) -> RowOut:
    """A row of an explanation."""
    return RowOut(
        id=clean(row.id),
        injected=row.gate is None and row.score is not None,
        gate=row.gate,
        score=row.score,
        relevance=row.relevance,
        reasons=[why(by, reason, language) for by, reason in row.reasons],
        remedy=changed(row.remedy, row.id, language),
    )


def change_out(refusal: Refusal, language: Language) -> ChangeOut | None:
    """The way in."""
    return changed(refusal.remedy, refusal.entry_id, language)


def changed(change: Change | None, entry_id: str, language: Language) -> ChangeOut | None:
    """A change as it goes out, to come back to `apply`."""
    if change is None:
        return None
    value = [str(one) for one in change.value] if isinstance(change.value, tuple) else change.value
    target: Target = change.target if change.target in TARGETS else "memory"  # type: ignore[assignment]  # narrowed by the test
    about = change.entry_id or (entry_id if target == "memory" else "")
    return ChangeOut(
        target=target,
        field=change.field,
        value=value,
        id=clean(about),
        text=clean(word_change(change, language)),
    )


def closed_by(turn: Turn, language: Language) -> str | None:
    """Why nothing was asked at all, in words."""
    gate = turn.answer.closed
    return word_gate(Refusal("", gate[0].code, *gate), language) if gate else None
