"""What the best first hits lead to: a second round, and no third, that asks for their rare words.

    question ─▶ first hits ─ rare words that other texts hold too ─▶ what holds them, damped ─▶ evidence

"What is the hobby of the one whose birthday is on Sunday?": the line with the birthday names the person, and the person's other
lines share nothing with the question but that name. What the hit says of the question already is not asked again: the more is left,
the further it leads.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Value
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import Floats, NDArray, Rows, np
from rolememory.text.calibrate import FULL_COVERAGE, MIDDLE
from rolememory.text.terms import CollectionStatistics
from rolememory.text.words import PAIR, RARE, TermQuery, is_pair, kind, term_query

HITS = 3  # of the first round that are followed
SURE = 2.0  # nats below which a first hit leads nowhere
NEAR_BEST = 0.6  # of the best hit's evidence that another one needs
DAMPED = 0.8  # of what the words would count if they had been asked
TELLING = 0.5  # of the information of a rare word that a word needs
MOST_WORDS = 3  # of each hit, the rarest
ALIKE = 0.3  # of the telling words of a text, from which on texts that hold so many tell the same of another
LOOKED_AT = 8  # texts that hold a word, whether it is a name
LEFT = 0.25  # of the question that a hit leaves open, from which on it leads in full
_SMALL = re.compile(r"(?<![^\W\d_])[a-zà-öø-ÿ][^\W\d_]*(?:['’][^\W\d_]+)?")
SHOWN = 40  # characters of a hit in an explanation


@value_class
class SecondHop:
    """What the second round found."""

    evidence: Floats  # in nats, (n_rows,)
    source: "NDArray[np.int32]"  # the row of the first hit that led to each row; -1 = none
    asked: Mapping[int, TermQuery]  # by row of a first hit: those of its words that were asked


@value_class
class HopPath:
    """Which of the first hits led to what was woken."""

    led: SecondHop
    woken: Rows
    hits: Mapping[int, Entry]  # by row

    def values(
        self, place: int, text: str, terms: CollectionStatistics
    ) -> Iterator[tuple[str, Value]]:
        """The hit that led to one of them, how it begins, and the words that both hold; nothing where none did."""
        row = int(self.led.source[self.woken[place]])
        if row >= 0:
            yield "of", self.hits[row].id
            yield "hit", shown(self.hits[row].content)
            yield "via", terms.shared(self.led.asked[row], text)


def shown(text: str) -> str:
    """How a text begins, for an explanation."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN].rstrip()}…"


def second_hop(
    question: TermQuery,
    evidence: Floats,
    terms: CollectionStatistics,
    places: Rows,
    text: Callable[[int], str],
    share: float,
    present: Collection[str],
) -> SecondHop | None:
    """Evidence for what shares rare words with the best first hits; None where there is none.

    `evidence` is that of the first round, `places` the row in the index, each (n_rows,); `share` how much of it all counts; `present`
    the words that name those who talk, which join all that is about them. Cost: O(n_rows), and the postings of the words of `HITS` texts.
    """
    first = _best(evidence, text)
    if not first:
        return None
    found, source = np.zeros_like(evidence), np.full(len(evidence), -1, dtype=np.int32)
    row_of = np.full(int(places.max(initial=0)) + 1, -1, dtype=np.int32)
    row_of[places[places >= 0]] = np.flatnonzero(places >= 0)
    asked: dict[int, TermQuery] = {}
    for alike, told in first:
        row, said = alike[0], term_query(told)
        sure = float(evidence[row]) ** 2 / (float(evidence[row]) ** 2 + MIDDLE**2)
        counts = share * DAMPED * FULL_COVERAGE * sure * _open(question, said)
        without = {*question.weights, *present}
        rare = _leading(alike, places[alike], said, without, terms, row_of, text) if counts else {}
        if not rare:
            continue
        mass = max(*rare.values(), terms.rare_word)
        led = np.zeros(terms.n_rows + 1, dtype=evidence.dtype)  # at the end: not in the index
        for token, tells in rare.items():
            led[terms.holding(token)] += np.float32(counts * tells / mass)
        gained = np.minimum(led, np.float32(counts))[places]
        gained[alike] = 0.0
        better = gained > found
        found[better], source[better] = gained[better], row
        asked[row] = TermQuery(dict.fromkeys(rare, 1.0), {one: said.surfaces[one] for one in rare})
    return SecondHop(found, source, asked) if asked else None


def _best(evidence: Floats, text: Callable[[int], str]) -> list[tuple[list[int], str]]:
    """The first hits that are followed, best first: those that say the same together, with what they say."""
    least = max(SURE, NEAR_BEST * float(evidence.max(initial=0.0)))
    rows = np.flatnonzero(evidence >= least)
    best = rows[np.argsort(-evidence[rows], kind="stable")][: 4 * HITS].tolist()
    said = dict[str, list[int]]()
    for row in best:
        said.setdefault(text(row), []).append(row)
    return [(alike, told) for told, alike in said.items()][:HITS]


def _open(question: TermQuery, said: TermQuery) -> float:
    """How far a hit leads, 0..1: by the share of the question that it does not hold."""
    whole = sum(question.weights.values())
    left = sum(weight for token, weight in question.weights.items() if token not in said.weights)
    return min(left / whole / LEFT, 1.0) if whole else 0.0


def _leading(
    rows: Sequence[int],
    places: Rows,
    said: TermQuery,
    without: Collection[str],
    terms: CollectionStatistics,
    row_of: "NDArray[np.int32]",
    text: Callable[[int], str],
) -> dict[str, float]:
    """The words of a text in these rows that lead on, but for some, with what each tells in nats."""
    new = [one for one in said.weights if one not in without and kind(one) in (RARE, PAIR)]
    pairs = [one for one in new if is_pair(one)]
    return _rare(new, terms, _Leads(rows, places, said, terms, row_of, text, pairs))


def _rare(
    new: Sequence[str], terms: CollectionStatistics, may_lead: Callable[[str], bool]
) -> dict[str, float]:
    """The rarest of some words that several texts hold, with what each tells in nats."""
    least = TELLING * terms.rare_word
    terms.count(new)
    tells = {one: terms.information(one) for one in new if terms.holders(one) > 1}
    chosen: dict[str, float] = {}
    for one in sorted(tells, key=lambda one: (-tells[one], one)):
        spare = len(chosen) < MOST_WORDS and tells[one] >= least
        if spare and not any(_overlap(one, other) for other in chosen) and may_lead(one):
            chosen[one] = tells[one]
    return chosen


@dataclass(slots=True)
class _Leads:
    """Which words of a text may lead on: names, that join texts which share little else.

    In scripts with small letters a name never begins with one. In others a word is none where the texts that hold it hold much
    else of this one: they tell the same of another.
    """

    rows: Sequence[int]  # where the text stands
    places: Rows  # ... in the index
    said: TermQuery
    terms: CollectionStatistics
    row_of: "NDArray[np.int32]"
    text: Callable[[int], str]
    pairs: Sequence[str]  # those of its words that are such, without those of the question
    _held: "NDArray[np.int64] | None" = None  # how many of these each row holds; 0 where it stands

    def __call__(self, token: str) -> bool:
        """Whether it is written as a name here and in some of the other texts that hold it, or comes with little else."""
        if is_pair(token):
            return self._beside(token) < ALIKE
        word = self.said.surfaces[token]
        others = self.row_of[self.terms.holding(token)[:LOOKED_AT]].tolist()
        return not any(
            word in _small(self.text(row)) for row in (self.rows[0], *others) if row >= 0
        )

    def _beside(self, token: str) -> float:
        """The share of the other pairs that the texts hold on average which hold this one. Cost: O(their postings)."""
        holding, n_rows = self.terms.holding, self.terms.n_rows
        if self._held is None:
            every = np.concatenate(list(map(holding, self.pairs)))
            self._held = np.bincount(every, minlength=n_rows)
            self._held[self.places[self.places >= 0]] = 0
        others = holding(token)
        others = others[self._held[others] > 0]
        near = [one for one in self.pairs if _overlap(one, token)]
        most = (len(self.pairs) - 1 - bool(near)) * len(others)
        if most <= 0:
            return 0.0
        part = np.zeros(n_rows, dtype=np.bool_)  # whether the pair is a part of a longer word there
        for one in near:
            part[holding(one)] = True
        return float((self._held[others] - 1).sum() - part[others].sum()) / most


@lru_cache(maxsize=1024)
def _small(text: str) -> frozenset[str]:
    """The words of a text that begin with a small letter."""
    return frozenset(_SMALL.findall(text))


def _overlap(token: str, other: str) -> bool:
    """Whether two pairs of characters are parts of one run, so that both tell the same."""
    linked = token[:1] == other[1:] or token[1:] == other[:1]
    return linked and is_pair(token) and is_pair(other)
