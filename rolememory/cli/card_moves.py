"""card import, export, convert: characters that come and go."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.book_moves import write_file
from rolememory.cli.card import CardFile, read_card
from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import RoleName, Text, Yes, option
from rolememory.cli.out import Column
from rolememory.cli.verbs import AUTHOR, verb
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rolememory.author.adopt import Adopted, Match
    from rolememory.author.convert import Converted, Loss
    from rolememory.author.strangers import Everywhere
    from rolememory.cards.card import Card
    from rolememory.engine import Home
    from rolememory.schema.role import Role


@verb(
    "card import",
    AUTHOR,
    both(
        "make a role of a card, or bring its role up to date", "由角色卡建立角色，或更新已有的角色"
    ),
)
def bring(
    file: CardFile,
    name: Annotated[
        Text, option("--name NAME", "the role's name; else the card's", "角色名；不写就用卡里的")
    ] = None,
    into: Annotated[
        Text, option("--into ROLE", "bring this role up to date", "更新这个角色")
    ] = None,
    traits: Annotated[
        bool,
        option(
            "--traits", "remember description and personality as traits", "把描述和性格记成特质"
        ),
    ] = False,
    replace: Annotated[
        bool,
        option(
            "--replace",
            "the card's book replaces one that was edited here",
            "卡里的世界书替换在此改过的那本",
        ),
    ] = False,
    yes: Yes = False,
) -> None:
    """The card stays byte for byte; the same card again makes no second role."""
    from rolememory.author.adopt import adopt

    here = desk()
    card = read_card(file)
    with here.home() as home:
        role = home.folder.find(into) if into else _standing(here, home, card, name, yes)
        done = adopt(home, card, into=role, name=name or "", traits=traits, replace_books=replace)
        folder = home.folder.folder(done.role.id)
    _tell_adopted(here, done, folder)


def _standing(here: Desk, home: "Home", card: "Card", name: str | None, yes: bool) -> "Role | None":
    """The role to bring up to date, asked about where it is not certain; None = a new one."""
    from rolememory.author.adopt import match

    found = match(home, card, name or "")
    if found is None or found.sure or yes:
        return found.role if found else None
    told = found.role.name
    _tell_changed(here, found)
    question = say(
        f"{told} is there already; bring it up to date with this card?",
        f"已有角色{told}，用这张卡更新它吗？",
    )
    if here.out.asks and here.out.ask(question):
        return found.role
    raise InvalidValueError(
        f"role {told!r} is there already; --into {told!r} brings it up to date, --name makes another",
        zh=f"已有角色“{told}”；用 --into {told!r} 更新它，或用 --name 另建一个",
    )


def _tell_changed(here: Desk, found: "Match") -> None:
    """What the card says otherwise than the one that came before."""
    if not found.changed or here.out.as_json:
        return
    here.out.say(
        say("this card says something else than the one that is here:", "这张卡与现有的不同："),
        "bold",
    )
    for one in found.changed:
        here.out.say(f"  {one.field}: {one.before!r} → {one.after!r}")


def tell_everywhere(here: Desk, found: "Sequence[Everywhere]") -> None:
    """Keys that bring their entry on every turn."""
    for one in found:
        here.out.warn(
            say(
                f"{one.entry}: the key {one.key!r} matches everything, so this entry comes on every turn; make it constant, or change the key",
                f"{one.entry}：关键词 {one.key!r} 处处匹配，这个条目每轮都会出现；请设为常驻，或改掉关键词",
            )
        )


def _tell_adopted(here: Desk, done: "Adopted", folder: Path) -> None:
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
        say("made", "已建立")
        if done.made
        else say("brought up to date", "已更新")
        if changed
        else say("nothing new", "没有变化")
    )
    here.out.say(f"{done.role.name}{say(': ', '：')}{verb_}  ({done.role.id})", "bold")
    rows = [(say("written", "写入"), done.written), (say("removed", "移除"), done.removed)]
    here.out.pairs(
        [
            *((title, files) for title, files in rows if files),
            (say("folder", "文件夹"), str(folder)),
        ]
    )
    if done.traits:
        here.out.say(
            say(f"traits remembered: {len(done.traits)}", f"记下特质 {len(done.traits)} 条")
        )
    for book in done.kept:
        here.out.warn(
            say(
                f"{book} was edited here and stays; --replace takes the card's",
                f"{book} 在此改过，予以保留；--replace 可换成卡里的",
            )
        )
    for problem in done.problems:
        here.out.warn(problem)
    tell_everywhere(here, done.everywhere)


To = Annotated[
    Text,
    option(
        "--to FORMAT",
        "png, charx, json, v3, v2, v1, ...; else as it is",
        "png、charx、json、v3、v2、v1 等；不写则格式不变",
    ),
]


@verb(
    "card export",
    AUTHOR,
    both("a role's card with its books in it", "导出角色的卡，连同它的世界书"),
)
def export(
    role: RoleName,
    to: To = None,
    out: Annotated[
        Text,
        option(
            "--out -o FILE",
            "into this file; else to standard output",
            "写到这个文件；不写就输出到标准输出",
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """What the card said stays; the role's id goes along, so that it finds its role again."""
    from rolememory.author.adopt import card_of
    from rolememory.author.convert import Converted, convert

    here = desk()
    with here.role(role) as mind:
        card, books = card_of(mind)
        linked = mind.role.worldbooks
    made = convert(card, to) if to not in (None, card.format) else Converted(card.write(), (), card)
    if linked:
        here.out.warn(
            say(
                f"shared books stay here: {', '.join(linked)}",
                f"共用的世界书不放进卡里：{'、'.join(linked)}",
            )
        )
    _give(here, made, out, yes, {"books": list(books)})


@verb(
    "card convert",
    AUTHOR,
    both(
        "a card in another format; what that cannot hold is told",
        "把角色卡转成另一种格式，并说明哪些内容放不下",
    ),
)
def convert_card(
    file: CardFile,
    to: Annotated[
        str,
        option(
            "--to FORMAT",
            "png, charx, json, v3, v2, v1, ...; or a format of books",
            "png、charx、json、v3、v2、v1 等，或世界书格式",
        ),
    ],
    out: Annotated[str, option("--out -o FILE", "into this file", "写到这个文件")],
    yes: Yes = False,
) -> None:
    """What the other format cannot hold is kept in its extensions, so that the way back restores it."""
    from rolememory.author.convert import convert

    _give(desk(), convert(read_card(file), to), out, yes, {})


def _give(here: Desk, made: "Converted", out: str | None, yes: bool, more: dict[str, Any]) -> None:
    """The file, and what it does not say by itself."""
    to = made.result.format
    if out is not None:
        write_file(here, Path(out).expanduser(), made.data, yes)
    elif b"\0" in made.data[:64]:
        raise InvalidValueError(
            f"{to} is no text; write it into a file with --out FILE",
            zh=f"{to} 不是文本格式；请用 --out 写到文件",
        )
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
            here.out.warn(f"{loss.field}{say(': ', '：')}{loss.text(Tongue.language)}")
        here.out.raw(made.data.decode("utf-8"))
        return
    if made.losses:
        here.out.table([_loss_row(one) for one in made.losses], _loss_columns())
    here.out.say(
        say(
            f"written to {out} ({to}, {_fields(len(made.losses))})",
            f"已写到 {out}（{to}，放不下的字段 {len(made.losses)} 个）",
        )
    )


def _fields(count: int) -> str:
    return (
        "nothing lost" if not count else f"{count} field{'' if count == 1 else 's'} it cannot hold"
    )


def _loss_row(one: "Loss") -> dict[str, Any]:
    return {"field": one.field, "why": one.text(Tongue.language), "kept": one.kept or None}


def _loss_columns() -> list[Column]:
    return [
        Column("field", say("field", "字段"), style="cyan", fold=1),
        Column("why", say("what happens", "情况"), fold=1),
        Column("kept", say("kept in", "保存在"), fold=1),
    ]
