"""Names (of people, places, things) that two texts share, found by spelling, since no list has the names of a story.

Latin    a capitalised word, also inside a sentence, never in lower case     Finch escaped. ~ his partner, Jory Finch
         new in the talk: or as the subject of one                           Finn is back. ~ Finn stole my horse.
Chinese  three characters in a row without an everyday word of two           胡四爷又来了 ~ 盐帮的胡四爷
         new in the talk: what a segmenter (jieba) takes for a name          阿飞回来了 ~ 阿飞偷了我的马
"""

import re
from collections.abc import Collection, Iterable, Set
from functools import cache, lru_cache
from itertools import chain

from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.late_pattern import late_pattern
from rolememory.text.plain import simplified
from rolememory.text.words import PAIR, RARE, called, kind, segmenter, stem, tokens, word_lists

_RUN = 3  # Chinese characters: most pairs of them are everyday words
_LONGEST = 2000  # characters read, at the end of a message
_WORD = late_pattern(r"(?<![^\W_])[^\W\d_]{2,}")
_INSIDE = late_pattern(r"(?<=[^\W\d_] )[^\W\d_]{2,}|(?<=[^\W\d_][,;] )[^\W\d_]{2,}")
_PAIR = late_pattern(r"[\u3400-\u9fff]{2}")
_HAN = late_pattern(rf"[\u3400-\u9fff]{{{_RUN},}}")


class Names:
    """The names in a message; `but`: tokens of the speakers' names, ignored; `before`: the talk before it.

    >>> "It was his partner, Jory Finch." in Names("Finch escaped."), "Thanks. I will." in Names("Thanks!")
    (True, False)
    >>> "盐帮的胡四爷？这人不好惹。" in Names("胡四爷又来了。"), "他怎么样了？" in Names("你怎么样了？")
    (True, False)
    >>> said = Names("Finn is back, and Maren too.", before=["Where is Maren?"])
    >>> said.new_in("Finn stole my horse."), said.new_in("My cousin is called Maren.")
    (True, False)
    """

    def __init__(
        self, message: str, but: Set[str] = frozenset(), before: Collection[str] = ()
    ) -> None:
        message = message[-_LONGEST:]
        self._said, self._but = _written(message), but
        self._runs = [run for run in _name_runs(message) if but.isdisjoint(_pairs(run))]
        han = (one for one in _han_names(message) if but.isdisjoint(_pairs(one)))
        self._new_han = _not_in(before, han)
        self._called = _not_in(before, called(message) - but)
        known = frozenset(chain.from_iterable(map(tokens, before)))
        names = self._said.capital - self._said.small
        self._new = frozenset(one for one in names if self._is_new(stem(one.lower()), known))

    @property
    def has_new(self) -> bool:
        """Whether it may hold names that the talk before it lacks."""
        return bool(self._new_han or self._called or self._new)

    def new_in(self, text: str) -> bool:
        """Whether a text contains a name of the message that the talk before it lacks."""
        if any(one in text for one in self._new_han):
            return True
        if any(is_named_in(one, text) for one in self._called):
            return True
        if not any(one in text for one in self._new):
            return False
        told = _written(text)
        names = self._new & told.capital & (self._said.standing | told.standing)
        return not names <= told.small

    def _is_new(self, word: str, known: Set[str]) -> bool:
        """Whether a capitalised word may be a name that is not known, and of nobody who speaks: no short form of theirs either."""
        name = word not in known and kind(word) == RARE
        return name and not any(one.startswith(word) for one in self._but)

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
    standing: frozenset[str]  # and those that are its subject
    small: frozenset[str]  # capitalised ones that are also in lower case in the text


@lru_cache(maxsize=1024)
def _written(text: str) -> _Written:
    words = frozenset(_WORD.findall(text))
    capital = frozenset(one for one in words if one[0].isupper() and one not in _calendar())
    inside = capital.intersection(_INSIDE.findall(text)) if capital else capital
    return _Written(
        capital,
        inside,
        inside | capital.intersection(_subject().findall(text)) if capital else capital,
        frozenset(one for one in capital if one.lower() in words),
    )


def _name_runs(text: str) -> frozenset[str]:
    """Chinese runs that may be names."""
    runs = (han[at : at + _RUN] for han in _HAN.findall(text) for at in range(len(han) - _RUN + 1))
    return frozenset(run for run in runs if all(kind(pair) == PAIR for pair in _pairs(run)))


@lru_cache(maxsize=256)
def _han_names(text: str) -> frozenset[str]:
    """The Chinese names in a text; of those that the dictionary lacks also the beginnings, since what follows may be taken for a part."""
    known = segmenter()
    if known is None or not _PAIR.search(text):
        return frozenset()
    names: set[str] = set()
    end = 0
    for word, tag in known.tag(simplified(text)):
        start, end = end, end + len(word)
        if tag == "nr" and not known.has_word(word):
            names.update(text[start:at] for at in range(start + 2, end + 1))
        elif tag == "nrt" or (tag == "nr" and _is_called(word)):
            names.add(text[start:end])
    return frozenset(names)


def _is_called(word: str) -> bool:
    """Whether a word that the dictionary takes for a name is most often one."""
    return len(word) == 3 or (len(word) == 2 and word[0] in word_lists("zh").familiar)


def is_named_in(one: str, text: str) -> bool:
    """Whether a text has somebody whose surname, or part of whose given name, is this character.

    >>> is_named_in("陆", "陆沉欠我三百两银子。"), is_named_in("墨", "沈墨偷了马。"), is_named_in("墨", "没有墨水。")
    (True, True, False)
    """
    if one not in text:
        return False
    begins = simplified(text[text.index(one) :][:2])
    surname = begins[0] in word_lists("zh").surnames and kind(begins) == PAIR
    return surname or any(one in name for name in _han_names(text))


@cache
def _subject() -> re.Pattern[str]:
    """A word that is the subject of a sentence."""
    verbs = "|".join(word_lists("en").auxiliary)
    return re.compile(rf"(?<![^\W_])[^\W\d_]{{2,}}(?=['’]s\b| (?:{verbs})\b)")


def _not_in(before: Iterable[str], names: Iterable[str]) -> list[str]:
    """The names that none of the texts has."""
    return [one for one in names if not any(one in text for text in before)]


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


@cache
def _calendar() -> frozenset[str]:
    raw = lexicon("time.en")
    return frozenset(one.capitalize() for name in ("months", "weekdays") for one in raw[name])
