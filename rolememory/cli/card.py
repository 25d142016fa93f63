"""card show, lint, import, export, convert: the content of a character card, its faults, and conversions."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.book import RulesName, fault_rows, show_faults
from rolememory.cli.bookshelf import again, card_path, settings_of
from rolememory.cli.context import open_home, open_role
from rolememory.cli.files import give_converted
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import FileOut, RoleName, Text, Yes, argument, option
from rolememory.cli.output import Row, out, picked, say
from rolememory.errors import InvalidValueError
from rolememory.locales import Listed
from rolememory.schema.role import Role
from rolememory.storage.value_messages import quoted

if TYPE_CHECKING:
    from rolememory.authoring.import_card import ImportedCard, Match
    from rolememory.cards.card import Card
    from rolememory.engine import Home


CardFile = Annotated[str, argument("FILE", "a character card: PNG, CHARX, JSON of any version")]


CardOrRole = Annotated[
    str, argument("FILE|ROLE", "a character card: PNG, CHARX, JSON of any version; or a role")
]


def read_card(file: str | Path) -> "Card":
    """The card in a file.

    Raises:
        FileError: unreadable, or no card.
    """
    from rolememory.cards.base import load

    return load(Path(file).expanduser())


def show(file: CardOrRole) -> None:
    """Nothing outside the file is read. Of a role, the card that it was imported from."""
    card = read_card(card_path(file))
    found = contents(card)
    if out.json(found):
        return
    columns = "name nickname format tags greetings book extensions other assets role_id"
    out.record(found | _head(found), columns, role_id=say("role", msgctxt="id"))
    out.line()
    out.table(
        found["fields"],
        "field characters tokens begins",
        characters=say("characters", msgctxt="length"),
    )
    out.warn(*card.problems)


def contents(card: "Card") -> Row:
    """A card for people and scripts."""
    from rolememory.cards.card import FIELDS
    from rolememory.cards.role_parts import role_id_in

    book = card.book
    assets = card.data.get("assets")
    return {
        **picked(card, "name format spec version problems"),
        **{name: card.text(name) for name in ("nickname", "creator", "character_version")},
        "tags": card.texts("tags"),
        "greetings": len(card.greetings),
        "group_greetings": len(card.texts("group_only_greetings")),
        "book": book and {**picked(book, "name problems"), "entries": len(book.entries)},
        "fields": list(_fields(card)),
        "assets": len(assets) if isinstance(assets, list) else 0,
        "extensions": sorted(card.extensions),
        "other": sorted(name for name in card.data if name not in (*FIELDS, "character_book")),
        "role_id": role_id_in(card),
    }


def _fields(card: "Card") -> Iterator[Row]:
    """Every non-empty text field, with its lengths."""
    from rolememory.schema.settings import LengthSettings
    from rolememory.text.lengths import counter_for

    count = counter_for("tokens", LengthSettings())
    for name, value in card.fields.items():
        said = (
            "\n".join(card.texts(name))
            if isinstance(value, list) and name not in ("assets", "tags", "source")
            else card.text(name)
        )
        if said.strip() and name not in ("name", "nickname", "creator", "character_version"):
            yield {
                "field": name,
                "characters": len(said),
                "tokens": count(said),
                "begins": " ".join(said.split())[:60],
            }


def _head(found: Mapping[str, Any]) -> Row:
    """The header, formatted for people."""
    book = found["book"]
    return {
        "format": "{format}, {spec} {version}".format(**found).rstrip(),
        "greetings": found["greetings"] + found["group_greetings"],
        "book": book and say("{name}, {entries} {entries:entry|entries}", **book),
    }


def lint(file: CardOrRole, rules: RulesName = None) -> None:
    """Exit code 3 when there are errors."""
    from rolememory.authoring.card_faults import card_faults

    path = card_path(file)
    found = card_faults(read_card(path), settings_of(rules), ProcessLanguage.language)
    again(lambda: show_faults(fault_rows(path, found)))


def bring(
    file: CardFile,
    name: Annotated[Text, option("--name NAME", "the role's name; else the card's")] = None,
    into: Annotated[Text, option("--into ROLE", "update this role")] = None,
    replace: Annotated[
        bool, option("--replace", "the card's book replaces one that was edited here")
    ] = False,
    yes: Yes = False,
) -> None:
    """The card stays byte for byte; the same card again makes no second role."""
    from rolememory.authoring.import_card import import_card

    card = read_card(file)
    with open_home() as home:
        role = home.folder.find(into) if into else _standing(home, card, name, yes)
        done = import_card(home, card, into=role, name=name or "", replace_books=replace)
        folder = home.folder.folder(done.role.id)
    _tell_adopted(done, folder)


def _standing(home: "Home", card: "Card", name: str | None, yes: bool) -> Role | None:
    """The role to update, confirmed if uncertain; None = a new one."""
    from rolememory.authoring.import_card import match

    found = match(home, card, name or "")
    if found is None or found.sure or yes:
        return found.role if found else None
    told = found.role.name
    _tell_changed(found)
    question = say("{told} is there already; bring it up to date with this card?", told=told)
    if out.asks and out.ask(question):
        return found.role
    raise InvalidValueError(
        "role {told!r} is there already; --into {told!r} brings it up to date, --name makes another",
        told=told,
    )


def _tell_changed(found: "Match") -> None:
    """The differences from the previous card."""
    if not found.changed or out.as_json:
        return
    out.say("this card says something else than the one that is here:", style="bold")
    for one in found.changed:
        out.line(f"  {one.field}: {quoted(one.before)} → {quoted(one.after)}")


def _tell_adopted(done: "ImportedCard", folder: Path) -> None:
    row = {
        "role": done.role.id,
        **picked(done.role, "name aliases card"),
        **picked(done, "made written removed kept problems"),
        "folder": str(folder),
        "everywhere": [picked(one, "entry key") for one in done.everywhere],
    }
    if out.json(row):
        return
    changed = done.written or done.removed
    updated = say("brought up to date") if changed else say("nothing new")
    did = say("made") if done.made else updated
    out.line(f"{done.role.name}{say(': ')}{did}  ({done.role.id})", "bold")
    out.record(row, "written removed folder")
    for book in done.kept:
        out.warn(say("{book} was edited here and stays; --replace takes the card's", book=book))
    out.warn(*done.problems)
    out.warn(*done.everywhere)


def export(
    role: RoleName,
    to: Annotated[
        Text, option("--to FORMAT", "png, charx, json, v3, v2, v1, ...; else as it is")
    ] = None,
    file_out: FileOut = None,
    yes: Yes = False,
) -> None:
    """What the card said stays; the role's id goes along, so that it finds its role again."""
    from rolememory.authoring.convert import convert
    from rolememory.authoring.import_card import card_of

    with open_role(role) as role_memory:
        card, books = card_of(role_memory)
        linked = role_memory.role.worldbooks
    made = convert(card, to or "")
    if linked:
        out.warn(say("shared books stay here: {linked}", linked=Listed(linked)))
    give_converted(made, file_out, yes, books=list(books))


def convert_card(
    file: CardFile,
    to: Annotated[
        str, option("--to FORMAT", "png, charx, json, v3, v2, v1, ...; or a format of books")
    ],
    file_out: Annotated[str, option("--out -o FILE", "into this file")],
    yes: Yes = False,
) -> None:
    """What the other format cannot hold is kept in its extensions, so that the way back restores it."""
    from rolememory.authoring.convert import convert

    give_converted(convert(read_card(file), to), file_out, yes)
