"""One look at the disk per turn: what was looked at is taken as it was found until the turn ends."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_SEEN: ContextVar[set[Hashable] | None] = ContextVar("seen", default=None)


@contextmanager
def one_look() -> Iterator[None]:
    """Inside, on this thread, nothing is looked at twice."""
    token = _SEEN.set(set())
    try:
        yield
    finally:
        _SEEN.reset(token)


def looked_at(what: Hashable) -> bool:
    """Whether that was looked at in this turn; outside of one it never was.

    >>> with one_look():
    ...     looked_at("a"), looked_at("a")
    (False, True)
    """
    seen = _SEEN.get()
    if seen is None:
        return False
    known = what in seen
    seen.add(what)
    return known
