"""A storage in memory, for tests and for callers who keep nothing. It lasts as long as the object; thread-safe."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count

from rolememory.errors import BusyError, FileError, UnsafePathError
from rolememory.storage.port import (
    LOCK_TIMEOUT_S,
    START,
    Append,
    LogPosition,
    LogSlice,
    LogSpan,
    Outcome,
    Revision,
    checked,
)
from rolememory.storage.role_ids import canonical


class _Log:
    """What a log holds."""

    def __init__(self, number: int) -> None:
        self.appends: list[Append] = []
        self.lines = self.bytes = 0
        self.number = number  # another one after every rewriting

    def add(self, lines: Sequence[bytes]) -> None:
        self.appends.append(Append(self.lines + 1, tuple(lines)))
        self.lines += len(lines)
        self.bytes += sum(map(len, lines))

    @property
    def end(self) -> LogPosition:
        return LogPosition(self.lines, len(self.appends), self.number)


class InMemorySpace:
    """One space. Everything in it is guarded by one lock, which is never held while a caller's code runs."""

    folder = None

    def __init__(self, name: str = "", place: str = "memory:") -> None:
        self.name, self.place = name, place
        self.guard = threading.RLock()
        self.held: dict[str, tuple[bytes, int]] = {}  # name -> bytes, version
        self.kept: dict[str, _Log] = {}
        self.fresh = count(1)
        self.listings: defaultdict[str, int] = defaultdict(int)
        self._announced: defaultdict[str, int] = defaultdict(int)
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self.made = False

    def exists(self) -> bool:
        """Whether it was made, or anything was put into it."""
        return self.made or bool(self.held or self.kept)

    def log(self, name: str) -> "InMemoryLog":
        """A handle."""
        return InMemoryLog(self, checked(name))

    def document(self, name: str) -> "InMemoryDocument":
        """A handle."""
        return InMemoryDocument(self, checked(name))

    blob = document

    def logs(self, prefix: str) -> list[str]:
        """By name."""
        return self._below(self.kept, prefix)

    def names(self, prefix: str) -> list[str]:
        """By name."""
        return self._below(self.held, prefix)

    def size(self) -> int:
        """The bytes of everything."""
        with self.guard:
            return sum(len(data) for data, _ in self.held.values()) + sum(
                log.bytes for log in self.kept.values()
            )

    def listed(self, prefix: str) -> Revision | None:
        """Counted."""
        above = prefix.rpartition("/")[0]
        return Revision(0, 0, self.listings[above]) if above in self.listings else None

    def changes(self, prefix: str) -> Revision | None:
        """Counted."""
        told = self._announced.get(prefix.rpartition("/")[0])
        return None if told is None else Revision(0, told, 0)

    def announce(self, prefix: str) -> None:
        """One more."""
        with self.guard:
            self._announced[prefix.rpartition("/")[0]] += 1

    @contextmanager
    def lock(self, name: str = "", timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
        """The lock against other threads."""
        with self.guard:
            lock = self._locks[name]
        if not lock.acquire(timeout=timeout_s):
            raise BusyError(
                "{place}: another thread has held the lock for {timeout_s:g} s; try again",
                place=self.place,
                timeout_s=timeout_s,
            )
        try:
            yield
        finally:
            lock.release()

    def came_or_went(self, name: str) -> None:
        """Count a change of a listing."""
        self.listings[name.rpartition("/")[0]] += 1

    def _below(self, among: Mapping[str, object], prefix: str) -> list[str]:
        with self.guard:
            return sorted(
                name for name in among if name.startswith(prefix) and "/" not in name[len(prefix) :]
            )


class InMemoryDocument:
    """A document or blob of a `InMemorySpace`."""

    def __init__(self, space: InMemorySpace, name: str) -> None:
        self.name, self.place = name, f"{space.place}/{name}"
        self._space = space

    def mark(self) -> Revision | None:
        """Its version."""
        found = self._space.held.get(self.name)
        return None if found is None else Revision(0, len(found[0]), found[1])

    def read(self) -> bytes:
        """The bytes."""
        found = self._space.held.get(self.name)
        if found is None:
            raise FileNotFoundError(self.place)
        return found[0]

    def put(self, data: bytes) -> None:
        """Another version."""
        with self._space.guard:
            if self.name not in self._space.held:
                self._space.came_or_went(self.name)
            self._space.held[self.name] = (bytes(data), next(self._space.fresh))

    def swap(self, data: bytes, expected: bytes | None) -> Outcome:
        """Under the guard."""
        with self._space.guard:
            found = self._space.held.get(self.name)
            if (found[0] if found else None) != expected:
                return Outcome(False)
            self.put(data)
            return Outcome(True)

    def delete(self) -> None:
        """Drop it."""
        with self._space.guard:
            if self._space.held.pop(self.name, None) is not None:
                self._space.came_or_went(self.name)

    def settle(self) -> None:
        """Nothing to do."""

    def strays(self) -> Iterator[bytes]:
        """None."""
        return iter(())


class InMemoryLog:
    """A log of a `InMemorySpace`."""

    def __init__(self, space: InMemorySpace, name: str) -> None:
        self.name, self.place = name, f"{space.place}/{name}"
        self._space = space
        self._read = START

    def mark(self) -> Revision | None:
        """How long it is."""
        log = self._space.kept.get(self.name)
        return None if log is None else Revision(0, log.bytes, log.number)

    def read(self, since: LogPosition = START) -> LogSlice:
        """The appends behind."""
        with self._space.guard:
            log = self._space.kept.get(self.name)
            if log is None:
                self._read = START
                return LogSlice((), START, since != START)
            self._read = log.end
            anew = since != START and since.check != log.number
            return LogSlice(tuple(log.appends[0 if anew else since.end :]), log.end, anew)

    def append(self, *lines: bytes) -> LogSpan | None:
        """At its end."""
        with self._space.guard:
            log = self._space.kept.get(self.name)
            before = log.end if log is not None else START
            log = log or self._begun()
            log.add(lines)
            if before != self._read:
                return None
            self._read = log.end
            return LogSpan(before, log.end)

    def rewrite(self, appends: Iterable[Sequence[bytes]]) -> None:
        """A new one in its place."""
        with self._space.guard:
            log = self._begun()
            for lines in appends:
                log.add(lines)

    def delete(self) -> None:
        """Drop it."""
        with self._space.guard:
            if self._space.kept.pop(self.name, None) is not None:
                self._space.came_or_went(self.name)

    def _begun(self) -> _Log:
        if self.name not in self._space.kept:
            self._space.came_or_went(self.name)
        log = self._space.kept[self.name] = _Log(next(self._space.fresh))
        return log


class MemoryStorage:
    """A home that lasts as long as this object: `Home(MemoryStorage())`."""

    def __init__(self) -> None:
        self.home = InMemorySpace()
        self._roles: dict[str, InMemorySpace] = {}
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
                self._roles[name] = InMemorySpace(name, f"memory:{name}")
            return self._roles[name]

    def create(self, role_id: str, documents: Mapping[str, bytes]) -> InMemorySpace:
        """Filled before anybody sees it."""
        with self._guard:
            if self.role(role_id).exists():
                raise FileExistsError(role_id)
            space = self.role(role_id)
            space.made = True
            for name, data in documents.items():
                space.document(name).put(data)
            return space

    def remove(self, role_id: str) -> None:
        """Release the lock."""
        with self._guard:
            self._roles.pop(self.role(role_id).name, None)
