"""Chinese keys, without a dictionary of the language: names by their patterns, and the runs that common words leave over."""

import re
from collections.abc import Iterator
from functools import cache

from rolememory.learn.derive.rules import rules
from rolememory.text.edges import FUNCTION_CHARACTERS
from rolememory.text.feel_words import shipped_lexicon
from rolememory.text.plain import plain
from rolememory.text.words import words

_HAN = re.compile("[\u3400-\u9fff]+")
_QUOTED = re.compile(r"《([^》]{2,12})》|“([^”，。！？]{2,6})”|「([^」，。！？]{2,6})」")
_CALLED = re.compile(
    r"(?:名叫|叫做|叫作|名字是|名字叫|改名叫|改名为|取名|起名叫?|叫)(?!我|你|他|她|它|什么|啥|人|醒|声|车|外卖|好)([\u4e00-\u9fff·]{2,4}?)(?=[,。!?;:、\s的是在和呢啊吧了]|$)"
)
_AFTER_NAME = "说道问答讲叫喊告给把也就都来去送教帮带在是和跟与的很会想要有没不被让从对了"
_NICK = re.compile(
    rf"(?<![\u4e00-\u9fff])([阿小老][\u4e00-\u9fff])(?=[{_AFTER_NAME},。!?;、]|$)|(?<=[{_AFTER_NAME}我你])([阿小老][\u4e00-\u9fff])(?=[{_AFTER_NAME},。!?;、]|$)"
)
_LATIN = re.compile(r"[A-Z][\w'-]{2,}")
_LONGEST_PIECE, _LONGEST_PLACE = 4, 8
_PLACED = re.compile(
    r"(?:住在|搬到|搬去|来自|去过|去了|回到|飞往|飞到|前往|位于|出生在|生在|死在|从|去|到|在)([\u4e00-\u9fff]{2,4}?)"
    r"(?=[,。!?;、的了吧过来]|$|读书|上班|工作|上学|出生|长大|旅行|旅游|玩|住|见|开|做|认识|买|生活|订婚|结婚)"
)
_NOT_IN_PLACES = frozenset(
    "不你我他她它们喝吃教等送看找买卖打做写听说问想要会能可就都也还又再点岁个"
)
_VERY = frozenset("好很太真超最更挺")  # 好累 says how, not what
_LOCATIVE = frozenset("里上下中内外前后")
_OWN_NAME = re.compile(
    r"(?:我(?:现在|以后|改名)?(?:叫做|名叫|叫)|我的(?:名字|小名|大名)(?:是|叫)|叫我)([\u4e00-\u9fff]{1,4}?)(?=[,。!?;、\s吧就好]|$)"
)  # in every chat
_TIME = re.compile(
    r"[一二三四五六七八九十两半几\d]+(?:点半?|号|月|日|年|岁|天|分钟|小时|块钱?|个月)"
)
_LOOSE_FIRST, _LOOSE_LAST = (
    "刚怕新旧老很最更没被枚只条张才又太这那股戴留",
    "藏涨掉烧成断坏破丢卖倒落飞跑死偷抢摔撞挖埋修洗刷挂停站坐躺带割伤",
)
_MORE_GRAMMAR = frozenset(
    "教带等落来去到出进回起走过看说做打开吃喝想要会能可以用送给叫住买卖找拿放写等跑飞换搬"
)


def keys(text: str) -> Iterator[str]:
    """Names and titles in order, then places, then what common words leave over; repetitions included.

    >>> list(dict.fromkeys(keys("我把布偶送给了罗斯船长，他住在运河街。")))
    ['罗斯船长', '运河街', '布偶']
    """
    even = _TIME.sub(lambda time: " " * len(time.group()), plain(text))
    own = {match[1] for match in _OWN_NAME.finditer(even)}
    for key in _found(text, even):
        if key not in own and (place := plain(text).find(plain(key))) >= 0:
            yield text[place : place + len(key)]  # as it is written: traditional characters stay


def _found(text: str, even: str) -> Iterator[str]:
    yield from (next(filter(None, match.groups())) for match in _QUOTED.finditer(text))
    yield from (match[1] for match in _CALLED.finditer(even) if match[1] not in _common())
    yield from _LATIN.findall(text)
    yield from (
        nick for match in _NICK.finditer(even) if (nick := match[1] or match[2]) not in _common()
    )
    pieces = [piece for run in _HAN.findall(even) for piece in _pieces(run)]
    yield from (piece for piece in pieces if _ends(piece, rules("zh").titles))
    yield from (placed[1] for placed in _PLACED.finditer(even) if _is_place(placed[1]))
    yield from (place for piece in pieces if (place := _place(piece)))
    yield from (word for piece in pieces if not _place(piece) and telling(word := _bare(piece)))


def telling(piece: str) -> bool:
    """Whether a run is likely a word, and rare enough to wake a memory by."""
    if not 2 <= len(piece) <= _LONGEST_PIECE or piece in _common():
        return False
    if piece in rules("zh").topics:
        return True
    if len(piece) == 2 and piece[0] in _VERY:
        return False
    zh = words("zh")
    rare = [
        char
        for char in piece
        if char not in zh.everyday and char not in zh.stop and char not in FUNCTION_CHARACTERS
    ]
    return len(rare) * 2 >= len(piece)


def _ends(piece: str, endings: frozenset[str]) -> bool:
    """Whether a run names somebody or something by its ending: a word before 船长, 街, 大学."""
    ending = next((end for end in _longest_first(endings) if piece.endswith(end)), "")
    head = piece.removesuffix(ending)
    return (
        bool(ending)
        and 1 <= len(head) <= 5
        and (len(piece) > 2)
        and head not in _common()
        and any(char not in words("zh").everyday for char in head)
    )


@cache
def _longest_first(endings: frozenset[str]) -> list[str]:
    return sorted(endings, key=len, reverse=True)


def _place(piece: str) -> str:
    """The name of a place at the beginning of a run: 图书馆 in 图书馆门."""
    return next(
        (
            piece[:end]
            for end in range(min(len(piece), _LONGEST_PLACE), 2, -1)
            if _ends(piece[:end], rules("zh").places)
        ),
        "",
    )


def _is_place(name: str) -> bool:
    """Whether what follows 在, 去 or 从 is a name: no grammar at its edges, at most one such character inside (里斯本 begins with one)."""
    if (
        name in _common()
        or name[-1] in FUNCTION_CHARACTERS
        or any(char in _NOT_IN_PLACES for char in name)
    ):
        return False
    grammar = sum(char in FUNCTION_CHARACTERS for char in name)
    return (
        telling(name) if not grammar else grammar == 1 and len(name) == 3 and name[0] in _LOCATIVE
    )


def _bare(piece: str) -> str:
    """A run without the loose characters at its edges that belong to its neighbours."""
    while len(piece) > 2 and piece not in rules("zh").topics and piece[0] in _LOOSE_FIRST:
        piece = piece[1:]
    while len(piece) > 2 and piece not in rules("zh").topics and piece[-1] in _LOOSE_LAST:
        piece = piece[:-1]
    return piece


def _pieces(run: str) -> Iterator[str]:
    """What is left of a run of Han characters between common words and characters of grammar; words of topics whole."""
    start = place = 0
    while place < len(run):
        noun = _noun(run, place)
        if noun and _joins(run, start, place, noun):
            place += noun
            continue
        length = noun or _known(run, place)
        if length and place > start:
            yield run[start:place]
        if noun:
            yield run[place : place + noun]
        place += length or 1
        start = place if length else start
    if start < len(run):
        yield run[start:]


def _joins(run: str, start: int, place: int, length: int) -> bool:
    """Whether a word is part of a longer one: 面包店, 小书店, 罗斯船长."""
    placed, titled = (
        run[place + length : place + length + 1] in rules("zh").places,
        run[place : place + length] in rules("zh").titles,
    )
    return placed or place - start == 1 or (titled and 1 < place - start < 4)


def _noun(run: str, place: int) -> int:
    """The length of the word of a topic that begins here, 0 where none does."""
    return next(
        (
            length
            for length in (4, 3, 2)
            if run[place : place + length] in rules("zh").topics and len(run) - place >= length
        ),
        0,
    )


def _known(run: str, place: int) -> int:
    """The length of the common word that begins here, 0 where none does."""
    for length in (4, 3, 2):
        if run[place : place + length] in _common() and len(run) - place >= length:
            return length
    char = run[place]
    return int(
        char in FUNCTION_CHARACTERS
        or char in words("zh").stop
        or char in words("zh").counting
        or char in _MORE_GRAMMAR
    )


@cache
def _common() -> frozenset[str]:
    """Words that wake nothing: common ones, and those of feeling, which say how and not what."""
    felt = (word for word in shipped_lexicon().marks if len(word) > 1 and _HAN.fullmatch(word))
    return rules("zh").plain | words("zh").common | frozenset(felt)
