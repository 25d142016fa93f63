"""What stands between subject and predicate: 不, 以前, 可能, 每天, 下周. It says whether a claim holds, since when and how surely."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from rolememory.learn.statements.chinese_words import lexicon, longest_first

MAYBE: Final = 0.4  # factor on the certainty: 可能, 好像
THINKS: Final = 0.6  # 我觉得, 听说
_LONGEST = 8  # adverbs before one predicate
_TIMES = ("time_habit", "time_past", "time_future", "time_part", "long_ago")


@dataclass(frozen=True, slots=True)
class Aspect:
    """How a predicate is said."""

    denied: bool = False  # 不, 没
    undone: bool = False  # 没: it did not happen
    never: bool = False  # 从不
    ended: bool = False  # 不再, 早就不
    former: bool = False  # 以前
    child: bool = False  # 小时候: what one liked then one may like still
    now: bool = False  # 现在
    already: bool = False  # 已经, 早就
    unreal: bool = False  # 本来, 差点, or denied twice
    strongly: bool = False  # 超, 最, 真的
    soon: bool = False  # 就要, 快
    corrects: bool = False  # 其实
    certainty: float = 1.0
    times: frozenset[str] = frozenset()  # kinds of time named: past, future, habit, part
    said: tuple[tuple[int, int], ...] = ()  # where the words of time stand

    def at(self, start: int, end: int, kind: str) -> "Aspect":
        """With words of time that stand there."""
        joined = self.said and self.said[-1][1] == start
        said = (*self.said[:-1], (self.said[-1][0], end)) if joined else (*self.said, (start, end))
        return replace(self, times=self.times | {kind}, said=said)


@dataclass(frozen=True, slots=True)
class _Adverbs:
    word: re.Pattern[str]
    effects: dict[str, str]
    former: re.Pattern[str]
    time: re.Pattern[str]
    first: frozenset[str]  # characters with which any of them begins


@cache
def _adverbs() -> _Adverbs:
    lex = lexicon()
    effects = {word: effect for effect, said in lex.raw["adverbs"].items() for word in said.split()}
    times = (
        f"(?P<{kind.removeprefix('time_')}>{lex.any_of(kind)})"
        for kind in _TIMES
        if kind != "long_ago"
    )
    return _Adverbs(
        re.compile("|".join(map(re.escape, longest_first(effects)))),
        effects,
        re.compile(lex.any_of("long_ago")),
        re.compile("|".join(times)),
        frozenset(
            char
            for word in (*effects, *(said for kind in _TIMES for said in lex.words(kind)))
            for char in _beginnings(word)
        ),
    )


def _beginnings(pattern: str) -> str:
    """Characters with which what the pattern fits may begin; too many do no harm."""
    literal = re.match(r"\w", pattern)
    return (
        literal.group()
        if literal
        else re.sub(r"[^\w]", "", pattern.partition("{")[0].partition("]")[0])
    )


def aspects(text: str, start: int, end: int, aspect: Aspect) -> Iterator[tuple[int, Aspect]]:
    """Every place at which the predicate may begin, the first one without any adverb, and how it would be said from there."""
    yield start, aspect
    for _ in range(_LONGEST):
        step = _step(text, start, end, aspect)
        if step is None:
            return
        start, aspect = step
        yield start, aspect


def _step(text: str, start: int, end: int, aspect: Aspect) -> tuple[int, Aspect] | None:
    """The next adverb or words of time; the longer of both."""
    adverbs = _adverbs()
    if start >= end or text[start] not in adverbs.first:
        return None
    word = adverbs.word.match(text, start, end)
    ago = adverbs.former.match(text, start, end)
    time = adverbs.time.match(text, start, end)
    last = max((found.end() for found in (word, ago, time) if found), default=start)
    if last == start:
        return None
    if ago and ago.end() == last:
        return last, replace(aspect, former=True)
    if word and word.end() == last:
        return last, _EFFECTS[adverbs.effects[word.group()]](aspect)
    return last, aspect.at(start, last, (time and time.lastgroup) or "")


def setting(aspect: Aspect) -> Aspect:
    """What words that stand as a clause before the others say for those: when, not whether."""
    return Aspect(
        former=aspect.former,
        child=aspect.child,
        now=aspect.now,
        times=aspect.times,
        said=aspect.said,
    )


def _denied(aspect: Aspect) -> Aspect:
    return replace(
        aspect,
        denied=True,
        ended=aspect.ended or aspect.already,
        unreal=aspect.unreal or aspect.denied,
    )


def _ended(aspect: Aspect) -> Aspect:
    return replace(_denied(aspect), ended=True)


_EFFECTS = {
    "plain": lambda aspect: aspect,
    "soon": lambda aspect: replace(aspect, soon=True),
    "actually": lambda aspect: replace(aspect, corrects=True),
    "strong": lambda aspect: replace(aspect, strongly=True),
    "now": lambda aspect: replace(aspect, now=True),
    "already": lambda aspect: replace(aspect, now=True, already=True),
    "child": lambda aspect: replace(aspect, former=True, child=True),
    "former": lambda aspect: replace(aspect, former=True),
    "maybe": lambda aspect: replace(aspect, certainty=aspect.certainty * MAYBE),
    "void": lambda aspect: replace(aspect, unreal=True),
    "not": _denied,
    "undone": lambda aspect: replace(_denied(aspect), undone=True),
    "never": lambda aspect: replace(_denied(aspect), never=True),
    "nomore": _ended,
}
