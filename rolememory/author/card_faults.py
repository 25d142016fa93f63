"""What is wrong with a character card, its book aside: fields its version does not have, copies that say something else."""

from collections.abc import Iterator
from dataclasses import dataclass

from rolememory.author.lint.finding import Severity
from rolememory.cards import keep
from rolememory.cards.card import Card
from rolememory.cards.card_forms import MIRRORS, V2, V3_ONLY, has_layout
from rolememory.cards.json_edit import same


@dataclass(frozen=True, slots=True)
class CardFault:
    """One fault: where, how sure, and in both languages what is wrong and what to write."""

    code: str
    field: str
    severity: Severity
    why: tuple[str, str]
    write: tuple[str, str] = ("", "")


def card_faults(card: Card) -> Iterator[CardFault]:
    """Every fault of the card itself."""
    for problem in card.problems:
        yield CardFault("odd", "", Severity.WARNING, (problem, problem))
    yield from _newer_fields(card)
    yield from _copies(card)
    if not card.text("first_mes").strip():
        why = ("no greeting: a chat begins with an empty message", "没有开场白：聊天会以空消息开始")
        yield CardFault(
            "no_greeting",
            "data.first_mes",
            Severity.NOTE,
            why,
            ("write first_mes", "写上 first_mes"),
        )


def _newer_fields(card: Card) -> Iterator[CardFault]:
    """Fields of V3 in a V2 card, which programs of its time do not read."""
    if card.form is not V2:
        return
    for name in V3_ONLY:
        if not keep.is_empty(card.data.get(name)):
            why = (
                "a field of V3 in a V2 card: programs that know V2 do not read it",
                "V2 角色卡里的 V3 字段：只认 V2 的程序不会读",
            )
            write = (
                "save the card as v3: rolememory card convert FILE --to v3 --out OUT",
                "另存为 v3：rolememory card convert 文件 --to v3 --out 新文件",
            )
            yield CardFault("v3_field", f"data.{name}", Severity.WARNING, why, write)


def _copies(card: Card) -> Iterator[CardFault]:
    """Copies beside `data` for older programs that say something else than `data` does."""
    if not has_layout(card.form):
        return
    for name, mirror in MIRRORS.items():
        if mirror in card.raw and name in card.data and not same(card.raw[mirror], card.data[name]):
            why = (
                f"differs from data.{name}; old programs read this copy",
                f"与 data.{name} 不一致，旧程序读的是这一份",
            )
            write = ("write the same in both, or take the copy away", "两处写成一样，或删掉这一份")
            yield CardFault("copy_differs", mirror, Severity.WARNING, why, write)
