"""card import, export, convert: characters that come and go."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.book_moves import write_file
from rolememory.cli.card import CardFile, read_card
from rolememory.cli.context import CommandContext, desk
from rolememory.cli.options import RoleName, Text, Yes, option
from rolememory.cli.output import TableColumn
from rolememory.cli.words import Tongue, say
from rolememory.errors import InvalidValueError
from rolememory.locales import Listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rolememory.authoring.convert import Converted, Loss
    from rolememory.authoring.import_card import ImportedCard, Match
    from rolememory.authoring.import_review import CatchAllKey
    from rolememory.cards.card import Card
    from rolememory.engine import Home
    from rolememory.schema.role import Role


def bring(
    file: CardFile,
    name: Annotated[Text, option("--name NAME", "the role's name; else the card's")] = None,
    into: Annotated[Text, option("--into ROLE", "bring this role up to date")] = None,
    traits: Annotated[
        bool,
        option("--traits", "remember description and personality as traits"),
    ] = False,
    replace: Annotated[
        bool,
        option("--replace", "the card's book replaces one that was edited here"),
    ] = False,
    yes: Yes = False,
) -> None:
    """The card stays byte for byte; the same card again makes no second role."""
    from rolememory.authoring.import_card import import_card

    here = desk()
    card = read_card(file)
    with here.home() as home:
        role = home.folder.find(into) if into else _standing(here, home, card, name, yes)
        done = import_card(
            home, card, into=role, name=name or "", traits=traits, replace_books=replace
        )
        folder = home.folder.folder(done.role.id)
    _tell_adopted(here, done, folder)


def _standing(
    here: CommandContext, home: "Home", card: "Card", name: str | None, yes: bool
) -> "Role | None":
    """The role to bring up to date, asked about where it is not certain; None = a new one."""
    from rolememory.authoring.import_card import match

    found = match(home, card, name or "")
    if found is None or found.sure or yes:
        return found.role if found else None
    told = found.role.name
    _tell_changed(here, found)
    question = say("{told} is there already; bring it up to date with this card?", told=told)
    if here.out.asks and here.out.ask(question):
        return found.role
    raise InvalidValueError(
        "role {told!r} is there already; --into {told!r} brings it up to date, --name makes another",
        told=told,
    )


def _tell_changed(here: CommandContext, found: "Match") -> None:
    """What the card says otherwise than the one that came before."""
    if not found.changed or here.out.as_json:
        return
    here.out.say(
        say("this card says something else than the one that is here:"),
        "bold",
    )
    for one in found.changed:
        here.out.say(f"  {one.field}: {one.before!r} → {one.after!r}")


def tell_everywhere(here: CommandContext, found: "Sequence[CatchAllKey]") -> None:
    """Keys that bring their entry on every turn."""
    for one in found:
        here.out.warn(
            say(
                "{entry}: the key {key!r} matches everything, so this entry comes on every turn; make it constant, or change the key",
                entry=one.entry,
                key=one.key,
            )
        )


def _tell_adopted(here: CommandContext, done: "ImportedCard", folder: Path) -> None:
    if here.out.as_json:
        here.out.data(
            {
                "role": done.role.id, "name": done.role.name, "aliases": list(done.role.aliases), "made": done.made, "folder": str(folder),
                "card": done.role.card, "written": list(done.written), "removed": list(done.removed), "kept": list(done.kept),
                "traits": list(done.traits), "problems": list(done.problems),
                "everywhere": [{"entry": one.entry, "key": one.key} for one in done.everywhere],
            }
        )  # fmt: skip
        return
    changed = done.written or done.removed or done.traits
    verb_ = (
        say("made") if done.made else say("brought up to date") if changed else say("nothing new")
    )
    here.out.say(f"{done.role.name}{say(': ')}{verb_}  ({done.role.id})", "bold")
    rows = [(say("written"), done.written), (say("removed"), done.removed)]
    here.out.pairs(
        [
            *((title, files) for title, files in rows if files),
            (say("folder"), str(folder)),
        ]
    )
    if done.traits:
        here.out.say(say("traits remembered: {count}", count=len(done.traits)))
    for book in done.kept:
        here.out.warn(
            say("{book} was edited here and stays; --replace takes the card's", book=book)
        )
    for problem in done.problems:
        here.out.warn(problem)
    tell_everywhere(here, done.everywhere)


To = Annotated[
    Text,
    option("--to FORMAT", "png, charx, json, v3, v2, v1, ...; else as it is"),
]


def export(
    role: RoleName,
    to: To = None,
    out: Annotated[
        Text,
        option("--out -o FILE", "into this file; else to standard output"),
    ] = None,
    yes: Yes = False,
) -> None:
    """What the card said stays; the role's id goes along, so that it finds its role again."""
    from rolememory.authoring.convert import Converted, convert
    from rolememory.authoring.import_card import card_of

    here = desk()
    with here.role(role) as role_memory:
        card, books = card_of(role_memory)
        linked = role_memory.role.worldbooks
    made = convert(card, to) if to not in (None, card.format) else Converted(card.write(), (), card)
    if linked:
        here.out.warn(say("shared books stay here: {linked}", linked=Listed(linked)))
    _give(here, made, out, yes, {"books": list(books)})


def convert_card(
    file: CardFile,
    to: Annotated[
        str,
        option("--to FORMAT", "png, charx, json, v3, v2, v1, ...; or a format of books"),
    ],
    out: Annotated[str, option("--out -o FILE", "into this file")],
    yes: Yes = False,
) -> None:
    """What the other format cannot hold is kept in its extensions, so that the way back restores it."""
    from rolememory.authoring.convert import convert

    _give(desk(), convert(read_card(file), to), out, yes, {})


def _give(
    here: CommandContext, made: "Converted", out: str | None, yes: bool, more: dict[str, Any]
) -> None:
    """The file, and what it does not say by itself."""
    to = made.result.format
    if out is not None:
        write_file(here, Path(out).expanduser(), made.data, yes)
    elif b"\0" in made.data[:64]:
        raise InvalidValueError("{to} is no text; write it into a file with --out FILE", to=to)
    if here.out.as_json:
        document = {} if out is not None else {"document": made.result.raw}
        here.out.data(
            {
                "file": out,
                "format": to,
                "losses": [_loss_row(one) for one in made.losses],
                **more,
                **document,
            }
        )
        return
    if out is None:
        for loss in made.losses:
            here.out.warn(f"{loss.field}{say(': ')}{loss.text(Tongue.language)}")
        here.out.raw(made.data.decode("utf-8"))
        return
    if made.losses:
        here.out.table([_loss_row(one) for one in made.losses], _loss_columns())
    here.out.say(
        say(
            "written to {out} ({to}, {fields})",
            out=out,
            to=to,
            fields=_fields(len(made.losses)),
            count=len(made.losses),
        )
    )


def _fields(count: int) -> str:
    return (
        "nothing lost" if not count else f"{count} field{'' if count == 1 else 's'} it cannot hold"
    )


def _loss_row(one: "Loss") -> dict[str, Any]:
    return {"field": one.field, "why": one.text(Tongue.language), "kept": one.kept or None}


def _loss_columns() -> list[TableColumn]:
    return [
        TableColumn("field", say("field"), style="cyan", fold=1),
        TableColumn("why", say("what happens"), fold=1),
        TableColumn("kept", say("kept in"), fold=1),
    ]
