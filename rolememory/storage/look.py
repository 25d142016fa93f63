"""One check for changed files per turn: what was read is reused within the turn, and in later turns while no file changes."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from rolememory.errors import FileError
from rolememory.schema.value_class import value_class
from rolememory.storage.files.disk import signature
from rolememory.storage.port import Revision, Stored

Watched = Mapping[str, Callable[[], Revision | None]]
"""Place -> function that gives its current mark."""
Marks = Mapping[str, Revision | None]
Content = TypeVar("Content")


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


@value_class
class Followed(Generic[Content]):
    """What was read at a look, with the marks that the files had before."""

    content: Content | None  # the last good one; None: there was none yet
    problem: FileError | None  # why it is not what the files hold now
    marks: Marks
    look: object


class FollowedFiles(Generic[Content]):
    """Files that are read again at the first look after one changed. Thread-safe.

    Content, marks and look are set as one: a thread that has read an older state is corrected at the next look.
    """

    def __init__(
        self,
        read: Callable[[], Content],
        watched: Callable[[Content | None], Watched],
        log: logging.Logger | None = None,
    ) -> None:
        """`watched` gets the last good content, which may name further files."""
        self._read, self._watched, self._log = read, watched, log
        self._last: Followed[Content] | None = None

    def current(self) -> Followed[Content]:
        """The last content and problem; the same objects while nothing changed."""
        last, look = self._last, this_look().files
        if last is None or last.look is not look:
            marks = _marks(self.watched)
            same = last is not None and last.marks == marks
            self._last = last = (
                replace(last, look=look) if last and same else self._reread(marks, look)
            )
        return last

    @property
    def watched(self) -> Watched:
        """The files, and whether there are others."""
        return self._watched(self._good)

    @property
    def _good(self) -> Content | None:
        return self._last.content if self._last else None

    def _reread(self, marks: Marks, look: object) -> Followed[Content]:
        try:
            content = self._read()
        except FileError as error:
            if self._log:
                self._log.warning("%s", error)
            return Followed(self._good, error, marks, look)
        watched = self._watched(content)
        if watched.keys() <= marks.keys():
            return Followed(content, None, {place: marks[place] for place in watched}, look)
        return self._reread(_marks(watched), look)  # marks count if older than what was read


def _marks(watched: Watched) -> Marks:
    return {place: mark() for place, mark in watched.items()}
