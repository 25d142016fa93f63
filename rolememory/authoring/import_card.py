"""Imports a card into a home, as a new role or as an update of one, and exports a role's card with its books."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from rolememory.authoring.import_review import CatchAllKey, FieldDifference, differences, everywhere
from rolememory.cards.base import load
from rolememory.cards.book_files import load_book
from rolememory.cards.card import Card
from rolememory.cards.card_forms import V3, new_document
from rolememory.cards.containers import new_json
from rolememory.cards.images import picture_of
from rolememory.cards.role_parts import RoleFromCard, role_from_card, with_books
from rolememory.engine import Home, RoleMemory
from rolememory.errors import FileError, RoleMemoryError, UnknownRoleError
from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonObject
from rolememory.schema.role import Role
from rolememory.schema.value_class import value_class
from rolememory.storage.port import Space, bytes_in, rewrite
from rolememory.text.fold import fold_name

BOOKS = "worldbooks/"
PICTURED = frozenset({"card.png", "card.charx"})

_NO_NAMES = frozenset({"card", "main", "character", "default"})  # default file names


@value_class
class Match:
    """A role that this card may belong to. `sure`: the role was imported from this card, or from one with the same content.

    `changed`: the differences between this card and the role's source card.
    """

    role: Role
    sure: bool
    changed: tuple[FieldDifference, ...] = ()


@value_class
class ImportedCard:
    """The result of a card import. Files by their names in the role's folder."""

    role: Role
    made: bool
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()  # books kept because they were edited here
    everywhere: tuple[CatchAllKey, ...] = ()  # keys of its book that match any text
    problems: tuple[LocalizedText, ...] = ()  # of the card, and of the entries in its book


def match(home: Home, card: Card, name: str = "") -> Match | None:
    """The role this card belongs to: by the id in it, else (unless `name` is given) by equal content, else by name.

    Raises:
        AmbiguousNameError: two roles match the name.
    """
    parts = role_from_card(card)
    roles = home.roles()
    if found := next((role for role in roles if role.id == parts.role.id), None):
        changed = _changed(home, found, card)
        return Match(found, not changed, changed)
    if not name and (found := next((role for role in roles if has_card(home, role, parts)), None)):
        return Match(found, sure=True)
    try:
        found = home.folder.find(name or parts.role.name)
    except UnknownRoleError:
        return None
    return Match(found, sure=False, changed=_changed(home, found, card))


def import_card(
    home: Home,
    card: Card,
    *,
    into: Role | None = None,
    name: str = "",
    replace_books: bool = False,
) -> ImportedCard:
    """Import the card as a new role, or update the role `into` after a backup of its files.

    A book of an earlier card is replaced, unless it was edited here and `replace_books` is not set.

    Raises:
        InvalidValueError: the name is invalid.
        NotWrittenError: the disk refused.
    """
    if into is None:
        parts = role_from_card(card)
        role = home.folder.create(name or parts.role.name, parts.role.id)
        done = ImportedCard(role, made=True, written=tuple(parts.files), problems=parts.problems)
        _write(home.folder.space(role.id), parts.files)
    else:
        parts = role_from_card(card, into.id)
        role = home.folder.rename(into.id, name) if name else into
        done = _updated(home, role, parts, replace_books)
    role = home.folder.update(_told(home, role, parts.role, card))
    for gone in done.removed:  # last: role.json no longer names it
        home.folder.space(role.id).blob(gone).delete()
    books = (card.book,) if card.book else ()
    found = everywhere(books, home.settings.lore)
    return replace(done, role=role, everywhere=found)


def _changed(home: Home, role: Role, card: Card) -> tuple[FieldDifference, ...]:
    """Differences from the card that the role was imported from; none if the card equals the role's export.

    Empty if that card is unreadable.
    """
    try:
        if not role.card or not differences(card_of(home.role(role.id))[0], card):
            return ()
        return differences(_card_in(home.folder.space(role.id), role.card), card)
    except (RoleMemoryError, OSError):
        return ()


def _updated(home: Home, role: Role, parts: RoleFromCard, replace_books: bool) -> ImportedCard:
    """Write the changed files, after a backup."""
    role_memory = home.role(role.id)
    space = role_memory.space
    before = _made_of_card(space, role)
    standing = {name: bytes_in(space.blob(name)) for name in {*before, *parts.files}}
    edited = {name for name in standing if _is_edited(name, standing, before, parts.files)}
    kept = set[str]() if replace_books else edited & parts.files.keys()
    writing = {
        name: data
        for name, data in parts.files.items()
        if standing[name] != data and name not in kept
    }
    gone = before.keys() - parts.files.keys() - edited - _pictures(parts.role.card)
    removed = tuple(sorted(name for name in gone if standing[name] is not None))
    if writing or removed:
        role_memory.backup()
    _write(space, writing)
    return ImportedCard(
        role,
        made=False,
        written=tuple(writing),
        removed=removed,
        kept=tuple(sorted(kept)),
        problems=parts.problems,
    )


def _pictures(card: str | None) -> frozenset[str]:
    """The cards that stay beside this one for their picture: it has none."""
    return PICTURED if card not in PICTURED else frozenset()


def _is_edited(
    name: str,
    standing: Mapping[str, bytes | None],
    before: Mapping[str, bytes],
    fresh: Mapping[str, bytes],
) -> bool:
    """Whether a book was edited here: it equals neither the one imported before nor the one imported now."""
    known = (None, before.get(name), fresh.get(name))
    return name.startswith(BOOKS) and standing[name] not in known


def _made_of_card(space: Space, role: Role) -> Mapping[str, bytes]:
    """The files written when the role's card was imported."""
    try:
        return role_from_card(_card_in(space, role.card), role.id).files if role.card else {}
    except (RoleMemoryError, OSError):  # unreadable: then every book may be edited
        return {}


def _told(home: Home, role: Role, of_card: Role, card: Card) -> Role:
    """The role with the card's file and names; names of other roles are left out."""
    others = home.folder.names(besides=role.id)
    names = {fold_name(one): one for one in role.names}
    for one in (of_card.name, *of_card.aliases, _stem(card)):
        if one and fold_name(one) not in others:
            names.setdefault(fold_name(one), one)
    aliases = tuple(one for folded, one in names.items() if folded != fold_name(role.name))
    return role.model_copy(
        update={"aliases": aliases, "card": of_card.card, "card_from": PurePath(card.file).name}
    )


def _stem(card: Card) -> str:
    """The name of the card's file, unless it is a default name."""
    stem = PurePath(card.file).stem.strip()
    readable = (
        0 < len(stem) <= 100 and stem.isprintable() and any(letter.isalpha() for letter in stem)
    )
    return stem if readable and stem.casefold() not in _NO_NAMES else ""


def has_card(home: Home, role: Role, parts: RoleFromCard) -> bool:
    """Whether the role was imported from exactly this card."""
    file = parts.role.card or ""
    return (
        role.card == file and bytes_in(home.folder.space(role.id).blob(file)) == parts.files[file]
    )


def _write(space: Space, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        rewrite(space, name, data)


def card_of(role_memory: RoleMemory) -> tuple[Card, Sequence[str]]:
    """The role's card with its books and id, and the names of those books. A role without a card gets a new one.

    Raises:
        FileError: the card or a book cannot be read.
    """
    role = role_memory.role
    books = [
        role_memory.space.blob(name)
        for name in role_memory.space.names(BOOKS)
        if name.endswith(".json") and not name.startswith(f"{BOOKS}.")
    ]
    card = _original(role_memory.space, role)
    return with_books(card, [load_book(book.read(), book.place) for book in books], role.id), [
        book.name.removeprefix(BOOKS) for book in books
    ]


def _card_in(space: Space, name: str) -> Card:
    kept = space.blob(PurePath(name).name)
    try:
        return load(kept.read(), kept.place)
    except OSError as error:
        raise FileError.unreadable(kept.place, error) from error


def picture(role_memory: RoleMemory) -> bytes | None:
    """The image of the role's card, or of the card that it had before one without an image.

    Raises:
        FileError: the card cannot be read.
    """
    return picture_of(_original(role_memory.space, role_memory.role))


def _original(space: Space, role: Role) -> Card:
    if role.card:
        card = _card_in(space, role.card)
        beside = sorted(_pictures(role.card) & set(space.names("card.")), reverse=True)
        return replace(card, picture=picture_of(_card_in(space, beside[0]))) if beside else card
    raw: JsonObject = new_document(name=role.name)
    return Card(raw, V3, new_json(raw))
