"""What a strategy sees of a turn: texts, time, feeling, people. A value, so a turn can be replayed."""

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
    """One message or text as it is read: cleaned of what is not story, offsets of its own text."""

    text: str
    source: str = "message"  # message, description, personality, scenario, persona, depth_prompt, creator_notes, note, recursion
    index: int = -1  # place of the message in the given history, oldest 0; -1 = not a message
    role: str = ""  # user, assistant, ... of a message
    name: str = ""  # who speaks


@value_class
class Span:
    """Where a key stands: segment number in the scene, and character offsets into that segment's `text`."""

    segment: int
    start: int
    end: int


class KeyReading(Protocol):
    """Which keys stand in which segments of a scene (`text.keys.KeyScan`)."""

    def seen(self, key: object, window: int) -> Span | None:
        """The first place of the key inside the window (bit i = segment i), or None."""
        ...

    def keys_seen(self, window: int | None = None) -> Mapping[Any, int]:
        """Every key seen inside the window (None = all segments), with the mask of the segments it stands in."""
        ...


class PatternSearch(Protocol):
    """Searches regex keys within the time a turn allows for them (`text.pattern.Budget`)."""

    def search(self, pattern: Any, text: str) -> tuple[int, int] | None:
        """Where the pattern first matches, as (start, end); None as well when it did not finish in time."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the trace says about patterns that did not finish."""
        ...


@value_class
class Feeling:
    """A feeling: weights per basic emotion, and the plane of valence and arousal. Neutral = nothing felt, exactly zero."""

    emotions: tuple[
        tuple[str, float], ...
    ] = ()  # (label, 0..1), label of `text.affect.EMOTIONS`, strongest first
    valence: float = 0.0  # -1 unpleasant .. 1 pleasant
    arousal: float = 0.0  # 0 calm .. 1 stirred
    words: tuple[str, ...] = ()  # what it was read from

    @property
    def neutral(self) -> bool:
        """Whether nothing is felt."""
        return not self.emotions and self.valence == 0.0 and self.arousal == 0.0

    @property
    def intensity(self) -> float:
        """How strong it is, 0..1: the strongest emotion, or the length of valence."""
        return max([weight for _, weight in self.emotions], default=abs(self.valence))


@value_class
class TimeSpan:
    """A time named in a text: half-open [start, end), where it stands, and how sure the reading is."""

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
    turn: int = 0  # number of user turns the timeline has had: the story's clock
    user: str | None = None  # whose turn it is
    chat: str = ""  # the one that is being told on
    names: Mapping[str, str] = field(default_factory=dict)  # what char and user say in keys
    language: Language = "en"  # what the newest user message is written in
    query: str = (
        ""  # the newest user message, cleaned: what semantic, dates and emotional strategies read
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
    seed: int = 0  # of chance
    wanted: int = 0  # how many memories the semantic strategy may wake; 0 = what it was built with
    patterns: PatternSearch | None = field(
        default=None, compare=False
    )  # the turn's budget of regex keys; None = the strategy's own
