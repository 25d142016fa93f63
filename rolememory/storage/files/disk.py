"""All operating system calls of the storage, with variants for Windows and macOS."""

import ctypes
import errno
import os
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from rolememory.storage.port import Revision

_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows would translate line ends
_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK})
_NO_EXCHANGE = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EPERM})


class NoExchangeError(OSError):
    """The system or file system has no atomic exchange of two names."""


class Disk:
    """The calls the store makes; a test counts, fails or records them. All raise OSError; `write` may write less than asked.

    Files are private to their owner: they contain what people said in private.
    """

    def open(self, path: Path, flags: int) -> int:
        """Open a file in binary mode; its descriptor."""
        return os.open(path, flags | _BINARY, 0o600)

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write; the number of bytes written."""
        return os.write(descriptor, data)

    def size(self, descriptor: int) -> int:
        """Size of the open file in bytes."""
        return os.fstat(descriptor).st_size

    def truncate(self, descriptor: int, size: int) -> None:
        """Truncate the open file."""
        os.ftruncate(descriptor, size)

    def fsync(self, descriptor: int) -> None:
        """Make the file's bytes durable; on macOS by the call that also flushes the drive's cache."""
        if sys.platform == "darwin":
            import fcntl

            with suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
                return
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Close it."""
        os.close(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        """Rename, replacing the target; retried on Windows, which refuses while a scanner or editor has the file open."""
        _patiently(lambda: source.replace(target))

    def exchange(self, one: Path, other: Path) -> None:
        """Swap two names atomically, by `renameat2` or `renamex_np`. Raises: NoExchangeError if unsupported."""
        call = _exchange_call()
        if call is None:
            raise NoExchangeError
        number = call(os.fsencode(one), os.fsencode(other))
        if number in _NO_EXCHANGE:
            raise NoExchangeError(number, os.strerror(number))
        if number:
            raise OSError(number, os.strerror(number), str(one), None, str(other))

    def create(self, source: Path, target: Path) -> None:
        """Rename without replacing: hard link and unlink; on Windows rename, which never replaces. Raises: FileExistsError."""
        if sys.platform == "win32":
            _patiently(lambda: source.rename(target))
            return
        try:
            os.link(source, target)
        except OSError as error:
            if error.errno not in _NO_LINKS or target.exists():
                raise
            source.replace(target)
        else:
            source.unlink()

    def unlink(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()

    def mkdir(self, path: Path, root: Path | None = None) -> None:
        """Make a folder and its parents, unless it exists; `root` itself is never made. Raises: FileNotFoundError without it."""
        if path.parent != root and not path.parent.exists():
            self.mkdir(path.parent, root)
        path.mkdir(mode=0o700, exist_ok=True)

    def rmtree(self, path: Path) -> None:
        """Remove a folder with everything in it."""
        shutil.rmtree(path)

    def fsync_folder(self, path: Path) -> None:
        """Make names in the folder durable; ignored by file systems that refuse it (network shares)."""
        if sys.platform == "win32":
            return
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(descriptor)

    def read(self, path: Path, offset: int = 0) -> bytes:
        """The bytes of a file from `offset` on."""
        with path.open("rb", buffering=0) as file:
            file.seek(offset)
            return file.read() or b""

    def mark(self, path: Path) -> Revision | None:
        """The file's mark, or None without a file."""
        try:
            state = os.stat(path)  # noqa: PTH116 - half the time of Path.stat, and the hot path is three of these
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Revision(state.st_mtime_ns, state.st_size, state.st_ino)

    def names(self, path: Path) -> list[str]:
        """The names in a folder; empty without one."""
        try:
            return os.listdir(path)  # noqa: PTH208 - names are all that is wanted
        except (FileNotFoundError, NotADirectoryError):
            return []


def _patiently(rename: Callable[[], object]) -> None:
    for left in range(40, 0, -1):
        try:
            rename()
        except PermissionError:
            if sys.platform != "win32" or left == 1:
                raise
            time.sleep(0.025)
        else:
            return


@cache
def _exchange_call() -> Callable[[bytes, bytes], int] | None:
    """The system's exchange call (returns an errno, 0 for success), or None."""
    if sys.platform not in ("linux", "darwin"):
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        swap = getattr(library, "renamex_np", None)
        return swap and (lambda one, other: _number(swap(one, other, ctypes.c_uint(2))))
    swap = getattr(library, "renameat2", None)
    here = ctypes.c_int(-100)  # AT_FDCWD; flag 2 = RENAME_EXCHANGE
    return swap and (lambda one, other: _number(swap(here, one, here, other, ctypes.c_uint(2))))


def _number(result: int) -> int:
    return ctypes.get_errno() if result else 0


DISK = Disk()


def signature(path: Path, disk: Disk = DISK) -> Revision | None:
    """The file's mark; None if absent or inaccessible."""
    try:
        return disk.mark(path)
    except OSError:
        return None
