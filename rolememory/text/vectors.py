"""Exact nearest neighbour search over vectors by id: in memory, one matrix product.

A long text is stored in pieces; its best piece counts. (An approximate index pays above about 200,000 vectors; see spec figures in
docs/designs.md.)
"""

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, repeat
from operator import add

from rolememory.text.arrays import Floats, Mask, Rows, np
from rolememory.text.change_log import ChangeLog
from rolememory.text.packed_vectors import NamedVectors, PackedVectors

_BREAK = re.compile(r"(?<=[。!?!?…\n])|(?<=[.;;])\s+")
_SOFT = re.compile(r"(?<=[,,、:: ])")


def products(rows: Floats, query: Floats) -> Floats:
    """Dot product of each row with the query, (n_rows,), single-threaded.

    A threaded matrix product is no faster here (memory is the limit) and waits 8 to 15 ms for its other threads where
    a language model keeps all cores busy; measured with 10,000 x 384: 0.35 ms against 0.12 idle and 8.0 loaded.
    """
    out: Floats = np.einsum("ij,j->i", rows, query)
    return out


def sound(rows: Floats) -> Mask:
    """Mask of rows that are finite and not all zero, (n_rows,).

    >>> import numpy as np
    >>> sound(np.array([[1, 0], [0, 0], [np.nan, 1], [np.inf, 1]], dtype=np.float32)).tolist()
    [True, False, False, False]
    """
    return np.logical_and(np.isfinite(rows).all(axis=1), rows.any(axis=1))


def pieces(text: str, size: int = 300) -> list[str]:
    """A text in pieces of at most `size` characters, split at sentence ends if possible; 0 = one piece.

    >>> pieces("One. Two. Three.", 10)
    ['One. Two.', 'Three.']
    >>> pieces("灯灭了。风停了。", 5)
    ['灯灭了。', '风停了。']
    """
    if size <= 0 or len(text) <= size:
        return [text]
    out: list[str] = []
    held = ""
    for part in _parts(text, size):
        if held and len((held + part).strip()) > size:
            out.append(held.strip())
            held = ""
        held += part
    return [piece for piece in (*out, held.strip()) if piece]


def _parts(text: str, size: int) -> Iterable[str]:
    """Sentences; too long ones split into clauses or words, else into equal lengths."""
    for sentence in _split(_BREAK, text):
        if len(sentence) <= size:
            yield sentence
            continue
        for clause in _split(_SOFT, sentence):
            yield from (clause[at : at + size] for at in range(0, len(clause), size))


def _split(border: re.Pattern[str], text: str) -> Iterable[str]:
    ends = [match.end() for match in border.finditer(text)]
    return filter(
        None, (text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True))
    )


class _FurtherPieces:
    """The further pieces of long texts in one matrix, by row of their table; removed ones leave gaps until it grows."""

    def __init__(self, dim: int) -> None:
        self._held = PackedVectors.zeros(64, dim)
        self._owners = np.full(64, -1)  # the row of each piece; -1 = a gap
        self._places: dict[int, tuple[int, int]] = {}  # row -> start and end of its pieces
        self._end = 0

    def __bool__(self) -> bool:
        return bool(self._places)

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return sum(end - start for start, end in self._places.values())

    def of(self, row: int) -> PackedVectors:
        """The further pieces of a row."""
        return self._held[slice(*self._places.get(row, (0, 0)))]

    def put(self, row: int, pieces: PackedVectors) -> None:
        """Set the pieces of a row that has none. Cost: amortised O(pieces)."""
        if self._end + len(pieces) > len(self._held):
            self._grow(len(pieces))
        start, self._end = self._end, self._end + len(pieces)
        self._places[row] = start, self._end
        self._held[start : self._end], self._owners[start : self._end] = pieces, row

    def move(self, row: int, to: int = -1) -> None:
        """Give the pieces of a row to another one, or to none."""
        if (place := self._places.pop(row, None)) is not None:
            self._owners[slice(*place)] = to
            if to >= 0:
                self._places[to] = place

    def raise_to(self, best: Floats, queries: Sequence[Floats]) -> None:
        """Raise similarities, (n_queries, n_rows), to those of a row's best further piece."""
        owners = self._owners[: self._end]
        found, there = self._held[: self._end].all_products(queries), owners >= 0
        np.maximum.at(best.T, owners[there], found.T[there])

    def _grow(self, more: int) -> None:
        """Close the gaps, and make room for so many and a quarter of all."""
        kept = np.flatnonzero(self._owners[: self._end] >= 0)
        size, owners = (len(kept) + more) * 5 // 4, self._owners[kept]
        self._held = self._held[kept].grown(size)
        self._owners, self._end = np.full(size, -1), len(kept)
        self._owners[: self._end] = owners
        starts = kept.searchsorted([start for start, _ in self._places.values()]).tolist()
        sizes = [end - start for start, end in self._places.values()]
        ends = map(add, starts, sizes)
        self._places = dict(zip(self._places, zip(starts, ends, strict=True), strict=True))


class VectorTable:
    """The exact index: packed rows, first pieces in one matrix and further ones in another.

    Cost: `similarities` is one pass, 10,000 x 384 in about 0.3 ms; `set` and `remove` O(pieces). Thread-safe.
    """

    def __init__(self, dim: int, background: Mapping[str, Floats] | None = None) -> None:
        self.dim = dim
        self.moves = ChangeLog[str]()  # ids whose row changed its meaning
        self.background: Mapping[str, Floats] = background or {}
        self._lock = threading.RLock()
        self._ids: list[str] = []
        self._digests: list[tuple[bytes, ...]] = []
        self._row_of: dict[str, int] = {}
        self._names: dict[bytes, str] = {}  # name of a text -> an id that has it
        self._first = PackedVectors.zeros(64, dim)
        self._further = _FurtherPieces(dim)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._row_of

    def ids(self) -> tuple[str, ...]:
        """Every id that has vectors."""
        with self._lock:
            return tuple(self._ids)

    def digests(self, entry_id: str) -> tuple[bytes, ...]:
        """The names of the texts of an id's vectors; empty if the id is unknown."""
        row = self._row_of.get(entry_id)
        return () if row is None else self._digests[row]

    @property
    def size(self) -> int:
        """Number of vectors."""
        return len(self._ids) + len(self._further)

    def named_so(self, name: bytes) -> PackedVectors | None:
        """The vector of a text by its name, (1, dim), if any id has it."""
        with self._lock:
            row = self._row_of.get(self._names.get(name, ""))
            if row is None or name not in self._digests[row]:
                return None
            place = self._digests[row].index(name)
            return self._pieces(row)[[place]]

    def owner(self, name: bytes) -> str | None:
        """An id that has the vector of the text of this name, if any."""
        return self._names.get(name)

    def set(self, entry_id: str, vectors: Floats, digests: tuple[bytes, ...] = ()) -> None:
        """Set the pieces of an id, (n_pieces, dim) or (dim,), and the names of their texts, replacing previous ones."""
        rows = np.atleast_2d(np.asarray(vectors, dtype=np.float32))
        if rows.shape[1] != self.dim or not len(rows):
            raise ValueError(f"expected vectors of {self.dim} dimensions, got shape {rows.shape}")
        self._put({entry_id: digests}, [len(rows)], PackedVectors.of(rows))

    def set_all(self, given: Mapping[str, tuple[bytes, ...]], vectors: PackedVectors) -> None:
        """The same for many: id -> names of its pieces, with their vectors concatenated."""
        self._put(given, list(map(len, given.values())), vectors)

    def reserve(self, n: int) -> None:
        """Allocate rows for `n` ids at once, instead of growing repeatedly."""
        with self._lock:
            if n > len(self._first):
                self._first = self._first.grown(n)

    def _put(
        self,
        given: Mapping[str, tuple[bytes, ...]],
        counts: Sequence[int],
        vectors: PackedVectors,
    ) -> None:
        ends = list(accumulate(counts))
        with self._lock:
            places = [self._place(entry_id) for entry_id in given]
            if len(self._ids) > len(self._first):
                self.reserve(max(len(self._ids), len(self._first) * 5 // 4))
            self._first[places] = vectors[[end - n for n, end in zip(counts, ends, strict=True)]]
            for row, (entry_id, digests), n, end in zip(
                places, given.items(), counts, ends, strict=True
            ):
                self._digests[row] = digests
                for name in digests:
                    self._names[name] = entry_id
                if n > 1:
                    self._further.put(row, vectors[end - n + 1 : end])
            self.moves.note(*given)

    def _place(self, entry_id: str) -> int:
        """The row of an id, cleared, or a new one."""
        row = self._row_of.get(entry_id)
        if row is not None:
            self._clear(row)
            return row
        self._row_of[entry_id] = len(self._ids)
        self._ids.append(entry_id)
        self._digests.append(())
        return len(self._ids) - 1

    def _pieces(self, row: int) -> PackedVectors:
        """The vectors of a row, its first piece first."""
        return PackedVectors.joined([self._first[[row]], self._further.of(row)])

    def _clear(self, row: int) -> None:
        """Forget names and further pieces of a row."""
        for name in self._digests[row]:
            if self._names.get(name) == self._ids[row]:
                del self._names[name]
        self._further.move(row)

    def remove(self, entry_id: str) -> None:
        """Remove an id, if present; the last row moves into its place."""
        with self._lock:
            if (row := self._row_of.get(entry_id)) is None:
                return
            self._clear(row)
            del self._row_of[entry_id]
            last = len(self._ids) - 1
            if row != last:
                self._first[row] = self._first[last]
                self._further.move(last, row)
                self._ids[row], self._digests[row] = self._ids[last], self._digests[last]
                self._row_of[self._ids[row]] = row
                self.moves.note(self._ids[row])
            self._ids.pop()
            self._digests.pop()
            self.moves.note(entry_id)

    def named(self) -> NamedVectors:
        """Every vector by the name of its text, for a vector file."""
        with self._lock:
            firsts = [row for row, names in enumerate(self._digests) if names]
            further = [row for row in self._further if self._digests[row]]
            names = [self._digests[row][0] for row in firsts]
            names += chain.from_iterable(self._digests[row][1:] for row in further)
            parts = [self._first[firsts], *map(self._further.of, further)]
            return NamedVectors(names, PackedVectors.joined(parts))

    def rows(self, ids: Iterable[str]) -> Rows:
        """The row of each id, -1 if absent; shape (n_ids,)."""
        return np.fromiter(map(self._row_of.get, ids, repeat(-1)), dtype=np.int64)

    def at(self, rows: Rows) -> Floats:
        """The vectors of the first pieces of some rows, (n_rows, dim); arbitrary for removed rows."""
        with self._lock:
            found: Floats = self._first[rows.clip(0, len(self._first) - 1)].floats()
            return found

    def nearest(self, ids: Sequence[str], among: Sequence[str]) -> dict[str, float]:
        """Cosine of each of these ids with the nearest of `among`, by first pieces; unknown ids are left out."""
        others = self.rows(among)
        here = {one: row for one, row in zip(ids, self.rows(ids), strict=True) if row >= 0}
        if not here or not (others >= 0).any():
            return {}
        cosines = self.at(np.array(list(here.values()))) @ self.at(others[others >= 0]).T
        return dict(zip(here, cosines.max(axis=1).tolist(), strict=True))

    def similarities(self, query: Floats) -> Floats:
        """Cosine of the query (dim,) with the best piece of each row: (n_rows,) float32."""
        found: Floats = self.all_similarities([query])[0]
        return found

    def all_similarities(self, queries: Sequence[Floats]) -> Floats:
        """The same for each query, (n_queries, n_rows)."""
        with self._lock:
            best = self._first[: len(self._ids)].all_products(queries)
            if self._further:
                self._further.raise_to(best, queries)
        return best
