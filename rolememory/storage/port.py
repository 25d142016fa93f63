"""The protocols of a storage; everything above `storage` uses only these.

A home is a `Storage`: a space of its own, and one space per role. A `Space` holds logs, documents, blobs and locks by name.
Names are short paths with "/" ("journal/1", "chats/harbour-461be2fb", "state/clock.json"). Handles are cheap, hold no data and
may be used by several threads.

A correct storage passes `tests/storage/conformance`. Durable: it survives a power cut once the call has returned.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from rolememory.errors import FileError, UnsafePathError
from rolememory.schema.value_class import value_class


class Revision(NamedTuple):
    """A cheap mark of a stored object's state: it differs when the content may differ."""

    changed_ns: int  # time of change, in ns since 1970; 0 if an equal mark guarantees equal content
    size: int  # bytes
    inode: int  # changes when the object is replaced


class LogPosition(NamedTuple):
    """A position in a log. A plain value: it may be stored and used by another process."""

    lines: int = 0
    end: int = 0  # in the storage's own unit
    check: int = 0  # the storage's own check that what was read is unchanged


START = LogPosition()
LOCK_TIMEOUT_S = 30.0


class Append(NamedTuple):
    """All lines of one append."""

    number: int  # number of its first line in the log, from 1
    lines: tuple[bytes, ...]


@value_class
class LogSlice:
    """The content of a log after a position."""

    appends: tuple[Append, ...]
    place: LogPosition  # where to go on
    anew: bool = False  # what was read before is outdated: this is the whole log
    bad: tuple[int, ...] = ()  # numbers of damaged lines, from 1; only these are lost


class Outcome(NamedTuple):
    """The result of a compare-and-set."""

    done: bool
    instead: bytes = b""  # not done: what was saved meanwhile, if ours had replaced it for a moment


class Stored(Protocol):
    """A named object of a space."""

    @property
    def name(self) -> str:
        """The name in its space."""
        ...

    @property
    def place(self) -> str:
        """Where it lies, as messages to people show it."""
        ...

    def mark(self) -> Revision | None:
        """A mark that differs when the content may differ; None if absent. Cheap: called every turn."""
        ...

    def delete(self) -> None:
        """Remove it durably, if it exists.

        Raises: NotWrittenError.
        """
        ...


class Log(Stored, Protocol):
    """Lines in the order they were appended. Thread-safe. A line is a JSON object in UTF-8, with at least one field and no line break."""

    def read(self, since: LogPosition = START) -> LogSlice:
        """The appends since. Reads only new bytes; never waits for a writer. An absent log is empty.

        An append is given whole or not at all. An interrupted append is ignored silently; a line damaged later is reported in `bad`
        and drops its whole append.
        Raises: OSError.
        """
        ...

    def append(self, *lines: bytes) -> None:
        """Append these lines as one, durably. The caller holds the log's lock and has read it to the end.

        Raises: NotWrittenError; then no reader sees any of it.
        """
        ...

    def rewrite(self, appends: Iterable[Sequence[bytes]]) -> None:
        """Replace the whole log with these appends, atomically. For forgetting and compaction.

        Raises: NotWrittenError.
        """
        ...


class Blob(Stored, Protocol):
    """Bytes under a name."""

    def read(self) -> bytes:
        """The bytes, exactly as saved.

        Raises: FileNotFoundError; OSError.
        """
        ...

    def put(self, data: bytes) -> None:
        """Replace the content, durably and atomically.

        Raises: NotWrittenError; the old content stays.
        """
        ...


class Document(Blob, Protocol):
    """A blob that others, such as an editor, may save at any moment."""

    def swap(self, data: bytes, expected: bytes | None) -> Outcome:
        """Compare and set: put `data` if the content is `expected` (None: absent).

        Not done: the content stays. No save is lost: the previous content may be kept as `{name}.prev`.
        Raises: NotWrittenError.
        """
        ...

    def settle(self) -> None:
        """Make durable what somebody else saved."""
        ...

    def strays(self) -> Iterator[bytes]:
        """Unread leftovers of interrupted swaps: each is removed once the next one is requested."""
        ...


class Space(Protocol):
    """The objects of one role, or of the home itself."""

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
        """The folder of the files; None if there is none."""
        ...

    def exists(self) -> bool:
        """Whether it was created or contains anything."""
        ...

    def log(self, name: str) -> Log:
        """The log of that name, which need not exist yet."""
        ...

    def document(self, name: str) -> Document:
        """The document of that name, which need not exist yet."""
        ...

    def blob(self, name: str) -> Blob:
        """The blob of that name, which need not exist yet."""
        ...

    def logs(self, prefix: str) -> list[str]:
        """The sorted names of logs with that prefix and no further "/"."""
        ...

    def names(self, prefix: str) -> list[str]:
        """The sorted names of documents and blobs with that prefix and no further "/"."""
        ...

    def size(self) -> int:
        """The total size in bytes."""
        ...

    def listed(self, prefix: str) -> Revision | None:
        """A mark that changes when a log, document or blob directly below the prefix is added or removed."""
        ...

    def changes(self, prefix: str) -> Revision | None:
        """A mark that changes with every `announce`; its size grows by one each time, so that callers can tell if they were alone."""
        ...

    def announce(self, prefix: str, sign: int) -> None:
        """Notify readers in other processes that a log with this sign (0 to 255) below the prefix was appended to or removed."""
        ...

    def announced(self, prefix: str, since: Revision, until: Revision) -> bytes | None:
        """The signs announced between two `changes`, and perhaps later ones; None if unknown: then it may be any."""
        ...

    def lock(
        self, name: str = "", timeout_s: float = LOCK_TIMEOUT_S
    ) -> AbstractContextManager[None]:
        """A lock against other writers, in any thread or process. Not reentrant. "" guards the whole space.

        Raises: BusyError on time-out; NotWrittenError.
        """
        ...


class Storage(Protocol):
    """A home: its own space, and one for each role."""

    @property
    def home(self) -> Space:
        """The space shared by all roles: settings, personas, shared lorebooks."""
        ...

    def roles(self) -> list[str]:
        """The ids of the roles that have a space."""
        ...

    def problems(self) -> list[FileError]:
        """Problems of spaces that look like a role's and are none."""
        ...

    def role(self, role_id: str) -> Space:
        """The space of a role, which need not exist. Until `create` makes it, it is empty, and writing raises DeletedRoleError.

        Raises: UnsafePathError: not a UUID, or a link to elsewhere.
        """
        ...

    def create(self, role_id: str, documents: Mapping[str, bytes]) -> Space:
        """Create a role's space with these documents, atomically.

        Raises: FileExistsError, NotWrittenError.
        """
        ...

    def delete(self, role_id: str) -> None:
        """Remove a role's space, durably and atomically, if it exists; `restore` brings it back, unless it is deleted again or purged.

        A writer in any process is let finish; those that come later fail.
        Raises: NotWrittenError.
        """
        ...

    def deleted(self) -> Sequence[Space]:
        """The spaces that `restore` can bring back, to be read only."""
        ...

    def purge(self, role_id: str) -> None:
        """Remove a deleted space for good, if there is one. Raises: NotWrittenError."""
        ...

    def restore(self, role_id: str) -> Space:
        """Bring a deleted role's space back as it was, atomically.

        Raises: FileExistsError: there is a role with this id; NotWrittenError.
        """
        ...


def bytes_in(kept: Blob) -> bytes | None:
    """The bytes, or None if absent or unreadable."""
    try:
        return kept.read()
    except OSError:
        return None


def rewrite(space: Space, name: str, data: bytes) -> None:
    """Replace a file that people edit; the old one is kept as `{name}.prev`, byte for byte.

    Raises: NotWrittenError.
    """
    before = bytes_in(space.blob(name))
    if before == data:
        return
    if before is not None:
        space.blob(f"{name}.prev").put(before)
    space.blob(name).put(data)


_PLAIN = r"[^/\\\x00-\x1f]"
_PART = rf"[. ]*+{_PLAIN}++"  # not only dots and blanks
_NAME = re.compile(rf"{_PART}(?:/{_PART})*+")


def checked(name: str) -> str:
    """The name, if valid: parts of plain characters separated by "/".

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
