"""Waits for files to change by polling, which works on every kind of disk."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

EVERY_S = 0.3
QUIET_LOOKS = 1  # looks at which nothing moved any more, before a change is told: an editor may save in several steps

Marks = tuple[tuple[int, int] | None, ...]


def changes(
    paths: Iterable[Path], wait: Callable[[float], None] = time.sleep, every_s: float = EVERY_S
) -> Iterator[None]:
    """Yields once for each burst of changes; files may vanish and come back. Never ends."""
    watched = tuple(paths)
    return _changes(
        watched, marks(watched), wait, every_s
    )  # marked now: an edit before the first look is not missed


def _changes(
    watched: tuple[Path, ...], known: Marks, wait: Callable[[float], None], every_s: float
) -> Iterator[None]:
    while True:
        wait(every_s)
        seen = marks(watched)
        if seen == known:
            continue
        known = _at_rest(watched, seen, wait, every_s)
        yield


def _at_rest(
    paths: tuple[Path, ...], seen: Marks, wait: Callable[[float], None], every_s: float
) -> Marks:
    quiet = 0
    while quiet < QUIET_LOOKS:
        wait(every_s)
        now = marks(paths)
        quiet = quiet + 1 if now == seen else 0
        seen = now
    return seen


def marks(paths: Iterable[Path]) -> Marks:
    """The modification time and size of each file; None while it is missing."""
    return tuple(_mark(path) for path in paths)


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
