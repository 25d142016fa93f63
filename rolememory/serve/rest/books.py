"""Lorebooks: list, read, create, import, export; edit single entries, with lint findings."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import Query, Response

from rolememory.authoring.books import read_book_file
from rolememory.authoring.convert import Converted, as_lorebook, convert
from rolememory.authoring.entries import added, changed, placed, removed
from rolememory.authoring.expectations import beside
from rolememory.authoring.import_review import everywhere
from rolememory.authoring.lint import check
from rolememory.authoring.lint.subject import Subject
from rolememory.authoring.starter_book import new_book, new_expectations
from rolememory.cards import limits
from rolememory.cards.base import formats
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import book_formats, load_book
from rolememory.errors import FileError, UnknownNameError
from rolememory.schema.lorebook import Lorebook
from rolememory.serve.rest.book_folders import (
    SHARED,
    BookCall,
    BookFolder,
    ShelfCall,
    editable,
    shelf_named,
)
from rolememory.serve.rest.book_schemas import (
    BookOut,
    EntryChanged,
    EntryFields,
    EntryOut,
    entries_out,
)
from rolememory.serve.rest.dependencies import HomeCall, IfMatch, Paged, router, tag
from rolememory.serve.rest.json_response import sendable
from rolememory.serve.rest.schemas import Done, In, Name, Out, Page, Translated
from rolememory.serve.rest.uploads import TAKES_A_FILE, TheUpload
from rolememory.storage.files import atomic

routes = router("books", under="/books")


class NewBook(In):
    """A new book with three example entries and their expectations."""

    name: Name
    language: Literal["zh", "en"] | None = None


class LossOut(Out):
    """One field that a format cannot hold."""

    field: str
    text: Translated
    kept: str
    """where the result keeps it for converting back; "" = nowhere"""


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


@routes.get("")
def list_books(
    call: HomeCall,
    page: Paged,
    shelf: Annotated[
        str | None, Query(max_length=300, description='only of this: "shared", or a role')
    ] = None,
) -> Page[BookOut]:
    """Every book: the shared ones, then those of each role."""
    home = call.home
    named = partial(shelf_named, call.app_state)
    own = (
        [] if shelf else [home.of_role(role.id, lambda one: named(one.id)) for role in home.roles()]
    )
    shelves = filter(None, (named(shelf or SHARED), *own))
    files = [(one, path) for one in shelves for path in one.files()]
    return page(files, lambda pair: _listed(call, *pair))


@routes.get("/formats")
def list_formats() -> FormatsOut:
    """The formats in which cards and books can be exported."""
    return FormatsOut(cards=list(formats()), books=list(book_formats()))


@routes.post("/{shelf}", status_code=201)
def create_book(call: ShelfCall, given: NewBook) -> BookOut:
    """Create a book with three example entries and expectations that pass."""
    path = call.shelf.new_file(given.name)
    written_in = given.language or call.language
    call.shelf.write(path, new_book(path.stem, written_in).encode())
    if not beside(path).exists():
        atomic.write(beside(path), new_expectations(path.name, written_in).encode())
    return book_out(call, call.shelf, path)


@routes.post("/{shelf}/import", status_code=201, openapi_extra=TAKES_A_FILE)
def import_book(
    call: ShelfCall,
    upload: TheUpload,
    name: Annotated[
        str, Query(max_length=200, description="its name; by default that of the file")
    ] = "",
    replace: Annotated[bool, Query(description="replace a book of that name")] = False,
    dry_run: Annotated[
        bool, Query(description="do not write: only return what it would become")
    ] = False,
) -> BookOut:
    """Import a book of any known format, or the one in a card. JSON is stored as it is, anything else is converted to a V3 lorebook."""
    book = load_book(upload.data, upload.name or "upload")
    shelf = call.shelf
    data = as_lorebook(book, upload.data)
    wanted = name or upload.name.rpartition(".")[0] or book.name
    path = shelf.new_file(wanted, replace=replace or dry_run)
    shown = _book_out(call, shelf, path, data, keys=True)
    if not dry_run:
        if not path.exists():
            shelf.from_somebody(path)
        shelf.write(path, data)
    return shown


@routes.get("/{shelf}/{book}")
def one_book(call: BookCall) -> BookOut:
    """One book, without its entries."""
    return call.tagged(book_out(call, call.shelf, call.path))


@routes.get(
    "/{shelf}/{book}/export",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
def export_book(
    call: BookCall,
    to: Annotated[str, Query(max_length=60, description="a format; by default unchanged")] = "",
) -> Response:
    """The book as a file."""
    path = call.path
    if not to:
        return attached(path.read_bytes(), path.stem, ".json")
    made = convert(load_book(path, path.name), to)
    return attached(made.data, path.stem, made.suffix, len(made.losses))


@routes.get("/{shelf}/{book}/convert")
def preview_conversion(call: BookCall, to: Annotated[str, Query(max_length=60)]) -> ConvertedOut:
    """The fields that another format cannot hold."""
    return converted_out(convert(load_book(call.path, call.path.name), to))


@routes.get("/{shelf}/{book}/entries")
def list_entries(call: BookCall, page: Paged) -> Page[EntryOut]:
    """The entries in the order of the file. Entries that cannot be read are listed in the book's problems."""
    loaded = LoadedBook(call)
    return page(entries_out(loaded.places, loaded.subject))


@routes.post("/{shelf}/{book}/entries", status_code=201)
def add_entry(call: BookCall, given: EntryFields, dry_run: bool = False) -> EntryChanged:
    """Append an entry. `dry_run` only lints it."""
    with call.editing():
        grown, uid = added(editable(call.path), given.named())
        return _written(call, grown, uid, dry_run)


@routes.get("/{shelf}/{book}/entries/{uid:path}")
def one_entry(call: BookCall, uid: str) -> EntryChanged:
    """One entry with its lint findings."""
    return LoadedBook(call).shown(uid)


@routes.patch("/{shelf}/{book}/entries/{uid:path}")
def change_entry(
    call: BookCall,
    uid: str,
    given: EntryFields,
    if_match: IfMatch,
    dry_run: Annotated[
        bool, Query(description="only lint, for example while the user types")
    ] = False,
) -> EntryChanged:
    """Change fields of one entry; the rest of the file stays byte for byte."""
    with call.editing():
        if_match.check(lambda: LoadedBook(call).one(uid))
        return _written(call, changed(editable(call.path), uid, given.named()), uid, dry_run)


@routes.delete("/{shelf}/{book}/entries/{uid:path}")
def remove_entry(call: BookCall, uid: str, if_match: IfMatch) -> Done:
    """Delete an entry."""
    with call.editing():
        if_match.check(lambda: LoadedBook(call).one(uid))
        call.shelf.write(call.path, removed(editable(call.path), uid).write())
    return Done(changed=1)


class LoadedBook:
    """A book with its entries, prepared for look-ups and linting: as it stands, or with this content. Raises: FileError."""

    def __init__(self, call: BookCall, content: bytes | None = None) -> None:
        data = limits.read_bytes(call.path) if content is None else content
        name = call.path.name
        self._call = call
        self._file = read_book_file(data, name)
        book = load_book(data, name)
        same = book.raw == self._file.raw  # not if another program's book was converted
        self.places = placed(book, self._file.book if same else None)
        self.subject = Subject.of(self._file, call.shelf.settings)

    def one(self, uid: str) -> EntryOut:
        """One entry. Raises: UnknownNameError."""
        found = entries_out([one for one in self.places if one.uid == uid], self.subject)
        if not found:
            raise UnknownNameError("entry", uid, [one.uid for one in self.places if one.entry])
        return found[0]

    def shown(self, uid: str, *, written: bool = False) -> EntryChanged:
        """One entry with its lint findings. Raises: UnknownNameError."""
        call = self._call
        entry = self._call.tagged(self.one(uid))
        told = check.worded_findings(self._file, call.shelf.settings, call.language)
        findings = [one for one in told if one.uid == uid]
        return EntryChanged(entry=entry, findings=findings, written=written)


def _listed(call: HomeCall, shelf: BookFolder, path: Path) -> BookOut | None:
    """A book in the list; None if its role was deleted meanwhile."""
    if shelf.id == SHARED:
        return book_out(call, shelf, path)
    told: BookOut | None = call.home.of_role(shelf.id, lambda _: book_out(call, shelf, path))
    return told


def book_out(call: HomeCall, shelf: BookFolder, path: Path) -> BookOut:
    """The response of a book; for an unreadable one, with its problem."""
    try:
        return _book_out(call, shelf, path, limits.read_bytes(path))
    except FileError as error:
        unread = Lorebook(name=path.stem)
        problems = [error]
        return _shown(call, shelf, path, unread, problems=problems, has_tests=False, etag='""')


def _book_out(
    call: HomeCall, shelf: BookFolder, path: Path, data: bytes, *, keys: bool = False
) -> BookOut:
    """The response of a book with this content. `keys`: include those that match everything. Raises: FileError."""
    file = read_book_file(data, path.name)
    return _shown(
        call,
        shelf,
        path,
        file.book,
        name=file.name,
        has_tests=beside(path).is_file(),
        etag=tag(data.hex()),
        everywhere=everywhere([file.book], shelf.settings) if keys else (),
    )


def _shown(call: HomeCall, shelf: BookFolder, path: Path, book: Lorebook, **more: Any) -> BookOut:
    users = [] if shelf.role_memory else call.home.roles()
    linked_by = [role.id for role in users if path.name in role.worldbooks]
    told = {"id": path.name, "shelf": shelf.id, "linked_by": linked_by, **more}
    return BookOut.from_value(book, entries=len(book.entries), **told)


def converted_out(made: Converted) -> ConvertedOut:
    """The response of a conversion."""
    losses = [LossOut.from_value(one, text=one) for one in made.losses]
    return ConvertedOut.from_value(
        made, format=made.result.format, bytes=len(made.data), losses=losses
    )


def attached(
    data: bytes, stem: str, suffix: str, losses: int = 0, kind: str = "application/octet-stream"
) -> Response:
    """A download; its name may have any characters. Source: RFC 6266, RFC 8187."""
    name = quote(sendable(f"{stem}{suffix}"), safe="")
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{name}",
        "x-rolememory-losses": str(losses),
    }
    return Response(data, media_type=kind, headers=headers)


def _written(call: BookCall, book: Book, uid: str, dry_run: bool) -> EntryChanged:
    data = book.write()
    shown = LoadedBook(call, data).shown(uid, written=not dry_run)
    if not dry_run:
        call.shelf.write(call.path, data)
    return shown
