"""Similarity of memories: a vector for each, and nearest neighbours. By embeddings if available, else by words."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import log
from typing import Literal

from rolememory.schema.memory import Memory
from rolememory.text.arrays import Floats, Rows, np
from rolememory.text.vectors import VectorTable
from rolememory.text.words import kind, term_query, tokens

DIMS = 512  # dimensions by words: enough for a role's vocabulary, so that collisions are rare
SPOTS = 3  # positions of each word
NEAREST = 12  # neighbours searched
READ = 0.8  # share of memories with an embedding needed to use them
_PRIOR = 30.0  # smoothing: among few memories, a shared word still counts
_BLOCK = 512  # rows compared at once


@dataclass(frozen=True, eq=False)
class SimilarityRows:
    """Vectors of memories, (n, dims) float32, normalised; a zero vector is similar to none."""

    ids: tuple[str, ...]
    rows: Floats = field(repr=False)
    by: Literal["meaning", "words"]

    @cached_property
    def neighbours(self) -> tuple[Rows, Floats]:
        """For each row the places of the `NEAREST` others, (n, k), nearest first, and their cosines. Ties: the earlier one. O(n²), once."""
        return _neighbours(self.rows)


def likeness(
    memories: Sequence[Memory], vectors: VectorTable | None = None, names: Collection[str] = ()
) -> SimilarityRows:
    """The vectors of these memories. `names`: words without weight, since most memories contain them (the role's own)."""
    ids = tuple(memory.id for memory in memories)
    meant = _by_meaning(ids, vectors) if vectors is not None and memories else None
    if meant is None:
        return SimilarityRows(ids, by_words(memories, names), "words")
    return SimilarityRows(ids, meant, "meaning")


def _neighbours(rows: Floats) -> tuple[Rows, Floats]:
    """The nearest others of each row: places and cosines, (n, k), nearest first."""
    k = max(min(NEAREST, len(rows) - 1), 0)
    places = np.zeros((len(rows), k), np.int64)
    cosines = np.zeros((len(rows), k), np.float32)
    for start in range(0, len(rows) if k else 0, _BLOCK):
        near = rows[start : start + _BLOCK] @ rows.T
        near[np.arange(len(near)), np.arange(start, start + len(near))] = -2.0  # itself
        best = np.argpartition(-near, k - 1, axis=1)[:, :k]
        best.sort(axis=1)
        # rounded, so that ties are ties on every machine
        found = np.round(np.take_along_axis(near, best, axis=1), 5)
        order = np.argsort(-found, axis=1, kind="stable")
        block = slice(start, start + len(near))
        places[block] = np.take_along_axis(best, order, axis=1)
        cosines[block] = np.take_along_axis(found, order, axis=1)
    return places, cosines


def by_words(memories: Sequence[Memory], names: Collection[str] = ()) -> Floats:
    """Rows by feature hashing, (n, DIMS): each word of content, keys and topics counts at a few places, weighted by how rare it is."""
    quiet = {token for name in names for token in tokens(name)}
    told = [sorted(_tokens(memory) - quiet) for memory in memories]
    holders = Counter(token for own in told for token in own)
    worth = {
        token: kind(token)[0] * log((len(told) + _PRIOR) / (count + _PRIOR / 10))
        for token, count in holders.items()
    }
    rows = np.zeros((len(memories), DIMS), np.float32)
    for row, own in zip(rows, told, strict=True):
        for token in own:
            for place, sign in _spots(token):
                row[place] += sign * worth[token]
    return _normalised(rows)


@lru_cache(maxsize=8192)
def spelt(content: str) -> Mapping[str, str]:
    """The terms of a text, each with its spelling. Cached: most memories do not change."""
    return term_query(content).surfaces


def _tokens(memory: Memory) -> set[str]:
    return {
        *spelt(memory.content),
        *(
            token
            for named in (memory.keys, memory.topics)
            if named
            for token in tokens("\n".join(named))
        ),
    }


@lru_cache(maxsize=65536)
def _spots(token: str) -> tuple[tuple[int, float], ...]:
    """Positions and signs of a word. Source: feature hashing, K. Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009)."""
    told = blake2b(token.encode("utf-8", "surrogatepass"), digest_size=2 * SPOTS).digest()
    numbers = (int.from_bytes(told[2 * at : 2 * at + 2], "little") for at in range(SPOTS))
    return tuple((number % DIMS, 1.0 if number & 0x8000 else -1.0) for number in numbers)


def _by_meaning(ids: Sequence[str], vectors: VectorTable) -> Floats | None:
    """Embeddings, (n, dim); zeros for a memory without one. None if too few have one."""
    named = vectors.named()
    found = [named.get(next(iter(vectors.digests(one)), b"")) for one in ids]
    if sum(one is not None for one in found) < READ * len(ids):
        return None
    nothing = np.zeros(vectors.dim, np.float32)
    return _normalised(np.array([nothing if one is None else one for one in found], np.float32))


def _normalised(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return found
