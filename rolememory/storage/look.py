"""One check for changed files per turn: what was read is reused within the turn, and in later turns while no file changes."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rolememory.storage.files.disk import signature
from rolememory.storage.port import Revision, Stored

Watched = Mapping[str, Callable[[], Revision | None]]
"""Place -> function that gives its current mark."""


@dataclass(eq=False, slots=True)
class DiskLook:
    """The state of the disk as seen by one turn."""

    files: object = field(default_factory=object)  # the same object while no file changed


_LOOK: ContextVar[DiskLook | None] = ContextVar("look", default=None)


@contextmanager
def one_look(look: DiskLook) -> Iterator[None]:
    """Inside, on this thread, each file is checked at most once."""
    token = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(token)


def this_look() -> DiskLook:
    """The look of the current turn: while it is the same object, skip checking again. Outside a turn a new one each time.

    >>> with one_look(DiskLook()):
    ...     this_look() is this_look()
    True
    >>> this_look() is this_look()
    False
    """
    return _LOOK.get() or DiskLook()


def watching_files(folder: Path | None, pattern: str) -> Watched:
    """The marks of a folder and of its files matching `pattern`."""
    files = (folder, *folder.glob(pattern)) if folder else ()
    return {str(one): partial(signature, one) for one in files}


def watching(*kept: Stored) -> Watched:
    """The marks of these documents or logs."""
    return {one.place: one.mark for one in kept}
