"""How memories were used: turns that had one in the prompt, and whether the reply used it."""

from datetime import datetime
from typing import Final

from rolememory.schema.value_class import value_class

LIGHTEST, HEAVIEST = 0.0, 2.0  # bounds of `Memory.weight`
BY_HAND: Final = (
    "by hand: "  # a version that begins so names no message: somebody said that the memory was used
)


@value_class
class Use:
    """One turn that had the memory in its prompt."""

    memory: str
    chat: str
    version: str  # of the user's message, a digest: what was said stays out
    referenced: bool  # whether the reply used it
    at: datetime


@value_class
class UsageTally:
    """Turns that had a memory in the prompt; fractions where old turns are known by their share alone."""

    referenced: float = 0.0  # ... and whose reply used it
    vain: float = 0.0  # ... and whose reply did not


def with_use(weight: float, effect: float) -> float:
    """A memory's weight as use has left it, 0..2.

    >>> with_use(1.0, 0.25), with_use(1.9, 0.5), with_use(0.1, -0.3)
    (1.25, 2.0, 0.0)
    """
    return min(max(weight + effect, LIGHTEST), HEAVIEST)
