"""What a rule may ask beside its words: that a time is named, that 了 says it is settled, that a word is food."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from rolememory.learn.statements.chinese_aspect import Aspect
from rolememory.learn.statements.chinese_words import lexicon, word_set


@dataclass(frozen=True, slots=True)
class Said:
    """A predicate that a rule fits, as its need looks at it."""

    predicate: str  # from its head to the end of the clause
    aspect: Aspect
    value: str
    about: str
    kin: str = ""  # what the person is to another
    person: str = ""  # as in `chinese_who`


_NO_FOOD = re.compile(
    "^素|饭|早|晚|午|东西|亏|醋$|软|硬|[这那]|药|奶$|苦|了|过|得|什么|我|你|他|她|惯|一顿|宵夜|夜宵|饱|人$|老本|力|香$|消|不|下|[的着]$|零食$|独食|窝边|回头草|完"
)
_NO_DRINK = re.compile("酒|水$|汤$|药|[这那]|了|过|什么|我|你|西北风|得|醉|下|不|[的着]$|完")
_NO_VOW = re.compile(
    "没|是|这|那|自己|真|刚|在.*中$|你|[一万千百].?声|就是|已经|绝对是|绝对没|说的|了|过|的|我?从来没|他|她|不知道|都是|过你|完成度|质量|不会$|能|可以|会$|要$|很|有(?!一天)|对|一定(?:是|没)|今天的|我说|以上|所言|句句|天|谁|如|若"
)
_CALLED = re.compile(
    "(?:先生|小姐|女士|老师|大人|公子|姑娘|将军|陛下|殿下)$"
)  # 我答应你，韦斯莱先生
_SETTLED = re.compile("了|过|已")


def meets(need: str, said: Said) -> bool:
    """Whether a match has what its rule needs; "" needs nothing."""
    return not need or _NEEDS[need](said)


def is_vow(said: str) -> bool:
    """Whether words that somebody promises tell of what is to come.

    >>> is_vow("明天带灯笼来"), is_vow("没骗人")
    (True, False)
    """
    return (
        not _NO_VOW.match(said)
        and "没" not in said
        and said not in lexicon().kin
        and not _CALLED.search(said)
    )


def _named(kind: str) -> Callable[[Said], bool]:
    return lambda said: kind in said.aspect.times


def _settled(said: Said) -> bool:
    return said.aspect.denied or said.aspect.now or _SETTLED.search(said.predicate) is not None


def _past(said: Said) -> bool:
    return (
        "past" in said.aspect.times
        and said.predicate[0] not in "要会想"
        and re.search("[了过]", said.predicate) is not None
        and not _spoken().search(said.predicate)
    )


@cache
def _spoken() -> re.Pattern[str]:
    return re.compile(lexicon().any_of("not_did"))


def _habit(said: Said) -> bool:
    return (
        "habit" in said.aspect.times
        and not {"past", "future"} & said.aspect.times
        and not _no_habit().search(said.predicate)
    )


@cache
def _no_habit() -> re.Pattern[str]:
    return re.compile(lexicon().any_of("not_habit"))


def _plain(said: Said) -> bool:
    """A bare habit: 我抽烟, 我不喝酒; what one does at a named time is told whole."""
    return (
        not said.aspect.times
        and not said.aspect.undone
        and (said.aspect.denied or said.value in word_set("habits_plain"))
    )


_NEEDS: dict[str, Callable[[Said], bool]] = {
    "future": _named("future"),
    "soon": lambda said: said.aspect.soon and "future" in said.aspect.times,
    "past": _past,
    "habit": _habit,
    "plain": _plain,
    "settled": _settled,
    "food": lambda said: 0 < len(said.about) <= 6 and not _NO_FOOD.search(said.about),
    "drink": lambda said: 0 < len(said.about) <= 5 and not _NO_DRINK.search(said.about),
    "steady": lambda said: "了" not in said.predicate,
    "never": lambda said: said.aspect.never and not said.predicate.startswith("会"),
    "today": lambda said: "past" not in said.aspect.times and not said.aspect.former,
    "vow": lambda said: (
        is_vow(said.value)
        and (said.person != "you" or re.match(".{0,5}[过了好]", said.predicate) is not None)
    ),
    "wish": lambda said: (
        not re.search(
            r"^去(?:睡|吃|洗|死|买|拿|找|厕所)|[死疯哭]$|一下$|你$|^(?:抱抱?|亲亲?|拥抱|安慰|睡|吃|喝|静静|休息|回家|哭|知道|说|问|一天|朝一日|人$|.?机会)|是|^.{1,3}的是|^(.{1,2})(?:一)?\1",
            said.value,
        )
    ),
    "dread": lambda said: said.value in word_set("fears") or said.aspect.strongly,
    "relative": lambda said: bool(said.kin),
}
