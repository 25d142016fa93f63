"""The input of strategies in a turn: texts, time, feeling, people. A value, so a turn can be replayed."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from rolememory.schema.value_class import value_class

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

Language = str  # a code: en, zh, ...


@value_class
class Segment:
    """One message or text to scan: cleaned; offsets refer to its own text."""

    text: str
    source: str = "message"  # message, description, personality, scenario, persona, depth_prompt, creator_notes, note, recursion
    index: int = -1  # index of the message in the given history, oldest 0; -1 = not a message
    role: str = ""  # user, assistant, ... of a message
    name: str = ""  # who speaks


@value_class
class Span:
    """The place of a key: segment number in the scene, and character offsets in that segment's `text`."""

    segment: int
    start: int
    end: int


class KeyReading(Protocol):
    """Finds keys in the segments of a scene (`text.keys.KeyScan`)."""

    def seen(self, key: object, window: int) -> Span | None:
        """The first place of the key inside the window (bit i = segment i), or None."""
        ...

    def keys_seen(self, window: int | None = None) -> Mapping[Any, int]:
        """Every key seen inside the window (None = all segments), with the mask of its segments."""
        ...


class PatternSearch(Protocol):
    """Searches regex keys within the time budget of a turn (`text.pattern.PatternBudget`)."""

    def search(self, pattern: Any, text: str) -> tuple[int, int] | None:
        """The first match as (start, end); None also on time-out."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the trace on patterns that did not finish."""
        ...


@value_class
class Feeling:
    """A feeling: weights per basic emotion, valence and arousal. Neutral is exactly zero."""

    emotions: tuple[
        tuple[str, float], ...
    ] = ()  # (label, 0..1), label of `text.affect.EMOTIONS`, strongest first
    valence: float = 0.0  # -1 unpleasant .. 1 pleasant
    arousal: float = 0.0  # 0 calm .. 1 stirred
    words: tuple[str, ...] = ()  # the emotion words

    @property
    def neutral(self) -> bool:
        """Whether there is no emotion."""
        return not self.emotions and self.valence == 0.0 and self.arousal == 0.0

    @property
    def intensity(self) -> float:
        """Its strength, 0..1: of the strongest emotion, or of valence."""
        return max([weight for _, weight in self.emotions], default=abs(self.valence))


@value_class
class TimeSpan:
    """A time named in a text: half-open [start, end), its place, and the certainty."""

    start: datetime
    end: datetime
    text: str
    offset: int
    certainty: float = 1.0  # 0..1


@value_class
class Scene:
    """One turn as the strategies see it."""

    segments: tuple[Segment, ...]  # newest first: messages, then description, notes, ...
    now: datetime
    turn: int = 0  # number of user turns of the timeline: the story's clock
    user: str | None = None  # the current user
    chat: str = ""  # the current chat
    names: Mapping[str, str] = field(
        default_factory=dict
    )  # values of {{char}} and {{user}} in keys
    language: Language = "en"  # of the newest user message
    query: str = (
        ""  # the newest user message, cleaned, for semantic, dates and emotional strategies
    )
    reading: KeyReading | None = None
    window: int = 0  # bit mask of the segments inside the scan depth
    vector: "Vector | None" = (
        None  # of the query, (dim,), float32, normalised; None = no model ready
    )
    talk: "Vector | None" = (
        None  # of the messages before the query, (dim,); None = no model or none
    )
    feeling: Feeling = field(default_factory=Feeling)  # of the query
    mood: Feeling = field(default_factory=Feeling)  # over the visible messages
    times: tuple[TimeSpan, ...] = ()  # named in the query
    seed: int = 0  # of randomness
    wanted: int = 0  # how many memories the semantic strategy may activate; 0 = its default
    patterns: PatternSearch | None = field(
        default=None, compare=False
    )  # the turn's budget of regex keys; None = the strategy's own
