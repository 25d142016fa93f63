"""The lorebooks of a data folder, and the memories that Memory Books keeps in them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from rolememory.cards.book_file import Book
from rolememory.cards.book_files import load_book
from rolememory.cards.json_read import list_of
from rolememory.cards.tavern.summaries import LeftSummary, is_memory, of_entry


@dataclass(frozen=True, slots=True)
class World:
    """A lorebook by the name that cards, chats and personas call it: its file's name."""

    path: Path
    book: Book
    memories: tuple[LeftSummary, ...] = ()  # in the order of the story

    @property
    def name(self) -> str:
        """What it is called by."""
        return self.path.stem


def read_world(path: Path) -> World:
    """A file of `worlds/`.

    Raises:
        FileError: unreadable, or no lorebook.
    """
    book = load_book(path)
    found = (of_entry(one) for one in _entries(book) if isinstance(one, dict))
    return World(
        path,
        book,
        tuple(sorted((one for one in found if one), key=lambda one: (one.chat, one.through))),
    )


def without(book: Book, moved: Collection[LeftSummary]) -> Book:
    """The book without the memories that became memories of a role, and without those that they replaced."""
    if not moved:
        return book
    entries = book.raw.get("entries")
    left: object = (
        {uid: one for uid, one in entries.items() if _stays(one, moved)}
        if isinstance(entries, dict)
        else [one for one in entries or () if _stays(one, moved)]
    )
    return book.with_raw({**book.raw, "entries": left})


def _stays(entry: object, moved: Collection[LeftSummary]) -> bool:
    """Whether an entry is no memory, or one that did not move and was not replaced."""
    if not isinstance(entry, dict) or not is_memory(entry):
        return True
    found = of_entry(entry)
    return found is not None and found not in moved


def count(book: Book) -> int:
    """How many entries it has."""
    return sum(1 for _ in _entries(book))


def _entries(book: Book) -> Iterable[object]:
    found = book.raw.get("entries")
    return found.values() if isinstance(found, dict) else list_of(found)
