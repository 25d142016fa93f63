"""Words of change: whether a text may say that something changed, and which topics such words concern."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from rolememory.schema.scene import Language
from rolememory.shipped import lexicon
from rolememory.text.language import LANGUAGES
from rolememory.text.plain import plain
from rolememory.text.words import tokens


@lru_cache(maxsize=2048)
def tells_change(text: str) -> bool:
    """Whether a text contains a word of change.

    >>> tells_change("I moved to Paris last week."), tells_change("I live in Rome.")
    (True, False)
    >>> tells_change("我现在不喝咖啡了。"), tells_change("我喝咖啡。")
    (True, False)
    """
    return bool(_changing().search(plain(text)))


@cache
def changing(token: str) -> frozenset[str]:
    """Tokens of change related to a token: a question where somebody lives concerns moves too.

    >>> sorted(changing("live")), "搬" in changing("住"), changing("beacon")
    (['move', 'reloc', 'settl'], True, frozenset())
    """
    return _about().get(token, frozenset())


@lru_cache(maxsize=256)
def asks_how_it_was(question: str) -> bool:
    """Whether a question is about the past, so that later changes do not matter.

    >>> asks_how_it_was("Where did I live then?"), asks_how_it_was("Where did I say I live?"), asks_how_it_was("Where do I live?")
    (True, False, False)
    >>> asks_how_it_was("我以前住在哪儿？"), asks_how_it_was("我住在哪儿？")
    (True, False)
    """
    return bool(_once().search(plain(question)))


@cache
def _once() -> re.Pattern[str]:
    return re.compile("|".join(row for language in LANGUAGES for row in _raw(language)["once"]))


@cache
def _changing() -> re.Pattern[str]:
    english, chinese = ("|".join(_raw(language)["words"]) for language in LANGUAGES)
    return re.compile(rf"\b(?:{english})\b|{chinese}")


@cache
def _about() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for language in LANGUAGES:
        for changes, asked in _raw(language)["of"].items():
            told = frozenset(map(_token, changes.split()))
            for word in asked.split():
                found[_token(word)] = found.get(_token(word), frozenset()) | told
    return found


def _token(word: str) -> str:
    """The main token of a word: the longest."""
    return max(tokens(word), key=len)


@cache
def _raw(language: Language) -> Any:
    return lexicon(f"change.{language}")
