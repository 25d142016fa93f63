"""The recall query of a turn: everything its answer depends on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any

from rolememory.inject.render import Length
from rolememory.recall.active_set import EVERYTHING, Visibility, superseded
from rolememory.recall.associates import NOBODY, Associated, Circle
from rolememory.recall.chat_states import ChatState
from rolememory.recall.gates import Asker
from rolememory.recall.index import MemoryIndex
from rolememory.recall.prepared_chat import PreparedChat
from rolememory.recall.visible import Visible
from rolememory.schema.generation import USUAL, Generation
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Memory
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.scene import Scene, Segment
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.text.intent import intent


@value_class
class Request:
    """The parameters of one turn."""

    messages: tuple[Message, ...]
    chat: str = ""
    user: str | None = None
    character: Character | None = None
    now: datetime | None = None
    dry_run: bool = False
    unseen: int | None = (
        None  # messages of the chat that the frontend cut off before those given; None = found out
    )
    wanted: int = 0  # memories the semantic strategy may wake; 0 = by settings
    visibility: Visibility = EVERYTHING  # which learned memories count, seen from this chat
    lore: bool = True  # activate lorebooks; off where the frontend does
    effects: Mapping[str, float] = field(
        default_factory=dict
    )  # what use has added to weights, by id
    circle: Circle = NOBODY  # associated roles
    shown: frozenset[tuple[str, str]] = frozenset()  # chat and version of what stands in the window
    kin: frozenset[str] = frozenset()  # the chats that share the messages of this one
    away_days: int = 0  # so long nobody spoke before this message; 0 = not worth telling
    scene: Mapping[str, str] = field(
        default_factory=dict
    )  # how things stand, if that is told: field, value
    recent: tuple[ChatMessage, ...] = ()  # the newest messages of the chat that are not in view
    stamp: tuple[tuple[str, str], ...] = ()  # what was printed about the scene last: field, value
    generation: Generation = USUAL
    before: int = 0  # messages of the chat that are known to stand before those given


@value_class
class RecallQuery:
    """Everything an answer depends on. Values and read-only indexes, no disk, no clock."""

    index: MemoryIndex
    scene: Scene
    settings: Settings
    measure: Length  # how what is recalled is said, and how long that is
    asker: Asker
    request: Request
    prepared: PreparedChat
    state: ChatState  # of the chat before this turn
    heard: Collection[str]  # the candidates that whoever asks may hear
    visible: Visible
    associated: tuple[Associated, ...] = ()  # other roles that are heard too
    room: int | None = None  # budget left by lore, when it is shared; None = all of it
    told: frozenset[str] = frozenset()  # ids of chapters that stand beside the block
    supposed: Memory | None = None  # a memory as if it had been written so

    @property
    def frame(self) -> Mapping[str, Any]:
        """Language and names for the text around memories."""
        return {"language": self.measure.style.language, **self.scene.names}

    @property
    def place(self) -> int:
        """The number of messages of the chat before this one."""
        return self.request.before + len(self.prepared.before)

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

    def asking(self, index: MemoryIndex) -> "RecallQuery":
        """The query on another index, with its visible memories and key matches."""
        scene = replace(self.scene, reading=index.read(self.scene.segments, self.scene.names))
        outdated = superseded(index.memories, self.asker.visibility)
        asker = replace(self.asker, superseded=outdated)
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
