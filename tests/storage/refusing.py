"""A disk that refuses its n-th call, once or from then on (P3, P4)."""

import errno
from pathlib import Path
from typing import Any

from rolememory.storage.files.disk import Disk

CALLS = (
    "open",
    "write",
    "fsync",
    "replace",
    "exchange",
    "create",
    "mkdir",
    "fsync_folder",
    "truncate",
)


class RefusingDisk(Disk):
    """Fails call number `at` (from 0) of the calls that write; `forever`: every later one too; `short`: only a write there takes but half."""

    def __init__(
        self, at: int, *, forever: bool = False, short: bool = False, number: int = errno.ENOSPC
    ) -> None:
        self.made = 0
        self._at, self._forever, self._short, self._number = at, forever, short, number

    def __getattribute__(self, name: str) -> Any:
        call = super().__getattribute__(name)
        if name not in CALLS:
            return call

        def counted(*args: Any) -> Any:
            number, self.made = self.made, self.made + 1
            if self._short:
                half = (
                    (args[0], args[1][: max(len(args[1]) // 2, 1)])
                    if number == self._at and name == "write"
                    else args
                )
                return call(*half)
            if number == self._at or (self._forever and number > self._at):
                raise OSError(self._number, "no space left on device")
            return call(*args)

        return counted


def everything(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their path, ours that come and go left out."""
    files = (
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith((".tmp", ".lock"))
    )
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
