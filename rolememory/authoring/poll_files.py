"""Waits for files to change by polling, which works on every kind of disk."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

EVERY_S = 0.3

Marks = tuple[tuple[int, int] | None, ...]


def changes(
    paths: Iterable[Path], wait: Callable[[float], None] = time.sleep, every_s: float = EVERY_S
) -> Iterator[None]:
    """Yields once for each burst of changes; files may vanish and come back. Never ends."""
    watched = tuple(paths)
    known = marks(watched)  # read now: an edit before the first poll is not missed

    def bursts() -> Iterator[None]:
        nonlocal known
        while True:
            wait(every_s)
            before = known
            seen = marks(watched)
            while seen != known:  # until nothing changes: an editor may save in several steps
                wait(every_s)
                known = seen
                seen = marks(watched)
            if known != before:
                yield

    return bursts()


def marks(paths: Iterable[Path]) -> Marks:
    """The modification time and size of each file; None while it is missing."""
    return tuple(_mark(path) for path in paths)


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
