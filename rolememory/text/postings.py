"""Posting lists of an index: immutable sealed columns, as in the file, plus the newest postings in memory.

n_rows n_tokens n_postings  tokens (digests, rising)  lengths  starts  postings (row << 4 | count)  digests of the texts
"""

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from rolememory.text.arrays import Held, Mask, NDArray, np

DIGEST_BYTES = 16
COUNT_BITS = 4  # bits of a posting for the token's count in the text
MOST = (1 << COUNT_BITS) - 1
_NONE = array("I")


@lru_cache(maxsize=2048)
def text_digest(text: str) -> bytes:
    """A digest of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


@lru_cache(maxsize=4096)
def _token(token: str) -> int:
    raw = token.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True, eq=False)
class SealedPostings:
    """Immutable postings of some texts."""

    tokens: "NDArray[np.uint64]"  # (n_tokens,), rising
    lengths: "NDArray[np.float64]"  # (n_rows,)
    starts: Held  # (n_tokens,): start of each token's postings
    postings: Held  # (n_postings,), rows rising for each token
    digests: Sequence[bytes]  # of each row's text

    @classmethod
    def none(cls) -> "SealedPostings":
        """Empty postings."""
        return cls.read(bytes(24))

    @classmethod
    def read(cls, raw: bytes) -> "SealedPostings":
        """Read the bytes of `raw`. Raises: ValueError."""
        rows, tokens, postings = np.frombuffer(raw, "<u8", 3).tolist()
        parts: list[NDArray[Any]] = []
        at = 24
        for dtype, count in (("<u8", tokens), ("<f8", rows), ("<u4", tokens), ("<u4", postings)):
            parts.append(np.frombuffer(raw, dtype, count, at) if count else np.empty(0, dtype))
            at += parts[-1].nbytes
        digests = [raw[place : place + DIGEST_BYTES] for place in range(at, len(raw), DIGEST_BYTES)]
        if len(digests) != rows:
            raise ValueError("not as many texts as rows")
        return cls(parts[0], parts[1], parts[2], parts[3], digests)

    def raw(self) -> bytes:
        """The postings as bytes."""
        columns = (self.tokens, self.lengths, self.starts, self.postings)
        sizes = np.array([len(self.digests), len(self.tokens), len(self.postings)], "<u8")
        return b"".join([*(one.tobytes() for one in (sizes, *columns)), *self.digests])

    def place(self, token: str) -> int:
        """The index of a token, -1 if absent."""
        if not len(self.tokens):
            return -1
        name = _token(token)
        at = int(self.tokens.searchsorted(self.tokens.dtype.type(name)))
        return at if at < len(self.tokens) and int(self.tokens[at]) == name else -1

    def of(self, token: str) -> Held:
        """The postings of a token; a view."""
        if (place := self.place(token)) < 0:
            return self.postings[:0]
        end = self.starts[place + 1] if place + 1 < len(self.starts) else len(self.postings)
        return self.postings[self.starts[place] : end]


class Postings:
    """The postings of an index; the owner locks reads against `add`."""

    def __init__(self, sealed: SealedPostings | None = None) -> None:
        self.sealed = sealed or SealedPostings.none()
        self._newest: dict[str, array[int]] = {}

    def add(self, row: int, counts: Mapping[str, int]) -> None:
        """Add a row, higher than any before, with its token counts."""
        base, newest = row << COUNT_BITS, self._newest
        for token, count in counts.items():
            posting = base | min(count, MOST)
            if (known := newest.get(token)) is None:
                newest[token] = array("I", (posting,))
            else:
                known.append(posting)

    def grew(self, token: str, since: int) -> bool:
        """Whether a token may have postings from a row on."""
        newest = self._newest.get(token)
        later = newest is not None and newest[-1] >= since << COUNT_BITS
        return later or since < len(self.sealed.digests)

    def of(self, token: str, since: int = 0) -> Held:
        """The postings of a token from a row on, in row order; invalid after `add`."""
        some = self._newest.get(token, _NONE)
        newest: Held = np.frombuffer(some, np.uint32)
        if since >= len(self.sealed.digests):
            return newest[bisect_left(some, since << COUNT_BITS) :]
        if len(held := self.sealed.of(token)):
            newest = np.concatenate([held, newest]) if len(newest) else held
        return newest[newest.searchsorted(np.uint32(since << COUNT_BITS)) :] if since else newest

    def resealed(
        self, alive: Mask, lengths: "NDArray[np.float64]", digests: Sequence[bytes]
    ) -> SealedPostings:
        """The postings of the rows in the mask, renumbered from 0; `lengths` and `digests` are theirs."""
        tokens, held = self._all()
        rows = held >> COUNT_BITS
        kept = alive[rows]
        number = (np.cumsum(alive) - 1).astype(np.uint32)
        tokens = tokens[kept]
        held = (number[rows[kept]] << COUNT_BITS) | (held[kept] & MOST)
        order = np.lexsort((held, tokens))
        names, starts = np.unique(tokens[order], return_index=True)
        return SealedPostings(names, lengths, starts.astype(np.uint32), held[order], digests)

    def _all(self) -> "tuple[NDArray[np.uint64], Held]":
        """Every posting with its token, each (n_postings,)."""
        sealed, newest = self.sealed, self._newest
        ends = np.append(sealed.starts[1:], len(sealed.postings))[: len(sealed.starts)]
        names = np.array(list(map(_token, newest)), np.uint64)
        sizes = np.array(list(map(len, newest.values())), np.int64)
        tokens = [
            np.repeat(sealed.tokens, (ends - sealed.starts).astype(np.int64)),
            np.repeat(names, sizes),
        ]
        held = [np.frombuffer(one, np.uint32) for one in newest.values()]
        return np.concatenate(tokens), np.concatenate([sealed.postings, *held])
