"""Role folders to try things in, and disks that count, fail and remember."""

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rolememory.schema.settings import StorageSettings
from rolememory.storage.files.disk import DISK, Disk, NoExchangeError
from rolememory.storage.files.space import FileSpace
from rolememory.storage.memories import Edit, RoleStore
from rolememory.storage.port import Revision

QUIET_S = 3600.0  # nothing folds by itself while a test looks


def store_at(folder: Path, document: Any = None, disk: Disk = DISK, **settings: Any) -> RoleStore:
    """A role's store; `document` becomes its memory.json (text as it is, anything else as JSON)."""
    folder.mkdir(exist_ok=True)
    if document is not None:
        save(folder, document)
    return RoleStore(
        FileSpace(folder, disk=disk), StorageSettings(**{"fold_idle_s": QUIET_S, **settings})
    )


def save(folder: Path, document: Any) -> None:
    """Save memory.json as a plain editor does."""
    text = (
        document
        if isinstance(document, str)
        else json.dumps(document, ensure_ascii=False, indent=1)
    )
    (folder / "memory.json").write_text(text, "utf-8")


def saved(folder: Path) -> Any:
    """What stands in memory.json."""
    return json.loads((folder / "memory.json").read_text("utf-8-sig"))


def add(memory_id: str, content: str = "text", **fields: Any) -> Edit:
    """A wish for a new memory."""
    return Edit("add", memory_id, {"content": content, **fields})


def put(memory_id: str, **fields: Any) -> Edit:
    """A wish for other values."""
    return Edit("set", memory_id, fields)


def take(memory_id: str) -> Edit:
    """A wish to have it gone."""
    return Edit("remove", memory_id)


def folder_of(store: RoleStore) -> Path:
    """Where its files lie."""
    assert store.space.folder is not None
    return store.space.folder


def contents(store: RoleStore) -> dict[str, str]:
    """Id -> content of everything a new reader of the folder sees."""
    return {
        name: memory.content
        for name, memory in store_at(folder_of(store)).snapshot().memories.items()
    }


class CountingDisk(Disk):
    """Counts the calls by name."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self.files_read: list[str] = []
        self.files_marked: list[str] = []

    def mark(self, path: Path) -> Revision | None:
        """Counted."""
        self.calls["mark"] = self.calls.get("mark", 0) + 1
        self.files_marked.append(path.name)
        return super().mark(path)

    def read(self, path: Path, offset: int = 0) -> bytes:
        """Counted."""
        self.calls["read"] = self.calls.get("read", 0) + 1
        self.files_read.append(path.name)
        return super().read(path, offset)


class FailingDisk(Disk):
    """Fails writing calls: the one with number `at`, and those after it if it is to last. `kinds`: which calls count."""

    def __init__(
        self,
        at: int = 0,
        number: int = errno.EIO,
        *,
        lasting: bool = False,
        short: bool = False,
        exchanges: bool = True,
    ) -> None:
        self.at, self.number, self.lasting, self.short, self.exchanges = (
            at,
            number,
            lasting,
            short,
            exchanges,
        )
        self.count = 0

    def heal(self) -> None:
        """No more failures."""
        self.at = 0

    def _fails(self) -> bool:
        self.count += 1
        return bool(self.at) and (self.count == self.at or (self.lasting and self.count > self.at))

    def _or_fail(self, call: Callable[[], Any]) -> Any:
        if self._fails():
            raise OSError(self.number, "made to fail")
        return call()

    def open(self, path: Path, flags: int) -> int:
        """May fail."""
        return int(self._or_fail(lambda: Disk.open(self, path, flags)))

    def write(self, descriptor: int, data: memoryview) -> int:
        """May fail, or write half and fail the next time."""
        if self._fails():
            if self.short and len(data) > 1:
                return super().write(descriptor, data[: len(data) // 2])
            raise OSError(self.number, "made to fail")
        return super().write(descriptor, data)

    def truncate(self, descriptor: int, size: int) -> None:
        """May fail."""
        self._or_fail(lambda: Disk.truncate(self, descriptor, size))

    def fsync(self, descriptor: int) -> None:
        """May fail."""
        self._or_fail(lambda: Disk.fsync(self, descriptor))

    def replace(self, source: Path, target: Path) -> None:
        """May fail."""
        self._or_fail(lambda: Disk.replace(self, source, target))

    def exchange(self, one: Path, other: Path) -> None:
        """May fail, or not be there at all."""
        if not self.exchanges:
            raise NoExchangeError
        self._or_fail(lambda: Disk.exchange(self, one, other))

    def create(self, source: Path, target: Path) -> None:
        """May fail."""
        self._or_fail(lambda: Disk.create(self, source, target))

    def mkdir(self, path: Path, root: Path | None = None) -> None:
        """May fail."""
        self._or_fail(lambda: Disk.mkdir(self, path, root))

    def fsync_folder(self, path: Path) -> None:
        """May fail."""
        self._or_fail(lambda: Disk.fsync_folder(self, path))
