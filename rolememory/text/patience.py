"""Whether anybody still waits for what is being worked out. Work that nobody waits for stops at its next step."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from rolememory.errors import GivenUpError

GivenUp = Callable[[], bool]
_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_given_up: ContextVar[GivenUp | None] = ContextVar("given_up", default=None)


@contextmanager
def while_wanted(given_up: GivenUp) -> Iterator[None]:
    """What is done inside stops with GivenUpError once `given_up` says so."""
    before = _given_up.set(given_up)
    try:
        yield
    finally:
        _given_up.reset(before)


def ask_whether(given_up: GivenUp) -> None:
    """From now on, in this context and on the threads it starts, work stops once `given_up` says so."""
    _given_up.set(given_up)


def still_wanted() -> None:
    """A step of long work: one message, one entry. Costs next to nothing.

    Raises:
        GivenUpError: nobody waits any more.

    >>> with while_wanted(lambda: True):
    ...     still_wanted()
    Traceback (most recent call last):
    rolememory.errors.GivenUpError: nobody waits for this any more
    """
    given_up = _given_up.get()
    if given_up is not None and given_up():
        _log.debug("nobody waits any more; the work stops")
        raise GivenUpError("nobody waits for this any more")


def patiently(items: Iterable[_T]) -> Iterator[_T]:
    """The items, one by one, while somebody waits.

    Raises:
        GivenUpError: nobody does any more.
    """
    for item in items:
        still_wanted()
        yield item
