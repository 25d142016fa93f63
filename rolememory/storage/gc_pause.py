"""Memory during bulk work: the garbage collector is the largest single cost of loading many objects, what was freed stays with the process."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_lock = threading.Lock()
_inside = 0
_was_on = False


@contextmanager
def gc_paused() -> Iterator[None]:
    """No collections inside; nested and concurrent uses count."""
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
    """Give what bulk work freed back to the system: GNU's allocator keeps it otherwise. Cost: some ms for 50 MB."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):  # other systems have another allocator
        ctypes.CDLL(None).malloc_trim(0)
