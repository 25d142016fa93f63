"""int8 vectors: a quarter of the memory, as fast as float32.

A row has integers from -127 to 127 and a scale that keeps its length; cosines differ by some 0.0002. Packing an unpacked
row gives the same row, so vectors survive any number of round trips.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import inf
from typing import Any

from rolememory.text.arrays import Floats, NDArray, np

MOST = 127  # largest int8
EXACT = 1 << 24  # whole numbers up to here are exact in float32
WIDEST = MOST << 8  # integers up to here split into two int8
AT_ONCE = 256  # rows unpacked at a time, to stay in the cache
SUMMED = 8192  # rows whose sums fit the cache
MULTIPLIED = 64  # rows per float32 product: few enough to stay on this thread

Sums = Callable[["NDArray[np.int8]"], "NDArray[Any]"]
"""Rows (n, dim) -> exact dot products (n_queries, n)."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedVectors:
    """Packed rows; changed in place by their owner."""

    numbers: "NDArray[np.int8]"  # (n, dim)
    scales: Floats  # (n,)

    @classmethod
    def zeros(cls, n: int, dim: int) -> "PackedVectors":
        """Zero rows."""
        return cls(np.zeros((n, dim), np.int8), np.zeros(n, np.float32))

    @classmethod
    def of(cls, rows: Floats) -> "PackedVectors":
        """Packed rows of (n, dim) floats; zero and non-finite rows become zero. Cost: O(n)."""
        packed = cls.zeros(*rows.shape)
        for start in range(0, len(rows), AT_ONCE):
            packed[start : start + AT_ONCE] = _packed(rows[start : start + AT_ONCE])
        return packed

    @classmethod
    def joined(cls, parts: Sequence["PackedVectors"]) -> "PackedVectors":
        """Concatenated rows of at least one part."""
        numbers = np.concatenate([one.numbers for one in parts])
        return cls(numbers, np.concatenate([one.scales for one in parts]))

    def floats(self) -> Floats:
        """The rows as float32."""
        return np.multiply(self.numbers, self.scales[:, np.newaxis], dtype=np.float32)

    def sound(self) -> "NDArray[np.bool_]":
        """Mask of non-zero finite rows, (n,)."""
        return np.isfinite(self.scales) & self.numbers.any(axis=1)

    def __len__(self) -> int:
        return len(self.scales)

    def __getitem__(self, rows: Any) -> "PackedVectors":
        return PackedVectors(self.numbers[rows], self.scales[rows])

    def __setitem__(self, rows: Any, packed: "PackedVectors") -> None:
        self.numbers[rows], self.scales[rows] = packed.numbers, packed.scales

    def grown(self, n: int) -> "PackedVectors":
        """A copy with `n` rows, new ones zero."""
        wide = PackedVectors.zeros(n, self.numbers.shape[1])
        wide[: len(self)] = self
        return wide

    def all_products(self, queries: Sequence[Floats]) -> Floats:
        """Dot product of each row with each query, (n_queries, n), single-threaded.

        Queries are rounded to integers small enough for exact sums, so results depend neither on the order of summation nor on
        other rows. Cost: 100,000 x 384 in about 3 ms, without numkong in 9.
        """
        n, dim = self.numbers.shape
        whole = np.zeros((len(queries), dim), np.int32)
        scales = np.ones((len(queries), 1), np.float32)
        most = min(EXACT / (MOST * dim**0.5) - dim**0.5 / 2, WIDEST)
        for at, query in enumerate(queries):
            if 0.0 < (length := float(np.sqrt(query.dot(query)))) < inf:
                scales[at] = most / length
                whole[at] = np.rint(query * scales[at])
        sums = byte_sums(whole) if _has_numkong() else float_sums(whole)
        found: Floats = np.empty((len(queries), n), np.float32)
        for start in range(0, n, SUMMED):
            part = slice(start, start + SUMMED)
            found[:, part] = sums(self.numbers[part])
        found *= self.scales / scales
        return found


@cache
def _has_numkong() -> bool:
    return find_spec("numkong") is not None


def byte_sums(whole: "NDArray[np.int32]") -> Sums:
    """`Sums` for integer queries up to `WIDEST`, (n_queries, dim), split into two int8 each."""
    import numkong

    high = (whole + 128) >> 8
    bytes_of_both = np.concatenate([high, whole - (high << 8)]).astype(np.int8)
    asked = numkong.dots_pack(bytes_of_both, "int8")

    def sums(rows: "NDArray[np.int8]") -> "NDArray[Any]":
        both = np.asarray(numkong.dots_packed(rows, asked)).T.copy()  # a query's sums contiguous
        found: NDArray[Any] = (both[: len(whole)] << 8) + both[len(whole) :]
        return found

    return sums


def float_sums(whole: "NDArray[np.int32]") -> Sums:
    """The same with numpy only."""
    asked = whole.astype(np.float32)

    def sums(rows: "NDArray[np.int8]") -> "NDArray[Any]":
        found = np.empty((len(asked), len(rows)), np.float32)
        for start in range(0, len(rows), MULTIPLIED):
            part = slice(start, start + MULTIPLIED)
            np.matmul(asked, rows[part].astype(np.float32).T, out=found[:, part])
        return found

    return sums


def _packed(rows: Floats) -> PackedVectors:
    wide = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0.0).astype(np.float64)
    largest = np.abs(wide).max(axis=1, initial=0.0, keepdims=True)
    numbers = np.rint(np.divide(MOST * wide, largest, out=np.zeros_like(wide), where=largest > 0.0))
    lengths, whole = (np.sqrt(np.einsum("ij,ij->i", one, one)) for one in (wide, numbers))
    scales = np.divide(lengths, whole, out=np.zeros_like(lengths), where=whole > 0.0)
    part, power = np.frexp(scales)
    short = np.ldexp(np.rint(np.ldexp(part, 16)), power - 16)  # exact when multiplied by an int8
    return PackedVectors(numbers.astype(np.int8), short.astype(np.float32))


class NamedVectors(Mapping[bytes, Floats]):
    """Packed vectors by the names of their texts; of duplicates the last counts."""

    def __init__(self, names: Iterable[bytes], packed: PackedVectors) -> None:
        self._row_of = {name: row for row, name in enumerate(names)}
        self._packed = packed

    @classmethod
    def of(cls, vectors: Mapping[bytes, Floats], dim: int) -> "NamedVectors":
        """Packed from these."""
        if isinstance(vectors, NamedVectors):
            return vectors
        rows = np.array(list(vectors.values()), np.float32).reshape(-1, dim)
        return cls(vectors, PackedVectors.of(rows))

    @classmethod
    def together(cls, parts: Sequence["NamedVectors"], dim: int) -> "NamedVectors":
        """The union of the parts; of duplicates the last counts."""
        if len(parts) == 1:
            return parts[0]
        names = [name for part in parts for name in part]
        packed = [PackedVectors.zeros(0, dim), *(part.packed for part in parts)]
        return cls(names, PackedVectors.joined(packed))

    def take(self, names: Iterable[bytes]) -> PackedVectors:
        """The vectors of these names, which must all exist."""
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
