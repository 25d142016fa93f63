"""A storage in memory, for tests and for callers that persist nothing. Thread-safe."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import count
from typing import NamedTuple

from rolememory.errors import BusyError, DeletedRoleError, FileError, UnsafePathError
from rolememory.schema.role_ids import canonical
from rolememory.storage.files.log import ENDING, framed, parsed
from rolememory.storage.port import (
    LOCK_TIMEOUT_S,
    START,
    LogPosition,
    LogSlice,
    Outcome,
    Revision,
    checked,
)


class _Held(NamedTuple):
    """The content under a name, as a file would hold it."""

    data: bytes
    number: int  # changes with each rewrite of a log, each change of a document


class InMemorySpace:
    """One space. Guarded by one lock, which is never held while a caller's code runs."""

    folder = None

    def __init__(self, name: str = "", place: str = "memory:", made: bool | None = None) -> None:
        self.name, self.place = name, place
        self.guard = threading.RLock()
        self.held: dict[str, _Held] = {}
        self.fresh = count(1)
        self.listings = Counter[str]()
        self._announced = defaultdict[str, bytearray](bytearray)
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self.made = made  # False: nothing can be written; None: made by the first write

    def exists(self) -> bool:
        """Whether it was created, or anything was put into it."""
        return bool(self.made or self.held)

    def check_made(self) -> None:
        """Raises: DeletedRoleError, for the space of a role that there is not."""
        if self.made is False:
            raise DeletedRoleError(self.place)

    def take(self, other: "InMemorySpace") -> None:
        """Take over everything in another space, which is then missing."""
        with self.guard, other.guard:
            self.held, self.made, other.held, other.made = other.held, True, {}, False
            for name in self.held:
                self.listings[_folder(name)] += 1
                other.listings[_folder(name)] += 1

    def log(self, name: str) -> "InMemoryLog":
        """A handle."""
        return InMemoryLog(self, name, ENDING)

    def document(self, name: str) -> "InMemoryDocument":
        """A handle."""
        return InMemoryDocument(self, name)

    blob = document

    def logs(self, prefix: str) -> list[str]:
        """By name."""
        return [name.removesuffix(ENDING) for name in self._below(prefix) if name.endswith(ENDING)]

    def names(self, prefix: str) -> list[str]:
        """By name."""
        return [name for name in self._below(prefix) if not name.endswith(ENDING)]

    def size(self) -> int:
        """The bytes of everything."""
        with self.guard:
            return sum(len(one.data) for one in self.held.values())

    def listed(self, prefix: str) -> Revision | None:
        """Counted."""
        told = self.listings[_folder(prefix)]
        return Revision(0, 0, told) if told else None

    def changes(self, prefix: str) -> Revision | None:
        """Counted."""
        told = len(self._announced[_folder(prefix)])
        return Revision(0, told, 0) if told else None

    def announce(self, prefix: str, sign: int) -> None:
        """One more."""
        self._announced[_folder(prefix)].append(sign)

    def announced(self, prefix: str, since: Revision, until: Revision) -> bytes:
        """Those in between."""
        return bytes(self._announced[_folder(prefix)][since.size : until.size])

    @contextmanager
    def lock(self, name: str = "", timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
        """A lock between threads."""
        with self.guard:
            lock = self._locks[name]
        if not lock.acquire(timeout=timeout_s):
            raise BusyError(
                "{place}: another thread has held the lock for {timeout_s:g} s; try again",
                place=self.place,
                timeout_s=timeout_s,
            )
        try:
            self.check_made()
            yield
        finally:
            lock.release()

    def _below(self, prefix: str) -> list[str]:
        with self.guard:
            found = (name for name in self.held if name.startswith(prefix))
            return sorted(name for name in found if "/" not in name[len(prefix) :])


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


class _Named:
    """Base of documents and logs."""

    def __init__(self, space: InMemorySpace, name: str, ending: str = "") -> None:
        self.name, self.place = checked(name), f"{space.place}/{name}"
        self._space, self._key = space, name + ending

    @property
    def _held(self) -> _Held | None:
        return self._space.held.get(self._key)

    def mark(self) -> Revision | None:
        """The mark of the current content."""
        held = self._held
        return Revision(0, len(held.data), held.number) if held else None

    def delete(self) -> None:
        """Remove it."""
        with self._space.guard:
            if self._space.held.pop(self._key, None):
                self._space.listings[_folder(self.name)] += 1

    def _put(self, data: bytes, number: int | None = None) -> _Held:
        """Store the data, with a new number unless one is given."""
        with self._space.guard:
            self._space.check_made()
            self._space.listings[_folder(self.name)] += self._held is None
            held = _Held(data, next(self._space.fresh) if number is None else number)
            self._space.held[self._key] = held
            return held


class InMemoryDocument(_Named):
    """A document or blob of a `InMemorySpace`."""

    def read(self) -> bytes:
        """The bytes."""
        held = self._held
        if held is None:
            raise FileNotFoundError(self.place)
        return held.data

    def put(self, data: bytes) -> None:
        """Replace the content."""
        self._put(bytes(data))

    def swap(self, data: bytes, expected: bytes | None) -> Outcome:
        """Under the guard."""
        with self._space.guard:
            held = self._held
            same = (held and held.data) == expected
            if same:
                self.put(data)
            return Outcome(same)

    def settle(self) -> None:
        """Nothing to do."""

    def strays(self) -> Iterator[bytes]:
        """None."""
        return iter(())


class InMemoryLog(_Named):
    """A log of a `InMemorySpace`, with its lines as in a file."""

    def read(self, since: LogPosition = START) -> LogSlice:
        """The appends since."""
        with self._space.guard:
            held = self._held or _Held(b"", START.check)
            anew = since not in (START, since._replace(check=held.number))
            begin = START if anew else since
            appends, bad, lines, end = parsed(held.data[begin.end :], begin.lines)
            place = LogPosition(lines, begin.end + end, held.number)
            return LogSlice(tuple(appends), place, anew, tuple(bad))

    def append(self, *lines: bytes) -> None:
        """Append."""
        with self._space.guard:
            held = self._held or _Held(b"", next(self._space.fresh))
            self._put(held.data + framed(lines), held.number)

    def rewrite(self, appends: Iterable[Sequence[bytes]]) -> None:
        """Replace everything."""
        self._put(b"".join(map(framed, appends)))


class MemoryStorage:
    """A home that lasts as long as this object: `Home(MemoryStorage())`."""

    def __init__(self) -> None:
        self.home = InMemorySpace()
        self._roles: dict[str, InMemorySpace] = {}
        self._deleted: dict[str, InMemorySpace] = {}
        self._guard = threading.RLock()

    def roles(self) -> list[str]:
        """The ids whose space was made."""
        with self._guard:
            return sorted(name for name, space in self._roles.items() if space.exists())

    def problems(self) -> list[FileError]:
        """None."""
        return []

    def role(self, role_id: str) -> InMemorySpace:
        """The same object every time."""
        name = canonical(role_id)
        if name is None:
            raise UnsafePathError("expected a role's UUID, got {role_id!r}", role_id=role_id[:80])
        with self._guard:
            if name not in self._roles:
                self._roles[name] = InMemorySpace(name, f"memory:{name}", made=False)
            return self._roles[name]

    def create(self, role_id: str, documents: Mapping[str, bytes]) -> InMemorySpace:
        """Create it atomically."""
        with self._guard:
            if self.role(role_id).exists():
                raise FileExistsError(role_id)
            space = self.role(role_id)
            space.made = True
            for name, data in documents.items():
                space.document(name).put(data)
            return space

    def delete(self, role_id: str) -> None:
        """Moved to another space of the same name."""
        space = self.role(role_id)
        with nullcontext() if space.made is False else space.lock(), self._guard:
            if space.exists():
                kept = self._deleted[space.name] = InMemorySpace(space.name, space.place)
                kept.take(space)

    def deleted(self) -> list[InMemorySpace]:
        """Those spaces."""
        with self._guard:
            return [self._deleted[name] for name in sorted(self._deleted)]

    def purge(self, role_id: str) -> None:
        """Dropped."""
        with self._guard:
            self._deleted.pop(self.role(role_id).name, None)

    def restore(self, role_id: str) -> InMemorySpace:
        """Moved back."""
        with self._guard:
            space = self.role(role_id)
            if space.exists():
                raise FileExistsError(role_id)
            space.take(self._deleted.pop(space.name))
            return space
