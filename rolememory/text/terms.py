"""BM25 index, with scores as a share of the question's information.

    index ─ among(mask) ─▶ CollectionStatistics ─ scores, information, shared ─▶ over the masked texts only

A score of 1 = a text of average length contains every word of the question once. So scores are comparable between short
and long questions, both languages, and small roles (for which a background corpus is assumed).
"""

import threading
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from itertools import count, groupby, repeat
from math import log
from operator import itemgetter
from typing import Any

from rolememory.text.arrays import Counts, Floats, Held, Mask, Rows, np
from rolememory.text.change_log import ChangeLog
from rolememory.text.postings import COUNT_BITS, MOST, Postings, SealedPostings, text_digest
from rolememory.text.words import TermQuery, is_pair, kind, tokens

K1, B = 0.8, 0.3
"""BM25's saturation and length norm. Memories are short, so length matters less than in web pages (1.2 and 0.75 there).
Source: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009."""

BACKGROUND = 60.0
"""Size of the assumed background corpus, added to a role's texts so that idf works with few memories."""

ENOUGH = 2.5
"""Cap of a question's information, in rare words: long messages are not measured by all their words."""

UNKNOWN_PAIR = (
    0.3  # share of its weight that an unknown bigram adds to the question: most are not words
)

BARELY = 0.02
"""Minimum information, as a share of a rare word's: words below it are in nearly all texts and are skipped."""

MOST_NAMED = 16  # words in an explanation

MOST_AT_ONCE = 1 << 14  # postings counted per pass

MOST_HELD, HELD_PER_ROW = 1 << 19, 12
"""Limit of cached postings and counts; for a large role per row, so that its everyday words fit."""

MOST_NEW = 64  # new rows up to which the cache is updated instead of rebuilt

EVERYDAY = 8
"""A token in more than 1 of so many texts is cached as dense counts, which is smaller and faster to sum."""


class TermIndex:
    """BM25 over texts by id. Rows only grow (a changed text gets a new one) until `compact`; thread-safe.

    Holds the items, not their texts: `read(item)` gives the text, always the same. Cost: `add` O(tokens), `scores` O(postings
    of the question's terms).
    """

    def __init__(self, read: Callable[[Any], str] = str) -> None:
        self._read = read
        self._lock = threading.RLock()
        self._moves = ChangeLog[str]()
        self._load: Callable[[], bytes | None] | None = None
        self._clear()

    def adopt(self, load: Callable[[], bytes | None]) -> None:
        """Use the bytes of `sealed`, loaded with the first text: texts in it need not be read again."""
        self._load = load

    def _clear(self, sealed: SealedPostings | None = None) -> None:
        self._postings = Postings(sealed)
        digests = self._postings.sealed.digests
        self._number_of: dict[bytes, int] = dict(zip(dict.fromkeys(digests), count(), strict=False))
        self._numbers = array("q", map(self._number_of.__getitem__, digests))
        # by text number: the first unused sealed row of the text, -1 = none; by row: the next unused one
        self._left, self._after = _chained(self._numbers, len(self._number_of))
        self._copies = array("q", bytes(8 * len(self._number_of)))  # by text number: rows in use
        self._row_of: dict[str, int] = {}
        self._items: list[Any] = [None] * len(digests)  # None = removed
        self._lengths = array("d", self._postings.sealed.lengths.tobytes())
        self._alive = array("B", bytes(len(digests)))

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._row_of

    @property
    def version(self) -> int:
        """Changes whenever a row changes its meaning."""
        return self._moves.version

    def moved(self, since: int) -> list[str] | None:
        """Ids whose row changed its meaning since that version; None if no longer known."""
        return self._moves.since(since)

    @property
    def n_rows(self) -> int:
        """Number of rows in `scores`, including removed ones."""
        return len(self._items)

    def add(self, entry_id: str, item: Any) -> None:
        """Index the text of an item under an id, replacing the previous one."""
        self.add_all([(entry_id, item)])

    def add_all(self, items: Iterable[tuple[str, Any]]) -> None:
        """The same for many."""
        with self._lock:
            self._open()
            self._moves.note(*[one for one, item in items if self._put(one, item)])

    def add_known(self, items: Mapping[str, Any], digests: Sequence[bytes]) -> None:
        """The same for many whose texts have these digests; known texts are not read."""
        with self._lock:
            self._open()
            if not self._row_of and digests == self._postings.sealed.digests:
                self._use_sealed(items)
            else:
                for (one, item), digest in zip(items.items(), digests, strict=True):
                    self._put(one, item, digest)
            self._moves.all()

    def _use_sealed(self, items: Mapping[str, Any]) -> None:
        """Use all sealed rows, in order."""
        self._row_of = dict(zip(items, range(len(items)), strict=True))
        self._items, self._alive = list(items.values()), array("B", b"\1" * len(items))
        self._left = array("q", [-1]) * len(self._left)
        told = np.bincount(np.array(self._numbers), minlength=len(self._copies))
        self._copies = array("q", told.tobytes())

    def _open(self) -> None:
        """Load the sealed postings, once."""
        load, self._load = self._load, None
        if load and (raw := load()) is not None and not self._items:
            with suppress(ValueError):  # the texts are read again
                self._clear(SealedPostings.read(raw))

    def _put(self, entry_id: str, item: Any, digest: bytes = b"") -> bool:
        """Index an item; false if its text is unchanged."""
        if (row := self._row_of.get(entry_id)) is not None:
            if self._read(self._items[row]) == self._read(item):
                self._items[row] = item
                return False
            self._drop(entry_id)
        self._append(entry_id, item, digest or text_digest(self._read(item)))
        return True

    def digests(self, ids: Iterable[str], longest: int = 0) -> list[bytes]:
        """Digests of these texts for `add_known`; b"" for an unknown id or a text of more than `longest` bytes (0 = no limit).

        Cost: O(n).
        """
        with self._lock:
            known, numbers, lengths = list(self._number_of), self._numbers, self._lengths
            rows = [self._row_of.get(one, -1) for one in ids]
            return [
                known[numbers[row]] if row >= 0 and not 0 < longest < lengths[row] else b""
                for row in rows
            ]

    def sealed(self, least: int, fresh: float) -> bytes | None:
        """The bytes for `adopt`; None for fewer texts than `least`, or if at most a share of `fresh` was added or removed."""
        with self._lock:
            alive, known = np.array(self._alive, np.bool_), len(self._postings.sealed.digests)
            told = int(np.count_nonzero(alive[:known]))
            if len(self) < least or len(self) + known - 2 * told <= fresh * len(self):
                return None
            digests, numbers = list(self._number_of), np.array(self._numbers)[alive].tolist()
            lengths = np.array(self._lengths)[alive]
            named = [digests[number] for number in numbers]
            return self._postings.resealed(alive, lengths, named).raw()

    def remove(self, entry_id: str) -> None:
        """Remove an id, if present."""
        with self._lock:
            if entry_id in self._row_of:
                self._drop(entry_id)
                self._moves.note(entry_id)
                if len(self._items) > 2 * len(self._row_of) + 1000:
                    self.compact()

    def compact(self) -> None:
        """Drop removed rows; row numbers change."""
        with self._lock:
            kept = [
                (entry_id, self._items[row])
                for entry_id, row in sorted(self._row_of.items(), key=lambda item: item[1])
            ]
            self._clear()
            for entry_id, item in kept:
                self._append(entry_id, item, text_digest(self._read(item)))
            self._moves.all()

    def _append(self, entry_id: str, item: Any, digest: bytes) -> None:
        number = self._number_of.get(digest)
        row = -1 if number is None else self._left[number]
        if number is not None and row >= 0:
            self._left[number] = self._after[row]
            self._items[row], self._alive[row], self._postings.texts = item, 1, None
        else:
            row = self._new_row(digest, item)
        self._copies[self._numbers[row]] += 1
        self._row_of[entry_id] = row

    def _new_row(self, digest: bytes, item: Any) -> int:
        text = self._read(item)
        row, said = len(self._items), Counter(tokens(text))
        number = self._number_of.setdefault(digest, len(self._copies))
        if number == len(self._copies):
            self._copies.append(0)
            self._left.append(-1)
        if self._copies[number]:
            self._postings.spare.update(said.keys())
        self._numbers.append(number)
        self._postings.add(row, said)
        self._items.append(item)
        self._lengths.append(
            float(len(text.encode("utf-8", "surrogatepass")))
        )  # a Han character counts as three letters
        self._alive.append(1)
        return row

    def _drop(self, entry_id: str) -> None:
        row = self._row_of.pop(entry_id)
        number = self._numbers[row]
        self._copies[number] -= 1
        if not self._copies[number]:  # while duplicates remain, the text is still counted once
            self._left[number] = -1
            self._postings.spare.update(set(tokens(self._read(self._items[row]))))
        self._items[row], self._alive[row] = None, 0

    def _count_texts(self) -> None:
        if self._postings.texts is None:
            came = np.ones(len(self._postings.sealed.digests), np.bool_)
            left, after = np.array(self._left), np.array(self._after)
            while len(left := left[left >= 0]):
                came[left] = False
                left = after[left]
            numbers = np.array(self._numbers)[: len(came)]
            self._postings.count_texts(_once(came, numbers, len(self._copies)))

    def rows(self, ids: Iterable[str]) -> Rows:
        """The row of each id, -1 if absent; shape (n_ids,)."""
        return np.fromiter(map(self._row_of.get, ids, repeat(-1)), dtype=np.int64)

    def among(
        self, rows: "Mask | None" = None, before: "CollectionStatistics | None" = None
    ) -> "CollectionStatistics":
        """Statistics over the texts in these rows, a mask (n_rows,), only; None = all.

        Reuses the cache of `before` if only rows after its own were added.
        """
        with self._lock:
            alive = np.frombuffer(self._alive, dtype=np.bool_).copy()
            heard = alive if rows is None else alive & _wide(rows, len(alive))
            every = len(self) == np.count_nonzero(heard)
            if every:
                self._count_texts()
            known = before if before is not None and before.goes_on_in(heard) else None
            columns = self._numbers, self._lengths, len(self._copies)
            return CollectionStatistics(
                self._postings, heard, columns, self._lock, every, self._said, known
            )

    def _said(self, row: int) -> Mapping[str, int]:
        return Counter(tokens(self._read(self._items[row])))


def _chained(numbers: "array[int]", most: int) -> "tuple[array[int], array[int]]":
    """Linked lists of rows by number: the first row of each, (most,), and the next of each row, (n_rows,); -1 = none."""
    of = np.array(numbers)
    rows = of.argsort(kind="stable")
    first, after = np.empty(most, np.int64), np.full(len(of), -1)
    first[of[rows[::-1]]] = rows[::-1]
    again = np.flatnonzero(of[rows[1:]] == of[rows[:-1]])
    after[rows[again]] = rows[again + 1]
    return array("q", first.tobytes()), array("q", after.tobytes())


def _wide(rows: Mask, size: int) -> Mask:
    """The mask extended to `size` rows with False."""
    wide = np.zeros(size, dtype=np.bool_)
    wide[: len(rows)] = rows[:size]
    return wide


def _in_passes(some: Iterable[str], postings: Postings) -> "Iterator[dict[str, Held]]":
    """The non-empty postings of the tokens, in parts of about `MOST_AT_ONCE`, to bound memory."""
    part, size = dict[str, Held](), 0
    for token in some:
        held = postings.of(token)
        if not len(held):
            continue
        part[token], size = held, size + len(held)
        if size >= MOST_AT_ONCE:
            yield part
            part, size = {}, 0
    if part:
        yield part


def _once(heard: Mask, numbers: Rows, most: int) -> Mask:
    """The rows in the mask, one per distinct text (the last)."""
    rows = np.flatnonzero(heard)
    last = np.full(most, -1, dtype=np.int64)
    last[numbers[rows]] = rows
    once = np.zeros(len(heard), dtype=np.bool_)
    once[last[last >= 0]] = True
    return once


def most_telling(told: Mapping[str, float], most: int) -> list[str]:
    """The `most` tokens of the highest information; ties: alphabetical."""
    return sorted(sorted(told), key=told.__getitem__, reverse=True)[:most]


@dataclass(slots=True)
class _Found:
    """Cached postings and counts of some texts, handed on between statistics and updated with new rows."""

    size: int = 0  # rows covered
    holding: dict[str, tuple[Rows, Counts]] = field(default_factory=dict)
    often: dict[str, Counts] = field(default_factory=dict)  # of everyday tokens
    counts: dict[str, int] = field(default_factory=dict)
    held: int = 0  # memory used, in postings
    late: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # rows not yet merged

    def add(self, row: int, said: Mapping[str, int], *, fresh: bool) -> None:
        """Add a new row with its tokens; `fresh`: no other has its text."""
        for token, often in said.items():
            if token in self.holding or token in self.often:
                self.late.setdefault(token, []).append((row, min(often, MOST)))
            if fresh and token in self.counts:
                self.counts[token] += 1

    def catch_up(self, token: str) -> None:
        """Merge the new rows of a token."""
        late = self.late.pop(token)
        if token in self.holding:
            (rows, often), (more, counts) = self.holding[token], zip(*late, strict=True)
            rows = np.concatenate((rows, np.array(more, np.int64)))
            self.holding[token] = rows, np.concatenate((often, np.array(counts, np.uint8)))
            self.held += len(late)
        if token in self.often:
            known = self.often[token] = _long(self.often[token], self.size)
            for row, count in late:
                known[row] = count


def _long(often: Counts, size: int) -> Counts:
    """The counts for at least `size` rows; grown by a quarter if shorter."""
    if len(often) >= size:
        return often
    return np.concatenate((often, np.zeros(size + size // 4 - len(often), np.uint8)))


class CollectionStatistics:
    """BM25 statistics over a subset of an index for one turn: idf and average length depend on this subset only.

    Repeated texts count once.
    """

    def __init__(
        self,
        postings: Postings,
        heard: Mask,
        columns: "tuple[array[int], array[float], int]",
        lock: AbstractContextManager[Any],
        every: bool,
        said: Callable[[int], Mapping[str, int]],
        before: "CollectionStatistics | None" = None,
    ) -> None:
        """`columns`: text number and length of each row, and the number of texts; `said`: the tokens of a row.

        `before` has the same mask of the first rows.
        """
        self._postings, self._heard, self._lock = postings, heard, lock
        self._every = every  # whether the mask has all texts
        self._size: int = before._size if before else 0
        self._total: float = before._total if before else 0.0
        self.once: Mask = before.once if before else np.zeros(0, np.bool_)
        self._last: Rows = (
            before._last if before else np.zeros(0, np.int64)
        )  # last row by text number
        self._lengths: Floats = before._lengths if before else np.zeros(0, np.float32)
        rows, fresh = self._count_rows(*columns)
        goes_on = before is not None and len(rows) <= MOST_NEW and before.may_go_on
        self._known: _Found = before._known if before and goes_on else _Found()
        if goes_on:
            news = set(fresh.tolist())
            for row in rows.tolist():
                self._known.add(row, said(row), fresh=row in news)
        self._known.size = len(heard)
        slope = np.float32(K1 * B / max(self._total / max(self._size, 1), 1e-6))
        self._norms = np.float32(K1 * (1.0 - B)) + slope * self._lengths
        self._named: tuple[TermQuery, list[str]] | None = None  # for the last question
        self._information: dict[str, float] = {}
        self._holders: dict[str, int] = {}  # document frequency by token

    def _count_rows(
        self, numbers: "array[int]", lengths: "array[float]", texts: int
    ) -> tuple[Rows, Rows]:
        """Count new rows, one per distinct text: the last, which is in `once`.

        Returns these rows, and which of them have a new text.
        """
        known = len(self.once)
        rows = np.flatnonzero(self._heard[known:]) + known
        named, told = np.frombuffer(numbers, np.int64)[rows], np.frombuffer(lengths)
        self._lengths = np.concatenate((self._lengths, told[known:].astype(np.float32)))
        last = np.append(self._last, np.full(texts - len(self._last), -1))
        once = np.append(self.once, np.zeros(len(self._heard) - known, np.bool_))
        before = last[named]
        last[named] = rows
        once[before[before >= 0]] = False
        once[last[named]] = True
        fresh = rows[(before < 0) & once[rows]]
        self._last, self.once, self._size = last, once, self._size + len(fresh)
        self._total += float(told[fresh].sum())  # integers: exact in any order
        return rows, fresh

    def goes_on_in(self, heard: Mask) -> bool:
        """Whether the mask begins with this one's."""
        size = len(self._heard)
        return size <= len(heard) and not np.count_nonzero(heard[:size] != self._heard)

    @property
    def n_rows(self) -> int:
        """Number of rows in `scores`."""
        return len(self._heard)

    @property
    def size(self) -> int:
        """How many different texts these are."""
        return self._size

    def _holding(self, token: str) -> tuple[Rows, Counts]:
        """The rows with a token, and its count in each; cached."""
        known = self._known
        if token in known.late:
            known.catch_up(token)
        newest = self._is_newest
        if (found := known.holding.get(token)) is None:
            found = self._looked_up(token)
            if newest:
                known.holding[token] = found
                known.held += len(found[0])
        if newest:
            return found
        end = int(found[0].searchsorted(len(self._heard)))  # sorted
        return found[0][:end], found[1][:end]

    def _looked_up(self, token: str) -> tuple[Rows, Counts]:
        with self._lock:  # a buffer cannot grow while it is read
            posting = self._postings.of(token)
            rows, often = (posting >> COUNT_BITS).astype(np.int64), posting & MOST
        if len(rows) and rows[-1] >= len(self._heard):
            rows = rows[: rows.searchsorted(len(self._heard))]
        heard = self._heard.take(rows)
        return rows.compress(heard), often[: len(rows)].compress(heard).astype(np.uint8)

    def _often(self, token: str) -> Counts:
        """The count of a token in each row, (n_rows,); cached."""
        size, known = len(self._heard), self._known
        if token in known.late:
            known.catch_up(token)
        if (often := known.often.get(token)) is None:
            rows, counts = self._looked_up(token)
            often = np.zeros(size, np.uint8)
            often[rows] = counts
            known.held += size // EVERYDAY
        often = _long(often, size)
        if self._is_newest:
            known.often[token] = often
        return often[:size]

    @property
    def _is_newest(self) -> bool:
        """Whether no successor has taken over the cache."""
        return self._known.size == len(self._heard)

    @property
    def may_go_on(self) -> bool:
        """Whether a successor may take over the cache: the newest, and not full."""
        return self._is_newest and not self.full

    @property
    def full(self) -> bool:
        """Whether the cache is full, so that a successor starts with an empty one."""
        most = max(MOST_HELD, HELD_PER_ROW * len(self._heard))
        return self._known.held + len(self._known.counts) > most

    def count(self, some: Iterable[str]) -> None:
        """Compute document frequency and information of these tokens. Cost: one pass over their postings."""
        new = [one for one in some if one not in self._information]
        counts = self._known.counts if self._is_newest else {}
        fresh = [one for one in new if one not in counts]
        with self._lock:
            if self._every:
                counts.update((one, self._postings.holders(one)) for one in fresh)
            else:
                counts.update(dict.fromkeys(fresh, 0))
                for known in _in_passes(fresh, self._postings):
                    counts.update(zip(known, self._counted(known), strict=True))
        every = self._size + BACKGROUND + 1.0
        for token in new:
            held = self._holders[token] = counts[token]
            self._information[token] = log(every / (held + BACKGROUND * kind(token)[1] + 0.5))

    def _counted(self, known: "Mapping[str, Held]") -> list[int]:
        """Document frequencies from these postings, in one pass."""
        rows = np.concatenate(list(known.values()))
        rows >>= COUNT_BITS
        np.minimum(rows, len(self.once), out=rows)
        heard = np.append(self.once, False)[rows]
        ends = np.cumsum([len(held) for held in known.values()])
        starts = np.append(0, ends[:-1])
        counts: list[int] = np.add.reduceat(heard, starts, dtype=np.int32).tolist()
        return counts

    def holders(self, token: str) -> int:
        """Document frequency of a token, over distinct texts."""
        if token not in self._holders:
            self.count((token,))
        return self._holders[token]

    def holding(self, token: str) -> Rows:
        """The rows of the index that contain a token."""
        return self._holding(token)[0]

    def information(self, token: str) -> float:
        """Information of a token in nats: the idf over these texts and the background corpus.

        Never negative, highest for an unknown token. O(its postings), cached.
        """
        if token not in self._information:
            self.count((token,))
        return self._information[token]

    def informing(self, weights: Mapping[str, float]) -> dict[str, float]:
        """The information of each token times its weight."""
        known = self._information
        if not known.keys() >= weights.keys():
            self.count(weights)
        return {token: weight * known[token] for token, weight in weights.items()}

    def telling(self, question: TermQuery, most: int) -> TermQuery:
        """The question reduced to its `most` most informative tokens: in a long text the others are common and add little."""
        if len(question.weights) <= most:
            return question
        best = most_telling(self.informing(question.weights), most)
        return TermQuery(
            {one: question.weights[one] for one in best},
            {one: question.surfaces[one] for one in best},
        )

    def hardly(self, question: TermQuery, some: Collection[str], share: float) -> TermQuery:
        """The question with the total information of these tokens capped at this share."""
        told = self.informing(question.weights)
        unit, mass = self.rare_word(), sum(told.values())
        these = sum(told[one] for one in told if one in some)
        most = share * min(max(mass - these, unit), ENOUGH * unit)
        if these <= most:
            return question
        less = {one: question.weights[one] * most / these for one in told if one in some}
        return TermQuery({**question.weights, **less}, question.surfaces)

    def scores(self, question: TermQuery) -> Floats:
        """Each row's share of the question's information: (n_rows,) float32, 0 = no shared word.

        May exceed 1 in short texts that repeat a word. Rows outside the mask give 0.
        """
        out = np.zeros(len(self._heard), dtype=np.float32)
        informing = self.informing(question.weights) if self._size else {}
        unit, told = self.rare_word(), list[tuple[bool, str, float]]()
        for token, tells in informing.items():
            held = self._holders[token]
            if held and tells > BARELY * unit:
                told.append((held * EVERYDAY > self._size, token, tells * (K1 + 1.0)))
        for everyday, some in groupby(told, itemgetter(0)):
            (self._add_everyday if everyday else self._add_rare)(out, list(some))
        out *= np.float32(1.0 / self._asked(informing))
        return out

    def asked(self, question: TermQuery) -> float:
        """How much information a question asks for, in nats: what a share is a share of."""
        return self._asked(self.informing(question.weights))

    def _asked(self, informing: Mapping[str, float]) -> float:
        unit, mass = self.rare_word(), 0.0
        for token, tells in informing.items():
            mass += tells * (1.0 if self._holders[token] or not is_pair(token) else UNKNOWN_PAIR)
        return min(max(mass, unit), ENOUGH * unit)

    def _add_everyday(self, out: Floats, told: Sequence[tuple[bool, str, float]]) -> None:
        """Add the scores of common tokens from dense counts. Cost: passes over `out` for each."""
        for _, token, most in told:
            share = self._often(token).astype(np.float32)
            bounds = share + self._norms
            share *= np.float32(most)
            share /= bounds
            out += share

    def _add_rare(self, out: Floats, told: Sequence[tuple[bool, str, float]]) -> None:
        """Add the scores of rare tokens, in token order for each row. Cost: O(their postings)."""
        found = [self._holding(token) for _, token, _ in told]
        rows = np.concatenate([one for one, _ in found])
        often = np.concatenate([one for _, one in found]).astype(np.float32)
        most, sizes = [most for _, _, most in told], [len(one) for one, _ in found]
        share = np.array(most, np.float32).repeat(sizes)
        share *= often
        share /= often + self._norms[rows]
        np.add.at(out, rows, share)

    def shared(self, question: TermQuery, text: str) -> str:
        """The most informative question words in a text, joined by blanks; of at most `MOST_NAMED`."""
        if self._named is None or self._named[0] is not question:
            known = [token for token in question.weights if self.holders(token)]
            self._named = question, sorted(known, key=self._explanation_rank)[:MOST_NAMED]
        held, out = set(tokens(text)), list[str]()
        for token in self._named[1]:
            if token in held and (len(token) > 1 or not any(token in said for said in out)):
                out.append(token)
        return " ".join(dict.fromkeys(question.surfaces[token] for token in out))

    def _explanation_rank(self, token: str) -> tuple[bool, float]:
        """Sort key for explanations: bigrams before single characters, then by information."""
        return len(token) == 1, -kind(token)[0] * self.information(token)

    def rare_word(self) -> float:
        """Information of a rare word in two texts, in nats: the unit of `ENOUGH`, and the minimum of a question."""
        return log((self._size + BACKGROUND + 1.0) / (BACKGROUND * 0.002 + 1.5))
