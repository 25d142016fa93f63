"""Vectors by id, and how near each is to a question: exact, in memory, one matrix product.

A long text lies here in pieces; its best piece counts. `VectorIndex` is what the semantic strategy needs, so another
index may stand in (an approximate one pays above about 200,000 vectors; see spec figures in docs/designs.md).
"""

import re
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from rolememory.text.change_log import ChangeLog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Rows = NDArray[np.int64]

_BREAK = re.compile(r"(?<=[。!?!?…\n])|(?<=[.;;])\s+")
_SOFT = re.compile(r"(?<=[,,、:: ])")
NOWHERE = -1.0
"""The similarity of a row without a vector."""


def products(rows: "Floats", query: "Floats") -> "Floats":
    """Dot product of each row with the query, (n_rows,), on this thread alone.

    A threaded matrix product is no faster here (memory is the limit) and waits 8 to 15 ms for its other threads where
    a language model keeps all cores busy; measured with 10,000 x 384: 0.35 ms against 0.12 idle and 8.0 loaded.
    """
    import numpy as np

    out: Floats = np.einsum("ij,j->i", rows, query)
    return out


def sound(rows: "Floats") -> "NDArray[np.bool_]":
    """Which rows point somewhere, (n_rows,): neither all zero nor anything in them that is no finite number.

    >>> import numpy as np
    >>> sound(np.array([[1, 0], [0, 0], [np.nan, 1], [np.inf, 1]], dtype=np.float32)).tolist()
    [True, False, False, False]
    """
    import numpy as np

    return np.logical_and(np.isfinite(rows).all(axis=1), rows.any(axis=1))


class VectorIndex(Protocol):
    """Vectors by id, asked by matrix row."""

    dim: int
    background: Mapping[str, "Floats"]  # language -> vectors of everyday sentences, (n, dim)

    @property
    def version(self) -> int:
        """Moves whenever a row changes its meaning."""
        ...

    def moved(self, since: int) -> list[str] | None:
        """The ids whose row changed its meaning since that version; None where that is not known any more."""
        ...

    def rows(self, ids: Iterable[str]) -> "Rows":
        """The row of each id, -1 for one that is not here; shape (n_ids,)."""
        ...

    def at(self, rows: "Rows") -> "Floats":
        """The vectors of the first pieces of some rows, (n_rows, dim)."""
        ...

    def similarities(self, query: "Floats") -> "Floats":
        """Cosine of the query with the best piece of each row: (n_rows,) float32."""
        ...


def pieces(text: str, size: int = 300) -> list[str]:
    """A text in pieces of at most `size` characters, cut at sentence borders where there are any; 0 = one piece.

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
    """Sentences; one that is too long in clauses or words; one without any in equal lengths."""
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


class VectorTable:
    """The exact index: float32 rows, normalised, first pieces in one matrix and further ones in another.

    Cost: `similarities` is one pass, 10,000 x 384 in about 0.4 ms; `set` and `remove` O(pieces). Thread-safe.
    """

    def __init__(self, dim: int, background: Mapping[str, "Floats"] | None = None) -> None:
        import numpy as np

        self.dim, self._moves = dim, ChangeLog[str]()
        self.background: Mapping[str, Floats] = background or {}
        self._lock = threading.RLock()
        self._ids: list[str] = []
        self._digests: list[tuple[bytes, ...]] = []
        self._row_of: dict[str, int] = {}
        self._names: dict[bytes, str] = {}  # name of a text -> an id that has it
        self._first = np.zeros((64, dim), dtype=np.float32)
        self._more = np.zeros((0, dim), dtype=np.float32)  # further pieces, with room for more
        self._owner = np.zeros(0, dtype=np.int64)
        self._further: dict[int, list[int]] = {}  # row -> its rows there
        self._n_more = 0

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._row_of

    @property
    def version(self) -> int:
        """Moves whenever a row changes its meaning."""
        return self._moves.version

    def moved(self, since: int) -> list[str] | None:
        """The ids whose row changed its meaning since that version; None where that is not known any more."""
        with self._lock:
            return self._moves.since(since)

    def ids(self) -> tuple[str, ...]:
        """Every id that has vectors."""
        with self._lock:
            return tuple(self._ids)

    def digests(self, entry_id: str) -> tuple[bytes, ...]:
        """The names of the texts whose vectors stand under an id; none = the id is not here."""
        row = self._row_of.get(entry_id)
        return () if row is None else self._digests[row]

    @property
    def size(self) -> int:
        """How many vectors there are."""
        return len(self._ids) + self._n_more

    def named_so(self, name: bytes) -> "Floats | None":
        """The vector of a text with this name, if some id has it."""
        with self._lock:
            row = self._row_of.get(self._names.get(name, ""))
            if row is None or name not in self._digests[row]:
                return None
            place = self._digests[row].index(name)
            where = self._more[self._further[row][place - 1]] if place else self._first[row]
            found: Floats = where.copy()
            return found

    def set(self, entry_id: str, vectors: "Floats", digests: tuple[bytes, ...] = ()) -> None:
        """Put the pieces of an id, (n_pieces, dim) or (dim,), and the names of their texts; what stood there before is replaced."""
        import numpy as np

        self.set_all({entry_id: (np.atleast_2d(np.asarray(vectors, dtype=np.float32)), digests)})

    def set_all(self, given: "Mapping[str, tuple[Floats, tuple[bytes, ...]]]") -> None:
        """The same for many: of each id its pieces, (n_pieces, dim), and their names."""
        import numpy as np

        for rows, _ in given.values():
            if rows.shape[1] != self.dim or not len(rows):
                raise ValueError(
                    f"expected vectors of {self.dim} dimensions, got shape {rows.shape}"
                )
        with self._lock:
            places = [self._place(entry_id) for entry_id in given]
            self._make_room()
            if given:
                self._first[places] = np.array([rows[0] for rows, _ in given.values()])
            for row, (entry_id, (rows, digests)) in zip(places, given.items(), strict=True):
                self._digests[row] = digests
                for name in digests:
                    self._names[name] = entry_id
                if len(rows) > 1:
                    self._put_further(row, rows[1:])
            self._moves.note(*given)

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

    def _make_room(self) -> None:
        import numpy as np

        if len(self._ids) > len(self._first):
            room = max(len(self._ids), len(self._first) * 5 // 4)
            first = np.zeros((room, self.dim), dtype=np.float32)
            first[: len(self._first)] = self._first
            self._first = first

    def _put_further(self, row: int, rows: "Floats") -> None:
        import numpy as np

        start, end = self._n_more, self._n_more + len(rows)
        if end > len(self._owner):
            room = max(end, 2 * len(self._owner)) - start
            self._more = np.concatenate(
                [self._more[:start], np.zeros((room, self.dim), np.float32)]
            )
            self._owner = np.concatenate([self._owner[:start], np.zeros(room, np.int64)])
        self._more[start:end], self._owner[start:end], self._n_more = rows, row, end
        self._further[row] = list(range(start, end))

    def _clear(self, row: int) -> None:
        """Forget what stands in a row; the last of the further pieces take the places of its own."""
        for name in self._digests[row]:
            if self._names.get(name) == self._ids[row]:
                del self._names[name]
        for place in sorted(self._further.pop(row, ()), reverse=True):
            self._n_more -= 1
            last, owner = self._n_more, int(self._owner[self._n_more])
            if last != place:
                self._more[place], self._owner[place] = self._more[last], owner
                others = self._further[owner]
                others[others.index(last)] = place

    def remove(self, entry_id: str) -> None:
        """Forget an id; the last row takes its place. One that is not there is no mistake."""
        with self._lock:
            if (row := self._row_of.get(entry_id)) is None:
                return
            self._clear(row)
            del self._row_of[entry_id]
            last = len(self._ids) - 1
            if row != last:
                self._first[row] = self._first[last]
                if further := self._further.pop(last, None):
                    self._further[row], self._owner[further] = further, row
                self._ids[row], self._digests[row] = self._ids[last], self._digests[last]
                self._row_of[self._ids[row]] = row
                self._moves.note(self._ids[row])
            self._ids.pop()
            self._digests.pop()
            self._moves.note(entry_id)

    def named(self) -> "dict[bytes, Floats]":
        """Every vector by the name of its text: what a vector file keeps."""
        with self._lock:
            return {
                name: (
                    self._more[self._further[row][place - 1]] if place else self._first[row]
                ).copy()
                for row, names in enumerate(self._digests[: len(self._ids)])
                for place, name in enumerate(names[: 1 + len(self._further.get(row, ()))])
            }

    def rows(self, ids: Iterable[str]) -> "Rows":
        """The row of each id, -1 for one that is not here; shape (n_ids,)."""
        import numpy as np

        of = self._row_of
        return np.fromiter((of.get(entry_id, -1) for entry_id in ids), dtype=np.int64)

    def at(self, rows: "Rows") -> "Floats":
        """The vectors of the first pieces of some rows, (n_rows, dim); of one that is not here any more, anything."""
        with self._lock:
            found: Floats = self._first[rows.clip(0, len(self._first) - 1)]
        return found

    def similarities(self, query: "Floats", mask: "NDArray[np.bool_] | None" = None) -> "Floats":
        """Cosine of the query (dim,) with the best piece of each row: (n_rows,) float32; rows outside the mask get `NOWHERE`."""
        import numpy as np

        with self._lock:
            best = products(self._first[: len(self._ids)], query)
            if used := self._n_more:
                np.maximum.at(best, self._owner[:used], products(self._more[:used], query))
        return best if mask is None else np.where(mask, best, np.float32(NOWHERE))
