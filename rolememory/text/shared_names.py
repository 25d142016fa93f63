"""Names (of people, places, things) that two texts share, found by spelling, since no list has the names of a story.

Latin    a capitalised word, also inside a sentence, never in lower case     Finch escaped. ~ his partner, Jory Finch
Chinese  three characters in a row without an everyday word of two           胡四爷又来了 ~ 盐帮的胡四爷
"""

import re
from collections.abc import Set
from functools import cache, lru_cache

from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.words import PAIR, kind, stem

_RUN = 3  # Chinese characters: most pairs of them are everyday words
_LONGEST = 2000  # characters read, at the end of a message
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{2,}")
_INSIDE = re.compile(r"(?<=[^\W\d_] )[^\W\d_]{2,}|(?<=[^\W\d_][,;] )[^\W\d_]{2,}")
_HAN = re.compile(rf"[\u3400-\u9fff]{{{_RUN},}}")


class Names:
    """The names in a message; `but`: tokens of the speakers' names, ignored.

    >>> "It was his partner, Jory Finch." in Names("Finch escaped."), "Thanks. I will." in Names("Thanks!")
    (True, False)
    >>> "盐帮的胡四爷？这人不好惹。" in Names("胡四爷又来了。"), "他怎么样了？" in Names("你怎么样了？")
    (True, False)
    """

    def __init__(self, message: str, but: Set[str] = frozenset()) -> None:
        message = message[-_LONGEST:]
        self._said, self._but = _written(message), but
        self._runs = [run for run in _name_runs(message) if but.isdisjoint(_pairs(run))]

    def __contains__(self, text: str) -> bool:
        """Whether a text contains one of them."""
        said = self._said
        if said.capital:
            told = _written(text)
            names = (said.capital & told.capital & (said.inside | told.inside)) - said.small
            if any(stem(one.lower()) not in self._but for one in names - told.small):
                return True
        return any(run in text for run in self._runs)


@value_class
class _Written:
    """Capitalisation of the words of a text."""

    capital: frozenset[str]  # capitalised, without words of the calendar
    inside: frozenset[str]  # of these, those inside a sentence
    small: frozenset[str]  # capitalised ones that are also in lower case in the text


@lru_cache(maxsize=1024)
def _written(text: str) -> _Written:
    words = frozenset(_WORD.findall(text))
    capital = frozenset(one for one in words if one[0].isupper() and one not in _calendar())
    inside = capital.intersection(_INSIDE.findall(text)) if capital else capital
    return _Written(
        capital,
        inside,
        frozenset(one for one in capital if one.lower() in words),
    )


def _name_runs(text: str) -> frozenset[str]:
    """Chinese runs that may be names."""
    runs = (han[at : at + _RUN] for han in _HAN.findall(text) for at in range(len(han) - _RUN + 1))
    return frozenset(run for run in runs if all(kind(pair) == PAIR for pair in _pairs(run)))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


@cache
def _calendar() -> frozenset[str]:
    raw = lexicon("time.en")
    return frozenset(one.capitalize() for name in ("months", "weekdays") for one in raw[name])
