"""Where lorebooks stand: on the shared shelf, or on that of a role. A name in an address is looked for among the files that are there."""

from collections.abc import Iterator
from contextlib import contextmanager
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
        """How an address names it."""
        return self.role_memory.id if self.role_memory else SHARED

    @property
    def settings(self) -> ScanSettings:
        """How its books are scanned."""
        return (
            self.role_memory.settings if self.role_memory else self.app_state.home.settings
        ).lore

    def files(self) -> Iterator[Path]:
        """Its books, by name. What leads out of the folder is none."""
        for path in sorted(self.folder.glob("*.json")):
            here = path.is_file() and path.resolve().parent == self.folder.resolve()
            if here and not path.name.startswith("."):
                yield path

    def file(self, name: str) -> Path:
        """The file of that name, with or without its ending. Raises: UnknownNameError."""
        known = {path.name: path for path in self.files()}
        for path in known.values():
            if name in (path.name, path.stem):
                return path
        raise UnknownNameError("worldbook", name, known)

    def new_file(self, name: str, *, replace: bool = False) -> Path:
        """Where a new book of that name goes; the name is made safe. Raises: InvalidValueError when one stands there."""
        path = self.folder / f"{file_name(name.removesuffix('.json'))}.json"
        if path.exists() and not replace:
            raise InvalidValueError(
                "{name} is there already; choose another name, or say replace=true", name=path.name
            )
        return path

    def write(self, path: Path, data: bytes) -> None:
        """Write a book or what stands beside it, whole or not at all, and let listeners know. What stood there stays as `.prev`."""
        rewrite(FileSpace(self.folder), path.name, data)
        self.app_state.bus.tell(
            "worldbook", self.role_memory.id if self.role_memory else "", book=path.name
        )

    def from_somebody(self, path: Path) -> None:
        """Note that a book came from somebody else: it has a share of the budget, as a card's has."""
        note_imported(FileSpace(self.folder.parent), path.name)


def shelf_named(app_state: AppState, name: str) -> BookFolder:
    """The shared shelf, or that of a role. Raises: UnknownRoleError, AmbiguousNameError."""
    if name == SHARED:
        return BookFolder(app_state, app_state.home.path / FOLDER)
    role_memory = app_state.home.role(name)
    return BookFolder(app_state, role_memory.folder / FOLDER, role_memory)


def read(path: Path) -> BookFile:
    """What a book says. Raises: FileError."""
    return read_book_file(limits.read_bytes(path), path.name)


def editable(path: Path) -> Book:
    """A book whose file can be written back. Raises: FileError, InvalidValueError."""
    data = limits.read_bytes(path)
    book = load_book(data, path.name)
    if book.container.data != data:
        raise InvalidValueError(
            "{name} is a character card with a book in it; export the book, then edit that",
            name=path.name,
        )
    return book


class CallOfShelf(RestCall):
    """A call about the books of one shelf."""

    def __init__(
        self,
        request: Request,
        response: Response,
        shelf: Annotated[
            str, InPath(max_length=300, description='"shared", or a role: id, name or alias')
        ],
    ) -> None:
        super().__init__(request, response)
        self.shelf = shelf_named(self.app_state, shelf)

    @contextmanager
    def editing(self, book: str) -> Iterator[Path]:
        """The file of a book, alone with it."""
        path = self.shelf.file(book)
        with self.alone(f"book {path}"):
            yield path


ShelfCall = Annotated[CallOfShelf, Depends()]
BookName = Annotated[Line, InPath(description="its file's name")]
