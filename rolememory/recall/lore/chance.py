"""Chance as a stream of numbers that is handed in, so that a scan can be replayed."""

import random
from collections.abc import Callable, Iterable, Iterator


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
        self.thrown = 0

    def __call__(self) -> float:
        """The next number."""
        self.thrown += 1
        return self._next()
