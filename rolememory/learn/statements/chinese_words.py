"""The Chinese words of statements, from worldbook_rules/lexicons/statements.zh.json, and the spelling in which rules read a text."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from rolememory.shipped import shipped

LAST: Final = r"(?:了|啦|呢|哦|喔|噢|呀|啊|哈|哟|呦|(?<!喇)嘛|(?<![酒网贴书茶水氧])吧|嘞|咯|喽|捏|哒|(?<![水点])滴|呐|哇|诶|欸|嘿|嘻|惹|吖|呗|罢|呃|哎|唉|唔|嗷|喵|汪|～|~|\.|来着|而已|罢了|就是了|的说|得很|死了|极了|哈哈+|嘿嘿+|嘻嘻+|呜+|h{2,}|w{2,}|2?33+|lol|QAQ|qaq|Q{2,}|q{2,}|T[_.]?T|TAT|orz|OTL)"
"""What may trail behind a clause and says nothing."""

NUMBER: Final = "(?:[0-9]{1,4}|[一二两三四五六七八九十百千零〇]{1,5})"

_WIDE = {
    code: chr(code - 0xFEE0)
    for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
}
_STOPS = {
    ord("?"): "？",
    ord("!"): "！",
    ord(";"): "；",
    ord("("): "（",
    ord(")"): "）",
    ord("["): "【",
    ord("]"): "】",
    ord("~"): "～",
}
_ONE_WAY = (
    "您妳祂牠喫"  # read as 你, 他, 吃; they stand in both scripts, or are rare: never written back
)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What the file says, as readers ask for it."""

    raw: Mapping[str, Any]
    spelling: Mapping[int, str]  # for `str.translate`, one for one: places stay
    only_traditional: Mapping[int, str]  # of the spelling, what tells a traditional text
    traditional: Mapping[int, str]  # the way back, for the words of our own templates
    kin: Mapping[str, str]  # a word for a relative or friend -> the word that stands for it
    animals: Mapping[str, str]  # 橘猫 -> 猫

    def words(self, name: str) -> list[str]:
        """A list of the file, the longest words first."""
        return longest_first(self.raw["words"][name].split())

    def any_of(self, name: str) -> str:
        """A pattern for any word of a list; the words are patterns themselves."""
        return f"(?:{'|'.join(self.words(name))})"


def longest_first(words: Iterable[str]) -> list[str]:
    """Each word once; of two that begin alike the longer stands before."""
    return sorted(set(words), key=lambda word: (-len(word), word))


@cache
def word_set(name: str) -> frozenset[str]:
    """The words of a list, to look them up."""
    return frozenset(lexicon().raw["words"][name].split())


@cache
def lexicon() -> Lexicon:
    """The shipped words, read once."""
    raw = json.loads(
        shipped("worldbook_rules", "lexicons", "statements.zh.json").read_text(encoding="utf-8")
    )
    pairs = list(zip(raw["traditional"], raw["simplified"], strict=True))
    return Lexicon(
        raw,
        _WIDE | _STOPS | {ord(old): new for old, new in pairs},
        {ord(old): new for old, new in pairs if old not in _ONE_WAY},
        {ord(new): old for old, new in reversed(pairs) if old not in _ONE_WAY},
        _stands_for(raw["relations"]),
        _stands_for(raw["animals"]),
    )


def _stands_for(rows: Mapping[str, str]) -> Mapping[str, str]:
    return {word: name for name, said in rows.items() for word in said.split()}


def simple(text: str) -> str:
    """The text in simplified characters, half-width letters and full-width stops; places stay, 您 and 妳 are 你.

    >>> simple("妳喜歡ＡＢ?")
    '你喜欢AB？'
    """
    return text.translate(lexicon().spelling)


def in_script_of(words: str, text: str) -> str:
    """Words of our own, in traditional characters where the text has such.

    >>> in_script_of("喜欢", "我喜歡貓"), in_script_of("喜欢", "我喜欢猫")
    ('喜歡', '喜欢')
    """
    return words.translate(lexicon().traditional) if is_traditional(text) else words


def is_traditional(text: str) -> bool:
    """Whether a Han character of the text is written otherwise in simplified script."""
    return text.translate(lexicon().only_traditional) != text
