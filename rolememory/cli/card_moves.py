"""card import, export, convert: characters that come and go."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.card import CardFile, read_card
from rolememory.cli.context import open_home, open_role
from rolememory.cli.files import write_converted
from rolememory.cli.options import FileOut, RoleName, Text, Yes, option
from rolememory.cli.output import out, picked
from rolememory.cli.words import say, worded
from rolememory.errors import InvalidValueError
from rolememory.locales import Listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rolememory.authoring.convert import Converted
    from rolememory.authoring.import_card import ImportedCard, Match
    from rolememory.authoring.import_review import CatchAllKey
    from rolememory.cards.card import Card
    from rolememory.engine import Home
    from rolememory.schema.role import Role


def bring(
    file: CardFile,
    name: Annotated[Text, option("--name NAME", "the role's name; else the card's")] = None,
    into: Annotated[Text, option("--into ROLE", "update this role")] = None,
    traits: Annotated[
        bool, option("--traits", "remember description and personality as traits")
    ] = False,
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
        done = import_card(
            home, card, into=role, name=name or "", traits=traits, replace_books=replace
        )
        folder = home.folder.folder(done.role.id)
    _tell_adopted(done, folder)


def _standing(home: "Home", card: "Card", name: str | None, yes: bool) -> "Role | None":
    """The role to bring up to date, asked about where it is not certain; None = a new one."""
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
    """What the card says otherwise than the one that came before."""
    if not found.changed or out.as_json:
        return
    out.say("this card says something else than the one that is here:", style="bold")
    for one in found.changed:
        out.line(f"  {one.field}: {one.before!r} → {one.after!r}")


def tell_everywhere(found: "Sequence[CatchAllKey]") -> None:
    """Keys that bring their entry on every turn."""
    for one in found:
        out.warn(
            say(
                "{entry}: the key {key!r} stands in nearly every message, so this entry comes on nearly every turn; make it constant, or change the key",
                entry=one.entry,
                key=one.key,
            )
        )


def _tell_adopted(done: "ImportedCard", folder: Path) -> None:
    row = {
        "role": done.role.id,
        **picked(done.role, "name aliases card"),
        **picked(done, "made written removed kept traits problems"),
        "folder": str(folder),
        "everywhere": [picked(one, "entry key") for one in done.everywhere],
    }
    if out.json(row):
        return
    changed = done.written or done.removed or done.traits
    updated = say("brought up to date") if changed else say("nothing new")
    did = say("made") if done.made else updated
    out.line(f"{done.role.name}{say(': ')}{did}  ({done.role.id})", "bold")
    rows = [(say("written"), done.written), (say("removed"), done.removed)]
    out.pairs([*(row for row in rows if row[1]), (say("folder"), str(folder))])
    if done.traits:
        out.say("traits remembered: {count}", count=len(done.traits))
    for book in done.kept:
        out.warn(say("{book} was edited here and stays; --replace takes the card's", book=book))
    out.warn(*done.problems)
    tell_everywhere(done.everywhere)


def export(
    role: RoleName,
    to: Annotated[
        Text, option("--to FORMAT", "png, charx, json, v3, v2, v1, ...; else as it is")
    ] = None,
    file_out: FileOut = None,
    yes: Yes = False,
) -> None:
    """What the card said stays; the role's id goes along, so that it finds its role again."""
    from rolememory.authoring.convert import Converted, convert
    from rolememory.authoring.import_card import card_of

    with open_role(role) as role_memory:
        card, books = card_of(role_memory)
        linked = role_memory.role.worldbooks
    made = convert(card, to) if to not in (None, card.format) else Converted(card.write(), (), card)
    if linked:
        out.warn(say("shared books stay here: {linked}", linked=Listed(linked)))
    _give(made, file_out, yes, {"books": list(books)})


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

    _give(convert(read_card(file), to), file_out, yes, {})


def _give(made: "Converted", file_out: str | None, yes: bool, more: dict[str, Any]) -> None:
    """The file, and what it could not hold."""
    losses = [
        {"field": one.field, "why": worded(one), "kept": one.kept or None} for one in made.losses
    ]
    row = {"file": file_out, "format": made.result.format, "losses": losses, **more}
    if file_out is None:
        if not out.json({**row, "document": made.result.raw}):
            write_converted(made, None, yes)
        return
    write_converted(made, file_out, yes)
    if out.json(row):
        return
    if losses:
        out.table(losses, "field why kept", why=say("what happens"))
    count = len(losses)
    fields = f"{count} field{'' if count == 1 else 's'} it cannot hold" if count else "nothing lost"
    out.say(
        "written to {out} ({to}, {fields})",
        out=file_out,
        to=row["format"],
        fields=fields,
        count=count,
    )
