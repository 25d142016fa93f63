"""Topics of memories (a person, a place, a work, a subject) that a message names.

Only topics of entries count, so no language is analysed: a topic is searched verbatim, a Latin one as whole words, any
other anywhere; the longest name at a place wins. If the talk is about something named long ago ("she was born in 1975",
"she won the prize"), the topic shared by most of the best candidates is the one that is meant.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log

from ahocorasick_rs import AhoCorasick

from rolememory.schema.entry import Entry
from rolememory.text.arrays import Floats, Mask, Rows, np
from rolememory.text.boundaries import leftmost_longest
from rolememory.text.fold import fold

FADING = 0.85  # of a topic's weight with each message back
EARLIER = 0.9  # ... of one that the newest message does not name
OWN_MATTER = 0.6  # a topic that tells so much is the message's own matter ...
LEFT = 0.4  # ... and leaves this of the weight of earlier ones
BEST = 5  # candidates whose topics wake what else carries them
TELLING = 0.4  # least that such a topic must tell
TALKED_OF = 0.8  # of the strength of a candidate by which a message counts for its topics
TO_THE_POINT = 0.5  # strength below which a candidate says nothing about what is talked of
_SHORTEST = 2  # characters of a name


class Topics:
    """Index of topics by row. Cost: `add` O(topics of the entry); `named` O(characters of the text)."""

    def __init__(self) -> None:
        self._rows: dict[str, set[int]] = {}
        self._search: tuple[list[str], AhoCorasick] | None = None  # None = they changed
        self._found = lru_cache(maxsize=256)(self._find)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: int, entry: Entry) -> None:
        """Note the topics of the entry in a row."""
        for name in topics_of(entry):
            if name not in self._rows:
                self._renamed()
            self._rows.setdefault(name, set()).add(row)

    def remove(self, row: int, entry: Entry) -> None:
        """Remove the topics of the entry."""
        for name in topics_of(entry):
            rows = self._rows[name]
            rows.discard(row)
            if not rows:
                del self._rows[name]
                self._renamed()

    def _renamed(self) -> None:
        """Search for other names from now on."""
        self._search = None
        self._found.cache_clear()

    def meant(
        self,
        query: str,
        earlier: Sequence[str],
        among: Mask,
        talked_of: Mapping[str, float] | None = None,
    ) -> "dict[str, float]":
        """How much each topic is meant, 0..1: those of the newest message, then those of messages before it, newest first.

        A message that names its own topic leaves less weight to earlier ones, and to unnamed ones (`talked_of`).
        """
        if not self._rows:
            return {}
        own = {name: self._tells(name, among) for name in self._found(query)}
        matter = min(max(own.values(), default=0.0) / OWN_MATTER, 1.0)
        left = EARLIER * (1.0 - (1.0 - LEFT) * matter)
        meant = own
        for back, text in enumerate(earlier):
            for name in self._found(text):
                weight = left * FADING**back * self._tells(name, among)
                meant[name] = max(meant.get(name, 0.0), weight)
        for name, weight in (talked_of or {}).items():
            meant[name] = max(meant.get(name, 0.0), left * weight)
        return {name: weight for name, weight in meant.items() if weight > 0.0}

    def talked_of(
        self, candidates: Iterable[Iterable[tuple[Entry, float]]], among: Mask
    ) -> "dict[str, float]":
        """The unnamed topic of most messages, and its weight, 0..1; `candidates`: for each, newest first, its best candidates with strengths."""
        doubt: dict[str, float] = {}
        for back, best in enumerate(candidates):
            fitting = ((entry, strength) for entry, strength in best if strength >= TO_THE_POINT)
            for name, weight in self.shared_by(fitting, among).items():
                doubt[name] = doubt.get(name, 1.0) * (1.0 - TALKED_OF * FADING**back * weight)
        most = min(doubt, key=lambda name: (doubt[name], name), default=None)
        return {} if most is None else {most: 1.0 - doubt[most]}

    def shared_by(self, best: Iterable[tuple[Entry, float]], among: Mask) -> "dict[str, float]":
        """The informative topics of the best candidates, weighted by the candidates' strength, 0..1."""
        meant: dict[str, float] = {}
        for entry, strength in best:
            for name in topics_of(entry):
                tells = self._tells(name, among)
                if tells > TELLING:
                    meant[name] = max(meant.get(name, 0.0), strength * tells)
        return meant

    def together(self, meant: Mapping[str, float], n_rows: int) -> Floats:
        """The weight of the meant topics in each row, by noisy-or; (n_rows,)."""
        silence = np.ones(n_rows, dtype=np.float32)
        for name in sorted(meant):
            silence[self._of(name)] *= np.float32(1.0 - min(meant[name], 1.0))
        carried: Floats = np.float32(1.0) - silence
        return carried

    def _of(self, name: str) -> Rows:
        return np.fromiter(self._rows[name], dtype=np.int64)

    def _tells(self, name: str, among: Mask) -> float:
        """Specificity of a topic, 0..1: 1 if one candidate in the mask has it, low if all do."""
        carriers = int(np.count_nonzero(among[self._of(name)]))
        every = int(np.count_nonzero(among))
        return log(1 + every / carriers) / log(1 + every) if carriers else 0.0

    def _find(self, text: str) -> frozenset[str]:
        if self._search is None:
            names = list(self._rows)
            self._search = names, AhoCorasick(names, store_patterns=False)
        (names, automaton), plain = self._search, fold(text).text
        found = automaton.find_matches_as_indexes(plain, overlapping=True)
        alone = (
            (start, end, number) for number, start, end in found if _stands_alone(plain, start, end)
        )
        return frozenset(names[number] for *_, number in leftmost_longest(alone))


@lru_cache(maxsize=4096)
def _folded(topic: str) -> str:
    return fold(topic).text.strip()


def topics_of(entry: Entry) -> Sequence[str]:
    """The folded topics of an entry, without duplicates and single characters."""
    topics: Sequence[str] = getattr(entry, "topics", ())
    if not topics:
        return ()
    found = map(_folded, topics)
    return tuple(dict.fromkeys(name for name in found if len(name) >= _SHORTEST))


def _stands_alone(plain: str, start: int, end: int) -> bool:
    """Whether the match is not part of a longer Latin word or number."""
    before, after = plain[start - 1 : start], plain[end : end + 1]
    return not (_latin(before) and _latin(plain[start])) and not (
        _latin(after) and _latin(plain[end - 1])
    )


def _latin(one: str) -> bool:
    return one.isalnum() and one < "\u0250"
