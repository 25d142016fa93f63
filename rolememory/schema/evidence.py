"""Why a line is there, or is not: codes and numbers, worded in the reader's language where they are shown."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar, overload

from rolememory.schema.memory import Memory
from rolememory.schema.scene import Span
from rolememory.schema.value_class import value_class

Value = float | int | str
Part = TypeVar("Part")


@value_class
class Reason:
    """A code ("key", "age", "meaning", ...) and its named values."""

    code: str
    values: tuple[tuple[str, Value], ...] = ()
    span: Span | None = None  # the matched text, when there is one

    @classmethod
    def of(cls, code: str, **values: Value) -> "Reason":
        """A reason with the values that its words name."""
        return cls(code, tuple(values.items()))

    def get(self, name: str, default: Value = "") -> Value:
        """The value of that name."""
        return dict(self.values).get(name, default)


@value_class
class Hit:
    """One strategy's evidence for one entry."""

    entry_id: str
    trigger: str
    strength: float  # 0..1 for a waking strategy; -1..1 for a weighing one, 0 = neutral
    because: Reason


@value_class
class Contribution:
    """What one part added to a score: the score is the relevance plus all contributions, clipped to 0..1."""

    name: str  # recency, emotional, weight, salience, priority
    amount: float
    because: Reason


class Later(Sequence[Part]):
    """A tuple that is made when somebody looks into it: why a line is there is asked for seldom."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], tuple[Part, ...]]) -> None:
        self._make: Callable[[], tuple[Part, ...]] | None = make
        self._made: tuple[Part, ...] = ()

    def _all(self) -> tuple[Part, ...]:
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made

    @overload
    def __getitem__(self, place: int) -> Part: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Part, ...]: ...
    def __getitem__(self, place: int | slice) -> Part | tuple[Part, ...]:
        return self._all()[place]

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


class Earlier(NamedTuple):
    """What a passage was told later than, by the same person about the same."""

    entry_id: str
    gained: bool = False  # it came along with that, and not by itself


@value_class
class Scored:
    """A memory that something woke: relevance fused from its hits, score after the weighing parts."""

    memory: Memory
    relevance: float  # 0..1, what thresholds compare
    score: float  # 0..1, what the order compares
    hits: Sequence[Hit]  # of the waking strategies, strongest first
    contributions: Sequence[Contribution] = ()
    earlier: Earlier | None = None

    def made(self) -> "Scored":
        """The same with every reason made, so that nothing of the turn is held by those that would be made later."""
        return replace(self, hits=tuple(self.hits), contributions=tuple(self.contributions))


@value_class
class Recalled:
    """A memory that stands in the prompt."""

    scored: Scored
    line: str  # as rendered
    cost: int  # of the line, in the budget's unit

    @property
    def memory(self) -> Memory:
        """The memory itself."""
        return self.scored.memory

    @property
    def score(self) -> float:
        """Its fused number, 0..1."""
        return self.scored.score


@value_class
class Change:
    """The smallest change that would have let an entry in."""

    target: str  # "memory", "settings", "message" or "chat"
    field: str  # "keys", "weight", "archived", "recall.relevance_threshold", "budget.max_total_length", ...
    value: Value | tuple[str, ...] | bool | None
    entry_id: str = ""  # target "memory": which one, when it is not the refused one itself


@value_class
class Refusal:
    """Why a memory or entry is not in the prompt: the first closed gate, and the way through it where one change decides."""

    entry_id: str
    gate: str
    because: Reason
    remedy: Change | None = None
    scored: Scored | None = None  # when it got as far as a score


@value_class
class Trace:
    """What a turn did, apart from its result: notes of strategies that could not work, times, sizes."""

    notes: tuple[str, ...] = ()
    embedder: str = "absent"  # absent, loading, ready, failed: the state this turn used
    turn_gate: str | None = (
        None  # why nothing was asked at all: "disabled", "first_round", "short_query", ...
    )
