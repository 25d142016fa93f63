"""Random numbers as an input, so that a scan can be replayed."""

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from rolememory.errors import InvalidValueError


class Dice:
    """A stream of random numbers in [0, 1), with a count.

    >>> dice = Dice([0.25, 0.5])
    >>> dice(), dice(), dice.thrown
    (0.25, 0.5, 2)
    """

    def __init__(self, numbers: "Iterable[float] | int" = 0) -> None:
        """`numbers`: the numbers, or a seed."""
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
            InvalidValueError: the given numbers are used up.
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
        """The same numbers from the start, then others by a seed."""
        return Dice(chain(self._numbers, iter(random.Random(0).random, None)))
