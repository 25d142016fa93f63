"""Character cards: bring one in, look at a role's, carry it out, lint and convert."""

from pathlib import PurePath
from typing import Annotated, Any, Literal

from fastapi import Query, Response
from pydantic import Field

from rolememory.authoring.books import BookFile
from rolememory.authoring.card_faults import CardFault, card_faults
from rolememory.authoring.convert import Converted, convert
from rolememory.authoring.import_card import Match, card_of, import_card, match
from rolememory.authoring.lint.check import check
from rolememory.cards.base import load
from rolememory.cards.book_files import load_book
from rolememory.cards.card import Card
from rolememory.errors import FileError, InvalidValueError, UnknownNameError
from rolememory.locales import translated
from rolememory.schema.scene import Language
from rolememory.serve.app_state import AppState
from rolememory.serve.rest.book_schemas import EverywhereOut, FindingOut, finding_out
from rolememory.serve.rest.books import ConvertedOut, attached, converted_out
from rolememory.serve.rest.dependencies import AppStateDep, LanguageDep, RoleDep, router
from rolememory.serve.rest.error_responses import answer, clean, private
from rolememory.serve.rest.schemas import Fault, Out
from rolememory.serve.rest.uploads import FILE_TYPES, GIVES_A_FILE, TAKES_A_FILE, TheUpload, Upload

cards = router("cards")
PNG = b"\x89PNG\r\n\x1a\n"


class CardOut(Out):
    """What is in a card."""

    name: str
    nickname: str
    format: str
    spec: str
    version: str
    creator: str
    tags: list[str]
    fields: dict[str, str] = Field(description="every field that holds text")
    greetings: list[str]
    book: str | None
    entries: int
    extensions: list[str]
    problems: list[str]


class AdoptedOut(Out):
    """What adopting a card did."""

    role: str
    name: str
    aliases: list[str]
    made: bool
    written: list[str]
    removed: list[str]
    kept: list[str] = Field(description="books that were edited here and stay")
    traits: list[str]
    problems: list[str]
    everywhere: list[EverywhereOut] = Field(description="keys that match everything")


class CardFindings(Out):
    """What is wrong with a card and its book."""

    card: CardOut
    items: list[FindingOut]


@cards.post("/cards", status_code=201, response_model=AdoptedOut, openapi_extra=TAKES_A_FILE)
def bring_card(
    app_state: AppStateDep,
    language: LanguageDep,
    upload: TheUpload,
    into: Annotated[
        str | None, Query(max_length=300, description="bring this role up to date")
    ] = None,
    name: Annotated[
        str, Query(max_length=200, description="the role's name; else the card's")
    ] = "",
    traits: Annotated[
        bool, Query(description="remember description and personality as traits")
    ] = False,
    replace_books: Annotated[bool, Query(description="over books that were edited here")] = False,
) -> AdoptedOut | Response:
    """Make a role of a card, or bring its role up to date. Where a role of that name may be another one, 409 says which: send `into` or `name`."""
    card = card_in(upload)
    found = match(app_state.home, card, name) if into is None else None
    if found and not found.sure:
        return _asked(found, language)
    role = app_state.home.folder.find(into) if into else found.role if found else None
    done = import_card(
        app_state.home, card, into=role, name=name, traits=traits, replace_books=replace_books
    )
    app_state.bus.tell("role", done.role.id)
    return AdoptedOut(
        role=done.role.id,
        name=clean(done.role.name),
        aliases=[clean(one) for one in done.role.aliases],
        made=done.made,
        written=list(done.written),
        removed=list(done.removed),
        kept=list(done.kept),
        traits=list(done.traits),
        problems=[private(problem, app_state) for problem in done.problems],
        everywhere=[
            EverywhereOut(entry=clean(one.entry), key=clean(one.key)) for one in done.everywhere
        ],
    )


@cards.post("/cards/lint", openapi_extra=TAKES_A_FILE)
def lint_upload(app_state: AppStateDep, language: LanguageDep, upload: TheUpload) -> CardFindings:
    """What is wrong with a card that is not here yet; nothing is kept."""
    return card_findings(card_in(upload), app_state, language)


@cards.post("/cards/convert", response_model=ConvertedOut, openapi_extra=TAKES_A_FILE)
def convert_upload(
    app_state: AppStateDep,
    language: LanguageDep,
    upload: TheUpload,
    to: Annotated[str, Query(max_length=60, description="a format of cards or books")],
    report: Annotated[bool, Query(description="only tell what is lost")] = False,
) -> ConvertedOut | Response:
    """A card or a lorebook in another format; nothing is kept."""
    made = convert(_anything(upload), to)
    return (
        converted_out(made, app_state, language) if report else _file(made, upload.name or "card")
    )


@cards.get("/roles/{role}/card")
def look_at_card(app_state: AppStateDep, role_memory: RoleDep) -> CardOut:
    """The role's card with its books in it; a role without one gets a new card."""
    return _card_out(card_of(role_memory)[0], app_state)


@cards.get("/roles/{role}/card/lint")
def lint_card(app_state: AppStateDep, role_memory: RoleDep, language: LanguageDep) -> CardFindings:
    """What is wrong with the role's card and its book."""
    return card_findings(card_of(role_memory)[0], app_state, language)


@cards.get("/roles/{role}/card/export", response_class=Response, responses=GIVES_A_FILE)
def carry_card(
    role_memory: RoleDep,
    to: Annotated[
        str, Query(max_length=60, description="png, charx, json, v3, v2, v1, ...; else as it is")
    ] = "",
) -> Response:
    """The role's card as a file, its books merged in."""
    card = card_of(role_memory)[0]
    made = convert(card, to) if to and to != card.format else Converted(card.write(), (), card)
    return _file(made, role_memory.role.name)


@cards.get("/roles/{role}/card/convert")
def card_would_lose(
    app_state: AppStateDep,
    role_memory: RoleDep,
    language: LanguageDep,
    to: Annotated[str, Query(max_length=60)],
) -> ConvertedOut:
    """What another format cannot hold of the role's card."""
    return converted_out(convert(card_of(role_memory)[0], to), app_state, language)


@cards.get(
    "/roles/{role}/picture",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def picture(role_memory: RoleDep) -> Response:
    """The picture of the role's card, where that is one."""
    role = role_memory.role
    path = role_memory.folder / PurePath(role.card or "").name
    if not role.card or not path.is_file() or not (data := path.read_bytes()).startswith(PNG):
        raise UnknownNameError("picture", role.name, [])
    return Response(data, media_type="image/png")


def card_in(upload: Upload) -> Card:
    """The card that came. Raises: FileError."""
    return load(upload.data, upload.name or "card")


def _anything(upload: Upload) -> Any:
    """A card, else a lorebook. Raises: FileError, the card's."""
    try:
        return card_in(upload)
    except FileError as error:
        try:
            return load_book(upload.data, upload.name or "card")
        except FileError:
            raise error from None


def _file(made: Converted, name: str) -> Response:
    return attached(
        made.data,
        name.rpartition(".")[0] or name,
        made.suffix,
        len(made.losses),
        FILE_TYPES.get(made.suffix, "application/octet-stream"),
    )


def _asked(found: Match, language: Language) -> Response:
    """The question whether it is the same character, and what the card says otherwise than before."""
    role = found.role
    error = InvalidValueError(
        "role {name!r} ({id}) is there already; `into` brings it up to date, another `name` makes another",
        name=role.name,
        id=role.id,
    )
    message, _, hint = clean(error.text(language)).partition(translated("; ", language))
    return answer(
        409,
        Fault(code="exists", message=message, hint=hint),
        {
            "role": role.id,
            "name": clean(role.name),
            "changed": [
                {"field": clean(one.field), "before": clean(one.before), "after": clean(one.after)}
                for one in found.changed
            ],
        },
    )


def card_findings(card: Card, app_state: AppState, language: Language) -> CardFindings:
    """A card and what is wrong with it and its book."""
    found = [_fault_out(one, language) for one in card_faults(card)]
    book = card.book_file
    if book is not None:
        file = BookFile(book.name, book.raw, book.lorebook(book.name))
        found += [
            finding_out(one, file.book.format, language)
            for one in check(file, app_state.home.settings.lore)
        ]
    return CardFindings(card=_card_out(card, app_state), items=found)


def _fault_out(one: CardFault, language: Language) -> FindingOut:
    severity: Literal["error", "warning", "note"] = one.severity.value
    return FindingOut(
        severity=severity,
        code=one.code,
        uid="",
        title="",
        field=one.field,
        ours=one.field,
        why=clean(one.why.text(language)),
        write=one.write.text(language),
        values={},
    )


def _card_out(card: Card, app_state: AppState) -> CardOut:
    book = card.book
    texts = {
        name: clean(card.text(name)) for name in card.fields if isinstance(card.data.get(name), str)
    }
    greetings = [
        text
        for text in (card.text("first_mes").strip(), *card.texts("alternate_greetings"))
        if text
    ]
    return CardOut(
        name=clean(card.name),
        nickname=clean(card.text("nickname")),
        format=card.format,
        spec=clean(str(card.spec)),
        version=clean(str(card.version)),
        creator=clean(card.text("creator")),
        tags=[clean(one) for one in card.texts("tags")],
        fields={name: text for name, text in texts.items() if text.strip()},
        greetings=[clean(text) for text in greetings],
        book=clean(book.name) if book else None,
        entries=len(book.entries) if book else 0,
        extensions=sorted(clean(str(name)) for name in card.extensions),
        problems=[private(problem, app_state) for problem in card.problems],
    )
