"""Usage of memories: turns with a memory in the prompt, and whether the reply used it."""

from datetime import datetime
from typing import Final

from rolememory.schema.value_class import value_class

LIGHTEST, HEAVIEST = 0.0, 2.0  # bounds of `Memory.weight`
BY_HAND: Final = "by hand: "  # prefix of versions without a message: usage recorded explicitly


@value_class
class Use:
    """One turn with the memory in its prompt."""

    memory: str
    chat: str
    version: str  # of the user's message, a digest without its text
    referenced: bool  # whether the reply used it
    at: datetime


@value_class
class UsageTally:
    """Number of turns with a memory in the prompt; fractional if old turns are partly visible."""

    referenced: float = 0.0  # ... and whose reply used it
    vain: float = 0.0  # ... and whose reply did not


def with_use(weight: float, effect: float) -> float:
    """A memory's weight including the effect of use, 0..2.

    >>> with_use(1.0, 0.25), with_use(1.9, 0.5), with_use(0.1, -0.3)
    (1.25, 2.0, 0.0)
    """
    return min(max(weight + effect, LIGHTEST), HEAVIEST)
