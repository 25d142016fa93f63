"""Crash-safe ways of writing to disk; nothing else writes.

`Disk` makes every call the store makes; a test may count, fail or record them.
Order for a whole file: temporary beside it, full write, fsync, rename, fsync of the folder.
Source: T. Pillai et al., "All File Systems Are Not Created Equal" (OSDI 2014), on what an application may rely.
"""

import errno
import hashlib
import itertools
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from rolememory.errors import BusyError, InvalidValueError, NotWrittenError
from rolememory.storage.files.disk import DISK, Disk, NoExchangeError
from rolememory.storage.port import LOCK_TIMEOUT_S, Outcome

LOCK = ".lock"

_numbers = itertools.count()


def write(path: Path, data: bytes, disk: Disk = DISK) -> None:
    """Replace the file with `data`, atomically and durably.

    Raises: NotWrittenError; the old file is kept.
    """
    temporary = beside(path)
    try:
        write_new(temporary, data, disk)
        disk.replace(temporary, path)
        disk.fsync_folder(path.parent)
    except OSError as error:
        drop(temporary, disk)
        raise not_written(path, error) from error


def write_new(path: Path, data: bytes, disk: Disk = DISK) -> None:
    """Write a file of our own and fsync it, but not its folder."""
    descriptor = disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        write_all(descriptor, data, disk)
        disk.fsync(descriptor)
    finally:
        disk.close(descriptor)


def write_all(descriptor: int, data: bytes, disk: Disk = DISK) -> None:
    """Write everything: continue short writes; writing nothing is an error."""
    view = memoryview(data)
    while view:
        written = disk.write(descriptor, view)
        if written <= 0:
            raise OSError(f"the disk took {written} of {len(view)} bytes")
        view = view[written:]


def install(fresh: bytes, path: Path, expected: bytes | None, disk: Disk = DISK) -> Outcome:
    """Replace a file that an editor may be saving at this moment with `fresh`.

    `expected` is the content that the caller read (None: no file). Done: the old file is `path`.prev.
    Not done: the content was another one; it is back in place.
    Raises: OSError; the old file is kept.
    """
    temporary, aside = (
        beside(path, _tag(fresh) + _tag(expected or b"")),
        path.with_name(path.name + ".prev"),
    )
    try:
        write_new(temporary, fresh, disk)
    except OSError:
        drop(temporary, disk)
        raise
    try:
        outcome = _placed(temporary, path, aside, fresh, expected, disk)
    except FileNotFoundError:  # an editor renamed it: it is about to save
        outcome = Outcome(False)
    if not outcome.done:
        _drop_if(temporary, fresh, disk)
    disk.fsync_folder(path.parent)
    return outcome


def _placed(
    temporary: Path, path: Path, aside: Path, fresh: bytes, expected: bytes | None, disk: Disk
) -> Outcome:
    if expected is None:
        return Outcome(_create(temporary, path, disk))
    if disk.read(path) != expected:
        return Outcome(False)
    try:
        disk.exchange(temporary, path)
    except NoExchangeError:
        return Outcome(_move_aside(temporary, path, aside, expected, disk))
    found = disk.read(temporary)
    if found == expected:
        disk.replace(temporary, aside)
        return Outcome(True)
    _give_back(temporary, path, fresh, found, disk)
    return Outcome(False, found)


def _create(temporary: Path, path: Path, disk: Disk) -> bool:
    try:
        disk.create(temporary, path)
    except FileExistsError:
        return False
    return True


def _give_back(temporary: Path, path: Path, placed: bytes, found: bytes, disk: Disk) -> None:
    """Undo an exchange. If the file taken out is not ours, it is a newer save and is put back too."""
    for _ in range(16):
        disk.exchange(temporary, path)
        out = disk.read(temporary)
        if out == placed:
            return
        placed, found = found, out


def _move_aside(temporary: Path, path: Path, aside: Path, expected: bytes, disk: Disk) -> bool:
    """Replace without an atomic exchange: for a moment there is no file; one that appears then is not overwritten."""
    disk.replace(path, aside)
    try:
        if disk.read(aside) == expected:
            return _create(temporary, path, disk)
        _create(aside, path, disk)
    except OSError:
        with suppress(OSError):
            disk.create(aside, path)
        raise
    return False


def _drop_if(temporary: Path, ours: bytes, disk: Disk) -> None:
    """Remove the temporary only if it has our own bytes: after an exchange it may be an editor's save."""
    with suppress(OSError):
        if disk.read(temporary) == ours:
            disk.unlink(temporary)


def drop(path: Path, disk: Disk = DISK) -> None:
    """Remove a file of our own if it exists; failures are ignored."""
    with suppress(OSError):
        disk.unlink(path)


def beside(path: Path, tag: str = "") -> Path:
    """A name for a temporary in the same folder; editors and watchers ignore names like it.

    >>> beside(Path("memory.json")).name.startswith(".memory.json.")
    True
    """
    return path.with_name(f".{path.name}.{os.getpid()}-{next(_numbers)}{tag}.tmp")


def _tag(data: bytes) -> str:
    return "-" + hashlib.blake2b(data, digest_size=8).hexdigest()


def is_news(path: Path, data: bytes) -> bool:
    """Whether a left-over temporary of `install` is an editor's save, not our own bytes."""
    return _tag(data) not in path.name


def is_ours(name: str) -> bool:
    """Whether a file name is one of our temporaries, locks or previous copies, which watchers ignore.

    >>> [is_ours(name) for name in (".memory.json.71-0.tmp", "memory.json.prev", ".lock", "memory.json")]
    [True, True, True, False]
    """
    return (
        name == LOCK or name.endswith(".prev") or (name.startswith(".") and name.endswith(".tmp"))
    )


@contextmanager
def locked(folder: Path, timeout_s: float = LOCK_TIMEOUT_S, name: str = LOCK) -> Iterator[None]:
    """Hold the folder's lock against other processes and threads. Not reentrant.

    Raises: BusyError on time-out; NotWrittenError if no lock file can be made.
    """
    lock = FileLock(str(folder / name), timeout=timeout_s, thread_local=False, mode=0o600)
    try:
        before = folder.stat().st_ino
        lock.acquire(poll_interval=0.001)
        _check_same(folder, before, lock)
    except Timeout as error:
        raise BusyError(
            "{folder}: another process has held the lock for {timeout_s:g} s; close it or try again",
            folder=folder,
            timeout_s=timeout_s,
        ) from error
    except OSError as error:
        raise not_written(folder / LOCK, error) from error
    try:
        yield
    finally:
        lock.release()


def _check_same(folder: Path, before: int, lock: FileLock) -> None:
    """Raises: FileNotFoundError if the folder is another one than before, as `FileLock` makes one that is missing."""
    if folder.stat().st_ino != before:
        lock.release()
        with suppress(OSError):
            Path(lock.lock_file).unlink()
            folder.rmdir()
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))


def new_folder(folder: Path, files: Mapping[str, bytes], disk: Disk = DISK) -> None:
    """Create a folder with files atomically: filled under a temporary name, then renamed.

    Raises: NotWrittenError; FileExistsError if the folder exists.
    """
    temporary = beside(folder)
    if folder.exists():
        raise FileExistsError(str(folder))
    try:
        disk.mkdir(temporary)
        for name, data in files.items():
            write_new(temporary / name, data, disk)
        disk.fsync_folder(temporary)
        disk.replace(temporary, folder)
        disk.fsync_folder(folder.parent)
    except OSError as error:
        _drop_folder(temporary, files, disk)
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):  # made by another process meanwhile
            raise FileExistsError(str(folder)) from error
        raise not_written(folder, error) from error


def _drop_folder(folder: Path, files: Mapping[str, bytes], disk: Disk) -> None:
    for name in files:
        drop(folder / name, disk)
    with suppress(OSError):
        folder.rmdir()


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """Convert OSError inside. Raises: NotWrittenError."""
    try:
        yield
    except NotWrittenError:
        raise
    except OSError as error:
        raise not_written(path, error) from error


def not_written(path: Path, error: OSError) -> NotWrittenError:
    """The error to raise: the file, the system's message, what to do."""
    reason = error.strerror or str(error)
    return NotWrittenError(
        "{path}: not written: {reason}; what was there still stands, free some space or rights and try again",
        path=path,
        reason=reason,
    )


def make_folder(folder: Path) -> None:
    """Make a folder unless it exists. Raises: InvalidValueError if it is a file, NotWrittenError."""
    with refusals(refuse_file(folder)):
        DISK.mkdir(folder)


def refuse_file(path: Path) -> Path:
    """The path, checked. Raises: InvalidValueError if it is a file."""
    if path.exists() and not path.is_dir():
        raise InvalidValueError("{path}: is a file; name a folder", path=path)
    return path
