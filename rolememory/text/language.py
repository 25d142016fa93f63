"""Language and scripts of a text."""

import re
from collections.abc import Mapping
from functools import lru_cache

import regex

from rolememory.schema.scene import Language
from rolememory.text.late_pattern import late_pattern

LANGUAGES: tuple[Language, Language] = ("en", "zh")
"""Those whose words, dates and commands are known."""
HAN = late_pattern("[\u3400-\u9fff]")
"""A common Chinese character."""
CJK = late_pattern("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""... or kana, or a compatibility ideograph."""
HAN_PER_WORD = 1.6  # Han characters equivalent to one Latin word

_LETTERS: Mapping[Language, re.Pattern[str]] = {"zh": HAN, "en": late_pattern("[A-Za-z]{2}")}
_WORD = regex.compile(r"[\p{Latin}\p{M}]+(?:['’-][\p{Latin}\p{M}]+)*")
_SAMPLE = 4096  # characters examined
_SCRIPTS = {
    name: regex.compile(rf"{chars}+")
    for name, chars in {
        "han": r"\p{Han}",
        "kana": r"[\p{Hiragana}\p{Katakana}ー]",
        "hangul": r"\p{Hangul}",
        "latin": r"\p{Latin}",
        "cyrillic": r"\p{Cyrillic}",
        "greek": r"\p{Greek}",
        "arabic": r"\p{Arabic}",
        "digit": r"\p{Nd}",
    }.items()
}


def scripts(text: str) -> Mapping[str, int]:
    """Number of characters of each script in the text; absent scripts are left out.

    >>> scripts("灯塔 beacon 1887")
    {'han': 2, 'latin': 6, 'digit': 4}
    """
    counted = {
        name: sum(len(run) for run in pattern.findall(text)) for name, pattern in _SCRIPTS.items()
    }
    return {name: count for name, count in counted.items() if count}


def languages_in(text: str) -> list[Language]:
    """The languages whose rules may apply to a text, Chinese first.

    >>> languages_in("Mira说the beacon灭了"), languages_in("1887")
    (['zh', 'en'], [])
    """
    return [language for language, letters in _LETTERS.items() if letters.search(text)]


@lru_cache(maxsize=1024)
def language_of(text: str, default: Language = "en") -> Language:
    """Chinese or English, by the majority of the text; `default` if it has neither words nor Han characters.

    Japanese (a fifth of its characters kana or more) and Korean count as English: Chinese word lists would misread kanji,
    and English labels are understood with them.

    >>> [language_of(text) for text in ("灯塔为什么灭了？", "Mira说the beacon灭了，我们得去看看", "彼女は灯台にいる", "Why 灯塔 of all places?")]
    ['zh', 'zh', 'en', 'en']
    """
    sample = text[:_SAMPLE]
    if sample.isascii():
        return "en" if _WORD.search(sample) else default
    found = scripts(sample)
    han, kana = found.get("han", 0), found.get("kana", 0)
    words = len(_WORD.findall(sample))
    others = sum(found.get(name, 0) for name in ("hangul", "cyrillic", "greek", "arabic"))
    if not (han or kana or words or others):
        return default
    if kana * 5 >= han + kana > 0:
        return "en"
    return "zh" if han / HAN_PER_WORD > words + others / 4 else "en"
