"""Reading very much at once."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside = 0  # how many read in bulk now
_was_on = True


@contextmanager
def in_bulk() -> Iterator[None]:
    """Let the search for reference cycles rest: what is read stays, and would be searched again and again while it grows."""
    global _inside, _was_on  # noqa: PLW0603
    with _lock:
        if not _inside:
            _was_on = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside and _was_on:
                gc.enable()
