"""The answer to a recall query: pure, so that it can be replayed, previewed and varied."""

from collections.abc import Sequence
from dataclasses import field, replace

from rolememory.recall.fit import Fitted, fit
from rolememory.recall.gates import eligible, inherited, turn_gate
from rolememory.recall.query import RecallQuery
from rolememory.recall.restated import inherit
from rolememory.recall.weigh import Ranking, weigh
from rolememory.schema.evidence import Change, Reason, Scored
from rolememory.schema.value_class import value_class


@value_class
class RecallResult:
    """The result of recall: all activated memories, and those selected for the prompt."""

    scored: Sequence[Scored] = ()  # best first
    fitted: Fitted = field(default_factory=Fitted)
    closed: tuple[Reason, Change] | None = None  # the turn gate, when nothing was asked
    notes: tuple[str, ...] = ()


def rank(question: RecallQuery, *, anew: bool = False) -> tuple[Ranking, tuple[str, ...]]:
    """All activated memories, best first, and notes of strategies that could not work.

    `anew`: whom the asker may hear is found out again, under changed rules.
    """
    if question.supposed:
        with question.index.supposing(question.supposed) as index:
            return rank(replace(question.asking(index), supposed=None), anew=True)
    index, asker = question.index, question.asker
    notes: list[str] = []

    def note(name: str, error: Exception) -> None:
        notes.append(f"{name}: {type(error).__name__}: {error}"[:200])

    with index.table.lock:
        heard = eligible(index.memories.values(), asker) if anew else question.heard
        ranking = weigh(
            index.table,
            index.strategies,
            question.scene,
            heard,
            question.settings.weigh,
            multiply=question.settings.recall.fusion == "multiply",
            effects=question.request.effects,
            heirs=inherited(index.memories, asker, heard),
            note=note,
        )
    scored = inherit(ranking, question.scene.user)
    if question.associated:
        told = (
            found
            for other in question.associated
            for found in other.heard(question.scene, asker, question.settings, note)
        )
        scored = Ranking.of([*scored, *told])
    patterns = question.scene.patterns.notes if question.scene.patterns else ()
    return scored, (*notes, *patterns)


def answer(question: RecallQuery, *, anew: bool = False) -> RecallResult:
    """Score the memories and select; `anew` as for `rank`. Cost: of the strategies, plus O(hits log hits)."""
    query, rules = question.scene.query, question.settings.recall
    before, off = len(question.prepared.before), question.request.visibility.off
    if closed := turn_gate(query, before, rules, off=off):
        return RecallResult(closed=closed)
    scored, notes = rank(question, anew=anew)
    return RecallResult(scored, fit(scored, question), notes=notes)
