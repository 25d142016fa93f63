"""Folders of lorebooks: shared, or of a role. Names in URLs are only matched against existing files."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Depends
from fastapi import Path as InPath
from starlette.requests import Request
from starlette.responses import Response

from rolememory.authoring.books import BookFile, read_book_file
from rolememory.cards import limits
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import load_book
from rolememory.cards.role_parts import file_name
from rolememory.engine import RoleMemory
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.schema.settings import ScanSettings
from rolememory.serve.app_state import AppState
from rolememory.serve.rest.dependencies import RestCall
from rolememory.serve.rest.schemas import Line
from rolememory.storage.files.space import FileSpace
from rolememory.storage.imported_books import note_imported
from rolememory.storage.port import rewrite

SHARED = "shared"
FOLDER = "worldbooks"


@dataclass(frozen=True)
class BookFolder:
    """A folder of books."""

    app_state: AppState
    folder: Path
    role_memory: RoleMemory | None = None

    @property
    def id(self) -> str:
        """Its name in URLs."""
        return self.role_memory.id if self.role_memory else SHARED

    @property
    def settings(self) -> ScanSettings:
        """The scan settings of its books."""
        return (
            self.role_memory.settings if self.role_memory else self.app_state.home.settings
        ).lore

    def files(self) -> Iterator[Path]:
        """Its books, by name, without links that leave the folder."""
        for path in sorted(self.folder.glob("*.json")):
            here = path.is_file() and path.resolve().parent == self.folder.resolve()
            if here and not path.name.startswith("."):
                yield path

    def file(self, name: str) -> Path:
        """The file of that name, with or without extension. Raises: UnknownNameError."""
        known = {path.name: path for path in self.files()}
        for path in known.values():
            if name in (path.name, path.stem):
                return path
        raise UnknownNameError("worldbook", name, known)

    def new_file(self, name: str, *, replace: bool = False) -> Path:
        """The path of a new book; the name is sanitised. Raises: InvalidValueError if it exists."""
        path = self.folder / f"{file_name(name.removesuffix('.json'))}.json"
        if path.exists() and not replace:
            raise InvalidValueError(
                "{name} is there already; choose another name, or say replace=true", name=path.name
            )
        return path

    def write(self, path: Path, data: bytes) -> None:
        """Write a book or its companion file atomically, and publish an event. The old file is kept as `.prev`."""
        rewrite(FileSpace(self.folder), path.name, data)
        self.app_state.bus.tell(
            "worldbook", self.role_memory.id if self.role_memory else "", book=path.name
        )

    def from_somebody(self, path: Path) -> None:
        """Record that a book was imported, which limits its share of the budget, as for a card's book."""
        note_imported(FileSpace(self.folder.parent), path.name)


def shelf_named(app_state: AppState, name: str) -> BookFolder:
    """The shared folder, or that of a role. Raises: UnknownRoleError, AmbiguousNameError."""
    if name == SHARED:
        return BookFolder(app_state, app_state.home.path / FOLDER)
    role_memory = app_state.home.role(name)
    return BookFolder(app_state, role_memory.folder / FOLDER, role_memory)


def read(path: Path) -> BookFile:
    """Read a book. Raises: FileError."""
    return read_book_file(limits.read_bytes(path), path.name)


def editable(path: Path) -> Book:
    """Read a book for editing. Raises: FileError, InvalidValueError."""
    data = limits.read_bytes(path)
    return checked_editable(load_book(data, path.name), data, path.name)


def checked_editable(book: Book, data: bytes, name: str) -> Book:
    """The book of this file, if it can be edited. Raises: InvalidValueError."""
    if book.container.data != data:
        raise InvalidValueError(
            "{name} is a character card with a book in it; export the book, then edit that",
            name=name,
        )
    return book


ShelfName = Annotated[
    str, InPath(max_length=300, description='"shared", or a role: id, name or alias')
]
BookName = Annotated[Line, InPath(description="its file's name")]


class CallOfShelf(RestCall):
    """A call about the books of a folder."""

    def __init__(self, request: Request, response: Response, shelf: ShelfName) -> None:
        super().__init__(request, response)
        self.shelf = shelf_named(self.app_state, shelf)


class CallOfBook(CallOfShelf):
    """A call about one book, at `path`."""

    def __init__(
        self, request: Request, response: Response, shelf: ShelfName, book: BookName
    ) -> None:
        super().__init__(request, response, shelf)
        self.path = self.shelf.file(book)

    def editing(self) -> AbstractContextManager[None]:
        """Within the block the book is locked."""
        return self.alone(f"book {self.path}")


ShelfCall = Annotated[CallOfShelf, Depends()]
BookCall = Annotated[CallOfBook, Depends()]
