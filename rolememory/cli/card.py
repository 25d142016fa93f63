"""card show, lint: what is in a character card, and what is wrong with it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rolememory.cli import bookshelf
from rolememory.cli.bookshelf import FOUND_FAULTS
from rolememory.cli.options import Text, argument, option
from rolememory.cli.output import out
from rolememory.cli.words import Tongue, say

if TYPE_CHECKING:
    from rolememory.cards.card import Card

CardFile = Annotated[
    str,
    argument("FILE", "a character card: PNG, CHARX, JSON of any version, YAML"),
]


def read_card(file: str) -> "Card":
    """The card in a file.

    Raises:
        FileError: unreadable, or no card.
    """
    from rolememory.cards.base import load

    return load(Path(file).expanduser())


def show(file: CardFile) -> None:
    """Nothing outside the file is read."""
    card = read_card(file)
    found = contents(card)
    if out.json(found):
        return
    out.pairs(_head(found))
    out.line()
    out.table(found["fields"], _field_columns())
    for problem in card.problems:
        out.warn(problem)


def contents(card: "Card") -> dict[str, Any]:
    """A card for people and scripts."""
    book = card.book
    greetings = [
        text
        for text in (card.text("first_mes").strip(), *card.texts("alternate_greetings"))
        if text
    ]
    return {
        "name": card.name, "nickname": card.text("nickname"), "format": card.format, "spec": card.spec, "version": card.version,
        "creator": card.text("creator"), "character_version": card.text("character_version"), "tags": list(card.texts("tags")),
        "greetings": len(greetings), "group_greetings": len(card.texts("group_only_greetings")),
        "book": None if book is None else {"name": book.name, "entries": len(book.entries), "problems": list(book.problems)},
        "fields": list(_fields(card)), "assets": len(_listed(card.data.get("assets"))), "extensions": sorted(card.extensions),
        "other": sorted(_others(card)), "role_id": _role_id(card), "problems": list(card.problems),
    }  # fmt: skip


def _fields(card: "Card") -> Iterator[dict[str, Any]]:
    """Every field that holds text, with its lengths."""
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


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _others(card: "Card") -> Iterator[str]:
    """Fields that no specification knows; they are kept."""
    from rolememory.cards.card import FIELDS

    yield from (name for name in card.data if name not in (*FIELDS, "character_book"))


def _role_id(card: "Card") -> str | None:
    from rolememory.cards.role_parts import ROLE_ID, canonical

    ours = card.extensions.get("rolememory")
    return canonical(ours.get(ROLE_ID)) if isinstance(ours, Mapping) else None


def _head(found: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    book = found["book"]
    yield say("name"), found["name"] or "-"
    if found["nickname"]:
        yield say("nickname"), found["nickname"]
    yield say("format"), f"{found['format']}, {found['spec']} {found['version']}".rstrip()
    yield say("tags"), found["tags"] or "-"
    yield say("greetings"), found["greetings"] + found["group_greetings"]
    told = (
        "-"
        if book is None
        else say(
            "{name}, {entries} {entry}",
            name=book["name"],
            entries=book["entries"],
            entry="entry" if book["entries"] == 1 else "entries",
        )
    )
    yield say("book"), told
    for key, title in (
        ("extensions", say("extensions")),
        ("other", say("other fields")),
    ):
        if found[key]:
            yield title, found[key]
    if found["assets"]:
        yield say("assets"), found["assets"]
    if found["role_id"]:
        yield say("role", msgctxt="id"), found["role_id"]


def _field_columns() -> dict[str, str]:
    return {
        "field": say("field"),
        "characters": say("characters", msgctxt="length"),
        "tokens": "tokens",
        "begins": say("begins"),
    }


def lint(
    file: CardFile,
    rules: Annotated[Text, option("--rules NAME", "default or sillytavern")] = None,
    everything: Annotated[bool, option("--all -a", "notes too")] = False,
) -> None:
    """Exit code 3 when there are errors."""
    card = read_card(file)
    rows = [*_card_rows(file, card), *_book_rows(file, card, rules)]
    shown = [row for row in rows if everything or row["severity"] != "note"]
    _show_faults(rows, shown)
    if any(row["severity"] == "error" for row in rows):
        raise typer.Exit(FOUND_FAULTS)


def _show_faults(rows: list[dict[str, Any]], shown: list[dict[str, Any]]) -> None:
    if out.json(shown):
        return
    if shown:
        out.table(shown, bookshelf.lint_columns(several=False))
    out.line(bookshelf.counted(rows, hidden=len(rows) - len(shown)))


def _card_rows(file: str, card: "Card") -> Iterator[dict[str, Any]]:
    from rolememory.authoring.card_faults import card_faults

    for one in card_faults(card):
        level = one.severity.value
        yield {
            "book": Path(file).name, "severity": level, "level": say(level), "code": one.code, "uid": "", "title": "",
            "field": one.field, "why": one.why.text(Tongue.language), "write": one.write.text(Tongue.language), "values": {},
        }  # fmt: skip


def _book_rows(file: str, card: "Card", rules: str | None) -> Iterator[dict[str, Any]]:
    from rolememory.authoring.lint.check import check

    if card.book_file is None:
        return
    book = bookshelf.read_file(Path(file).expanduser())
    yield from bookshelf.lint_rows(
        Path(file), check(book, bookshelf.settings_of(rules)), book.book.format
    )
