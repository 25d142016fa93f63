"""A role in plots: how its memory grew, what its newest turns took and cost, which strategies woke memories, how the caches do."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from rolememory.schema.memory import Memory
from rolememory.serve.app_state import TurnNote
from rolememory.serve.rest.dependencies import RoleCall, router
from rolememory.serve.rest.schemas import Out

routes = router("roles", under="/roles/{role}")
MOMENTS = 40  # of the curve


class GrownOut(Out):
    """How many memories of each type there were at a moment."""

    at: datetime
    by_type: dict[str, int]


class TurnFigure(Out):
    """One turn in numbers."""

    at: datetime
    ms: float
    recalled: int
    entries: int
    """of lorebooks"""
    cost: int
    """of the block, in the budget's unit"""
    same: bool | None
    """the block is the one of the turn before in this chat, so that a prompt cache lives; null = the first"""


class CachesOut(Out):
    """What did not have to be reckoned again."""

    questions: int
    """that were embedded since the server was started"""
    questions_known: int
    """that had their vector already"""
    vectors: int
    """memories that have theirs"""
    memories: int
    blocks: int
    """turns that followed another one in their chat"""
    blocks_same: int


class FiguresOut(Out):
    """Everything the plots draw."""

    grown: list[GrownOut]
    """oldest first; memories as they are now, by when they were told"""
    turns: list[TurnFigure]
    """since the server was started, oldest first"""
    strategies: dict[str, int]
    """how many recalled memories each one woke"""
    unit: str
    limit: int
    """of the budget, in its unit"""
    caches: CachesOut


@routes.get("/figures")
def role_figures(call: RoleCall) -> FiguresOut:
    """The role in plots."""
    role, budget = call.role, call.role.settings.budget
    notes = call.app_state.turns(role.id)[::-1]
    turns = list(_turns(notes, budget.unit))
    recalled = (one for note in notes if note.turn for one in note.turn.recalled)
    hits = Counter(hit.trigger for one in recalled for hit in one.scored.hits)
    followed = [one.same for one in turns if one.same is not None]
    return FiguresOut(
        grown=_grown(role.memories),
        turns=turns,
        strategies=dict(hits.most_common()),
        unit=budget.unit,
        limit=budget.max_total_length,
        caches=CachesOut(
            questions=call.home.queries.misses,
            questions_known=call.home.queries.hits,
            vectors=role.embedded,
            memories=len(role.memories),
            blocks=len(followed),
            blocks_same=sum(followed),
        ),
    )


def _grown(memories: Mapping[str, Memory]) -> list[GrownOut]:
    """Counts at up to MOMENTS moments, evenly spread over what was told."""
    told = sorted((one.since, one.type.value) for one in memories.values() if one.since)
    steps = sorted({round(step * len(told) / MOMENTS) for step in range(1, MOMENTS + 1)} - {0})
    return [
        GrownOut(at=told[step - 1][0], by_type=Counter(kind for _, kind in told[:step]))
        for step in steps
    ]


def _turns(notes: Iterable[TurnNote], unit: str) -> Iterable[TurnFigure]:
    before: dict[str, str] = {}
    for note in notes:
        turn = note.turn
        text, tokens = (turn.text, turn.stats.total_tokens) if turn else ("", 0)
        yield TurnFigure.from_value(
            note,
            ms=round(note.ms, 1),
            entries=len(turn.lore.awake) if turn and turn.lore else 0,
            cost=tokens if unit == "tokens" else len(text),
            same=text == before[note.chat] if note.chat in before else None,
        )
        before[note.chat] = text
