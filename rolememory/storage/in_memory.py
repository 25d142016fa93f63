"""A storage in memory, for tests and for callers who keep nothing. It lasts as long as the object; thread-safe."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Generic, TypeVar

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


class _Held:
    """What stands under a name."""

    def __init__(self, number: int, size: int = 0) -> None:
        self.mark = Revision(0, size, number)  # of a log another number after every rewriting


class _Document(_Held):
    def __init__(self, number: int, data: bytes) -> None:
        super().__init__(number, len(data))
        self.data = data


class _Log(_Held):
    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.appends: list[Append] = []
        self.end = LogPosition(check=number)

    def add(self, lines: Sequence[bytes]) -> None:
        self.appends.append(Append(self.end.lines + 1, tuple(lines)))
        self.mark = self.mark._replace(size=self.mark.size + sum(map(len, lines)))
        self.end = LogPosition(self.end.lines + len(lines), len(self.appends), self.mark.inode)


Held = TypeVar("Held", bound=_Held)


class InMemorySpace:
    """One space. Everything in it is guarded by one lock, which is never held while a caller's code runs."""

    folder = None

    def __init__(self, name: str = "", place: str = "memory:") -> None:
        self.name, self.place = name, place
        self.guard = threading.RLock()
        self.documents: dict[str, _Document] = {}
        self.kept: dict[str, _Log] = {}
        self.fresh = count(1)
        self.listings = Counter[str]()
        self._announced = Counter[str]()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self.made = False

    def exists(self) -> bool:
        """Whether it was made, or anything was put into it."""
        return self.made or bool(self.documents or self.kept)

    def log(self, name: str) -> "InMemoryLog":
        """A handle."""
        return InMemoryLog(self, name, self.kept)

    def document(self, name: str) -> "InMemoryDocument":
        """A handle."""
        return InMemoryDocument(self, name, self.documents)

    blob = document

    def logs(self, prefix: str) -> list[str]:
        """By name."""
        return self._below(self.kept, prefix)

    def names(self, prefix: str) -> list[str]:
        """By name."""
        return self._below(self.documents, prefix)

    def size(self) -> int:
        """The bytes of everything."""
        with self.guard:
            held: Iterable[_Held] = (*self.documents.values(), *self.kept.values())
            return sum(one.mark.size for one in held)

    def listed(self, prefix: str) -> Revision | None:
        """Counted."""
        told = self.listings[_folder(prefix)]
        return Revision(0, 0, told) if told else None

    def changes(self, prefix: str) -> Revision | None:
        """Counted."""
        told = self._announced[_folder(prefix)]
        return Revision(0, told, 0) if told else None

    def announce(self, prefix: str) -> None:
        """One more."""
        with self.guard:
            self._announced[_folder(prefix)] += 1

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

    def _below(self, among: Mapping[str, object], prefix: str) -> list[str]:
        with self.guard:
            return sorted(
                name for name in among if name.startswith(prefix) and "/" not in name[len(prefix) :]
            )


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


class _Handle(Generic[Held]):
    """What a document and a log have in common."""

    def __init__(self, space: InMemorySpace, name: str, among: dict[str, Held]) -> None:
        self.name, self.place = checked(name), f"{space.place}/{name}"
        self._space = space
        self._among = among
        self._read = START  # how far a log was read

    def mark(self) -> Revision | None:
        """Of what stands there."""
        held = self._among.get(self.name)
        return held.mark if held else None

    def delete(self) -> None:
        """Drop it."""
        with self._space.guard:
            if self._among.pop(self.name, None):
                self._space.listings[_folder(self.name)] += 1

    def _set(self, held: Held) -> Held:
        """Put another thing there."""
        with self._space.guard:
            self._space.listings[_folder(self.name)] += self.name not in self._among
            self._among[self.name] = held
            return held


class InMemoryDocument(_Handle[_Document]):
    """A document or blob of a `InMemorySpace`."""

    def read(self) -> bytes:
        """The bytes."""
        held = self._among.get(self.name)
        if held is None:
            raise FileNotFoundError(self.place)
        return held.data

    def put(self, data: bytes) -> None:
        """Another version."""
        self._set(_Document(next(self._space.fresh), bytes(data)))

    def swap(self, data: bytes, expected: bytes | None) -> Outcome:
        """Under the guard."""
        with self._space.guard:
            held = self._among.get(self.name)
            same = (held and held.data) == expected
            if same:
                self.put(data)
            return Outcome(same)

    def settle(self) -> None:
        """Nothing to do."""

    def strays(self) -> Iterator[bytes]:
        """None."""
        return iter(())


class InMemoryLog(_Handle[_Log]):
    """A log of a `InMemorySpace`."""

    def read(self, since: LogPosition = START) -> LogSlice:
        """The appends behind."""
        with self._space.guard:
            log = self._among.get(self.name) or _Log(START.check)
            anew = since != START and since.check != log.end.check
            self._read = log.end
            return LogSlice(tuple(log.appends[0 if anew else since.end :]), log.end, anew)

    def append(self, *lines: bytes) -> LogSpan | None:
        """At its end."""
        with self._space.guard:
            known = self._among.get(self.name)
            before = known.end if known else START
            log = known or self._begun()
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

    def _begun(self) -> _Log:
        return self._set(_Log(next(self._space.fresh)))


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
