"""Lorebooks: list, look, begin, bring in, carry out; entries changed one by one with the linter looking on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import Query, Request, Response
from pydantic import Field

from rolememory.authoring.books import BookFile, read_book_file
from rolememory.authoring.convert import Converted, convert
from rolememory.authoring.entries import Placed, added, changed, placed, removed
from rolememory.authoring.expectations import beside
from rolememory.authoring.lint.check import check
from rolememory.authoring.lint.subject import Subject
from rolememory.authoring.starter_book import new_book, new_expectations
from rolememory.cards import limits
from rolememory.cards.base import formats
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import book_formats, load_book
from rolememory.errors import FileError, UnknownNameError
from rolememory.schema.scene import Language
from rolememory.serve.app_state import AppState
from rolememory.serve.rest.book_folders import (
    BookFolder,
    BookName,
    TheShelf,
    editable,
    read,
    shelf_named,
)
from rolememory.serve.rest.book_schemas import (
    BookOut,
    EntryChanged,
    EntryFields,
    EntryOut,
    FindingOut,
    book_title,
    entries_out,
    finding_out,
    on_every_turn,
)
from rolememory.serve.rest.dependencies import (
    Alone,
    AppStateDep,
    IfMatch,
    LanguageDep,
    Paged,
    page,
    router,
    seen,
    tag,
)
from rolememory.serve.rest.error_responses import clean, private
from rolememory.serve.rest.schemas import Done, In, Name, Out, Page
from rolememory.serve.rest.uploads import TAKES_A_FILE, TheUpload
from rolememory.storage.files import atomic

books = router("books", under="/books")


class NewBook(In):
    """A book to begin with: three entries, and the expectations that go with them."""

    name: Name
    language: Literal["zh", "en"] | None = None


class LossOut(Out):
    """One field that a format cannot hold."""

    field: str
    text: str
    kept: str = Field(description='where in the result it is kept for the way back; "" = nowhere')


class ConvertedOut(Out):
    """What a conversion would do."""

    format: str
    suffix: str
    bytes: int
    losses: list[LossOut]


class FormatsOut(Out):
    """The formats that can be written."""

    cards: list[str]
    books: list[str]


@books.get("")
def list_books(
    request: Request,
    response: Response,
    app_state: AppStateDep,
    paging: Paged,
    language: LanguageDep,
    shelf: Annotated[
        str | None, Query(max_length=300, description='only of this: "shared", or a role')
    ] = None,
) -> Page[BookOut]:
    """Every book: the shared ones, then those of each role."""
    shelves = (
        [shelf_named(app_state, shelf)]
        if shelf
        else [
            shelf_named(app_state, "shared"),
            *(shelf_named(app_state, role.id) for role in app_state.home.roles()),
        ]
    )
    files = [(one, path) for one in shelves for path in one.files()]
    return page(request, response, paging, files, lambda pair: book_out(*pair, language))


@books.get("/formats")
def known_formats(app_state: AppStateDep) -> FormatsOut:
    """What cards and books can be written as."""
    return FormatsOut(cards=list(formats()), books=list(book_formats()))


@books.post("/{shelf}", status_code=201)
def begin_book(
    app_state: AppStateDep, shelf: TheShelf, language: LanguageDep, given: NewBook
) -> BookOut:
    """A new book that already passes its own tests."""
    path, written_in = shelf.new_file(given.name), given.language or language
    shelf.write(path, new_book(path.stem, written_in).encode())
    if not beside(path).exists():
        atomic.write(beside(path), new_expectations(path.name, written_in).encode())
    return book_out(shelf, path, language)


@books.post("/{shelf}/import", status_code=201, openapi_extra=TAKES_A_FILE)
def bring_book(
    shelf: TheShelf,
    language: LanguageDep,
    upload: TheUpload,
    name: Annotated[
        str, Query(max_length=200, description="what it is to be called; else as its file")
    ] = "",
    replace: Annotated[bool, Query(description="over a book of that name")] = False,
    dry_run: Annotated[bool, Query(description="only tell what it would be")] = False,
) -> BookOut:
    """A book of any known format, or the one in a card. JSON stays as it is, anything else becomes a lorebook of V3."""
    book = load_book(upload.data, upload.name or "upload")
    wanted = name or upload.name.rpartition(".")[0] or book.name
    data = (
        upload.data
        if book.container.data == upload.data and book.container.name == "json"
        else convert(book, "lorebook_v3").data
    )
    path = shelf.new_file(wanted, replace=replace or dry_run)
    keys = on_every_turn(read_book_file(data, path.name).book, shelf.settings)
    if dry_run:
        return _told(shelf, path, data, language).model_copy(update={"everywhere": keys})
    if not path.exists():
        shelf.from_somebody(path)
    shelf.write(path, data)
    return book_out(shelf, path, language).model_copy(update={"everywhere": keys})


@books.get("/{shelf}/{book}")
def one_book(response: Response, shelf: TheShelf, book: BookName, language: LanguageDep) -> BookOut:
    """One book, without its entries."""
    shown = book_out(shelf, shelf.file(book), language)
    response.headers["etag"] = shown.etag
    return shown


@books.get(
    "/{shelf}/{book}/export",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
def carry_out(
    shelf: TheShelf,
    book: BookName,
    to: Annotated[str, Query(max_length=60, description="a format; else as it is")] = "",
) -> Response:
    """The book as a file."""
    path = shelf.file(book)
    if not to:
        return attached(path.read_bytes(), path.stem, ".json")
    made = convert(load_book(path.read_bytes(), path.name), to)
    return attached(made.data, path.stem, made.suffix, len(made.losses))


@books.get("/{shelf}/{book}/convert")
def would_lose(
    app_state: AppStateDep,
    shelf: TheShelf,
    book: BookName,
    language: LanguageDep,
    to: Annotated[str, Query(max_length=60)],
) -> ConvertedOut:
    """What another format cannot hold."""
    path = shelf.file(book)
    return converted_out(convert(load_book(path.read_bytes(), path.name), to), app_state, language)


@books.get("/{shelf}/{book}/entries")
def list_entries(
    request: Request, response: Response, shelf: TheShelf, book: BookName, paging: Paged
) -> Page[EntryOut]:
    """The entries in the order of the file; those that cannot be read are told among the book's problems."""
    standing = LoadedBook.of(shelf, shelf.file(book))
    return page(
        request,
        response,
        paging,
        entries_out(standing.places, standing.subject),
        lambda entry: entry,
    )


@books.post("/{shelf}/{book}/entries", status_code=201)
def add_entry(
    response: Response,
    shelf: TheShelf,
    book: BookName,
    language: LanguageDep,
    alone: Alone,
    given: EntryFields,
    dry_run: bool = False,
) -> EntryChanged:
    """An entry more, at the end. `dry_run` only says what would be wrong with it."""
    path = shelf.file(book)
    with alone.through(f"book {path}"):
        grown, uid = added(editable(path), given.told())
        return _written(response, shelf, path, grown, uid, language, dry_run)


@books.get("/{shelf}/{book}/entries/{uid:path}")
def one_entry(
    response: Response, shelf: TheShelf, book: BookName, uid: str, language: LanguageDep
) -> EntryChanged:
    """One entry and what is wrong with it."""
    standing = LoadedBook.of(shelf, shelf.file(book))
    shown = EntryChanged(
        entry=standing.one(uid), findings=standing.findings(uid, language), written=False
    )
    response.headers["etag"] = shown.entry.etag
    return shown


@books.patch("/{shelf}/{book}/entries/{uid:path}")
def change_entry(
    response: Response,
    shelf: TheShelf,
    book: BookName,
    uid: str,
    language: LanguageDep,
    alone: Alone,
    given: EntryFields,
    dry_run: Annotated[
        bool, Query(description="only lint: for an editor that looks on while somebody types")
    ] = False,
    if_match: IfMatch = None,
) -> EntryChanged:
    """Change fields of one entry in its file; everything else in the file stays letter by letter."""
    path = shelf.file(book)
    with alone.through(f"book {path}"):
        _unchanged(shelf, path, uid, if_match)
        return _written(
            response,
            shelf,
            path,
            changed(editable(path), uid, given.told()),
            uid,
            language,
            dry_run,
        )


@books.delete("/{shelf}/{book}/entries/{uid:path}")
def remove_entry(
    shelf: TheShelf, book: BookName, uid: str, alone: Alone, if_match: IfMatch = None
) -> Done:
    """Take an entry out of the book."""
    path = shelf.file(book)
    with alone.through(f"book {path}"):
        _unchanged(shelf, path, uid, if_match)
        shelf.write(path, removed(editable(path), uid).write())
    return Done(changed=1)


class LoadedBook:
    """A book as it stands: its entries, prepared for questions."""

    def __init__(self, shelf: BookFolder, file: BookFile, places: list[Placed]) -> None:
        self.shelf, self.file, self.places = shelf, file, places
        self.subject = Subject.of(file, shelf.settings)

    @classmethod
    def of(cls, shelf: BookFolder, path: Path) -> "LoadedBook":
        """From its file. Raises: FileError."""
        data, file = read(path)
        return cls(shelf, file, placed(load_book(data, path.name)))

    @classmethod
    def written(cls, shelf: BookFolder, name: str, book: Book) -> "LoadedBook":
        """As it will be read again."""
        data = book.write()
        return cls(shelf, read_book_file(data, name), placed(load_book(data, name)))

    def one(self, uid: str) -> EntryOut:
        """One entry. Raises: UnknownNameError."""
        found = entries_out([one for one in self.places if one.uid == uid], self.subject)
        if not found:
            raise UnknownNameError("entry", uid, [one.uid for one in self.places if one.entry])
        return found[0]

    def findings(self, uid: str, language: Language) -> list[FindingOut]:
        """What is wrong with one entry."""
        found = check(self.file, self.shelf.settings)
        return [
            finding_out(one, self.file.book.format, language) for one in found if one.entry == uid
        ]


def book_out(shelf: BookFolder, path: Path, language: Language) -> BookOut:
    """A book as it goes out; one that cannot be read is told with its problem."""
    try:
        return _told(shelf, path, limits.read_bytes(path), language)
    except FileError as error:
        return BookOut.model_validate(
            {
                **_place(shelf, path),
                "name": clean(path.stem),
                "format": "",
                "description": "",
                "entries": 0,
                "has_tests": False,
                "etag": '""',
                "problems": [private(error.text(language), shelf.app_state)],
            }
        )


def _place(shelf: BookFolder, path: Path) -> dict[str, Any]:
    linked = [] if shelf.role_memory else list(_linked(shelf.app_state, path.name))
    return {"id": clean(path.name), "shelf": shelf.id, "linked_by": linked}


def _told(shelf: BookFolder, path: Path, data: bytes, language: Language) -> BookOut:
    """What a book with this content is. Raises: FileError."""
    file = read_book_file(data, path.name)
    return BookOut.model_validate(
        {
            **_place(shelf, path),
            "name": book_title(file),
            "format": file.book.format,
            "description": clean(file.book.description),
            "entries": len(file.book.entries),
            "problems": [private(problem, shelf.app_state) for problem in file.book.problems],
            "has_tests": beside(path).is_file(),
            "etag": tag(data.hex()),
        }
    )


def converted_out(made: Converted, app_state: AppState, language: Language) -> ConvertedOut:
    """A conversion, told."""
    losses = [
        LossOut(field=clean(one.field), text=private(one.text(language), app_state), kept=one.kept)
        for one in made.losses
    ]
    return ConvertedOut(
        format=made.result.format, suffix=made.suffix, bytes=len(made.data), losses=losses
    )


def attached(
    data: bytes, stem: str, suffix: str, losses: int = 0, kind: str = "application/octet-stream"
) -> Response:
    """A file to be saved; its name in any script. Source: RFC 6266, RFC 8187."""
    name = f"{clean(stem)}{suffix}"
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "x-rolememory-losses": str(losses),
    }
    return Response(data, media_type=kind, headers=headers)


def _written(
    response: Response,
    shelf: BookFolder,
    path: Path,
    book: Book,
    uid: str,
    language: Language,
    dry_run: bool,
) -> EntryChanged:
    standing = LoadedBook.written(shelf, path.name, book)
    shown = EntryChanged(
        entry=standing.one(uid), findings=standing.findings(uid, language), written=not dry_run
    )
    if not dry_run:
        shelf.write(path, book.write())
    response.headers["etag"] = shown.entry.etag
    return shown


def _unchanged(shelf: BookFolder, path: Path, uid: str, if_match: str | None) -> None:
    """Refuse when it is another one than the caller saw. Raises: Stale, UnknownNameError."""
    if if_match is not None:
        now = LoadedBook.of(shelf, path).one(uid)
        seen(if_match, now.etag, lambda: now.model_dump(mode="json"))


def _linked(app_state: AppState, name: str) -> Iterator[str]:
    return (role.id for role in app_state.home.roles() if name in role.worldbooks)
