"""The lorebooks of a role, following their files: its own folder, and the shared ones that role.json names."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rolememory.cards.book import read_book
from rolememory.errors import FileError
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.index import LoreIndex
from rolememory.schema.lorebook import BookSource, Lorebook
from rolememory.schema.settings import ScanSettings, Settings
from rolememory.store.disk import Mark
from rolememory.store.role_file import read_object
from rolememory.store.signature import signature
from rolememory.text.lengths import counter_for


class Books:
    """Holds the newest index. A broken file keeps its last good book and is told in `problems`. One owner at a time."""

    def __init__(self, role_folder: Path, shared_folder: Path) -> None:
        self._own, self._shared = role_folder / "worldbooks", shared_folder
        self._seen: dict[Path, Mark | None] = {}
        self._books: dict[Path, Lorebook] = {}
        self._index: LoreIndex | None = None
        self.problems: dict[Path, str] = {}

    def index(self, linked: Sequence[str], settings: ScanSettings) -> LoreIndex | None:
        """The index of all books as their files stand now; None when there are none. Cost: one stat per file when nothing changed."""
        files = dict(self._files(linked))
        marks = {path: signature(path) for path in files}
        if self._index is None or self._index.settings != settings or marks != self._seen:
            self._read(files, marks)
            books = [self._books[path] for path in files if path in self._books]
            same = self._index is not None and self._index.settings == settings
            self._index = self._index.updated(books) if self._index is not None and same else LoreIndex(books, settings)
        return self._index if self._index.entries else None

    def _files(self, linked: Sequence[str]) -> Iterator[tuple[Path, BookSource]]:
        if self._own.is_dir():
            yield from ((path, BookSource.CHARACTER) for path in sorted(self._own.glob("*.json")) if not path.name.startswith("."))
        for name in linked:
            path = self._shared / name
            if path.parent == self._shared:  # a name, not a way out of the folder
                yield path, BookSource.GLOBAL

    def _read(self, files: Mapping[Path, BookSource], marks: Mapping[Path, Mark | None]) -> None:
        for path, source in files.items():
            if marks[path] != self._seen.get(path) or path not in self._books:
                self._read_one(path, source)
        for gone in self._books.keys() - files.keys():
            del self._books[gone]
            self.problems.pop(gone, None)
        self._seen = dict(marks)

    def _read_one(self, path: Path, source: BookSource) -> None:
        try:
            raw: dict[str, Any] = read_object(path)
            book = read_book(raw, path.stem, source)
        except (FileError, ValueError, OSError) as error:
            self.problems[path] = str(error)
            return
        self._books[path] = book
        self.problems.pop(path, None)
        if book.problems:
            self.problems[path] = "; ".join(book.problems)


def left_by(lore: Activation, settings: Settings) -> int:
    """What lore leaves of a shared budget, in its unit; never below 0."""
    count = counter_for(settings.budget.unit, settings.lengths)
    return max(settings.budget.max_total_length - sum(count(one.content) for one in lore.awake), 0)
