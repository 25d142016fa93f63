"""The intent of a message: about the past, a request, both, or neither. By rules, in Chinese and English.

Patterns: worldbook_rules/lexicons/intent.{zh,en}.json. A mixed text uses both.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal, get_args

from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.language import languages_in
from rolememory.text.plain import any_of, longest_first, simplified

Intent = Literal["past", "request", "mixed", "chat"]
Meeting = Literal["me", "first", "last", "back"]
_LONGEST = 1_200  # characters read, half from each end of a long text


@value_class
class _Rules:
    clause: re.Pattern[str]
    past: re.Pattern[str]
    not_past: re.Pattern[str]
    order: re.Pattern[str]  # an order, whatever it mentions
    ask: re.Pattern[str]  # a question: a request, unless about the past
    small_talk: re.Pattern[str]
    meetings: Mapping[Meeting, re.Pattern[str]]


@lru_cache(maxsize=256)
def intent(text: str) -> Intent:
    """The intent of the message. Source: S2.5, S2.16.

    >>> intent("Do you remember my sister?"), intent("Write me a poem"), intent("I am tired")
    ('past', 'request', 'chat')
    >>> intent("还记得我妹妹吗？给她写首诗吧"), intent("今天好累")
    ('mixed', 'chat')
    """
    text = simplified(_read(text).lower().replace("’", "'"))
    past = wants = False
    for language in languages_in(text):
        rules = _rules(language)
        for clause in _clauses(text, rules):
            here = bool(rules.past.search(clause)) and not rules.not_past.search(clause)
            past |= here
            wants |= bool(rules.order.search(clause)) or (not here and _asks(clause, rules))
    return "mixed" if past and wants else "past" if past else "request" if wants else "chat"


@lru_cache(maxsize=256)
def meeting(text: str) -> tuple[Meeting, str] | None:
    """Which meeting a message mentions, the first or the last before this one, and the words that say so.

    `me` = it asks whether they ever met; `back` = somebody returns, if it is the first message of a chat.

    >>> meeting("Do you remember how we met?"), meeting("上次我们聊到哪了？")
    (('first', 'how we met'), ('last', '聊到哪'))
    >>> meeting("We met a bear."), meeting("第一次吃鱼")
    (None, None)
    >>> meeting("I'm back!"), meeting("知夏，我来啦。")
    (('back', "i'm back"), ('back', '我来啦'))
    """
    text = simplified(_read(text).lower().replace("’", "'"))
    for language in languages_in(text):
        for which, pattern in _rules(language).meetings.items():
            if found := pattern.search(text):
                return which, found.group()
    return None


def technical(text: str) -> bool:
    """Whether a message contains a programming term. Source: S4.20.

    >>> technical("Why does the API return 500?"), technical("数据库连不上"), technical("The capital is quiet.")
    (True, True, False)
    """
    return _technical().search(text.casefold()) is not None


@cache
def _technical() -> re.Pattern[str]:
    """The pattern of terms: Latin ones as whole words or plurals, Chinese ones anywhere."""
    raw = lexicon("technical")
    latin, chinese = longest_first(raw["en"]), longest_first(raw["zh"])
    return re.compile(rf"(?<![a-z0-9])(?:{latin})(?:s|es)?(?![a-z0-9])|{chinese}")


def _read(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n{text[-half:]}"


def _clauses(text: str, rules: _Rules) -> Sequence[str]:
    return [
        clause
        for part in rules.clause.split(text)
        if (clause := part.strip(" \t\"'“”‘’「」（）()*_"))
    ]


def _asks(clause: str, rules: _Rules) -> bool:
    return bool(rules.ask.search(clause)) and not rules.small_talk.search(clause)


@cache
def _rules(language: Language) -> _Rules:
    raw = lexicon(f"intent.{language}")
    tables = {
        name: any_of(raw[name]) for name in ("past", "not_past", "order", "ask", "small_talk")
    }
    meetings = {which: any_of(raw[which]) for which in get_args(Meeting)}
    return _Rules(clause=re.compile(raw["clause"]), meetings=meetings, **tables)
