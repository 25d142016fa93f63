"""Posting lists of an index: immutable sealed columns, as in the file, plus the newest postings in memory.

n_rows n_tokens n_postings  tokens (digests, rising)  lengths  starts  postings (row << 4 | count)  digests of the texts
"""

from array import array
from collections import Counter
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

    def of(self, place: int) -> Held:
        """The postings of the token at that index; a view."""
        end = self.starts[place + 1] if place + 1 < len(self.starts) else len(self.postings)
        return self.postings[self.starts[place] : end]


class Postings:
    """The postings of an index; the owner locks reads against `add`."""

    def __init__(self, sealed: SealedPostings | None = None) -> None:
        self.sealed = sealed or SealedPostings.none()
        self.spare: Counter[str] = Counter()  # of removed texts, and of new rows that duplicate one
        self.texts: NDArray[np.int32] | None = None  # document frequency of each sealed token
        self._newest: dict[str, array[int]] = {}

    def add(self, row: int, said: Mapping[str, int]) -> None:
        """Add a row, higher than any before, with its token counts."""
        base, newest = row << COUNT_BITS, self._newest
        for token, count in said.items():
            posting = base | min(count, MOST)
            if (known := newest.get(token)) is None:
                newest[token] = array("I", (posting,))
            else:
                known.append(posting)

    def of(self, token: str) -> Held:
        """The postings of a token in row order; invalid after `add`."""
        held, place = (
            np.frombuffer(self._newest.get(token, _NONE), np.uint32),
            self.sealed.place(token),
        )
        if place < 0:
            return held
        told = self.sealed.of(place)
        return np.concatenate([told, held]) if len(held) else told

    def count_texts(self, told: Mask) -> None:
        """Count the texts with each sealed token; `told` masks the sealed rows to count, one per text."""
        starts = self.sealed.starts
        seen = told[self.sealed.postings >> COUNT_BITS]
        counts = np.add.reduceat(seen, starts, dtype=np.int32) if len(starts) else seen
        self.texts = counts.astype(np.int32)

    def holders(self, token: str) -> int:
        """Document frequency of a token, over distinct texts; after `count_texts`."""
        place = self.sealed.place(token)
        sealed = int(self.texts[place]) if self.texts is not None and place >= 0 else 0
        return sealed + len(self._newest.get(token, ())) - self.spare.get(token, 0)

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
