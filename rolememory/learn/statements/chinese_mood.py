"""Whether a Chinese sentence states anything: questions, conditions, dreams, jokes, orders and sayings do not."""

import re
from dataclasses import dataclass
from functools import cache

from rolememory.learn.statements.chinese_words import LAST, lexicon, longest_first

Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Mood:
    opening: re.Pattern[str]
    corrections: re.Pattern[str]
    unreal: re.Pattern[str]
    jokes: re.Pattern[str]
    asks: re.Pattern[str]
    wholly_asked: re.Pattern[str]
    tags: re.Pattern[str]
    commands: re.Pattern[str]
    generic: re.Pattern[str]
    greetings: re.Pattern[str]
    call_me: re.Pattern[str]
    vows: re.Pattern[str]


@cache
def mood() -> _Mood:
    """The patterns, compiled once."""
    kin = "|".join(longest_first(lexicon().kin))
    said = {
        name: f"(?:{'|'.join(parts)})".replace("{kin}", f"(?:{kin})")
        for name, parts in lexicon().raw["mood"].items()
    }
    closed = {
        name: f"{said[name]}(?:{LAST})*[，。！？]*" for name in ("tags", "greetings", "corrections")
    }
    return _Mood(**{name: re.compile(closed.get(name, pattern)) for name, pattern in said.items()})


def stating(text: str, clauses: Spans, mark: str) -> Spans:
    """The clauses that state something; `mark` is what ends the sentence."""
    if not clauses:
        return []
    real = clauses[: _first_unreal(text, clauses)]
    stated = _answered(text, real, clauses, asked="？" in mark)
    return (
        [each for each in stated if not asks(text, *each)]
        if asks(text, clauses[0][0], clauses[-1][1])
        else stated
    )


def _first_unreal(text: str, clauses: Spans) -> int:
    """From which clause on the sentence speaks of what is not so."""
    if not mood().unreal.search(text, clauses[0][0], clauses[-1][1]):
        return len(clauses)
    return next(
        (
            place
            for place, (start, end) in enumerate(clauses)
            if mood().unreal.search(text, start, end)
        ),
        len(clauses),
    )


def _answered(text: str, real: Spans, clauses: Spans, *, asked: bool) -> Spans:
    """Without what a question mark, or a tag like 对吗, makes a question."""
    first, last = clauses[0], clauses[-1]
    if _is(mood().tags, text, *last) or (
        asked and mood().wholly_asked.match(text, first[0], first[1])
    ):
        return []
    return [each for each in real if each != last] if asked else real


def asks(text: str, start: int, end: int) -> bool:
    """Whether a clause asks by its own words."""
    return mood().asks.search(text, start, end) is not None


def orders(text: str, start: int, end: int) -> bool:
    """Whether a clause without subject tells somebody to do something."""
    return mood().commands.match(text, start, end) is not None or text.endswith("吧", start, end)


def opened(text: str, start: int, end: int) -> tuple[int, bool]:
    """Where a clause begins behind 对了, 而且 and the like, and whether they say that a belief was wrong (其实, 不对)."""
    corrects = False
    for _ in range(8):
        correction = mood().corrections.match(text, start, end)
        found = correction or mood().opening.match(text, start, end)
        if not found or found.end() == start:
            break
        corrects |= correction is not None
        start = found.end()
    return start, corrects


def polite(text: str, start: int, end: int) -> bool:
    """Whether a clause only greets."""
    return _is(mood().greetings, text, start, end)


def generic(text: str, start: int, end: int) -> bool:
    """Whether 你 in this stretch may mean anybody."""
    return mood().generic.search(text, start, end) is not None


def jokes(text: str, start: int, end: int) -> bool:
    """Whether the sentence takes back what was said before it."""
    return mood().jokes.search(text, start, end) is not None


def _is(pattern: re.Pattern[str], text: str, start: int, end: int) -> bool:
    return pattern.fullmatch(text, start, end) is not None
