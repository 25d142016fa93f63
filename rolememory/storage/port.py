"""What a storage has to be able to do; everything above `storage` knows only this.

A home is a `Storage`: a space of its own, and one space per role. A `Space` holds logs, documents, blobs and locks by name.
Names are short paths with "/" ("journal/1", "chats/harbour-461be2fb", "state/clock.json"). Handles are cheap, hold no data and
may be used by several threads.

A storage is right when `tests/storage/conformance` passes on it. Durable: it survives a power cut once the call has returned.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from rolememory.errors import FileError, UnsafePathError
from rolememory.schema.value_class import value_class


class Revision(NamedTuple):
    """What tells one state of a stored thing from another without reading it."""

    changed_ns: (
        int  # when it changed, in ns since 1970; 0 where an equal mark always means equal content
    )
    size: int  # bytes
    inode: int  # another one when another thing bears the name


class LogPosition(NamedTuple):
    """How far a log was read. A plain value: it may be kept, and used again by another process."""

    lines: int = 0
    end: int = 0  # the storage's own measure
    check: int = 0  # the storage's own proof that what was read still stands


START = LogPosition()
LOCK_TIMEOUT_S = 30.0


class LogSpan(NamedTuple):
    """What an append of our own takes up in a log."""

    before: LogPosition
    behind: LogPosition


class Append(NamedTuple):
    """One append as it is read again: all of its lines."""

    number: int  # of its first line in the log, from 1
    lines: tuple[bytes, ...]


@value_class
class LogSlice:
    """What stands in a log behind a place."""

    appends: tuple[Append, ...]
    place: LogPosition  # where to go on
    anew: bool = False  # what was read before no longer stands: this is the whole log
    bad: tuple[
        int, ...
    ] = ()  # numbers of damaged lines, from 1; what they said is lost, the rest is not


class Outcome(NamedTuple):
    """What came of a compare-and-set."""

    done: bool
    instead: bytes = (
        b""  # not done: what somebody saved meanwhile, if ours stood in its place for a moment
    )


class Stored(Protocol):
    """What lies under a name."""

    @property
    def name(self) -> str:
        """As the space knows it."""
        ...

    @property
    def place(self) -> str:
        """Where it lies, as messages to people show it."""
        ...

    def mark(self) -> Revision | None:
        """Another one whenever the content may be another; None when there is none. Cheap: asked at every turn."""
        ...

    def delete(self) -> None:
        """Remove it durably, if it is there.

        Raises: NotWrittenError.
        """
        ...


class Log(Stored, Protocol):
    """Lines in the order they were appended. Thread-safe. A line is a JSON object in UTF-8, with at least one field and no line break."""

    def read(self, since: LogPosition = START) -> LogSlice:
        """What was appended since. Reads only new bytes; never waits for a writer. A log that is not there is empty.

        An append is there with all its lines or not at all. The rest of an append that was interrupted is passed over in silence,
        a line that was damaged later is told by its number, together with the append that it was a part of.
        Raises: OSError.
        """
        ...

    def append(self, *lines: bytes) -> LogSpan | None:
        """Append these lines as one, durably. Hold the lock that guards the log, and have read it to its end.

        Gives where they stand, if that is right behind what this handle read, so that they need not be read again; else None.
        Raises: NotWrittenError; nothing of it is ever read.
        """
        ...

    def rewrite(self, appends: Iterable[Sequence[bytes]]) -> None:
        """Put these appends in the place of everything, whole or not at all. For forgetting and for making short.

        Raises: NotWrittenError.
        """
        ...


class Blob(Stored, Protocol):
    """Bytes under a name."""

    def read(self) -> bytes:
        """The bytes, exactly as they were put or saved by somebody.

        Raises: FileNotFoundError; OSError.
        """
        ...

    def put(self, data: bytes) -> None:
        """Durably put these bytes there, whole or not at all.

        Raises: NotWrittenError; what was there still stands.
        """
        ...


class Document(Blob, Protocol):
    """A blob that others may save at any moment, also a person with an editor."""

    def swap(self, data: bytes, expected: bytes | None) -> Outcome:
        """Compare and set: put `data` there if what stands there is `expected` (None: nothing).

        Not done: what stood there stands. Nothing that anybody saved is lost: what stood there before may be kept as `{name}.prev`.
        Raises: NotWrittenError.
        """
        ...

    def settle(self) -> None:
        """Make durable what somebody else saved there."""
        ...

    def strays(self) -> Iterator[bytes]:
        """What interrupted swaps left and nobody has read: each is gone once the next one is asked for."""
        ...


class Space(Protocol):
    """What belongs to one role, or to the home itself."""

    @property
    def name(self) -> str:
        """The id of the role; "" for the home."""
        ...

    @property
    def place(self) -> str:
        """Where it lies, as messages to people show it."""
        ...

    @property
    def folder(self) -> Path | None:
        """The folder whose files these are; None where there is none."""
        ...

    def exists(self) -> bool:
        """Whether there is anything, or was made room for it."""
        ...

    def log(self, name: str) -> Log:
        """The log of that name, which need not be there yet."""
        ...

    def document(self, name: str) -> Document:
        """The document of that name, which need not be there yet."""
        ...

    def blob(self, name: str) -> Blob:
        """The blob of that name, which need not be there yet."""
        ...

    def logs(self, prefix: str) -> list[str]:
        """The names of the logs that begin so, without a further "/" behind it, in order."""
        ...

    def names(self, prefix: str) -> list[str]:
        """The names of documents and blobs that begin so, without a further "/" behind it, in order."""
        ...

    def size(self) -> int:
        """How many bytes everything in it takes."""
        ...

    def listed(self, prefix: str) -> Revision | None:
        """Another one whenever a log, document or blob right below the prefix came or went."""
        ...

    def changes(self, prefix: str) -> Revision | None:
        """Another one after every `announce`; its size grows by one each time, so that who announced knows whether they were alone."""
        ...

    def announce(self, prefix: str, sign: int) -> None:
        """Tell readers in other processes that a log below the prefix was appended to or removed, one of this sign (0 to 255)."""
        ...

    def announced(self, prefix: str, since: Revision, until: Revision) -> bytes | None:
        """The signs announced between two `changes`, and perhaps later ones; None where that is not known: then it may be any."""
        ...

    def lock(
        self, name: str = "", timeout_s: float = LOCK_TIMEOUT_S
    ) -> AbstractContextManager[None]:
        """The lock against every other writer, in any thread or process. Not reentrant. "" guards the whole space.

        Raises: BusyError when it cannot be had in time; NotWrittenError.
        """
        ...


class Storage(Protocol):
    """A home: its own space, and one for each role."""

    @property
    def home(self) -> Space:
        """What belongs to all roles: settings, personas, shared lorebooks."""
        ...

    def roles(self) -> list[str]:
        """The ids of the roles that have a space."""
        ...

    def problems(self) -> list[FileError]:
        """What looks like a role's space and is none."""
        ...

    def role(self, role_id: str) -> Space:
        """The space of a role, which need not be there yet.

        Raises: UnsafePathError: not a UUID, or it leads elsewhere.
        """
        ...

    def create(self, role_id: str, documents: Mapping[str, bytes]) -> Space:
        """Make a role's space with these documents in it, all or nothing.

        Raises: FileExistsError, NotWrittenError.
        """
        ...


def bytes_in(kept: Blob) -> bytes | None:
    """The bytes, or None when there is nothing that can be read."""
    try:
        return kept.read()
    except OSError:
        return None


def rewrite(space: Space, name: str, data: bytes) -> None:
    """Replace a file that people write; the old one stays beside it as `{name}.prev`, byte for byte.

    Raises: NotWrittenError.
    """
    before = bytes_in(space.blob(name))
    if before == data:
        return
    if before is not None:
        space.blob(f"{name}.prev").put(before)
    space.blob(name).put(data)


_PLAIN = r"[^/\\\x00-\x1f]"
_PART = rf"[. ]*+{_PLAIN}++"  # more than dots and blanks
_NAME = re.compile(rf"{_PART}(?:/{_PART})*+")


def checked(name: str) -> str:
    """The name, if it can be one: parts of plain characters with "/" between them.

    >>> checked("chats/灯塔-461be2fb")
    'chats/灯塔-461be2fb'
    """
    if not _NAME.fullmatch(name):
        told = ascii(name)[:80]
        raise UnsafePathError(
            "{told} cannot be a name; use letters, digits, - and . with / between the parts",
            told=told,
        )
    return name
