"""Vectors in a byte per dimension: a quarter of the room, and no slower to ask.

A row is whole numbers from -127 to 127 and what they are to be multiplied with, so that its length is kept; a cosine differs by some
0.0002. Packing what was unpacked gives the same, so vectors may go through any number of files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rolememory.text.arrays import Floats, NDArray, np

MOST = 127  # of a number
EXACT = 1 << 24  # whole numbers up to here are exact in float32
AT_ONCE = 256  # rows that are unpacked at a time: they stay near the processor
STACK = 16  # rows of one product: so few are multiplied on this thread alone


@dataclass(frozen=True, slots=True, eq=False)
class PackedVectors:
    """Some rows; changed in place by their owner."""

    numbers: "NDArray[np.int8]"  # (n, dim)
    scales: Floats  # (n,)

    @classmethod
    def zeros(cls, n: int, dim: int) -> "PackedVectors":
        """So many rows that point nowhere."""
        return cls(np.zeros((n, dim), np.int8), np.zeros(n, np.float32))

    @classmethod
    def of(cls, rows: Floats) -> "PackedVectors":
        """Rows of numbers, (n, dim); one that points nowhere becomes all zero. Cost: O(n)."""
        packed = cls.zeros(*rows.shape)
        for start in range(0, len(rows), AT_ONCE):
            packed[start : start + AT_ONCE] = _packed(rows[start : start + AT_ONCE])
        return packed

    @classmethod
    def joined(cls, parts: Sequence["PackedVectors"]) -> "PackedVectors":
        """The rows of all, in order; of at least one part."""
        numbers = np.concatenate([one.numbers for one in parts])
        return cls(numbers, np.concatenate([one.scales for one in parts]))

    def floats(self) -> Floats:
        """The same unpacked."""
        return np.multiply(self.numbers, self.scales[:, np.newaxis], dtype=np.float32)

    def sound(self) -> "NDArray[np.bool_]":
        """Which rows point somewhere, (n,)."""
        return np.isfinite(self.scales) & self.numbers.any(axis=1)

    def __len__(self) -> int:
        return len(self.scales)

    def __getitem__(self, rows: Any) -> "PackedVectors":
        return PackedVectors(self.numbers[rows], self.scales[rows])

    def __setitem__(self, rows: Any, packed: "PackedVectors") -> None:
        self.numbers[rows], self.scales[rows] = packed.numbers, packed.scales

    def grown(self, n: int) -> "PackedVectors":
        """A copy with room for so many rows."""
        wide = PackedVectors.zeros(n, self.numbers.shape[1])
        wide[: len(self)] = self
        return wide

    def products(self, query: Floats) -> Floats:
        """Dot product of each row with the query (dim,), (n,)."""
        found: Floats = self.all_products([query])[0]
        return found

    def all_products(self, queries: Sequence[Floats]) -> Floats:
        """Dot product of each row with each query, (n_queries, n), on this thread alone: a row is unpacked once for all.

        A query is rounded to whole numbers so far that no sum passes what is exact: then the order in which a machine adds shows
        nowhere, nor which other rows there are. Cost: 100,000 x 384 in about 7 ms, as a product of float32.
        """
        n, dim = self.numbers.shape
        asked = np.zeros((dim, len(queries)), np.float32)
        scales = np.ones((len(queries), 1), np.float32)
        for at, query in enumerate(queries if n else ()):
            if length := float(np.sqrt(query.dot(query))):
                scales[at] = (EXACT / (MOST * dim**0.5) - dim**0.5 / 2) / length
                asked[:, at] = np.rint(query * scales[at])
        size = min(AT_ONCE, -(-n // STACK) * STACK)
        room = np.empty((size // STACK, STACK, dim), np.float32)
        rows = room.reshape(-1, dim)
        sums = np.empty((-(-n // max(size, 1)), *room.shape[:2], len(queries)), np.float32)
        for number, held in enumerate(sums):
            part = self.numbers[number * size : (number + 1) * size]
            rows[: len(part)], rows[len(part) :] = part, 0.0
            np.matmul(room, asked, out=held)
        found: Floats = sums.reshape(-1, len(queries))[:n].T * (self.scales / scales)
        return found


def _packed(rows: Floats) -> PackedVectors:
    wide = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0.0).astype(np.float64)
    largest = np.abs(wide).max(axis=1, initial=0.0, keepdims=True)
    numbers = np.rint(np.divide(MOST * wide, largest, out=np.zeros_like(wide), where=largest > 0.0))
    lengths, whole = (np.sqrt(np.einsum("ij,ij->i", one, one)) for one in (wide, numbers))
    scales = np.divide(lengths, whole, out=np.zeros_like(lengths), where=whole > 0.0)
    part, power = np.frexp(scales)
    short = np.ldexp(np.rint(np.ldexp(part, 16)), power - 16)  # times a number it is exact
    return PackedVectors(numbers.astype(np.int8), short.astype(np.float32))


class NamedVectors(Mapping[bytes, Floats]):
    """Packed vectors by the names of their texts; of two under one name the later counts."""

    def __init__(self, names: Iterable[bytes], packed: PackedVectors) -> None:
        self._row_of = {name: row for row, name in enumerate(names)}
        self._packed = packed

    @classmethod
    def of(cls, vectors: Mapping[bytes, Floats], dim: int) -> "NamedVectors":
        """The same as these."""
        if isinstance(vectors, NamedVectors):
            return vectors
        rows = np.array(list(vectors.values()), np.float32).reshape(-1, dim)
        return cls(vectors, PackedVectors.of(rows))

    @classmethod
    def together(cls, parts: Sequence["NamedVectors"], dim: int) -> "NamedVectors":
        """All of them, of two under one name the later."""
        if len(parts) == 1:
            return parts[0]
        names = [name for part in parts for name in part]
        packed = [PackedVectors.zeros(0, dim), *(part.packed for part in parts)]
        return cls(names, PackedVectors.joined(packed))

    def take(self, names: Iterable[bytes]) -> PackedVectors:
        """The vectors of these, all of which are here."""
        return self._packed[list(map(self._row_of.__getitem__, names))]

    @property
    def packed(self) -> PackedVectors:
        """The vectors in the order of their names."""
        return self.take(self._row_of)

    def __getitem__(self, name: bytes) -> Floats:
        found: Floats = self.take((name,)).floats()[0]
        return found

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._row_of)

    def __len__(self) -> int:
        return len(self._row_of)
