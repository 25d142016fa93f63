"""Stretches of a Chinese clause: without particles, without measure words, the members of a list."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from rolememory.learn.statements.chinese_words import LAST, NUMBER, lexicon

Span = tuple[int, int]
Kind = Callable[[str, int, int], list[Span]]

ASKED: Final = "什么|啥|哪|谁|怎|多少|几岁|几个|几点|为何|如何|是否|吗"
OTHERS = re.compile(f"[你我她它俺咱]|(?<![吉其])他(?![人乡])|{ASKED}|这|那|自己|某")
NOBODYS = re.compile(
    f"[你我它俺咱]|(?<![吉其])他(?![人乡])|她|{ASKED}|^[这那]|自己|某"
)  # as above, but 巷子里那家店 is a place
ASKS = re.compile(ASKED)
_LAST = re.compile(f"(?:{LAST})+$")
_LISTED = re.compile("、|以及|还有|和(?!平|服|牛|尚|谐|气|蔼|解|面)|跟(?!着|班)|与")
_BARE_MEASURES = "只个条名位辆把件款杯份串"  # may stand without a number: 养只猫
_NOT_BEHIND = "人子儿性体学头事"  # 个人, 条子, 本事: words that begin like a measure


def trimmed(text: str, start: int, end: int) -> Span:
    """Without blanks and the particles that trail."""
    while start < end and text[start] in " ，、：·～":
        start += 1
    if found := _LAST.search(text, start, end):
        end = found.start()
    while end > start and text[end - 1] in " ，、：～":
        end -= 1
    return start, end


def uncounted(text: str, start: int, end: int) -> Span:
    """Without number and measure word: 一只叫团团的猫 is a cat called 团团."""
    found = _count().match(text, start, end)
    return (found.end(), end) if found and found.end() < end else (start, end)


@cache
def _count() -> re.Pattern[str]:
    measure = "|".join(lexicon().words("measure"))
    return re.compile(
        rf"(?:(?:好几|几|{NUMBER}|这|那)(?:多|来)?(?:{measure})(?!人)|一?(?:点儿?|些)|(?:[{_BARE_MEASURES}]|家(?=[公店医工银企单学]))(?=[^{_NOT_BEHIND}]))(?=.)"
    )


def parts(text: str, start: int, end: int) -> Iterator[Span]:
    """The members of a list; a phrase with 的 or 一起 in it is no list."""
    said = text[start:end]
    marks = list(_LISTED.finditer(text, start + 1, end))
    if not marks or "的" in said or "一起" in said or text.startswith(("和", "跟", "与"), start):
        yield start, end
        return
    first = start
    for mark in marks:
        yield first, mark.start()
        first = mark.end()
    yield first, end


def noun(text: str, start: int, end: int) -> list[Span]:
    """A short noun: no sentence inside, nobody meant."""
    begin, stop = uncounted(text, start, end)
    said = text[begin:stop]
    fine = (
        0 < len(said) <= 14
        and not OTHERS.search(said)
        and not re.search("[了吗呢吧着]|^[的得过不没]", said)
    )
    return [(begin, stop)] if fine else []
