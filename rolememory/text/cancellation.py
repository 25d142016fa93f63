"""Whether anybody still waits for what is being worked out, and whether others wait behind it.

Work that nobody waits for stops at its next step; a large piece of work leaves others time at each.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import sleep, thread_time
from typing import TypeVar

from rolememory.errors import GivenUpError

GivenUp = Callable[[], bool]
_LEISURE = 5.0  # so many times as long as a step took, others have the next while
_STEP_S = 0.002  # what is shorter is no step yet
_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_given_up: ContextVar[GivenUp | None] = ContextVar("given_up", default=None)
_others: ContextVar[Callable[[], bool] | None] = ContextVar("others", default=None)
_step: ContextVar["_Step | None"] = ContextVar("step", default=None)


class _Step:
    """How long it worked since it gave way."""

    def __init__(self, others: Callable[[], bool]) -> None:
        self._others, self._began = others, thread_time()

    def end(self) -> None:
        took = thread_time() - self._began
        if took >= _STEP_S:
            if self._others():
                sleep(took * _LEISURE)
            self._began = thread_time()


def large_work(others: Callable[[], bool]) -> None:
    """Mark the work of this context and its threads as large: it yields time to `others`."""
    _others.set(others)


@contextmanager
def giving_way() -> Iterator[None]:
    """What is done inside, without a lock that others need, gives way at each step where it is large work."""
    others = _others.get()
    before = _step.set(_Step(others) if others else None)
    try:
        yield
    finally:
        _step.reset(before)


@contextmanager
def cancel_when(given_up: GivenUp) -> Iterator[None]:
    """What is done inside stops with GivenUpError once `given_up` says so."""
    before = _given_up.set(given_up)
    try:
        yield
    finally:
        _given_up.reset(before)


def set_cancel_check(given_up: GivenUp) -> None:
    """Make the work of this context and its threads stop once `given_up` says so."""
    _given_up.set(given_up)


def check_cancelled() -> None:
    """A step of long work: one message, one entry. Costs next to nothing.

    Raises:
        GivenUpError: nobody waits any more.

    >>> with cancel_when(lambda: True):
    ...     check_cancelled()
    Traceback (most recent call last):
    rolememory.errors.GivenUpError: nobody waits for this any more
    """
    given_up = _given_up.get()
    if given_up is not None and given_up():
        _log.debug("nobody waits any more; the work stops")
        raise GivenUpError("nobody waits for this any more")
    if (step := _step.get()) is not None:
        step.end()


def cancellable(items: Iterable[_T]) -> Iterable[_T]:
    """The items, one by one, while somebody waits; they themselves where nobody can say that nobody does.

    Raises:
        GivenUpError: nobody does any more.
    """
    unwatched = _given_up.get() is None and _step.get() is None
    return items if unwatched else _checked(items)


def _checked(items: Iterable[_T]) -> Iterator[_T]:
    for item in items:
        check_cancelled()
        yield item
