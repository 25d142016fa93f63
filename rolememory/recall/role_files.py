"""The lorebooks and the character card of a role, read again while their files change."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import PurePath

from rolememory.cards import preserved_fields
from rolememory.cards.book import read_book
from rolememory.errors import FileError, RoleMemoryError, UnsafePathError
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.index import LoreIndex
from rolememory.schema.json_types import JsonObject
from rolememory.schema.lorebook import BookSource, Lorebook
from rolememory.schema.role import Character, Role
from rolememory.schema.settings import ScanSettings, Settings
from rolememory.storage.imported_books import BOOKS, imported
from rolememory.storage.look import Followed, FollowedFiles, Watched, this_look, watching
from rolememory.storage.people import Same, alone
from rolememory.storage.personas import Personas
from rolememory.storage.port import Blob, Document, Revision, Space
from rolememory.storage.role_file import object_in
from rolememory.text.lengths import counter_for


class Books:
    """The current lorebooks: the role's own, and the shared ones that role.json names.

    Holds the newest index. A broken book keeps its last good state and is listed in `problems`. Not thread-safe.
    """

    def __init__(self, role: Space, home: Space) -> None:
        self._role, self._home = role, home
        self._files: dict[str, FollowedFiles[Lorebook]] = {}  # by where they lie
        self._books: list[Lorebook] = []
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
        index, before, books = self._index, self._books, self._read(linked)
        self._books = books
        if index is None or index.settings != settings:
            return LoreIndex(books, settings)
        return index if books == before else index.updated(books)

    def _read(self, linked: Sequence[str]) -> list[Lorebook]:
        """The last good state of each book, and what is wrong with the files."""
        known, self._files, self.problems = self._files, {}, {}
        books: list[Lorebook] = []
        for document, source in self._kept(linked):
            place = document.place
            file = known.get(place) or self._followed(document, source)
            book = file.current()
            if wrong := _problems_of(place, book):
                self.problems[place] = wrong
            if book.problem and book.marks[place] is None:  # taken away, not broken
                continue
            self._files[place] = file
            books += [book.content] if book.content else []
        return books

    def _followed(self, document: Document, source: BookSource) -> FollowedFiles[Lorebook]:
        return FollowedFiles(lambda: self._read_one(document, source), lambda _: watching(document))

    def _kept(self, linked: Sequence[str]) -> Iterator[tuple[Document, BookSource]]:
        for name in self._role.names(BOOKS):
            if name.endswith(".json") and not name.startswith(f"{BOOKS}."):
                yield self._role.document(name), BookSource.CHARACTER
        for name in linked:
            if "/" not in name:  # a name, not a way out of the folder
                with suppress(UnsafePathError):
                    yield self._home.document(BOOKS + name), BookSource.GLOBAL

    def _read_one(self, document: Document, source: BookSource) -> Lorebook:
        try:
            raw: JsonObject = object_in(document)
            space = self._role if source is BookSource.CHARACTER else self._home
            if PurePath(document.name).name in imported(space):
                raw = preserved_fields.with_note(
                    raw, preserved_fields.OF_CARD, True
                )  # shares as theirs do
            return read_book(raw, PurePath(document.name).stem, source)
        except (FileError, ValueError, OSError) as error:
            raise _at(document.place, error) from error


def _problems_of(place: str, book: Followed[Lorebook]) -> tuple[FileError, ...]:
    if book.problem:
        return (book.problem,)
    return tuple(FileError(place, one) for one in book.content.problems) if book.content else ()


def _at(place: str, error: Exception) -> FileError:
    """The error of a book with the path of its file."""
    if not isinstance(error, FileError):
        return FileError(place, str(error))
    return error if error.file == place else FileError(place, error.problem, remedy=error.remedy)


def left_by(lore: Activation, settings: Settings) -> int:
    """What lore leaves of a shared budget, in its unit; never below 0."""
    count = counter_for(settings.budget.unit, settings.lengths)
    return max(settings.budget.max_total_length - sum(count(one.content) for one in lore.awake), 0)


class RoleCard:
    """The character card: the default for lore scanning, and names in the block.

    Holds the newest card. A broken file keeps its last good texts and is reported in `problem`. Not thread-safe.
    """

    def __init__(self, role: Space, home: Space, same: Same = alone) -> None:
        self._role, self._same = role, same
        self._seen: tuple[str, Revision | None] | None = None
        self._texts: Character | None = None
        self._look: object = None
        self._personas = Personas(home)
        self._told: tuple[str, str | None, Character] | None = None  # to whom what was told last
        self.problem = ""

    def character(self, role: Role, user: str | None = None) -> Character:
        """The texts of the card that role.json names, else only the role's name, and the user's persona.

        Cost: two stats when nothing changed.
        """
        look, told = this_look().files, self._told
        if told is None or look is not self._look or told[:2] != (role.id, user):
            texts = self._current(role.card) if role.card else None
            persona = self._personas.about(user, self._same)
            found = replace(_of_turn(role, texts, user or "User"), persona=persona)
            same = told is not None and told[2] == found
            told = self._told = (role.id, user, told[2] if same and told else found)
            self._look = look
        return told[2]

    def watched(self, role: Role) -> Watched:
        """The card that role.json names, and the personas."""
        card = self._file(role.card or "")
        return {**(watching(card) if card else {}), **self._personas.watched}

    def texts(self, role: Role) -> list[str]:
        """The texts of the card about the character and its world: nothing of them has to be learned."""
        own = self.character(role)
        return [
            text
            for text in (own.description, own.personality, own.scenario, own.depth_prompt)
            if text
        ]

    def _file(self, name: str) -> Blob | None:
        if "/" in name or not name.strip(". "):  # a name, not a way out of the folder
            return None
        return self._role.blob(name)

    def _current(self, name: str) -> Character | None:
        kept = self._file(name)
        if kept is None:
            return None
        seen = (name, kept.mark())
        if seen != self._seen:
            if self._seen is None or self._seen[0] != name:
                self._texts = None
            self._seen = seen
            self._read(kept)
        return self._texts

    def _read(self, kept: Blob) -> None:
        from rolememory.cards.base import load  # only roles with a card need it

        try:
            self._texts = load(kept.read(), kept.place).character()
            self.problem = ""
        except (RoleMemoryError, OSError) as error:
            self.problem = str(error)


def _of_turn(role: Role, texts: Character | None, user: str) -> Character:
    """The texts with the names of one turn, and the file's name as filters know it."""
    if texts is None:
        return Character(name=role.name, user=user)
    return replace(
        texts,
        name=texts.name or role.name,
        user=user,
        file=PurePath(role.card_from).stem or texts.file,
    )
