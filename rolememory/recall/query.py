"""The recall query of a turn: everything its answer depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from rolememory.inject.render import Length
from rolememory.recall.active_set import superseded
from rolememory.recall.associates import Associated
from rolememory.recall.gates import Asker
from rolememory.recall.index import MemoryIndex
from rolememory.recall.visible import Visible
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Scene, Segment
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.text.intent import intent

MUCH = 1200
"""So many candidates or more are much: by them the thresholds are set."""


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
    room: int | None = None  # budget left by lore, when it is shared; None = all of it
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
    def limit(self) -> int:
        """The maximum length of the block."""
        return self.settings.budget.max_total_length if self.room is None else self.room

    @property
    def high(self) -> str:
        """The setting with hybrid mode's injection threshold: questions about the past may have another. Source: S2.5, S2.16."""
        past = self.settings.recall.past_threshold is not None
        asked = past and intent(self.scene.query) in ("past", "mixed")
        return "past_threshold" if asked else "high_relevance_threshold"

    @property
    def least_injected(self) -> float:
        """Hybrid mode: a relevance below is offered, not injected."""
        rules = self.settings.recall
        least: float = getattr(rules, self.high) if rules.mode == "hybrid" else 0.0
        return least

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
