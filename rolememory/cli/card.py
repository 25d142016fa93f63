"""card show, lint: what is in a character card, and what is wrong with it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rolememory.cli.book import faults_of, show_faults
from rolememory.cli.bookshelf import FOUND_FAULTS, card_path
from rolememory.cli.options import Text, argument, option
from rolememory.cli.output import Row, out, picked
from rolememory.cli.words import say, worded

if TYPE_CHECKING:
    from rolememory.cards.card import Card

CardFile = Annotated[
    str,
    argument("FILE", "a character card: PNG, CHARX, JSON of any version, YAML"),
]


CardOrRole = Annotated[
    str,
    argument("FILE|ROLE", "a character card: PNG, CHARX, JSON of any version, YAML; or a role"),
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
    out.pairs((title, value) for title, value in _head(found) if value)
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

    book, assets = card.book, card.data.get("assets")
    greetings = [card.text("first_mes").strip(), *card.texts("alternate_greetings")]
    return {
        **picked(card, "name format spec version problems"),
        **{name: card.text(name) for name in ("nickname", "creator", "character_version")},
        "tags": card.texts("tags"),
        "greetings": len(list(filter(None, greetings))),
        "group_greetings": len(card.texts("group_only_greetings")),
        "book": book and {**picked(book, "name problems"), "entries": len(book.entries)},
        "fields": list(_fields(card)),
        "assets": len(assets) if isinstance(assets, list) else 0,
        "extensions": sorted(card.extensions),
        "other": sorted(name for name in card.data if name not in (*FIELDS, "character_book")),
        "role_id": _role_id(card),
    }


def _fields(card: "Card") -> Iterator[Row]:
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


def _role_id(card: "Card") -> str | None:
    from rolememory.cards.role_parts import ROLE_ID, canonical

    ours = card.extensions.get("rolememory")
    return canonical(ours.get(ROLE_ID)) if isinstance(ours, Mapping) else None


def _head(found: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    book = found["book"]
    yield say("name"), found["name"] or "-"
    yield say("nickname"), found["nickname"]
    yield say("format"), "{format}, {spec} {version}".format(**found).rstrip()
    yield say("tags"), found["tags"] or "-"
    yield say("greetings"), str(found["greetings"] + found["group_greetings"])
    entry = "entry" if book and book["entries"] == 1 else "entries"
    yield say("book"), say("{name}, {entries} {entry}", entry=entry, **book) if book else "-"
    yield say("extensions"), found["extensions"]
    yield say("other fields"), found["other"]
    yield say("assets"), found["assets"]
    yield say("role", msgctxt="id"), found["role_id"]


def lint(
    file: CardOrRole,
    rules: Annotated[Text, option("--rules NAME", "default or sillytavern")] = None,
    everything: Annotated[bool, option("--all -a", "notes too")] = False,
) -> None:
    """Exit code 3 when there are errors."""
    path = card_path(file)
    card = read_card(path)
    rows = list(_card_rows(path, card))
    if card.book_file is not None:
        rows += faults_of(path, rules)
    if show_faults(rows, everything):
        raise typer.Exit(FOUND_FAULTS)


def _card_rows(path: Path, card: "Card") -> Iterator[Row]:
    from rolememory.authoring.card_faults import card_faults

    for one in card_faults(card):
        level = one.severity.value
        yield {
            "book": path.name,
            "severity": level,
            "level": say(level),
            **picked(one, "code field"),
            "uid": "",
            "title": "",
            "why": worded(one.why),
            "write": worded(one.write),
            "values": {},
        }
