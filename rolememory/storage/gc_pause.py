"""Pauses garbage collection, the largest cost of loading many objects, and returns freed memory to the system."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_lock = threading.Lock()
_inside = 0
_was_on = False


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause collections inside; may be nested and concurrent."""
    global _inside, _was_on  # noqa: PLW0603 - the collector itself is global
    with _lock:
        if _inside == 0:
            _was_on = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _was_on:
                gc.enable()


def give_back() -> None:
    """Return freed memory to the system, which glibc otherwise keeps. Cost: some ms for 50 MB."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):  # other allocators
        ctypes.CDLL(None).malloc_trim(0)
