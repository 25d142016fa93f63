"""The current lorebooks of a role: its own, and the shared ones that role.json names."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import Any

from rolememory.cards import preserved_fields
from rolememory.cards.book import read_book
from rolememory.errors import FileError, UnsafePathError
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.index import LoreIndex
from rolememory.schema.lorebook import BookSource, Lorebook
from rolememory.schema.settings import ScanSettings, Settings
from rolememory.storage.imported_books import BOOKS, imported
from rolememory.storage.look import Watched, this_look, watching
from rolememory.storage.port import Document, Revision, Space
from rolememory.storage.role_file import object_in
from rolememory.text.lengths import counter_for


class Books:
    """Holds the newest index. A broken book keeps its last good state and is listed in `problems`. Not thread-safe."""

    def __init__(self, role: Space, home: Space) -> None:
        self._role, self._home = role, home
        self._seen: dict[str, Revision | None] = {}
        self._books: dict[str, Lorebook] = {}
        self._index: LoreIndex | None = None
        self._look: object = None
        self.problems: dict[str, tuple[FileError, ...]] = {}  # by where the book lies

    def index(self, linked: Sequence[str], settings: ScanSettings) -> LoreIndex | None:
        """The index of all current books; None without any. Cost: one mark per book when nothing changed."""
        look, index = this_look().files, self._index
        if (
            index is None
            or look is not self._look
            or (settings is not index.settings and settings != index.settings)
        ):
            self._index = index = self._current(linked, settings)
            self._look = look
        return index if index.entries else None

    def watched(self, linked: Sequence[str]) -> Watched:
        """The books, and whether there are others."""
        books = watching(*(document for document, _ in self._kept(linked)))
        return {**books, f"{self._role.place}/{BOOKS}": partial(self._role.listed, BOOKS)}

    def _current(self, linked: Sequence[str], settings: ScanSettings) -> LoreIndex:
        kept = {document.place: (document, source) for document, source in self._kept(linked)}
        marks = {place: document.mark() for place, (document, _) in kept.items()}
        if self._index is None or self._index.settings != settings or marks != self._seen:
            self._read(kept, marks)
            books = [self._books[place] for place in kept if place in self._books]
            same = self._index is not None and self._index.settings == settings
            self._index = (
                self._index.updated(books)
                if self._index is not None and same
                else LoreIndex(books, settings)
            )
        return self._index

    def _kept(self, linked: Sequence[str]) -> Iterator[tuple[Document, BookSource]]:
        for name in self._role.names(BOOKS):
            if name.endswith(".json") and not name.startswith(f"{BOOKS}."):
                yield self._role.document(name), BookSource.CHARACTER
        for name in linked:
            if "/" not in name:  # a name, not a way out of the folder
                with suppress(UnsafePathError):
                    yield self._home.document(BOOKS + name), BookSource.GLOBAL

    def _read(
        self,
        kept: Mapping[str, tuple[Document, BookSource]],
        marks: Mapping[str, Revision | None],
    ) -> None:
        for place, (document, source) in kept.items():
            if marks[place] != self._seen.get(place) or place not in self._books:
                self._read_one(document, source)
        for gone in self._books.keys() - kept.keys():
            del self._books[gone]
            self.problems.pop(gone, None)
        self._seen = dict(marks)

    def _read_one(self, document: Document, source: BookSource) -> None:
        place = document.place
        try:
            raw: dict[str, Any] = object_in(document)
            space = self._role if source is BookSource.CHARACTER else self._home
            if PurePath(document.name).name in imported(space):
                raw = preserved_fields.with_note(
                    raw, preserved_fields.OF_CARD, True
                )  # shares as theirs do
            book = read_book(raw, PurePath(document.name).stem, source)
        except (FileError, ValueError, OSError) as error:
            self.problems[place] = (_at(place, error),)
            if document.mark() is None:  # taken away, not broken
                self._books.pop(place, None)
            return
        self._books[place] = book
        self.problems.pop(place, None)
        if book.problems:
            self.problems[place] = tuple(FileError(place, one) for one in book.problems)


def _at(place: str, error: Exception) -> FileError:
    """The error of a book with the path of its file."""
    if not isinstance(error, FileError):
        return FileError(place, str(error))
    return error if error.file == place else FileError(place, error.problem, remedy=error.remedy)


def left_by(lore: Activation, settings: Settings) -> int:
    """What lore leaves of a shared budget, in its unit; never below 0."""
    count = counter_for(settings.budget.unit, settings.lengths)
    return max(settings.budget.max_total_length - sum(count(one.content) for one in lore.awake), 0)
