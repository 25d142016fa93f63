"""Where lorebooks stand: on the shared shelf, or on that of a role. A name in an address is looked for among the files that are there."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import orjson
from fastapi import Depends
from fastapi import Path as InPath
from starlette.requests import Request

from rolememory.author.books import BookFile, read_book_file
from rolememory.cards import limits
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import load_book
from rolememory.cards.role_parts import file_name
from rolememory.engine import RoleMemory
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.recall.books import IMPORTED
from rolememory.recall.lore.rules import rules_named
from rolememory.schema.settings import ScanSettings
from rolememory.serve.house import House
from rolememory.serve.rest.asking import house_of
from rolememory.serve.rest.shapes import Line
from rolememory.storage.files import atomic
from rolememory.storage.files.space import FileSpace
from rolememory.storage.port import rewrite

SHARED = "shared"
FOLDER = "worldbooks"


@dataclass(frozen=True)
class Shelf:
    """A folder of books."""

    house: House
    folder: Path
    mind: RoleMemory | None = None

    @property
    def id(self) -> str:
        """How an address names it."""
        return self.mind.id if self.mind else SHARED

    @property
    def settings(self) -> ScanSettings:
        """How its books are scanned."""
        return (self.mind.settings if self.mind else self.house.home.settings).lore

    def files(self) -> Iterator[Path]:
        """Its books, by name. What leads out of the folder is none."""
        if self.folder.is_dir():
            for path in sorted(self.folder.glob("*.json")):
                if (
                    not path.name.startswith(".")
                    and path.is_file()
                    and path.resolve().parent == self.folder.resolve()
                ):
                    yield path

    def file(self, name: str) -> Path:
        """The file of that name, with or without its ending. Raises: UnknownNameError."""
        files = list(self.files())
        for path in files:
            if name in (path.name, path.stem):
                return path
        raise UnknownNameError("worldbook", name, [path.name for path in files])

    def new_file(self, name: str, *, replace: bool = False) -> Path:
        """Where a new book of that name goes; the name is made safe. Raises: InvalidValueError when one stands there."""
        path = self.folder / f"{file_name(name.removesuffix('.json'))}.json"
        if path.exists() and not replace:
            raise InvalidValueError(
                f"{path.name} is there already; choose another name, or say replace=true",
                zh=f"{path.name} 已存在；请换一个名字，或加 replace=true",
            )
        return path

    def write(self, path: Path, data: bytes) -> None:
        """Write a book or what stands beside it, whole or not at all, and let listeners know. What stood there stays as `.prev`."""
        rewrite(FileSpace(self.folder), path.name, data)
        self.house.bus.tell("worldbook", self.mind.id if self.mind else "", book=path.name)

    def from_somebody(self, path: Path) -> None:
        """Note that a book came from somebody else: it has a share of the budget, as a card's has."""
        beside = self.folder / IMPORTED
        try:
            known = orjson.loads(beside.read_bytes())["names"]
        except (OSError, ValueError, KeyError, TypeError):
            known = []
        names = [*(one for one in known if one != path.name), path.name]
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic.write(beside, orjson.dumps({"names": names}))


def shelf_named(house: House, name: str) -> Shelf:
    """The shared shelf, or that of a role. Raises: UnknownRoleError, AmbiguousNameError."""
    if name == SHARED:
        return Shelf(house, house.home.path / FOLDER)
    mind = house.home.role(name)
    return Shelf(house, mind.folder / FOLDER, mind)


def read(path: Path) -> tuple[bytes, BookFile]:
    """A book's bytes and what they say. Raises: FileError."""
    data = limits.read_bytes(path)
    return data, read_book_file(data, path.name)


def editable(path: Path) -> Book:
    """A book whose file can be written back. Raises: FileError, InvalidValueError."""
    data = limits.read_bytes(path)
    book = load_book(data, path.name)
    if book.container.data != data:
        raise InvalidValueError(
            f"{path.name} is a character card with a book in it; export the book, then edit that",
            zh=f"{path.name} 是带世界书的角色卡；请先导出其中的世界书再编辑",
        )
    return book


def ruled(settings: ScanSettings, rules: str | None) -> ScanSettings:
    """The settings under these rules. Raises: UnknownNameError."""
    return settings.model_copy(update={"rules": rules_named(rules).name}) if rules else settings


def _shelf_of(
    request: Request,
    shelf: Annotated[
        str, InPath(max_length=300, description='"shared", or a role: id, name or alias')
    ],
) -> Shelf:
    return shelf_named(house_of(request), shelf)


TheShelf = Annotated[Shelf, Depends(_shelf_of)]
BookName = Annotated[Line, InPath(description="its file's name")]
