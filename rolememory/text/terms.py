"""BM25 index, with scores as a share of the question's information.

    index ─ among(mask) ─▶ CollectionStatistics ─ scores, information, shared ─▶ over the masked texts only

A score of 1 = a text of average length contains every word of the question once. So scores are comparable between short
and long questions, both languages, and small roles (for which a background corpus is assumed).
"""

import threading
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import count, groupby, repeat
from math import log
from operator import itemgetter
from typing import Any

from rolememory.text.arrays import Counts, Doubles, Floats, Held, Mask, Rows, np
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

EVERYDAY = 8
"""A token in more than 1 of so many texts is cached as dense counts, which is smaller and faster to sum."""


class TermIndex:
    """BM25 over texts by id; equal texts share a row. Rows only grow until `compact`; thread-safe.

    `read(item)` gives the text of an item, which is not kept. Cost: `add` O(tokens), `scores` O(postings of the question's terms).
    """

    def __init__(self, read: Callable[[Any], str] = str) -> None:
        self._read = read
        self._lock = threading.RLock()
        self.moves = ChangeLog[str]()  # ids that got another row
        self._load: Callable[[], bytes | None] | None = None
        self._clear()

    def adopt(self, load: Callable[[], bytes | None]) -> None:
        """Use the bytes of `sealed`, loaded with the first text: texts in it need not be read again."""
        self._load = load

    def _clear(self, sealed: SealedPostings | None = None) -> None:
        self._postings = Postings(sealed)
        known = self._postings.sealed
        self._digests = list(known.digests)  # by row, as are the next two
        self._lengths = array("d", known.lengths.tobytes())
        self._copies = array("I", bytes(4 * len(self._digests)))  # ids with this text; 0 = removed
        self._row_of_text: dict[bytes, int] = dict(zip(self._digests, count(), strict=False))
        self._row_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._row_of

    @property
    def n_rows(self) -> int:
        """Number of rows in `scores`, including removed ones."""
        return len(self._digests)

    def add(self, entry_id: str, item: Any) -> None:
        """Index the text of an item under an id, replacing the previous one."""
        self.add_all([(entry_id, item)])

    def add_all(self, items: Iterable[tuple[str, Any]]) -> None:
        """The same for many."""
        with self._lock:
            self._open()
            self.moves.note(*[one for one, item in items if self._put(one, item)])

    def add_known(self, items: Mapping[str, Any], digests: Sequence[bytes]) -> None:
        """The same for many whose texts have these digests; known texts are not read."""
        with self._lock:
            self._open()
            rows = list(map(self._row_of_text.get, digests))
            known = {
                one: row
                for one, row in zip(items, rows, strict=True)
                if row is not None and one not in self._row_of
            }
            for (one, item), digest in zip(items.items(), digests, strict=True):
                if one not in known:
                    self._put(one, item, digest)
            self._row_of |= known
            places = np.fromiter(known.values(), np.int64)
            np.add.at(np.frombuffer(self._copies, np.uint32), places, 1)
            self.moves.all()

    def _open(self) -> None:
        """Load the sealed postings, once."""
        load, self._load = self._load, None
        if load and (raw := load()) is not None and not self._digests:
            with suppress(ValueError):  # the texts are read again
                self._clear(SealedPostings.read(raw))

    def _put(self, entry_id: str, item: Any, digest: bytes = b"") -> bool:
        """Index an item; false if its text is unchanged."""
        digest = digest or text_digest(self._read(item))
        row, before = self._row_of_text.get(digest), self._row_of.get(entry_id)
        if row is None:
            row = self._new_row(digest, self._read(item))
        if row == before:
            return False
        if before is not None:
            self._copies[before] -= 1
        self._copies[row] += 1
        self._row_of[entry_id] = row
        return True

    def _new_row(self, digest: bytes, text: str) -> int:
        row = self._row_of_text[digest] = len(self._digests)
        self._digests.append(digest)
        self._lengths.append(
            float(len(text.encode("utf-8", "surrogatepass")))
        )  # a Han character counts as three letters
        self._copies.append(0)
        self._postings.add(row, Counter(tokens(text)))
        return row

    def digests(self, ids: Iterable[str], longest: int = 0) -> list[bytes]:
        """Digests of these texts for `add_known`; b"" for an unknown id or a text of more than `longest` bytes (0 = no limit).

        Cost: O(n).
        """
        with self._lock:
            rows = [self._row_of.get(one, -1) for one in ids]
            return [
                self._digests[row] if row >= 0 and not 0 < longest < self._lengths[row] else b""
                for row in rows
            ]

    def sealed(self, least: int, fresh: float) -> bytes | None:
        """The bytes for `adopt`, kept instead of what they were made of; None for fewer texts than `least`, or if at most a share of `fresh` was added or removed."""
        with self._lock:
            alive, known = self._alive(), len(self._postings.sealed.digests)
            size, kept = (int(np.count_nonzero(some)) for some in (alive, alive[:known]))
            if len(self) < least or size + known - 2 * kept <= fresh * size:
                return None
            self.compact()
            return self._postings.sealed.raw()

    def _alive(self) -> Mask:
        """The rows that any id has, (n_rows,)."""
        alive: Mask = np.frombuffer(self._copies, np.uint32) > 0
        return alive

    def _resealed(self, alive: Mask) -> SealedPostings:
        digests = [self._digests[row] for row in np.flatnonzero(alive).tolist()]
        return self._postings.resealed(alive, np.array(self._lengths)[alive], digests)

    def remove(self, entry_id: str) -> None:
        """Remove an id, if present."""
        with self._lock:
            if (row := self._row_of.pop(entry_id, None)) is not None:
                self._copies[row] -= 1
                self.moves.note(entry_id)
                if self.n_rows > 2 * len(self._row_of) + 1000:
                    self.compact()

    def compact(self) -> None:
        """Drop removed rows; row numbers change."""
        with self._lock:
            alive, row_of, copies = self._alive(), self._row_of, np.array(self._copies)
            number = (np.cumsum(alive) - 1).tolist()
            self._clear(self._resealed(alive))
            self._row_of = {one: number[row] for one, row in row_of.items()}
            self._copies = array("I", copies[alive].tobytes())
            self.moves.all()

    def rows(self, ids: Iterable[str]) -> Rows:
        """The row of each id, -1 if absent; shape (n_ids,)."""
        return np.fromiter(map(self._row_of.get, ids, repeat(-1)), dtype=np.int64)

    def among(
        self, rows: "Mask | None" = None, before: "CollectionStatistics | None" = None
    ) -> "CollectionStatistics":
        """Statistics over the texts in these rows, a mask (n_rows,), only; None = all.

        Reuses what `before` has read of the same postings, and what it has counted if only rows after its own were added.
        """
        with self._lock:
            mask = self._alive()
            if rows is not None:
                mask &= _wide(rows, len(mask))
            return CollectionStatistics(
                self._postings, mask, np.array(self._lengths), self._lock, before
            )


def _wide(rows: Mask, size: int) -> Mask:
    """The mask extended to `size` rows with False."""
    wide = np.zeros(size, dtype=np.bool_)
    wide[: len(rows)] = rows[:size]
    return wide


def _in_passes(some: Mapping[str, int], postings: Postings) -> "Iterator[dict[str, Held]]":
    """The non-empty postings of the tokens, each from a row on, in parts of about `MOST_AT_ONCE`, to bound memory."""
    part, size = dict[str, Held](), 0
    for token, since in some.items():
        held = postings.of(token, since)
        if not len(held):
            continue
        part[token], size = held, size + len(held)
        if size >= MOST_AT_ONCE:
            yield part
            part, size = {}, 0
    if part:
        yield part


@dataclass(slots=True)
class _ReadPostings:
    """The postings read so far, each up to a row; shared by all statistics of an index, whatever their masks."""

    rare: dict[str, tuple[Rows, Counts, int]] = field(default_factory=dict)  # rows, their counts
    everyday: dict[str, tuple[Counts, int]] = field(default_factory=dict)  # counts by row
    held: int = 0  # memory used, in postings


@cache
def _nowhere() -> tuple[Rows, Counts, int]:
    """No rows, up to none."""
    return np.zeros(0, np.int64), np.zeros(0, np.uint8), 0


class CollectionStatistics:
    """BM25 statistics over a subset of an index for one turn: idf and average length depend on this subset only."""

    def __init__(
        self,
        postings: Postings,
        mask: Mask,
        lengths: Doubles,
        lock: AbstractContextManager[Any],
        before: "CollectionStatistics | None" = None,
    ) -> None:
        """`mask`: the mask of its rows; `lengths`: the length of each text; `before`: whose caches are used if they fit."""
        self._postings, self._mask, self._lock = postings, mask, lock
        self._size = int(np.count_nonzero(mask))
        usual = float(lengths[mask].sum()) / max(self._size, 1)
        slope = np.float32(K1 * B / max(usual, 1e-6))
        self._norms = np.float32(K1 * (1.0 - B)) + slope * lengths.astype(np.float32)
        same = before if before and before._postings is postings and not before.full else None
        self._read: _ReadPostings = same._read if same else _ReadPostings()
        self._held = dict[str, tuple[Rows, Counts]]()  # rows of the mask with a token, their counts
        counted = same and same._begins(mask)
        # document frequency up to a row
        self._texts: dict[str, tuple[int, int]] = same._texts if same and counted else {}
        # information of a rare word in two texts, in nats: the unit of `ENOUGH`, and the minimum of a question
        self.rare_word = log((self._size + BACKGROUND + 1.0) / (BACKGROUND * 0.002 + 1.5))
        self._named: tuple[TermQuery, list[str]] | None = None  # for the last question
        self._information: dict[str, float] = {}
        self._holders: dict[str, int] = {}  # document frequency by token

    def _begins(self, mask: Mask) -> bool:
        """Whether the mask begins with this one's."""
        size = len(self._mask)
        return size <= len(mask) and not np.count_nonzero(mask[:size] != self._mask)

    @property
    def n_rows(self) -> int:
        """Number of rows in `scores`."""
        return len(self._mask)

    @property
    def size(self) -> int:
        """How many different texts these are."""
        return self._size

    def _looked_up(self, token: str, since: int = 0) -> tuple[Rows, Counts]:
        """All rows from `since` on with a token, and its count in each."""
        with self._lock:  # a buffer cannot grow while it is read
            posting = self._postings.of(token, since)
            rows, often = (posting >> COUNT_BITS).astype(np.int64), posting & MOST
        rows = rows[: rows.searchsorted(len(self._mask))]
        return rows, often[: len(rows)].astype(np.uint8)

    def _posted(self, token: str) -> tuple[Rows, Counts]:
        """All rows with a token, and its count in each; cached."""
        read, size = self._read, len(self._mask)
        rows, often, upto = read.rare.get(token) or _nowhere()
        if upto > size:  # of a later turn
            size = int(rows.searchsorted(size))
            return rows[:size], often[:size]
        if upto < size and self._postings.grew(token, upto):
            more, counts = self._looked_up(token, upto)
            read.held += len(more)
            rows = np.concatenate((rows, more)) if upto else more
            often = np.concatenate((often, counts)) if upto else counts
        read.rare[token] = rows, often, size
        return rows, often

    def _holding(self, token: str) -> tuple[Rows, Counts]:
        """The rows of the mask with a token, and its count in each; cached."""
        if token not in self._held:
            rows, often = self._posted(token)
            chosen = self._mask.take(rows)
            every = bool(chosen.all())
            here = (rows, often) if every else (rows.compress(chosen), often.compress(chosen))
            self._held[token] = here
        return self._held[token]

    def _often(self, token: str) -> Counts:
        """The count of a token in each row, (n_rows,), whatever the mask; cached."""
        read, size = self._read, len(self._mask)
        often, upto = read.everyday.get(token, (np.zeros(0, np.uint8), 0))
        if upto < size:
            rows, counts = self._looked_up(token, upto)
            if len(often) < size:
                room = np.zeros(size + size // 4, np.uint8)
                room[: len(often)] = often
                read.held += (len(room) - len(often)) // EVERYDAY
                often = room
            often[rows] = counts
            read.everyday[token] = often, size
        return often[:size]

    @property
    def full(self) -> bool:
        """Whether the caches are full, so that a successor starts with empty ones."""
        most = max(MOST_HELD, HELD_PER_ROW * len(self._mask))
        return self._read.held + len(self._texts) > most

    def count(self, some: Iterable[str]) -> None:
        """Compute document frequency and information of these tokens. Cost: one pass over their new postings."""
        size, texts = len(self._mask), self._texts
        known, late = dict[str, int](), dict[str, int]()
        for token in some:
            if token in self._information:
                continue
            held, upto = texts.get(token, (0, 0))
            if upto > size:  # of a later turn
                held, upto = 0, 0
            if not upto and (read := self._in_read(token)) is not None:
                held, upto = read, size
            known[token] = held
            if upto < size and self._postings.grew(token, upto):
                late[token] = upto
        with self._lock:
            more = self._holders_since(late)
        for token, held in known.items():
            found = self._holders[token] = held + more.get(token, 0)
            texts[token] = found, size
            self._information[token] = self._tells(token, found)

    def _in_read(self, token: str) -> int | None:
        """How many texts have a token, if its postings were read already."""
        if token in self._read.rare:
            return len(self._holding(token)[0])
        if token in self._read.everyday:
            return int(np.count_nonzero(self._often(token) * self._mask))
        return None

    def _tells(self, token: str, held: int) -> float:
        every = self._size + BACKGROUND + 1.0
        return log(every / (held + BACKGROUND * kind(token)[1] + 0.5))

    def _holders_since(self, late: Mapping[str, int]) -> dict[str, int]:
        """How many texts have each of these tokens, from a row on; those without any may be left out."""
        counts = dict[str, int]()
        for part in _in_passes(late, self._postings):
            counts.update(zip(part, self._counted(part), strict=True))
        return counts

    def _counted(self, known: "Mapping[str, Held]") -> list[int]:
        """How many texts there are in each of these postings, in one pass."""
        rows = np.concatenate(list(known.values()))
        rows >>= COUNT_BITS
        np.minimum(rows, len(self._mask), out=rows)
        chosen = np.append(self._mask, False)[rows]
        ends = np.cumsum([len(held) for held in known.values()])
        starts = np.append(0, ends[:-1])
        counts: list[int] = np.add.reduceat(chosen, starts, dtype=np.int32).tolist()
        return counts

    def holders(self, token: str) -> int:
        """Document frequency of a token."""
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

    def most_telling(self, weights: Mapping[str, float], most: int) -> list[str]:
        """The `most` tokens of the highest information times weight; ties: alphabetical. Those that cannot be among them are not counted."""
        alike = defaultdict[tuple[float, object], list[str]](list)
        for token, weight in weights.items():
            alike[weight, kind(token)].append(token)
        bounds = {one: one[0] * self._tells(some[0], 0) for one, some in alike.items()}
        found, least = dict[str, float](), 0.0
        for one in sorted(bounds, key=bounds.__getitem__, reverse=True):
            if bounds[one] < least:
                break
            found |= self.informing({token: weights[token] for token in alike[one]})
            least = sorted(found.values())[-most] if len(found) >= most else 0.0
        return sorted(sorted(found), key=found.__getitem__, reverse=True)[:most]

    def telling(self, question: TermQuery, most: int) -> TermQuery:
        """The question reduced to its `most` most informative tokens: in a long text the others are common and add little."""
        if len(question.weights) <= most:
            return question
        best = self.most_telling(question.weights, most)
        return TermQuery(
            {one: question.weights[one] for one in best},
            {one: question.surfaces[one] for one in best},
        )

    def hardly(self, question: TermQuery, some: Collection[str], share: float) -> TermQuery:
        """The question with the total information of these tokens capped at this share."""
        information = self.informing(question.weights)
        unit, mass = self.rare_word, sum(information.values())
        these = sum(information[one] for one in information if one in some)
        most = share * min(max(mass - these, unit), ENOUGH * unit)
        if these <= most:
            return question
        less = {one: question.weights[one] * most / these for one in information if one in some}
        return TermQuery({**question.weights, **less}, question.surfaces)

    def as_held(self, question: TermQuery, held: Mapping[str, int]) -> TermQuery:
        """The question with the information of some tokens as if so many texts held them."""
        weights = dict(question.weights)
        for token, holders in held.items():
            weights[token] *= self._tells(token, holders) / self.information(token)
        return TermQuery(weights, question.surfaces)

    def scores(self, question: TermQuery) -> Floats:
        """Each row's share of the question's information: (n_rows,) float32, 0 = no shared word.

        May exceed 1 in short texts that repeat a word. Rows outside the mask give 0.
        """
        out = np.zeros(len(self._mask), dtype=np.float32)
        informing = self.informing(question.weights) if self._size else {}
        unit, weighed = self.rare_word, list[tuple[bool, str, float]]()
        for token, tells in informing.items():
            held = self._holders[token]
            if held and tells > BARELY * unit:
                weighed.append((held * EVERYDAY > self._size, token, tells * (K1 + 1.0)))
        for everyday, some in groupby(weighed, itemgetter(0)):
            (self._add_everyday if everyday else self._add_rare)(out, list(some))
        if self._size < len(self._mask):
            out *= self._mask
        out *= np.float32(1.0 / self._asked(informing))
        return out

    def asked(self, question: TermQuery) -> float:
        """How much information a question asks for, in nats: what a share is a share of."""
        return self._asked(self.informing(question.weights))

    def _asked(self, informing: Mapping[str, float]) -> float:
        unit, mass = self.rare_word, 0.0
        for token, tells in informing.items():
            mass += tells * (1.0 if self._holders[token] or not is_pair(token) else UNKNOWN_PAIR)
        return min(max(mass, unit), ENOUGH * unit)

    def _add_everyday(self, out: Floats, weighed: Sequence[tuple[bool, str, float]]) -> None:
        """Add the scores of common tokens to all rows, from dense counts. Cost: passes over `out` for each."""
        share, bounds = np.empty_like(out), np.empty_like(out)
        for _, token, most in weighed:
            share[:] = self._often(token)
            np.add(share, self._norms, out=bounds)
            share *= np.float32(most)
            share /= bounds
            out += share

    def _add_rare(self, out: Floats, weighed: Sequence[tuple[bool, str, float]]) -> None:
        """Add the scores of rare tokens, in token order for each row. Cost: O(their postings)."""
        found = [self._holding(token) for _, token, _ in weighed]
        rows = np.concatenate([one for one, _ in found])
        often = np.concatenate([one for _, one in found]).astype(np.float32)
        most, sizes = [most for _, _, most in weighed], [len(one) for one, _ in found]
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
            if token in held and (len(token) > 1 or not any(token in longer for longer in out)):
                out.append(token)
        return " ".join(dict.fromkeys(question.surfaces[token] for token in out))

    def _explanation_rank(self, token: str) -> tuple[bool, float]:
        """Sort key for explanations: bigrams before single characters, then by information."""
        return len(token) == 1, -kind(token)[0] * self.information(token)
