"""The storages that the suite runs over. A new storage is one more row."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rolememory.storage.files.space import FileStorage
from rolememory.storage.in_memory import MemoryStorage
from rolememory.storage.port import Space, Storage

ROLE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


@dataclass(frozen=True)
class Kept:
    """A home in a storage, as any number of processes open it."""

    open: Callable[[], Storage]  # another handle of the same home
    processes: bool  # whether another process can open it
    damage: Callable[[str, Callable[[bytes], bytes]], None] | None = None  # to a log's bytes

    def space(self) -> Space:
        """The role's space, opened again, and made before if it is missing."""
        storage = self.open()
        try:
            return storage.create(ROLE, {})
        except FileExistsError:  # another process may make it at this moment
            return storage.role(ROLE)


@contextmanager
def files() -> Iterator[Kept]:
    """A folder."""
    with TemporaryDirectory() as name:

        def damage(log: str, change: Callable[[bytes], bytes]) -> None:
            path = Path(name).resolve() / ROLE / f"{log}.jsonl"
            path.write_bytes(change(path.read_bytes()))

        yield Kept(lambda: FileStorage(name), True, damage)


@contextmanager
def memory() -> Iterator[Kept]:
    """An object."""
    storage = MemoryStorage()
    yield Kept(lambda: storage, False)


STORAGES = {"files": files, "memory": memory}


def on_thread(act: Callable[[], None]) -> threading.Thread:
    """Begin something beside."""
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread
