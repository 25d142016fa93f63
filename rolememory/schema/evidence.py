"""Explanations: why a line is in the prompt or not, as codes and numbers, worded where they are shown."""

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
        """A reason with the values of its sentence."""
        return cls(code, tuple(values.items()))

    def get(self, name: str, default: Value = "") -> Value:
        """The value of that name."""
        return dict(self.values).get(name, default)


@value_class
class Hit:
    """One strategy's evidence for one entry."""

    entry_id: str
    trigger: str
    strength: float  # 0..1 for an activating strategy; -1..1 for a weighing one, 0 = neutral
    because: Reason


@value_class
class Contribution:
    """One part of a score: the score is the relevance plus all contributions, clipped to 0..1."""

    name: str  # recency, emotional, weight, salience, priority
    amount: float
    because: Reason


class Later(Sequence[Part]):
    """A lazy tuple, since explanations are rarely read."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], tuple[Part, ...]]) -> None:
        self._make: Callable[[], tuple[Part, ...]] | None = make
        self._made: tuple[Part, ...] = ()

    def _all(self) -> tuple[Part, ...]:
        if self._make is not None:
            self._made = self._make()
            self._make = None
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
    """The earlier passage that a passage follows up, by the same person on the same topic."""

    entry_id: str
    gained: bool = False  # recalled only together with the earlier one


@value_class
class Scored:
    """An activated memory: relevance fused from its hits, score after the weighing parts."""

    memory: Memory
    relevance: float  # 0..1, what thresholds compare
    score: float  # 0..1, what the order compares
    hits: Sequence[Hit]  # of the activating strategies, strongest first
    contributions: Sequence[Contribution] = ()
    earlier: Earlier | None = None

    def made(self) -> "Scored":
        """A copy with all reasons computed, so that lazy ones do not keep the turn's objects alive."""
        return replace(self, hits=tuple(self.hits), contributions=tuple(self.contributions))


@value_class
class Recalled:
    """A memory in the prompt."""

    scored: Scored
    line: str  # as rendered
    cost: int  # of the line, in the budget's unit

    @property
    def memory(self) -> Memory:
        """Its memory."""
        return self.scored.memory

    @property
    def score(self) -> float:
        """Its fused score, 0..1."""
        return self.scored.score


@value_class
class Change:
    """The smallest change that would include an entry."""

    target: str  # "memory", "settings", "message" or "chat"
    field: str  # "keys", "weight", "archived", "recall.relevance_threshold", "budget.max_total_length", ...
    value: Value | tuple[str, ...] | bool | None
    entry_id: str = ""  # target "memory": which one, if not the refused one


@value_class
class Refusal:
    """Why a memory or entry is not in the prompt: the first filter that refused it, and the change that suffices, if one does."""

    entry_id: str
    gate: str
    because: Reason
    remedy: Change | None = None
    scored: Scored | None = None  # if it was scored


@value_class
class Trace:
    """Diagnostics of a turn: notes of strategies that could not work, times, sizes."""

    notes: tuple[str, ...] = ()
    embedder: str = "absent"  # absent, loading, ready, failed: the state this turn used
    turn_gate: str | None = (
        None  # why recall was skipped: "disabled", "first_round", "short_query", ...
    )
