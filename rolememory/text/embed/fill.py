"""Fills a vector table: from stored vectors, else by the model, in batches, newest text first."""

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain, islice

from rolememory.errors import DirectionError
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import Floats, np
from rolememory.text.embed.base import Embedder
from rolememory.text.packed_vectors import NamedVectors, PackedVectors
from rolememory.text.postings import text_digest
from rolememory.text.vectors import VectorTable, pieces, sound

BATCH = 64  # texts per step: with more, more have similar length
AT_ONCE = 1024  # texts whose vectors are put at once, to bound memory


@value_class
class _MissingVectors:
    """An entry without vectors: its pieces, and their names."""

    entry_id: str
    texts: tuple[str, ...]
    digests: tuple[bytes, ...]


class VectorFiller:
    """A queue of texts to embed. Not thread-safe: one thread fills."""

    def __init__(self, table: VectorTable, size: int = 300) -> None:
        self._table, self._size = table, size
        self._waiting: dict[str, _MissingVectors] = {}  # LIFO

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def waiting(self) -> tuple[str, ...]:
        """The waiting ids, the next one last."""
        return tuple(self._waiting)

    def stands(self, name: bytes) -> bool:
        """Whether the vector of the text of this name is in use: its entry is not gone and has no other text by now."""
        owner = self._table.owner(name)
        return owner is not None and owner not in self._waiting

    def want(self, texts: Iterable[tuple[str, str]], kept: NamedVectors | None = None) -> None:
        """Queue these (id, text), the last one first. Vectors in the table under another id, or in `kept`, are put at once."""
        known = kept or NamedVectors.of({}, self._table.dim)
        some = iter(texts)
        while part := list(islice(some, AT_ONCE)):
            ready = {one: names for one, text in part if (names := self._names(one, text, known))}
            if ready:
                self._table.set_all(ready, self._at_hand(chain(*ready.values()), known))

    def put(self, named: Mapping[str, bytes], kept: NamedVectors) -> Set[str]:
        """Put the kept vectors of these ids, each of one piece, by its name; the ids found."""
        ready = {one: (name,) for one, name in named.items() if name in kept}
        ids = iter(ready)
        while part := {one: ready[one] for one in islice(ids, AT_ONCE)}:
            self._table.set_all(part, kept.take(chain(*part.values())))
        return ready.keys()

    def _names(self, entry_id: str, text: str, kept: NamedVectors) -> tuple[bytes, ...]:
        """The names of a text's pieces if their vectors are available; empty if the table has it already, or it was queued."""
        self._waiting.pop(entry_id, None)
        parts = tuple(pieces(text, self._size))
        names = tuple(map(text_digest, parts))
        if self._table.digests(entry_id) == names:
            return ()
        if all(name in kept or self._table.named_so(name) is not None for name in names):
            return names
        self._waiting[entry_id] = _MissingVectors(entry_id, parts, names)
        return ()

    def _at_hand(self, names: Iterable[bytes], kept: NamedVectors) -> PackedVectors:
        wanted = list(names)
        if all(name in kept for name in wanted):
            return kept.take(wanted)
        others = (kept.take((one,)) if one in kept else self._table.named_so(one) for one in wanted)
        return PackedVectors.joined([one for one in others if one is not None])

    def forget(self, entry_id: str) -> None:
        """Remove an id from the queue and the table."""
        self._waiting.pop(entry_id, None)
        self._table.remove(entry_id)

    def step(self, embedder: Embedder) -> dict[bytes, Floats]:
        """Put the vectors of the next texts; the new ones, by the names of their texts.

        A text in a language unknown to the model, or with an invalid vector, gets none.

        Raises:
            ModelError: the model could not be asked; these texts stay in the queue.
        """
        batch = list(islice(reversed(self._waiting.values()), BATCH))
        known = [want for want in batch if embedder.trusts(want.texts[0])]
        texts = dict(
            chain.from_iterable(zip(want.digests, want.texts, strict=True) for want in known)
        )
        made = dict(zip(texts, _embedded(embedder, list(texts.values())), strict=True))
        good = {name: vector for name, vector in made.items() if vector is not None}
        for want in batch:
            del self._waiting[want.entry_id]
            if good.keys() >= set(want.digests):
                rows = np.stack([good[name] for name in want.digests])
                self._table.set(want.entry_id, rows, want.digests)
            else:
                self._table.remove(want.entry_id)
        return good


def _embedded(embedder: Embedder, texts: Sequence[str]) -> list[Floats | None]:
    """The vector of each text; None for an invalid one, without affecting the others of its batch."""
    if not texts:
        return []
    try:
        rows = embedder.embed(texts)
    except DirectionError:
        if len(texts) == 1:
            return [None]
        half = len(texts) // 2
        return [*_embedded(embedder, texts[:half]), *_embedded(embedder, texts[half:])]
    return [row if good else None for row, good in zip(rows, sound(rows).tolist(), strict=True)]
