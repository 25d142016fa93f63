"""Noise score of texts: greetings, assent, laughter and bare gestures.

It only lowers the rank of candidates and never excludes one: "ok" may be the answer that is asked for.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from rolememory.schema.scene import Language
from rolememory.shipped import lexicon
from rolememory.text.language import LANGUAGES
from rolememory.text.late_pattern import late_pattern
from rolememory.text.plain import longest_first, plain
from rolememory.text.words import COMMON, HAN, PAIR, RARE, kind, tokens, word_lists

ENOUGH = 1.5  # weight of two rare words, or one and a few common ones: not noise

_TELLS = {RARE: 1.0, COMMON: 0.25, HAN: 0.5, PAIR: 0.25}
_CLAUSES = late_pattern(r"[,.!?;:~…。、()\[\]\"\n*_]+|\s-+\s|—+")
_ASKS_ONLY = late_pattern(r"[^.!。…\n]+\?\W*")
_REPEATED = late_pattern(r"([^\W\d_]{1,3}?)\1{2,}")
_LATIN = late_pattern("[a-z]")
_WORDS = late_pattern(r"[a-z]+|[^\W_]")


@lru_cache(maxsize=2048)
def noise(text: str) -> float:
    """Noise of a text, 0..1: 1 for "haha ok", 0 from two rare words on. Cost: O(length).

    >>> noise("Haha, good morning!"), noise("*nods slowly*"), noise("哈哈哈好的，继续")
    (1.0, 1.0, 1.0)
    >>> noise("My dog died yesterday."), noise("我把小提琴借给了罗斯船长。")
    (0.0, 0.0)
    >>> 0.0 < noise("Blue.") < 1.0
    True
    """
    told, weight = set[str](), 0.0
    for clause in _informative_clauses(text):
        new = set(tokens(clause)) - told
        weight += sum(_TELLS.get(kind(one), 0.0) for one in new)
        if weight >= ENOUGH:
            return 0.0
        told |= new
    return round(1.0 - weight / ENOUGH, 3)


def _informative_clauses(text: str) -> Iterator[str]:
    """The clauses that are more than fillers; those with a number always are."""
    even = _REPEATED.sub(r"\1", plain(text).replace("'", ""))
    return (clause for clause in _CLAUSES.split(even) if clause and not _is_filler(clause))


def _is_filler(clause: str) -> bool:
    """Whether a clause consists of fillers and stop words; each filler is matched once, longest first."""
    fillers, of_words = _fillers()
    return of_words.issuperset(_WORDS.findall(clause)) and bool(fillers.fullmatch(clause))


def answers(question: str, reply: str) -> bool:
    """Whether a reply may answer a question: gestures and interjections alone answer only yes-or-no questions, a question in return none but a proposal.

    >>> answers("Where is the map?", "*She nods.*"), answers("Do you like tea?", "*She nods.*")
    (False, True)
    >>> answers("Who broke it?", "I did."), answers("地图在哪里？", "嗯……"), answers("你有几个孩子？", "三个，怎么了？")
    (True, False, True)
    >>> answers("Do you like tea?", "Why do you ask?"), answers("学得如何？", "你住在哪里？"), answers("去哪？", "听雨楼怎么样？")
    (False, False, True)
    """
    told = plain(reply)
    clauses = [clause for clause in _CLAUSES.split(told) if clause.strip()]
    asks = clauses and _is_open(clauses[0]) and not _has("proposal", clauses[0])
    if asks and _ASKS_ONLY.fullmatch(told):
        return False
    return not clauses or not _is_open(plain(question)) or not all(map(_is_mute, clauses))


def is_elliptical(question: str) -> bool:
    """Whether a question has no form of one: an echo, or a word held up.

    >>> is_elliptical("Pumpkin?"), is_elliptical("Passing through?"), is_elliptical("Is it far?")
    (True, True, False)
    >>> is_elliptical("汤圆？"), is_elliptical("新来的琴师？"), is_elliptical("你妹妹呢？"), is_elliptical("你去不去？")
    (True, True, False, False)
    """
    asked = plain(question)
    return not _is_open(asked) and not _has("closed", asked)


def _is_mute(clause: str) -> bool:
    """Whether a clause is a gesture or an interjection."""
    gestures = (_open_questions(one)[1] for one in LANGUAGES)
    return _is_filler(clause) and any(one.search(clause) for one in gestures)


def _is_open(asked: str) -> bool:
    """Whether this is asked with a word that yes or no does not answer."""
    return any(_open_questions(one)[0].search(asked) for one in LANGUAGES)


def _has(name: str, text: str) -> bool:
    """Whether a text has what the pattern of this name in either lexicon describes."""
    return any(_pattern(one, name).search(text) for one in LANGUAGES)


@cache
def _pattern(language: Language, name: str) -> re.Pattern[str]:
    return re.compile(_raw(language)[name])


@cache
def _open_questions(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of open questions, and of gestures and interjections."""
    raw = _raw(language)
    rows = " ".join(raw["words"][name] for name in raw["mute"]).split()
    either = longest_first(rows)
    mute = rf"\b(?:{either})\b" if language == "en" else either
    return _pattern(language, "open"), re.compile(mute)


@cache
def _fillers() -> tuple[re.Pattern[str], frozenset[str]]:
    """The fillers of both languages as one pattern, and their words and characters."""
    listed = {one.replace("'", "") for language in LANGUAGES for one in _listed(language)}
    longest_first = sorted(listed, key=lambda one: (-len(one), one))
    latin, others = (
        "|".join(re.escape(one) for one in longest_first if bool(_LATIN.match(one)) is small)
        for small in (True, False)
    )
    either = rf"(?<![a-z])(?:{latin})(?![a-z])|{others}"
    return re.compile(rf"(?>{either}|[^\w]+)*+"), frozenset(_WORDS.findall(" ".join(listed)))


@cache
def _raw(language: Language) -> Any:
    return lexicon(f"noise.{language}")


def _listed(language: Language) -> Iterator[str]:
    raw = _raw(language)
    yield from raw["phrases"]
    for row in raw["words"].values():
        yield from row.split()
    yield from word_lists(language).stop
