"""Tokens of a text: Latin stems, numbers, Chinese unigrams and bigrams, each with a weight.

text ─ tokens ─▶ ("beacon", "storm", "灯塔", "灯", "塔")
question ─ term_query ─▶ TermQuery(weights, surfaces)
"""

import re
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, pairwise
from sys import intern
from types import ModuleType
from typing import Any

from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.fold import fold
from rolememory.text.plain import simplified

RARE, COMMON, STOP = (1.0, 0.002), (0.7, 0.03), (0.3, 0.2)
"""Latin words: (weight as evidence, share of background texts that contain it). Written from general knowledge of both
languages; the classes are those of words.*.json. A two-character word counts about as much as one Latin word."""
HAN, HAN_EVERYDAY = (0.4, 0.01), (0.1, 0.1)
CALLS_WITHIN = 2000  # characters at the end of a message in which somebody is called
HAN_ALONE = 0.7  # weight of a Han character that is a word of its own, where a question asks for it
PAIR, PAIR_COMMON, PAIR_LOOSE = (0.5, 0.001), (0.3, 0.03), (0.15, 0.004)

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々〇"
_KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc\u31f0-\u31ff"
_HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
)
_GRAMS = f"{_HAN}{_KANA}{_HANGUL}{_UNSPACED}"
_RUNS = re.compile(
    rf"([{_GRAMS}]+)|(\d+(?:[.:/]\d+)*)|([^\W\d_{_GRAMS}]+(?:['’][^\W\d_{_GRAMS}]+)?)"
)
_HAN_FIRST, _HANGUL_FIRST, _HANGUL_LAST = (
    "\u3400",
    "\uac00",
    "\ud7a3",
)  # kana and other unspaced scripts come first
_ONE_HAN = re.compile(f"[{_HAN}]")
_LATIN = re.compile("[a-z]+")


@value_class
class WordLists:
    """The content of a language's words.*.json."""

    stop: frozenset[str]
    common: frozenset[str]  # words of little information
    everyday: frozenset[str]  # the same for single characters
    counting: frozenset[str]  # numerals and measure words: two of them are not a word
    pointing: frozenset[str]  # anaphoric words
    auxiliary: frozenset[str]  # verbs that follow a subject
    familiar: frozenset[str]  # characters before the name of somebody familiar
    surnames: frozenset[str]
    calls: tuple[Sequence[str], Sequence[str]]  # before and after a given name; a surname
    around: frozenset[str]  # characters beside a word of one character, which form no word with it
    forms: Mapping[str, str]  # irregular form -> base: went -> go
    apart: Mapping[str, str]  # form -> its stem, where the stemmer gives that of an unrelated word
    spellings: Mapping[
        str, str
    ]  # another way to write or say it -> base: harbour -> harbor, 妈妈 -> 母亲; also before endings


@cache
def word_lists(language: str) -> WordLists:
    """The shipped word lists of `en` or `zh`."""
    raw = lexicon(f"words.{language}")
    forms, apart, spellings = (
        {form: base for base, forms in raw.get(name, {}).items() for form in (base, *forms.split())}
        for name in ("forms", "apart", "spellings")
    )
    stop, common, everyday, counting, pointing = (
        frozenset(raw.get(name, ()))
        for name in ("stop", "common", "everyday", "counting", "pointing")
    )
    auxiliary, familiar, surnames, around = (
        frozenset(raw.get(name, ())) for name in ("auxiliary", "familiar", "surnames", "around")
    )
    return WordLists(
        stop,
        common,
        everyday,
        counting,
        pointing,
        auxiliary,
        familiar,
        surnames,
        (raw.get("given_calls", ()), raw.get("surname_calls", ())),
        around | stop | {" "},
        forms,
        apart,
        spellings,
    )


class _Stemmers(threading.local):
    """One stemmer per thread, loaded on first use: the library's objects are not thread-safe."""

    @cached_property
    def english(self) -> Any:
        return import_module(f"{_stemmer_package()}.english_stemmer").EnglishStemmer()


@cache
def _stemmer_package() -> str:
    """The package of a single stemmer: importing the library itself loads thirty languages, some 20 ms."""
    package, found = ModuleType("rolememory.text._snowball"), find_spec("snowballstemmer")
    package.__path__ = list((found and found.submodule_search_locations) or ())
    sys.modules[package.__name__] = package
    return package.__name__


_stemmers = _Stemmers()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a folded Latin word; irregular forms are mapped to their base.

    >>> stem("storms"), stem("went"), stem("education") == stem("educated")
    ('storm', 'go', True)
    >>> stem("admirals"), stem("admired")
    ('admiral', 'admir')
    >>> stem("harbours") == stem("harbor")
    True
    """
    plain = word.replace("’", "'").removesuffix("'s").replace("'", "")
    plain = word_lists("en").forms.get(plain, plain)
    if not _LATIN.fullmatch(plain):
        return plain
    stemmed = _cut(plain)
    return _spellings().get(stemmed, stemmed)


def _cut(word: str) -> str:
    return word_lists("en").apart.get(word) or str(_stemmers.english.stemWord(word))


@cache
def _spellings() -> Mapping[str, str]:
    return {_cut(spelt): _cut(base) for spelt, base in word_lists("en").spellings.items()}


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in word_lists("en").stop)


@cache
def _common_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in word_lists("en").common)


def _grams(run: str) -> list[str]:
    """Unigrams of Han, bigrams of everything, without those of function characters only.

    Interned, since many texts share them.
    """
    stop, spelt = word_lists("zh").stop, word_lists("zh").spellings
    if len(run) == 1:
        return [] if run in stop else [intern(spelt.get(run, run))]
    ones = [
        one
        for one in run
        if one >= _HAN_FIRST and one not in stop and not _HANGUL_FIRST <= one <= _HANGUL_LAST
    ]
    twos = (one + two for one, two in pairwise(run) if one not in stop or two not in stop)
    return [intern(spelt.get(gram, gram)) for gram in chain(ones, twos)]


def _is_content_word(word: str) -> bool:
    """Whether a stem is not a stop word."""
    return word not in _stop_stems() and not (len(word) == 1 and "a" <= word <= "z")


@lru_cache(maxsize=4)
def _runs(text: str) -> list[tuple[str, str, str]]:
    """(unspaced run, number, word) in order of appearance, two of them empty."""
    return _RUNS.findall(fold(text).text)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text, with repetitions: stems, numbers, Han unigrams, bigrams of unspaced scripts.

    Without stop words, unless nothing else remains.

    >>> tokens("The beacon failed in the storms.")
    ('beacon', 'fail', 'storm')
    >>> tokens("灯塔的光")
    ('灯', '塔', '光', '灯塔', '塔的', '的光')
    >>> tokens("Who are you?"), tokens("妈妈")
    (('who', 'are', 'you'), ('妈', '妈', '母亲'))
    """
    out: list[str] = []
    for grams, number, word in _runs(text):
        if grams:
            out += _grams(grams)
        elif number:
            out.append(number)
        elif _is_content_word(stemmed := stem(word)):
            out.append(stemmed)
    return tuple(
        out or (number or (stem(word) if word else grams) for grams, number, word in _runs(text))
    )


def is_pair(token: str) -> bool:
    """Whether a token is a Han bigram: most of them are not words."""
    return len(token) == 2 and bool(_ONE_HAN.match(token))


@lru_cache(maxsize=65536)
def kind(token: str) -> tuple[float, float]:
    """(weight of a token as evidence, share of background texts that contain it)."""
    if not _ONE_HAN.match(token):
        return STOP if token in _stop_stems() else COMMON if token in _common_stems() else RARE
    zh = word_lists("zh")
    if len(token) == 1:
        return HAN_EVERYDAY if token in zh.everyday or token in zh.stop else HAN
    if token in zh.common:
        return PAIR_COMMON
    loose = not zh.stop.isdisjoint(token) or zh.counting.issuperset(token)
    return PAIR_LOOSE if loose else PAIR


def weighty(text: str) -> frozenset[str]:
    """The rare words and Han tokens of a text."""
    return frozenset(token for token in tokens(text) if kind(token) in (RARE, HAN, PAIR))


NAMES_ITS_MATTER = 2.0  # content words from which a question needs no context
_QUESTION_MARK = re.compile(r"[?？]")


@value_class
class TermQuery:
    """Weighted tokens to search for, and their spelling in the text."""

    weights: Mapping[str, float]
    surfaces: Mapping[str, str]

    @property
    def mass(self) -> float:
        """Its total weight, in words: 0 for "and then?"."""
        return sum(
            weight for token, weight in self.weights.items() if kind(token) in (RARE, HAN, PAIR)
        )

    def without(self, tokens: Collection[str]) -> "TermQuery":
        """The query without these tokens."""
        left = {one: weight for one, weight in self.weights.items() if one not in tokens}
        return TermQuery(left, self.surfaces)


@lru_cache(maxsize=256)
def term_query(text: str) -> TermQuery:
    """The query for a text.

    >>> term_query("Why is the beacon dark?").surfaces, term_query("妈妈").surfaces
    ({'beacon': 'beacon', 'dark': 'dark'}, {'妈': '妈', '母亲': '妈妈'})
    """
    spelt = {stem(word): word for _, _, word in reversed(_runs(text)) if word}
    if not text.isascii():
        spellings = word_lists("zh").spellings.items()
        spelt |= {base: form for form, base in spellings if form != base and form in text}
    asked, alone = dict.fromkeys(tokens(text)), _alone(text)
    return TermQuery(
        {token: HAN_ALONE if token in alone else kind(token)[0] for token in asked},
        {token: spelt.get(token, token) for token in asked},
    )


@lru_cache(maxsize=256)
def called(text: str) -> frozenset[str]:
    """The Han characters that stand for a name in a text, as in 阿墨, 小墨, 墨儿; of a surname as in 姓陆的, 老陆, 陆家.

    >>> [sorted(called(text)) for text in ("墨儿和姓陸的走了。", "老师的脸蛋儿。", "小金鱼在老槐树下。")]
    [['墨', '陸'], [], []]
    """
    zh, found = word_lists("zh"), set[str]()
    for run, _, _ in _runs(text[-CALLS_WITHIN:]):
        plain = simplified(run)
        around = f" {plain} "
        for at, (first, second) in enumerate(pairwise(plain)):
            sides = (at + 1, around[at + 2 : at + 4], first), (at, around[at : at + 2], second)
            for (place, beside, mark), given, surname in zip(sides, *zh.calls, strict=True):
                is_given = mark in given and not _is_word(first + second)
                if not (is_given or (mark in surname and plain[place] in zh.surnames)):
                    continue
                if kind(plain[place]) == HAN and not _is_word(beside):
                    found.add(run[place])
    return frozenset(found)


def _is_word(pair: str) -> bool:
    """Whether two Han characters are a word; true where no dictionary is at hand."""
    known = segmenter()
    return known is None or known.has_word(pair)


@cache
def segmenter() -> ModuleType | None:
    """The Chinese segmenter, which reads its dictionary at first use; None where it is not to be had (Windows on ARM)."""
    return import_module("rjieba") if find_spec("rjieba") else None


def _alone(text: str) -> frozenset[str]:
    """The Han characters of a text that are words of their own, where it names nothing else: beside them stand function words.

    >>> sorted(_alone("鹤怎么不见了？有信来吗？")), sorted(_alone("鹤飞过山崖了吗？"))
    (['信', '鹤'], [])
    """
    around, found = word_lists("zh").around, set[str]()
    for run, _, word in _runs(text):
        for left, one, right in zip(f" {run}", run, f"{run[1:]} ", strict=False):
            if kind(one) == HAN and one not in around:
                if not around.issuperset((left, right)):
                    return frozenset()
                found.add(one)
        if word and kind(stem(word)) == RARE:
            return frozenset()
    return frozenset(found)


@lru_cache(maxsize=1024)
def context_dependence(text: str) -> float:
    """How much a message depends on the talk before it, 0..1: 0 for a question that names its topic.

    >>> [context_dependence(text) for text in ("Where is the brass key?", "And then?", "The brass key is cold.")]
    [0.0, 1.0, 1.0]
    >>> context_dependence("她的生日是哪天？"), context_dependence("苏打绿的专辑有几张？")
    (0.88, 0.0)
    """
    if not _QUESTION_MARK.search(text):
        return 1.0
    needed = NAMES_ITS_MATTER * (2.0 if _points(text) else 1.0)
    return round(max(1.0 - term_query(text).mass / needed, 0.0), 2)


def _points(text: str) -> bool:
    """Whether a text contains an anaphoric word."""
    folded = text.casefold()
    spoken = {run for runs in _RUNS.findall(folded) for run in runs if run}
    return not spoken.isdisjoint(word_lists("en").pointing) or any(
        one in folded for one in word_lists("zh").pointing
    )
