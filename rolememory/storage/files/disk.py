"""Every call the store makes to the operating system, with variants for Windows and macOS."""

import ctypes
import errno
import os
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
    """Two names cannot be exchanged on this system or file system."""


class Disk:
    """The calls the store makes; a test counts, fails or records them. All raise OSError; `write` may write less than asked.

    What is made is for its owner alone: it holds what people said in private.
    """

    def open(self, path: Path, flags: int) -> int:
        """Open a file, give its descriptor; binary."""
        return os.open(path, flags | _BINARY, 0o600)

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write, give how many bytes were taken."""
        return os.write(descriptor, data)

    def size(self, descriptor: int) -> int:
        """Bytes in the open file."""
        return os.fstat(descriptor).st_size

    def truncate(self, descriptor: int, size: int) -> None:
        """Cut the open file."""
        os.ftruncate(descriptor, size)

    def fsync(self, descriptor: int) -> None:
        """Make the file's bytes durable; on macOS by the call that empties the drive's own cache too."""
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
        """Rename over whatever is there; Windows refuses for a moment while a scanner or editor holds the file, so it is asked again."""
        _patiently(lambda: source.replace(target))

    def exchange(self, one: Path, other: Path) -> None:
        """Swap two names in one step, by `renameat2` or `renamex_np`. Raises: NoExchangeError where that is not to be had."""
        call = _exchange_call()
        if call is None:
            raise NoExchangeError
        number = call(os.fsencode(one), os.fsencode(other))
        if number in _NO_EXCHANGE:
            raise NoExchangeError(number, os.strerror(number))
        if number:
            raise OSError(number, os.strerror(number), str(one), None, str(other))

    def create(self, source: Path, target: Path) -> None:
        """Rename to a name that is free: a hard link and an unlink; on Windows a rename, which refuses by itself. Raises: FileExistsError."""
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

    def mkdir(self, path: Path) -> None:
        """Make a folder, parents too; one that is there is fine."""
        if not path.parent.exists():
            self.mkdir(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)

    def fsync_folder(self, path: Path) -> None:
        """Make names in the folder durable; file systems that refuse it (network shares) do it on their own or not at all."""
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
        """Its state, or None when there is no such file."""
        try:
            state = os.stat(path)  # noqa: PTH116 - half the time of Path.stat, and the hot path is three of these
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Revision(state.st_mtime_ns, state.st_size, state.st_ino)

    def names(self, path: Path) -> list[str]:
        """The names in a folder; none when there is no such folder."""
        try:
            return os.listdir(path)  # noqa: PTH208 - names are all that is wanted
        except (FileNotFoundError, NotADirectoryError):
            return []


def _patiently(rename: Callable[[], object], tries: int = 40) -> None:
    for left in range(tries, 0, -1):
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
    """The system's call: gives an errno, 0 for success. None where there is no such call."""
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
    """The file's mark; None = it is not there or cannot be reached."""
    try:
        return disk.mark(path)
    except OSError:
        return None
