"""Character cards: import, read, export, lint; and detection of a dropped file's type."""

from typing import Annotated, Literal

from fastapi import Query, Response

from rolememory.authoring.card_faults import card_faults
from rolememory.authoring.convert import convert
from rolememory.authoring.import_card import Match, card_of, import_card, match
from rolememory.authoring.import_card import picture as role_picture
from rolememory.authoring.import_review import CatchAllKey, everywhere
from rolememory.authoring.lint.finding import WordedFinding
from rolememory.cards.base import load
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import load_book
from rolememory.cards.card import Card
from rolememory.errors import FileError, InvalidValueError, UnknownNameError
from rolememory.serve.rest.books import ConvertedOut, attached, converted_out
from rolememory.serve.rest.dependencies import HomeCall, RoleCall, router
from rolememory.serve.rest.error_responses import answer, parted
from rolememory.serve.rest.reader import reader
from rolememory.serve.rest.schemas import Fault, Out, Translated
from rolememory.serve.rest.uploads import FILE_TYPES, GIVES_A_FILE, TAKES_A_FILE, TheUpload, Upload

routes = router("cards")


class CardOut(Out):
    """What is in a card."""

    name: str
    nickname: str
    format: str
    spec: str
    version: str
    creator: str
    tags: list[str]
    fields: dict[str, str]
    """every field that holds text"""
    greetings: list[str]
    book: str | None
    entries: int
    extensions: list[str]
    problems: list[Translated]


class AdoptedOut(Out):
    """The result of importing a card."""

    role: str
    name: str
    aliases: list[str]
    made: bool
    written: list[str]
    removed: list[str]
    kept: list[str]
    """books that were edited here and were not replaced"""
    problems: list[Translated]
    everywhere: list[CatchAllKey]
    """keys that match everything"""


class CardFindings(Out):
    """A card with the lint findings on it and its book."""

    card: CardOut
    items: list[WordedFinding]


class BookSeen(Out):
    """A lorebook in an uploaded file."""

    name: str
    format: str
    entries: int
    problems: list[Translated]
    everywhere: list[CatchAllKey]
    """keys that match everything"""


class FileSeen(Out):
    """The type and content of a file."""

    kind: Literal["card", "book", "none"]
    card: CardFindings | None = None
    """kind card: its content and lint findings"""
    book: BookSeen | None = None
    """kind book"""
    why: Translated = ""
    """kind none: why it could not be read"""


@routes.post("/cards", status_code=201, response_model=AdoptedOut, openapi_extra=TAKES_A_FILE)
def upload_card(
    call: HomeCall,
    upload: TheUpload,
    into: Annotated[str | None, Query(max_length=300, description="update this role")] = None,
    name: Annotated[
        str, Query(max_length=200, description="the role's name; by default the card's")
    ] = "",
    replace_books: Annotated[
        bool, Query(description="replace books that were edited here")
    ] = False,
) -> AdoptedOut | Response:
    """Import a card as a new role, or update its role. If a role of that name may be another character, the response is 409 with that role: send `into` or `name`."""
    home = call.home
    card = _card_in(upload)
    found = match(home, card, name) if into is None else None
    if found and not found.sure:
        return _asked(found)
    role = home.folder.find(into) if into else found.role if found else None
    done = import_card(home, card, into=role, name=name, replace_books=replace_books)
    call.bus.tell("role", done.role.id)
    named = {"role": done.role.id, "name": done.role.name, "aliases": done.role.aliases}
    return AdoptedOut.from_value(done, **named)


@routes.get("/roles/{role}/card")
def show_card(call: RoleCall) -> CardOut:
    """The role's card with its books in it; a role without one gets a new card."""
    return _card_out(card_of(call.role)[0])


@routes.get("/roles/{role}/card/lint")
def lint_card(call: RoleCall) -> CardFindings:
    """The lint findings on the role's card and its book."""
    return _findings(call, card_of(call.role)[0])


@routes.get("/roles/{role}/card/export", response_class=Response, responses=GIVES_A_FILE)
def export_card(
    call: RoleCall,
    to: Annotated[
        str,
        Query(max_length=60, description="png, charx, json, v3, v2, v1, ...; by default unchanged"),
    ] = "",
) -> Response:
    """The role's card as a file, its books merged in."""
    card = card_of(call.role)[0]
    made = convert(card, to)
    kind = FILE_TYPES.get(made.suffix, "application/octet-stream")
    stem = call.role.role.name.rpartition(".")[0] or call.role.role.name
    return attached(made.data, stem, made.suffix, len(made.losses), kind)


@routes.get("/roles/{role}/card/convert")
def preview_card_conversion(
    call: RoleCall, to: Annotated[str, Query(max_length=60)]
) -> ConvertedOut:
    """The fields of the role's card that another format cannot hold."""
    return converted_out(convert(card_of(call.role)[0], to))


@routes.get(
    "/roles/{role}/picture",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def picture(call: RoleCall) -> Response:
    """The image of the role's card, or of the card that it had before one without an image."""
    data = role_picture(call.role)
    if data is None:
        raise UnknownNameError("picture", call.role.role.name, [])
    return Response(data, media_type="image/png")


@routes.post("/files/look", openapi_extra=TAKES_A_FILE)
def detect_file(call: HomeCall, upload: TheUpload) -> FileSeen:
    """Detect what a file is. An unknown type is not an error: the response has the reason."""
    try:
        found = _anything(upload)
    except FileError as error:
        return FileSeen(kind="none", why=error)
    if isinstance(found, Card):
        return FileSeen(kind="card", card=_findings(call, found))
    book = found.lorebook()
    return FileSeen(
        kind="book",
        book=BookSeen.from_value(
            found,
            format=found.form.name,
            entries=len(book.entries),
            problems=book.problems,
            everywhere=everywhere([book], call.home.settings.lore),
        ),
    )


def _card_in(upload: Upload) -> Card:
    """The uploaded card. Raises: FileError."""
    return load(upload.data, upload.name or "card")


def _anything(upload: Upload) -> Card | Book:
    """The uploaded card or lorebook. Raises: FileError: that of the card."""
    try:
        return _card_in(upload)
    except FileError as error:
        try:
            return load_book(upload.data, upload.name or "card")
        except FileError:
            raise error from None


def _asked(found: Match) -> Response:
    """The response that asks whether it is the same character, with the card's differences."""
    error = InvalidValueError(
        "role {name!r} ({id}) is there already; `into` brings it up to date, another `name` makes another",
        name=found.role.name,
        id=found.role.id,
    )
    message, hint = parted(reader().say(error))
    changed = [
        {"field": one.field, "before": one.before, "after": one.after} for one in found.changed
    ]
    current = {"role": found.role.id, "name": found.role.name, "changed": changed}
    return answer(409, Fault(code="exists", message=message, hint=hint), current)


def _findings(call: HomeCall, card: Card) -> CardFindings:
    """A card with the findings on it and its book."""
    items = card_faults(card, call.home.settings.lore, call.language)
    return CardFindings(card=_card_out(card), items=items)


def _card_out(card: Card) -> CardOut:
    book = card.book
    texts = {name: card.text(name) for name in card.fields if isinstance(card.data.get(name), str)}
    return CardOut.from_value(
        card,
        nickname=card.text("nickname"),
        spec=str(card.spec),
        version=str(card.version),
        creator=card.text("creator"),
        tags=card.texts("tags"),
        fields={name: text for name, text in texts.items() if text.strip()},
        book=book.name if book else None,
        entries=len(book.entries) if book else 0,
        extensions=sorted(map(str, card.extensions)),
    )
