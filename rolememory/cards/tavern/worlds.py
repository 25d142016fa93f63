"""The lorebooks of a data folder."""

from pathlib import Path

from rolememory.cards.book_file import Book
from rolememory.cards.book_files import load_book
from rolememory.schema.json_types import list_of
from rolememory.schema.value_class import value_class


@value_class
class World:
    """A lorebook by the name that cards, chats and personas use: its file's name."""

    path: Path
    book: Book

    @property
    def name(self) -> str:
        """Its name."""
        return self.path.stem


def read_world(path: Path) -> World:
    """A file of `worlds/`.

    Raises:
        FileError: unreadable, or no lorebook.
    """
    return World(path, load_book(path))


def count(book: Book) -> int:
    """The number of entries."""
    found = book.raw.get("entries")
    return len(found if isinstance(found, dict) else list_of(found))
