"""Chance as a stream of numbers that is handed in, so that a scan can be replayed."""

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from rolememory.errors import InvalidValueError


class Dice:
    """Numbers in [0, 1), one for each time chance decides; counts them.

    >>> dice = Dice([0.25, 0.5])
    >>> dice(), dice(), dice.thrown
    (0.25, 0.5, 2)
    """

    def __init__(self, numbers: "Iterable[float] | int" = 0) -> None:
        """Give the numbers themselves, or a seed."""
        if isinstance(numbers, int):
            self._next: Callable[[], float] = random.Random(numbers).random
        else:
            stream: Iterator[float] = iter(numbers)
            self._next = lambda: next(stream)
        self._numbers: list[float] = []

    @property
    def thrown(self) -> int:
        """How many numbers were taken."""
        return len(self._numbers)

    def __call__(self) -> float:
        """The next number.

        Raises:
            InvalidValueError: the numbers that were given are used up.
        """
        try:
            self._numbers.append(self._next())
        except StopIteration:
            raise InvalidValueError(
                "chance ran out after {thrown} numbers; give more of them, or a seed",
                thrown=self.thrown,
            ) from None
        return self._numbers[-1]

    def again(self) -> "Dice":
        """The same numbers once more, then others by a seed."""
        return Dice(chain(self._numbers, iter(random.Random(0).random, None)))
