"""What changes when a file is written: cheap enough to ask at every turn."""

from pathlib import Path

from rolememory.storage.files.disk import DISK, Disk
from rolememory.storage.port import Revision


def signature(path: Path, disk: Disk = DISK) -> Revision | None:
    """The file's mark, from one stat; None = it is not there or cannot be reached."""
    try:
        return disk.mark(path)
    except OSError:
        return None
