"""Files of another program that a browser hands over one by one: a folder of our own holds them until they were brought in."""

import shutil
from pathlib import Path, PurePosixPath

from rolememory.authoring.importer.ledger import FOLDER
from rolememory.cards.tavern.layout import DataFolder
from rolememory.errors import InvalidValueError
from rolememory.storage.files import atomic
from rolememory.storage.files.disk import DISK

MOST_FILES = 50_000
MOST_BYTES = 8 * 2**30
_NAME = "handed-over"  # always the same, so that what came before is known again
_PARTS = {
    "characters": ".png",
    "chats": ".jsonl",
    "group chats": ".jsonl",
    "groups": ".json",
    "worlds": ".json",
}
_ALONE = "settings.json"
_DEPTH = 3  # chats/{character}/{chat}.jsonl
_LONGEST = 240  # of one part, in bytes: what file systems take


class Staged:
    """What was handed over so far. Nothing of it is ever run, unpacked or served."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER / _NAME
        self._bytes = self._files = 0

    def source(self) -> DataFolder:
        """It as the data folder of a user."""
        return DataFolder(self.folder)

    def take(self, path: str, data: bytes) -> None:
        """Keep one file, `path` relative to the user's data folder.

        Raises:
            InvalidValueError: no path of that program, or too much in all.
            NotWrittenError: the disk refused.
        """
        place = self.folder.joinpath(*checked(path).parts)
        self._bytes = self._bytes + len(data)
        self._files = self._files + 1
        if self._bytes > MOST_BYTES or self._files > MOST_FILES:
            raise InvalidValueError(
                "more than {limit} GB or {limit2} files; bring the folder by its path",
                limit=MOST_BYTES // 2**30,
                limit2=MOST_FILES,
            )
        DISK.mkdir(place.parent)
        atomic.write(place, data)

    def clear(self) -> None:
        """Forget everything that was handed over."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._bytes = self._files = 0


def checked(path: str) -> PurePosixPath:
    r"""A path inside a user's data folder, of a kind that is read.

    >>> str(checked("chats/Mira/2024.jsonl"))
    'chats/Mira/2024.jsonl'
    >>> checked("chats/../../x.jsonl")
    Traceback (most recent call last):
        ...
    rolememory.errors.InvalidValueError: 'chats/../../x.jsonl' is no file that is read; send characters, chats, groups, worlds and settings.json
    """
    parts = path.split("/")
    odd = any(
        part in ("", ".", "..")
        or len(part.encode("utf-8", "replace")) > _LONGEST
        or set(part) & set('\\:\0*?"<>|')
        for part in parts
    )
    kind = _PARTS.get(parts[0]) if 2 <= len(parts) <= _DEPTH else None
    if (
        odd
        or not path.isprintable()
        or not (path == _ALONE or (kind and path.lower().endswith(kind)))
    ):
        raise InvalidValueError(
            "{path!r} is no file that is read; send characters, chats, groups, worlds and settings.json",
            path=path[:200],
        )
    return PurePosixPath(path)
