"""Pauses the garbage collector during bulk work: it is the largest single cost of loading many objects."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
