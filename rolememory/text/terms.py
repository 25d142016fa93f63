"""The words of a text, and which memories share them: Latin stems, Chinese one- and two-grams, own BM25.

    text ─ tokens ─▶ ("beacon", "storm", "灯塔", "灯", "塔")
    question ─ ask ─▶ Question(weights, surfaces) ─ TermIndex.scores ─▶ (n_rows,) share of the question's information

Scores are shares: 1 = every word of the question stands once in a text of usual length. So they mean the same for a
short and a long question, in both languages, and for a role with three memories (a background corpus stands in).
"""

import re
import threading
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any

import orjson

from rolememory.shipped import shipped
from rolememory.text.fold import fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]
    Rows = NDArray[np.int64]

K1, B = 0.8, 0.3
"""BM25's saturation and length norm. Memories are short lines, so length says less than in web pages (1.2 and 0.75 there).
Source: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009."""

BACKGROUND = 60.0
"""Texts that the imagined background corpus adds to a role's own: keeps the weights of three memories sane."""

ENOUGH = 2.5
"""So many rare words shared are as much as a text can ask for: long messages are not measured by all their words."""

RARE, COMMON, STOP = (1.0, 0.002), (0.7, 0.03), (0.3, 0.2)
"""Latin words: (weight as evidence, share of background texts that hold it). Written from general knowledge of both
languages; the classes are those of words.*.json. A two-character word counts about as much as one Latin word."""
HAN, HAN_EVERYDAY = (0.4, 0.01), (0.1, 0.1)
PAIR, PAIR_COMMON, PAIR_LOOSE = (0.5, 0.001), (0.3, 0.03), (0.15, 0.004)
UNKNOWN_PAIR = 0.3  # of its weight that a two-gram no text holds counts as asked for: most are not words

BARELY = 0.02
"""Of what a rare word tells: words that tell less stand nearly everywhere and are not looked up."""

MOST_NAMED = 16  # words that an explanation names

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々〇"
_KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc\u31f0-\u31ff"
_HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"
_UNSPACED = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_GRAMS = f"{_HAN}{_KANA}{_HANGUL}{_UNSPACED}"
_RUNS = re.compile(rf"([{_GRAMS}]+)|(\d+(?:[.:/]\d+)*)|([^\W\d_{_GRAMS}]+(?:['’][^\W\d_{_GRAMS}]+)?)")
_HAN_FIRST, _HANGUL_FIRST, _HANGUL_LAST = "\u3400", "\uac00", "\ud7a3"  # kana and the other unspaced scripts come before
_ONE_HAN = re.compile(f"[{_HAN}]")
_LATIN = re.compile("[a-z]+")
_PACK = 4  # bits of a posting that hold the count of the term in the text
_MOST = (1 << _PACK) - 1


@dataclass(frozen=True, slots=True)
class Words:
    """What a language's words.*.json says."""

    stop: frozenset[str]
    common: frozenset[str]  # words that say little by themselves
    everyday: frozenset[str]  # the same of single characters
    counting: frozenset[str]  # numerals and measure words: two of them make no word
    forms: Mapping[str, str]  # irregular form -> base: went -> go
    spellings: Mapping[str, str]  # another way to write or say it -> base: harbour -> harbor; also before endings


@cache
def words(language: str) -> Words:
    """The shipped word lists of `en` or `zh`."""
    raw = orjson.loads(shipped("worldbook_rules", "lexicons", f"words.{language}.json").read_bytes())
    forms, spellings = (
        {form: base for base, forms in raw.get(name, {}).items() for form in forms.split()} for name in ("forms", "spellings")
    )
    stop, common, everyday, counting = (frozenset(raw.get(name, ())) for name in ("stop", "common", "everyday", "counting"))
    return Words(stop, common, everyday, counting, forms, spellings)


class _Stemmers(threading.local):
    """One stemmer per thread: the library's objects keep state while they work."""

    def __init__(self) -> None:
        import snowballstemmer

        self.english: Any = snowballstemmer.stemmer("english")


_stemmers = _Stemmers()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a folded Latin word; irregular forms count as their base.

    >>> stem("storms"), stem("went"), stem("education") == stem("educated")
    ('storm', 'go', True)
    >>> stem("harbours") == stem("harbor")
    True
    """
    plain = word.replace("’", "'").removesuffix("'s").replace("'", "")
    plain = words("en").forms.get(plain, plain)
    if not _LATIN.fullmatch(plain):
        return plain
    stemmed = _snowball(plain)
    return _spellings().get(stemmed, stemmed)


def _snowball(word: str) -> str:
    return str(_stemmers.english.stemWord(word))


@cache
def _spellings() -> Mapping[str, str]:
    return {_snowball(spelt): _snowball(base) for spelt, base in words("en").spellings.items()}


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in words("en").stop)


@cache
def _common_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in words("en").common)


def _grams(run: str) -> list[str]:
    """One-grams of Han, two-grams of everything; a gram of function characters alone says nothing."""
    stop = words("zh").stop
    if len(run) == 1:
        return [] if run in stop else [run]
    ones = [one for one in run if one >= _HAN_FIRST and one not in stop and not _HANGUL_FIRST <= one <= _HANGUL_LAST]
    return ones + [one + two for one, two in pairwise(run) if one not in stop or two not in stop]


def _says_something(word: str) -> bool:
    """Whether a stem is no stop word."""
    return word not in _stop_stems() and not (len(word) == 1 and "a" <= word <= "z")


def _runs(text: str) -> list[tuple[str, str, str]]:
    """(unspaced run, number, word) in order of appearance, two of them empty."""
    return _RUNS.findall(fold(text).text)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """What a text is compared by, with repetitions: stems, numbers, Han one-grams, two-grams of unspaced scripts.

    Stop words are out, unless nothing else remains.

    >>> tokens("The beacon failed in the storms.")
    ('beacon', 'fail', 'storm')
    >>> tokens("灯塔的光")
    ('灯', '塔', '光', '灯塔', '塔的', '的光')
    >>> tokens("Who are you?")
    ('who', 'are', 'you')
    """
    out: list[str] = []
    for grams, number, word in _runs(text):
        if grams:
            out += _grams(grams)
        elif number:
            out.append(number)
        elif _says_something(stemmed := stem(word)):
            out.append(stemmed)
    return tuple(out or (number or (stem(word) if word else grams) for grams, number, word in _runs(text)))


@lru_cache(maxsize=65536)
def kind(token: str) -> tuple[float, float]:
    """(weight of a token as evidence, share of background texts that hold it)."""
    if not _ONE_HAN.match(token):
        return STOP if token in _stop_stems() else COMMON if token in _common_stems() else RARE
    zh = words("zh")
    if len(token) == 1:
        return HAN_EVERYDAY if token in zh.everyday or token in zh.stop else HAN
    if token in zh.common:
        return PAIR_COMMON
    loose = any(one in zh.stop for one in token) or all(one in zh.counting for one in token)
    return PAIR_LOOSE if loose else PAIR


@dataclass(frozen=True, slots=True)
class Question:
    """Weighted tokens to look for, and how the reader wrote them."""

    weights: Mapping[str, float]
    surfaces: Mapping[str, str]

    @property
    def mass(self) -> float:
        """How much it says in itself, in words: 0 = nothing ("and then?")."""
        return sum(weight for token, weight in self.weights.items() if kind(token) in (RARE, HAN, PAIR))


@lru_cache(maxsize=1024)
def ask(text: str) -> Question:
    """The question a text puts to the index.

    >>> ask("Why is the beacon dark?").surfaces
    {'beacon': 'beacon', 'dark': 'dark'}
    """
    spelt = {stem(word): word for _, _, word in reversed(_runs(text)) if word}
    asked = dict.fromkeys(tokens(text))
    return Question({token: kind(token)[0] for token in asked}, {token: spelt.get(token, token) for token in asked})


class TermIndex:
    """BM25 over texts by id. Rows only grow (a changed text gets a new one) until `compact`; thread-safe.

    Cost: `add` O(tokens), `scores` O(postings of the question's terms).
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._clear()
        self.version = 0  # moves whenever a row changes its meaning

    def _clear(self) -> None:
        self._postings: dict[str, array[int]] = {}  # token -> row << 4 | count, rows rising
        self._gone: Counter[str] = Counter()  # token -> postings of removed rows
        self._row_of: dict[str, int] = {}
        self._texts: list[str | None] = []
        self._lengths = array("f")
        self._alive = array("B")
        self._total = 0.0
        self._norms: Scores | None = None

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._row_of

    @property
    def n_rows(self) -> int:
        """Rows of the arrays that `scores` gives, removed ones included."""
        return len(self._texts)

    def add(self, entry_id: str, text: str) -> None:
        """Index a text under an id; what stood there before is replaced."""
        with self._lock:
            if (row := self._row_of.get(entry_id)) is not None:
                if self._texts[row] == text:
                    return
                self._drop(entry_id)
            self._append(entry_id, text)
            self._moved()

    def remove(self, entry_id: str) -> None:
        """Forget an id; one that is not there is no mistake."""
        with self._lock:
            if entry_id in self._row_of:
                self._drop(entry_id)
                self._moved()
                if len(self._texts) > 2 * len(self._row_of) + 1000:
                    self.compact()

    def compact(self) -> None:
        """Give removed rows back; row numbers change."""
        with self._lock:
            kept = [(entry_id, self._texts[row]) for entry_id, row in sorted(self._row_of.items(), key=lambda item: item[1])]
            self._clear()
            for entry_id, text in kept:
                self._append(entry_id, text or "")
            self._moved()

    def _moved(self) -> None:
        self._norms = None
        self.version += 1

    def _append(self, entry_id: str, text: str) -> None:
        row = len(self._texts)
        base, postings = row << _PACK, self._postings
        for token, count in Counter(tokens(text)).items():
            posting = base | (count if count < _MOST else _MOST)
            if (known := postings.get(token)) is None:
                postings[token] = array("Q", (posting,))
            else:
                known.append(posting)
        length = float(len(text.encode("utf-8", "surrogatepass")))  # a Han character is worth three letters
        self._row_of[entry_id] = row
        self._texts.append(text)
        self._lengths.append(length)
        self._alive.append(1)
        self._total += length

    def _drop(self, entry_id: str) -> None:
        row = self._row_of.pop(entry_id)
        self._gone.update(set(tokens(self._texts[row] or "")))
        self._texts[row], self._alive[row] = None, 0
        self._total -= self._lengths[row]

    def rows(self, ids: Iterable[str]) -> "Rows":
        """The row of each id, -1 for one that is not here; shape (n_ids,)."""
        import numpy as np

        of = self._row_of
        return np.fromiter((of.get(entry_id, -1) for entry_id in ids), dtype=np.int64)

    def information(self, token: str) -> float:
        """How much a token tells, in nats: the idf over the role's texts and the background corpus.

        Never negative, and an unknown token tells the most. O(1).
        """
        there = len(self._postings.get(token, ())) - self._gone[token]
        expected = BACKGROUND * kind(token)[1]
        return log((len(self._row_of) + BACKGROUND + 1.0) / (there + expected + 0.5))

    def scores(self, question: Question) -> "Scores":
        """What share of the question's information each row holds: (n_rows,) float32, 0 = no word shared.

        The share may pass 1 in short texts that repeat a word. Removed rows give 0.
        """
        import numpy as np

        with self._lock:
            out = np.zeros(self.n_rows, dtype=np.float32)
            if not self._row_of:
                return out
            norms, unit, mass = self._length_norms(), self._rare_word(), 0.0
            for token, weight in question.weights.items():
                tells = weight * self.information(token)
                found = self._postings.get(token)
                mass += tells * (UNKNOWN_PAIR if found is None and len(token) == 2 and _ONE_HAN.match(token) else 1.0)
                if found is not None and tells > BARELY * unit:
                    posting = np.frombuffer(found, dtype=np.uint64).astype(np.int64)
                    rows, counts = posting >> _PACK, (posting & _MOST).astype(np.float32)
                    out[rows] += np.float32(tells * (K1 + 1.0)) * counts / (counts + norms[rows])
            out *= np.float32(1.0 / min(max(mass, unit), ENOUGH * unit))
            return out * np.frombuffer(self._alive, dtype=np.uint8)

    def shared(self, question: Question, rows: "Rows") -> list[str]:
        """Which of the question's most telling words each of these rows holds, joined by blanks; at most `MOST_NAMED`."""
        import numpy as np

        out: list[list[str]] = [[] for _ in range(len(rows))]
        wanted = rows.astype(np.uint64)
        with self._lock:
            known = sorted((token for token in question.weights if token in self._postings), key=self._telling)
            for token in known[:MOST_NAMED]:
                holders = np.frombuffer(self._postings[token], dtype=np.uint64) >> np.uint64(_PACK)
                at = np.minimum(np.searchsorted(holders, wanted), len(holders) - 1)
                for place in np.flatnonzero(holders[at] == wanted).tolist():
                    if not any(token in said for said in out[place]):
                        out[place].append(token)
        return [" ".join(dict.fromkeys(question.surfaces[token] for token in held)) for held in out]

    def _telling(self, token: str) -> tuple[bool, float]:
        """Sorts what is worth naming first: pairs before single characters, then by what it tells."""
        return len(token) == 1, -kind(token)[0] * self.information(token)

    def _rare_word(self) -> float:
        """The information of a rare word that two texts hold, in nats: the unit of `ENOUGH`, and the least that can be asked."""
        return log((len(self._row_of) + BACKGROUND + 1.0) / (BACKGROUND * 0.002 + 1.5))

    def _length_norms(self) -> "Scores":
        import numpy as np

        if self._norms is None:
            mean = max(self._total / max(len(self._row_of), 1), 1e-6)
            lengths = np.array(self._lengths, dtype=np.float32)
            self._norms = np.float32(K1) * (np.float32(1.0 - B) + np.float32(B / mean) * lengths)
        return self._norms
