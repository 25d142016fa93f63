"""The recall query of a turn and its result: pure, so that it can be replayed, previewed and varied."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace

from rolememory.inject.render import Length
from rolememory.recall.active_set import superseded
from rolememory.recall.allowance import (
    CHARACTERS_A_TOKEN,
    MUCH,
    TALK,
    Allowance,
    asks,
)
from rolememory.recall.associates import Associated
from rolememory.recall.fit import Fitted, Fitting, Visible, fit
from rolememory.recall.gates import Asker, eligible, inherited, turn_gate
from rolememory.recall.index import MemoryIndex
from rolememory.recall.restated import inherit
from rolememory.recall.weigh import order, weigh
from rolememory.schema.evidence import Change, Reason, Scored
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Scene, Segment
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.text.intent import intent
from rolememory.triggers.subjects import names_of_present, without_addressee


@value_class
class RecallQuery:
    """Everything an answer depends on. Values and read-only indexes, no disk, no clock."""

    index: MemoryIndex
    scene: Scene
    settings: Settings
    measure: Length
    asker: Asker
    visible: Visible = field(default_factory=Visible)
    kept: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()  # those that this message was told at its turn before
    left: Mapping[str, int] = field(
        default_factory=dict
    )  # what left the prompt, by id: how many turns ago
    room: int | None = None
    effects: Mapping[str, float] = field(
        default_factory=dict
    )  # what use has added to weights, by id
    associated: tuple[Associated, ...] = ()  # other roles that are heard too
    supposed: Memory | None = None  # a memory as if it had been written so
    told: frozenset[str] = frozenset()  # ids of chapters that stand beside the block
    heard: int = MUCH  # candidates that whoever asks may hear
    before: int = 0  # messages of the chat before this one
    off: bool = False  # somebody said that nothing is recalled in this chat

    @property
    def size(self) -> int:
        """Number of candidates."""
        return len(self.index.memories) + sum(
            len(other.index.memories) for other in self.associated
        )

    @property
    def fitting(self) -> Fitting:
        """The rules of the selection."""
        rules = self.settings
        return Fitting(
            rules.recall,
            rules.budget,
            self.scene.now,
            self.visible,
            self.kept,
            self.room,
            self._allowance,
            known=self.index.memories,
            told=self.told,
            high=getattr(rules.recall, self.high) if rules.recall.mode == "hybrid" else 0.0,
        )

    @property
    def high(self) -> str:
        """The setting with hybrid mode's injection threshold: questions about the past may have another. Source: S2.5, S2.16."""
        past = self.settings.recall.past_threshold is not None
        asked = past and intent(self.scene.query) in ("past", "mixed")
        return "past_threshold" if asked else "high_relevance_threshold"

    @property
    def _allowance(self) -> Allowance:
        messages = [one for one in self.scene.segments if one.role]
        said = (one.text for one in messages if one.role == "assistant")
        rules = self.settings.recall.passages
        budget, asker = self.settings.budget, self.scene.user or ""
        room = budget.max_total_length * (1 if budget.unit == "characters" else CHARACTERS_A_TOKEN)
        query = without_addressee(self.scene)
        return Allowance(
            rules,
            asks(self.scene.query),
            query,
            tuple(said),
            asker,
            room,
            self.left,
            self.again,
            self.kinds,
            self.heard,
            names_of_present(self.scene),
            tuple(one.text for one in messages[: TALK + 1] if one.text != self.scene.query),
            any(one.end <= self.scene.now for one in self.scene.times),
        )

    @property
    def kinds(self) -> int:
        """The number of kinds of evidence: words, and meaning if the message has a vector."""
        return 1 if self.scene.vector is None else 2

    def about(self, memory: Memory) -> "RecallQuery":
        """The query with this version of a memory."""
        return replace(self, supposed=memory)

    def asking(self, index: MemoryIndex) -> "RecallQuery":
        """The query on another index, with its visible memories and key matches."""
        scene = replace(self.scene, reading=index.read(self.scene.segments, self.scene.names))
        visibility = self.asker.visibility
        asker = self.asker.seeing(visibility, superseded(index.memories, visibility))
        return replace(self, index=index, scene=scene, asker=asker)

    def hearing(self, texts: Sequence[str]) -> "RecallQuery":
        """The query with further texts in the key window: lore may activate memories."""
        before = self.scene.segments
        segments = (*before, *(Segment(text, "lore") for text in texts if text))
        window = self.scene.window | ((1 << len(segments)) - (1 << len(before)))
        return replace(
            self,
            scene=replace(
                self.scene,
                segments=segments,
                reading=self.index.read(segments, self.scene.names),
                window=window,
            ),
        )

    def under(self, settings: Settings) -> "RecallQuery":
        """The query under other settings."""
        asker = replace(self.asker, rules=settings.recall)
        return replace(self, settings=settings, index=self.index.under(settings), asker=asker)


@value_class
class RecallResult:
    """The result of recall: all activated memories, and those selected for the prompt."""

    scored: Sequence[Scored] = ()  # best first
    fitted: Fitted = field(default_factory=Fitted)
    closed: tuple[Reason, Change] | None = None  # the turn gate, when nothing was asked
    notes: tuple[str, ...] = ()


def ask(
    question: RecallQuery, heard: Collection[str] | None = None
) -> tuple[Sequence[Scored], tuple[str, ...]]:
    """All activated memories, best first, and notes of strategies that could not work.

    `heard`: the eligible ids, if known.
    """
    if question.supposed:
        with question.index.supposing(question.supposed) as index:
            return ask(replace(question.asking(index), supposed=None))
    index, asker = question.index, question.asker
    notes: list[str] = []

    def note(name: str, error: Exception) -> None:
        notes.append(f"{name}: {type(error).__name__}: {error}"[:200])

    with index.table.lock:
        if heard is None:
            heard = eligible(index.memories.values(), asker)
        ranking = weigh(
            index.table,
            index.strategies,
            question.scene,
            heard,
            question.settings.weigh,
            multiply=question.settings.recall.fusion == "multiply",
            effects=question.effects,
            heirs=inherited(index.memories, asker, heard),
            note=note,
        )
    scored: Sequence[Scored] = inherit(ranking, question.scene.user)
    if question.associated:
        told = (
            found
            for other in question.associated
            for found in other.heard(question.scene, asker, question.settings, note)
        )
        scored = sorted([*scored, *told], key=order)
    patterns = question.scene.patterns.notes if question.scene.patterns else ()
    return scored, (*notes, *patterns)


def answer(question: RecallQuery, heard: Collection[str] | None = None) -> RecallResult:
    """Score the memories and select; `heard` as for `ask`. Cost: of the strategies, plus O(hits log hits)."""
    query, rules = question.scene.query, question.settings.recall
    if closed := turn_gate(query, question.before, rules, off=question.off):
        return RecallResult(closed=closed)
    scored, notes = ask(question, heard)
    return RecallResult(scored, fit(scored, question.measure, question.fitting), notes=notes)
