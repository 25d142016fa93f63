"""Spaces as folders: a role's folder, the home folder, and the files in them by name."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

from rolememory.errors import DeletedRoleError, FileError, NotWrittenError, UnsafePathError
from rolememory.schema.role_ids import DELETED, canonical
from rolememory.storage.files import atomic
from rolememory.storage.files.disk import DISK, Disk, signature
from rolememory.storage.files.log import ENDING, FileLog, MakeFolder
from rolememory.storage.port import LOCK_TIMEOUT_S, Outcome, Revision, Space, checked

PULSE = ".pulse"
_PATHS = 256  # cached


class FileDocument:
    """One file."""

    def __init__(
        self, path: Path, name: str, disk: Disk = DISK, make: MakeFolder | None = None
    ) -> None:
        self.name, self.place = name, str(path)
        self._path, self._disk, self._make = path, disk, make or disk.mkdir

    def mark(self) -> Revision | None:
        """One stat; None if the file cannot be accessed."""
        return signature(self._path, self._disk)

    def read(self) -> bytes:
        """The file."""
        return self._disk.read(self._path)

    def put(self, data: bytes) -> None:
        """Temporary, fsync, rename, fsync of the folder."""
        self._make_folder()
        atomic.write(self._path, data, self._disk)

    def swap(self, data: bytes, expected: bytes | None) -> Outcome:
        """Exchange of two names where the system can."""
        self._make_folder()
        with atomic.refusals(self._path):
            return atomic.install(data, self._path, expected, self._disk)

    def delete(self) -> None:
        """Unlink."""
        with atomic.refusals(self._path), suppress(FileNotFoundError, NotADirectoryError):
            self._disk.unlink(self._path)
            self._disk.fsync_folder(self._path.parent)

    def settle(self) -> None:
        """Fsync, which editors do not. Skipped if it cannot be opened."""
        with suppress(OSError):
            descriptor = self._disk.open(self._path, os.O_RDWR)
            try:
                self._disk.fsync(descriptor)
            finally:
                self._disk.close(descriptor)
            self._disk.fsync_folder(self._path.parent)

    def strays(self) -> Iterator[bytes]:
        """Temporaries that a killed process left beside the file, if they are an editor's save."""
        for name in self._disk.names(self._path.parent):
            if name.startswith(f".{self._path.name}.") and name.endswith(".tmp"):
                path = self._path.with_name(name)
                with suppress(OSError):
                    data = self._disk.read(path)
                    if atomic.is_news(path, data):
                        yield data
                atomic.drop(path, self._disk)

    def _make_folder(self) -> None:
        folder = self._path.parent
        with atomic.refusals(self._path):
            if self._disk.mark(folder) is None:
                self._make(folder)
                self._disk.fsync_folder(folder.parent)


class FileSpace:
    """One folder. `disk` makes every call to the system, `make` a missing folder."""

    def __init__(
        self,
        folder: Path,
        name: str | None = None,
        disk: Disk = DISK,
        make: MakeFolder | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.name = self.folder.name if name is None else name
        self.place, self.disk, self._make = str(folder), disk, make or disk.mkdir
        self._paths: dict[str, Path] = {}  # by name: a turn uses the same few

    def exists(self) -> bool:
        """Whether the folder is there."""
        return self.folder.is_dir()

    def log(self, name: str) -> FileLog:
        """`{name}.jsonl`."""
        return FileLog(self._path(name, ENDING), name, self.disk, self._make)

    def document(self, name: str) -> FileDocument:
        """The file of that name."""
        return FileDocument(self._path(name), name, self.disk, self._make)

    blob = document

    def logs(self, prefix: str) -> list[str]:
        """From the names in the folder."""
        return [
            lead + name.removesuffix(ENDING)
            for lead, name in self._listed(prefix)
            if name.endswith(ENDING)
        ]

    def names(self, prefix: str) -> list[str]:
        """The files in the folder, without our temporary ones."""
        return [
            lead + name
            for lead, name in self._listed(prefix)
            if not atomic.is_ours(name) and name != PULSE and (self.folder / lead / name).is_file()
        ]

    def size(self) -> int:
        """The bytes of every file."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def listed(self, prefix: str) -> Revision | None:
        """The mark of the folder."""
        return signature(self._in(prefix), self.disk)

    def changes(self, prefix: str) -> Revision | None:
        """The mark of `.pulse`, a growing file."""
        return signature(self._in(prefix, PULSE), self.disk)

    def announced(self, prefix: str, since: Revision, until: Revision) -> bytes | None:
        """The new bytes, if it is the same file."""
        if since.inode != until.inode:
            return None
        try:
            told = self.disk.read(self._in(prefix, PULSE), since.size)
        except OSError:
            return None
        return told if 0 <= until.size - since.size <= len(told) else None

    def announce(self, prefix: str, sign: int) -> None:
        """Append a byte to the pulse file; if that fails, delete it, which changes its mark too.

        Losing it is harmless: it only makes readers check.
        """
        pulse = self._in(prefix, PULSE)
        try:
            descriptor = self.disk.open(pulse, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                self.disk.write(descriptor, memoryview(bytes([sign])))
            finally:
                self.disk.close(descriptor)
        except OSError:
            with suppress(OSError):
                self.disk.unlink(pulse)

    @contextmanager
    def lock(self, name: str = "", timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
        """`.lock` in the folder of that name, created if missing; `{name}.lock` if the name has two parts."""
        path = self.folder / checked(name) if name else self.folder
        folder, file = (path.parent, f"{path.name}.lock") if "/" in name else (path, atomic.LOCK)
        with atomic.refusals(folder):
            if self.disk.mark(folder) is None or not self.name:
                self._make(folder)
        with ExitStack() as held:
            try:
                held.enter_context(atomic.locked(folder, timeout_s, file))
            except NotWrittenError:
                if self.disk.mark(folder) is None:  # removed while this waited
                    self._make(folder)
                raise
            yield

    def _listed(self, prefix: str) -> Iterator[tuple[str, str]]:
        """(the folder part of a name, the name in that folder)."""
        above, _, start = prefix.rpartition("/")
        lead = above + "/" if above else ""
        for name in sorted(self.disk.names(self._in(prefix))):
            if name.startswith(start):
                yield lead, name

    def _path(self, name: str, ending: str = "") -> Path:
        path = self._paths.get(name + ending)
        if path is None:
            path = self.folder / (checked(name) + ending)
            if len(self._paths) >= _PATHS:
                self._paths.clear()
            self._paths[name + ending] = path
        return path

    def _in(self, prefix: str, name: str = "") -> Path:
        """The folder of a prefix, or the path of a name in it."""
        place = f"{prefix.rpartition('/')[0]}/{name}".strip("/")
        return self._path(place) if place else self.folder


class FileStorage:
    """A home folder with a folder per role; deleted ones are in the folder `deleted`."""

    def __init__(self, path: Path | str, disk: Disk = DISK) -> None:
        self.path = Path(path).expanduser().resolve()
        self.home = FileSpace(self.path, "", disk, self._make_folder)
        self._disk, self._deleted = disk, self.path / DELETED
        self._stood = False  # a role was seen here
        self._misplaced: list[FileError] = []

    def roles(self) -> list[str]:
        """The folders whose name is the canonical spelling of a UUID."""
        try:
            with os.scandir(self.path) as entries:
                found = [
                    entry
                    for entry in entries
                    if canonical(entry.name) and (entry.is_dir() or entry.is_symlink())
                ]
        except OSError:
            return []
        self._misplaced = [_misplaced(entry) for entry in found if not _proper(entry)]
        self._stood = self._stood or bool(found)
        return sorted(entry.name for entry in found if _proper(entry))

    def _check_there(self) -> None:
        """Refuse to begin a second home where a first one was taken away: it may be a disk that comes back.

        Raises: NotWrittenError.
        """
        if self._stood and not next(iter(self._disk.names(self.path)), None):
            raise NotWrittenError(
                "{path}: the home folder is gone, or empty; bring it back, or start again for a new one",
                path=self.path,
            )

    def problems(self) -> list[FileError]:
        """Folders that look like roles with another name or in another place."""
        self.roles()
        return list(self._misplaced)

    def role(self, role_id: str) -> FileSpace:
        """The folder directly below the home (P15)."""
        folder = contained(self.path, role_id)
        return FileSpace(folder, folder.name, self._disk, partial(self._make_within, folder))

    def create(self, role_id: str, documents: Mapping[str, bytes]) -> FileSpace:
        """Filled under a temporary name, then renamed."""
        space = self.role(role_id)
        self._disk.mkdir(self.path)
        atomic.new_folder(space.folder, documents, self._disk)
        self._stood = True
        return space

    def delete(self, role_id: str) -> None:
        """Renamed into the folder of deleted roles."""
        space = self.role(role_id)
        if space.exists():
            self.purge(role_id)
            with atomic.refusals(space.folder):
                self._disk.mkdir(self._deleted)
                alone = sys.platform != "win32"  # which renames no folder with an open file
                with space.lock() if alone else nullcontext():
                    self._move(space.folder, contained(self._deleted, role_id))

    def deleted(self) -> list[FileSpace]:
        """The folders in the folder of deleted roles."""
        names = sorted(name for name in self._disk.names(self._deleted) if canonical(name) == name)
        return [FileSpace(self._deleted / name, disk=self._disk) for name in names]

    def purge(self, role_id: str) -> None:
        """Renamed to a temporary name, then removed."""
        kept = contained(self._deleted, role_id)
        if kept.exists():
            with atomic.refusals(kept):
                self._move(kept, atomic.beside(kept))
        self._empty()

    def restore(self, role_id: str) -> FileSpace:
        """Renamed back."""
        space = self.role(role_id)
        if space.exists():
            raise FileExistsError(space.place)
        with atomic.refusals(space.folder):
            self._move(contained(self._deleted, role_id), space.folder)
        return space

    def _move(self, folder: Path, to: Path) -> None:
        self._disk.replace(folder, to)
        self._disk.fsync_folder(to.parent)
        self._disk.fsync_folder(folder.parent)

    def _empty(self) -> None:
        """Remove purged folders, also those that a killed process left. Raises: NotWrittenError."""
        for name in filter(atomic.is_ours, self._disk.names(self._deleted)):
            path = self._deleted / name
            try:
                self._disk.rmtree(path)
            except FileNotFoundError:  # by another process
                continue
            except OSError as error:
                raise NotWrittenError(
                    "{path}: the role is deleted, but not all of its files: {reason}; remove this folder yourself",
                    path=path,
                    reason=error.strerror or error,
                ) from error

    def _make_folder(self, folder: Path) -> None:
        self._check_there()
        self._disk.mkdir(folder)

    def _make_within(self, role: Path, folder: Path) -> None:
        """Make a folder of a role. Its own is made by `create` alone: a late writer must not bring a deleted role back.

        Raises: DeletedRoleError.
        """
        self._check_there()
        try:
            if folder == role:
                raise FileNotFoundError
            self._disk.mkdir(folder, role)
        except FileNotFoundError:
            raise DeletedRoleError(role) from None


def space_of(home: Space | Path | str) -> Space:
    """The space itself, or the space of a path's folder."""
    return FileSpace(Path(home), "") if isinstance(home, Path | str) else home


def contained(root: Path, role_id: str) -> Path:
    """The folder of that role directly under `root`, which must be resolved (P15).

    Raises:
        UnsafePathError: not a UUID, or a link that leads elsewhere.
    """
    name = canonical(role_id)
    if name is None:
        raise UnsafePathError(
            "expected a role's UUID, got {role_id!r}; `rolememory roles` lists them",
            role_id=role_id[:80],
        )
    folder = root / name
    if os.path.normcase(folder.resolve()) != os.path.normcase(folder):
        raise UnsafePathError(
            "{folder}: is a link that leads elsewhere; a role's folder must lie in the home folder itself",
            folder=folder,
        )
    return folder


def _proper(entry: "os.DirEntry[str]") -> bool:
    return canonical(entry.name) == entry.name and not entry.is_symlink()


def _misplaced(entry: "os.DirEntry[str]") -> FileError:
    if entry.is_symlink():
        return FileError(
            entry.path, "is a link", remedy="move the role's folder itself into the home folder"
        )
    return FileError(
        entry.path,
        "is not the canonical spelling of a UUID",
        remedy="rename it to {canonical}",
        canonical=canonical(entry.name),
    )
