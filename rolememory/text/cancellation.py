"""Cancellation of work whose caller has gone, and yielding of large work to others.

Cancelled work stops at its next step; large work yields at each step.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import sleep, thread_time
from typing import TypeVar

from rolememory.errors import GivenUpError

GivenUp = Callable[[], bool]
_LEISURE = 5.0  # time left to others, as a multiple of a step's
_STEP_S = 0.002  # shorter work is not yet a step
_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_given_up: ContextVar[GivenUp | None] = ContextVar("given_up", default=None)
_others: ContextVar[Callable[[], bool] | None] = ContextVar("others", default=None)
_step: ContextVar["_Step | None"] = ContextVar("step", default=None)


class _Step:
    """Working time since the last yield."""

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
    """Large work inside yields at each step; hold no lock that others need."""
    others = _others.get()
    before = _step.set(_Step(others) if others else None)
    try:
        yield
    finally:
        _step.reset(before)


@contextmanager
def cancel_when(given_up: GivenUp) -> Iterator[None]:
    """Work inside is stopped by GivenUpError once `given_up()` is true."""
    before = _given_up.set(given_up)
    try:
        yield
    finally:
        _given_up.reset(before)


def set_cancel_check(given_up: GivenUp) -> None:
    """Make the work of this context and its threads stop once `given_up()` is true."""
    _given_up.set(given_up)


def check_cancelled() -> None:
    """Call at each step of long work (a message, an entry). Cheap.

    Raises:
        GivenUpError: the caller has gone.

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
    """The items, checking for cancellation before each; unchanged if nothing may be cancelled or yields.

    Raises:
        GivenUpError: the caller has gone.
    """
    unwatched = _given_up.get() is None and _step.get() is None
    return items if unwatched else _checked(items)


def _checked(items: Iterable[_T]) -> Iterator[_T]:
    for item in items:
        check_cancelled()
        yield item
