"""What a Chinese rule may take for a name, a place, a thing or a deed, trimmed to the words that say it."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from rolememory.learn.statements import chinese_living as living
from rolememory.learn.statements.chinese_dates import date
from rolememory.learn.statements.chinese_names import may_be_name, may_be_names, names
from rolememory.learn.statements.chinese_spans import (
    ASKED,
    ASKS,
    NOBODYS,
    Kind,
    Span,
    noun,
    parts,
    trimmed,
    uncounted,
)
from rolememory.learn.statements.chinese_words import lexicon, word_set

_CUT = re.compile(
    "(?:而不是|多过|胜过|甚于|超过|更甚|之类|什么的|等等|等$|因为|所以|但是|可是|不过|得(?:要死|要命|不行|不得了|很|发抖|发疯|不能自拔)|到(?:不行|爆|炸|发疯|窒息)|(?:死|极|惨)了|了$|呢$|(?:已经|快|将近)?(?:[0-9一二两三四五六七八九十几半]{1,3}|好几|很多)(?:多)?(?:年|个月|个多月|天|周)(?:多)?$|[很好]久$)"
)
_BARE = frozenset("听看吃说做去来玩喝穿用写读想死")  # 不爱听: not a thing, and of what is not said
_LONG = re.compile("(?:想|学|等|盼|念)?(?:了)?(?:很|好)(?:久|多年)(?:了)?$")
_TASTE = re.compile(
    "[吃喝穿用住](?:[甜辣酸咸苦冰冷热烫软硬脆清油素荤生熟大小红黑白宽]|清淡|油腻|重口|便宜)的"
)  # keeps its 的, 红色的 does not
_PLACE = re.compile(r"[\u4e00-\u9fffA-Za-z0-9 ·-]{1,16}")
_NO_PLACE = re.compile(
    r"^.$|得|点儿|的$|^来|以后$|之后$|^(?:出来|出去|过来|一起|一块|隔壁$|同一|别人|外面|外边|里面|这|那|哪|酒店|宾馆|医院|旅馆|院$|过|了|着|得|在|不|下|进|对面|楼上|楼下|上铺|下铺|附近|正?[东南西北](?:边|面)?$)|心里|心中|梦里|脑海|记忆|身体里|时代|世纪|过去|当下|幻想"
)
_BESIDE: Final = "里 里面 那边 那儿 那里 这边 这儿 这里".split()


def spans(kind: str, text: str, start: int, end: int) -> list[Span]:
    """The values that a stretch of text holds, as kinds of value are read; empty where it holds none."""
    if kind != "done":
        start, end = trimmed(text, start, end)
    return _KINDS[kind](text, start, end) if start < end else []


def _name(text: str, start: int, end: int) -> list[Span]:
    return [(start, end)] if may_be_name(text[start:end]) else []


def _names(text: str, start: int, end: int) -> list[Span]:
    found = list(parts(text, start, end))
    return found if may_be_names([text[slice(*each)] for each in found]) else []


def _fullname(text: str, start: int, end: int) -> list[Span]:
    """A name that shows by itself to be one: 王伟, 小梅, Alice."""
    return [(start, end)] if names().beside.fullmatch(text, start, end) else []


def _place(text: str, start: int, end: int) -> list[Span]:
    for word in _BESIDE:
        if text.endswith(word, start, end) and end - start > len(word) + 1:
            end -= len(word)
            break
    said = text[start:end]
    fine = (
        _PLACE.fullmatch(said)
        and not _NO_PLACE.search(said)
        and not NOBODYS.search(said)
        and not re.search("[了吗呢吧没不]", said)
    )
    return [(start, end)] if fine else []


def _thing(text: str, start: int, end: int) -> list[Span]:
    """A thing one likes or dreads, or a list of them."""
    found: list[Span] = []
    for first, last in parts(text, start, _cut(text, start, end)):
        doubled = 2 * text.startswith("喜欢", first, last)  # 我的爱好是喜欢…
        begin, stop = uncounted(text, *trimmed(text, first + doubled, last))
        stop -= text.endswith("的", begin, stop) and not _TASTE.fullmatch(text, begin, stop)
        if (
            0 < stop - begin <= 20
            and text[begin:stop] not in _BARE
            and not _no_thing().search(text[begin:stop])
        ):
            found.append((begin, stop))
    return found


@cache
def _no_thing() -> re.Pattern[str]:
    return re.compile(
        rf"{ASKED}|^(?:{lexicon().any_of('not_things')})|^[的得过了着地]|[这那](?:样|里|儿|边|些)?$|^(?:业余|资深|专业)$|是|^死|(?:不太?|没|不大|并不|一点儿?|确实|根本|完全|[可很太真挺][多好])$|你(?![的做写唱说画笑送给弹讲煮泡穿种养]|$)"
    )


def _cut(text: str, start: int, end: int) -> int:
    found = _CUT.search(text, start + 1, end)
    return found.start() if found else end


def _deed(text: str, start: int, end: int) -> list[Span]:
    if found := _LONG.search(text, start, end):
        end = found.start()
    fine = (
        1 < end - start <= 40
        and not ASKS.search(text, start, end)
        and not _no_deed().match(text, start, end)
    )
    return [(start, end)] if fine else []


@cache
def _no_deed() -> re.Pattern[str]:
    return re.compile(
        f"[了过得着的]|.*(?:或许|可能|也许|大概|说不定)|.*(?:[^今前以然最背]后|时|的时候|以前|之前)$|{lexicon().any_of('not_deeds')}"
    )


def _fear(text: str, start: int, end: int) -> list[Span]:
    found = [
        trimmed(text, *each)
        for part in parts(text, start, _cut(text, start, end))
        for each in _between("怕", text, *part)
    ]
    known = [each for each in found if text[slice(*each)] in word_set("fears")]
    return known or [
        one for each in found for one in _thing(text, *each) if not _fleeting().match(text, *one)
    ]


def _between(mark: str, text: str, start: int, end: int) -> Iterator[Span]:
    """The stretches between marks: 怕鬼怕黑."""
    for part in text[start:end].split(mark):
        yield start, start + len(part)
        start += len(part) + len(mark)


@cache
def _fleeting() -> re.Pattern[str]:
    return re.compile(rf"{lexicon().any_of('fleeting')}|.{{9,}}")


def _listed(name: str) -> Kind:
    """A word of that list, or several of them."""

    def read(text: str, start: int, end: int) -> list[Span]:
        found = [
            trimmed(text, *uncounted(text, first, last)) for first, last in parts(text, start, end)
        ]
        return (
            found
            if found and all(_of_list(name).fullmatch(text, first, last) for first, last in found)
            else []
        )

    return read


def _of_map(name: str) -> Kind:
    """A word that stands for a relative, or several of them."""

    def read(text: str, start: int, end: int) -> list[Span]:
        found = [
            trimmed(text, *uncounted(text, first, last)) for first, last in parts(text, start, end)
        ]
        known = getattr(lexicon(), name)
        return (
            found if len(found) > 1 and all(text[slice(*each)] in known for each in found) else []
        )

    return read


@cache
def _of_list(name: str) -> re.Pattern[str]:
    return re.compile(lexicon().any_of(name))


_KINDS: dict[str, Kind] = {
    "name": _name,
    "names": _names,
    "realname": lambda text, start, end: (
        [] if text[start:end] in lexicon().kin else _name(text, start, end)
    ),
    "place": _place,
    "region": living.region,
    "thing": _thing,
    "deed": _deed,
    "done": _deed,
    "vow": lambda text, start, end: (
        [(start, end)] if end - start > 1 and not ASKS.search(text, start, end) else []
    ),
    "noun": noun,
    "job": living.job,
    "employer": living.employer,
    "school": living.school,
    "fear": _fear,
    "language": _listed("languages"),
    "skill": _listed("skills"),
    "belief": _listed("beliefs"),
    "disease": _listed("diseases"),
    "condition": _listed("conditions"),
    "habit": _listed("habits"),
    "adjective": _listed("traits_adj"),
    "trait": _listed("traits_noun"),
    "kins": _of_map("kin"),
    "animals": _listed("pets"),
    "trade": living.trade,
    "occupation": living.occupation,
    "fullname": _fullname,
    "major": living.major,
    "number": lambda text, start, end: [(start, end)],
    "date": lambda text, start, end: [(start, end)] if date(text[start:end]) else [],
    "any": lambda text, start, end: [(start, end)],
}
