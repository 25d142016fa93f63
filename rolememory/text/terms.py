"""Which texts share a question's words: own BM25, told as a share of what was asked.

Scores are shares: 1 = every word of the question stands once in a text of usual length. So they mean the same for a
short and a long question, in both languages, and for a role with three memories (a background corpus stands in).
"""

import threading
from array import array
from collections import Counter
from collections.abc import Iterable
from math import log
from typing import TYPE_CHECKING

from rolememory.text.moves import Moves
from rolememory.text.words import Question, is_pair, kind, tokens

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

UNKNOWN_PAIR = (
    0.3  # of its weight that a two-gram no text holds counts as asked for: most are not words
)

BARELY = 0.02
"""Of what a rare word tells: words that tell less stand nearly everywhere and are not looked up."""

MOST_NAMED = 16  # words that an explanation names

_PACK = 4  # bits of a posting that hold the count of the term in the text
_MOST = (1 << _PACK) - 1


class TermIndex:
    """BM25 over texts by id. Rows only grow (a changed text gets a new one) until `compact`; thread-safe.

    Cost: `add` O(tokens), `scores` O(postings of the question's terms).
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._moves = Moves[str]()
        self._clear()

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
    def version(self) -> int:
        """Moves whenever a row changes its meaning."""
        return self._moves.version

    def moved(self, since: int) -> list[str] | None:
        """The ids whose row changed its meaning since that version; None where that is not known any more."""
        return self._moves.since(since)

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
            self._norms = None
            self._moves.note(entry_id)

    def remove(self, entry_id: str) -> None:
        """Forget an id; one that is not there is no mistake."""
        with self._lock:
            if entry_id in self._row_of:
                self._drop(entry_id)
                self._norms = None
                self._moves.note(entry_id)
                if len(self._texts) > 2 * len(self._row_of) + 1000:
                    self.compact()

    def compact(self) -> None:
        """Give removed rows back; row numbers change."""
        with self._lock:
            kept = [
                (entry_id, self._texts[row])
                for entry_id, row in sorted(self._row_of.items(), key=lambda item: item[1])
            ]
            self._clear()
            for entry_id, text in kept:
                self._append(entry_id, text or "")
            self._moves.all()

    def _append(self, entry_id: str, text: str) -> None:
        row = len(self._texts)
        base, postings = row << _PACK, self._postings
        for token, count in Counter(tokens(text)).items():
            posting = base | (count if count < _MOST else _MOST)
            if (known := postings.get(token)) is None:
                postings[token] = array("Q", (posting,))
            else:
                known.append(posting)
        length = float(
            len(text.encode("utf-8", "surrogatepass"))
        )  # a Han character is worth three letters
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

    def holders(self, token: str) -> int:
        """How many texts hold a token."""
        return len(self._postings.get(token, ())) - self._gone[token]

    def information(self, token: str) -> float:
        """How much a token tells, in nats: the idf over the role's texts and the background corpus.

        Never negative, and an unknown token tells the most. O(1).
        """
        expected = BACKGROUND * kind(token)[1]
        return log((len(self._row_of) + BACKGROUND + 1.0) / (self.holders(token) + expected + 0.5))

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
                known = self.holders(token) > 0
                mass += tells * (1.0 if known or not is_pair(token) else UNKNOWN_PAIR)
                if known and tells > BARELY * unit:
                    posting = np.frombuffer(self._postings[token], dtype=np.uint64).astype(np.int64)
                    rows, counts = posting >> _PACK, (posting & _MOST).astype(np.float32)
                    out[rows] += np.float32(tells * (K1 + 1.0)) * counts / (counts + norms[rows])
            out *= np.float32(1.0 / min(max(mass, unit), ENOUGH * unit))
            return out * np.frombuffer(self._alive, dtype=np.uint8)

    def shared(self, question: Question, text: str) -> str:
        """Which of the question's most telling words a text holds, joined by blanks; of at most `MOST_NAMED`."""
        known = (token for token in question.weights if token in self._postings)
        held, out = set(tokens(text)), list[str]()
        for token in sorted(known, key=self._telling)[:MOST_NAMED]:
            if token in held and (len(token) > 1 or not any(token in said for said in out)):
                out.append(token)
        return " ".join(dict.fromkeys(question.surfaces[token] for token in out))

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
