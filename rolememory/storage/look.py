"""One look at the disk per turn: what was read is taken as it was found until the turn ends, and on the next one where no file changed."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rolememory.storage.files.disk import signature
from rolememory.storage.port import Revision, Stored

Watched = Mapping[str, Callable[[], Revision | None]]
"""What is asked whether it changed, by where it lies."""


@dataclass(eq=False, slots=True)
class DiskLook:
    """How one turn finds the disk."""

    files: object = field(default_factory=object)  # the same one while none of them changed


_LOOK: ContextVar[DiskLook | None] = ContextVar("look", default=None)


@contextmanager
def one_look(look: DiskLook) -> Iterator[None]:
    """Inside, on this thread, nothing is looked at twice."""
    token = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(token)


def this_look() -> DiskLook:
    """The look of this turn: who keeps it knows what they have looked at. Outside of a turn another one each time.

    >>> with one_look(DiskLook()):
    ...     this_look() is this_look()
    True
    >>> this_look() is this_look()
    False
    """
    return _LOOK.get() or DiskLook()


def watching_files(folder: Path | None, pattern: str) -> Watched:
    """The marks of a folder and of the files of such names in it."""
    files = (folder, *folder.glob(pattern)) if folder else ()
    return {str(one): partial(signature, one) for one in files}


def watching(*kept: Stored) -> Watched:
    """The marks of these."""
    return {one.place: one.mark for one in kept}
