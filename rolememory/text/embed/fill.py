"""Fills a vector table: from what is kept, else by asking the model, a batch at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from rolememory.text.embed.base import Embedder, digest
from rolememory.text.vectors import VectorTable, pieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BATCH = 32  # texts between two looks at `stopped`

Kept = Mapping[bytes, "Floats"]
"""Vectors by `digest` of their text, as a vector file holds them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An entry whose vectors are missing: its pieces, and their names."""

    entry_id: str
    texts: tuple[str, ...]
    digests: tuple[bytes, ...]


def missing(table: VectorTable, texts: Iterable[tuple[str, str]], size: int) -> Iterator[Wanted]:
    """Those of (id, text) that the table does not hold as they read now."""
    for entry_id, text in texts:
        parts = tuple(pieces(text, size))
        digests = tuple(map(digest, parts))
        if table.digests(entry_id) != digests:
            yield Wanted(entry_id, parts, digests)


def embed_missing(
    table: VectorTable,
    texts: Iterable[tuple[str, str]],
    embedder: Embedder,
    *,
    kept: Kept | None = None,
    size: int = 300,
    progress: Callable[[int, int], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Put vectors of (id, text) into the table; returns how many texts the model was asked for.

    What stands in `kept` is not asked again. Texts in a language the model does not know get no vector. Can be
    stopped after any batch and called again: what is done stays. `progress` gets (done, all) entries.

    Raises:
        ModelError: the model could not be asked; what was done before stays.
    """
    kept = kept or {}
    left = list(missing(table, texts, size))
    at_hand = [want for want in left if all(name in kept for name in want.digests)]
    _put(table, at_hand, kept)
    rest = iter([want for want in left if not all(name in kept for name in want.digests)])
    done, asked = len(at_hand), 0
    while (batch := list(islice(rest, BATCH))) and not stopped():
        known = [want for want in batch if embedder.trusts(want.texts[0])]
        for want in batch:
            if want not in known:
                table.remove(want.entry_id)
        asked += _embed(table, known, embedder)
        done += len(batch)
        if progress:
            progress(done, len(left))
    return asked


def _embed(table: VectorTable, batch: Sequence[Wanted], embedder: Embedder) -> int:
    texts = {
        name: text for want in batch for name, text in zip(want.digests, want.texts, strict=True)
    }
    if texts:
        _put(table, batch, dict(zip(texts, embedder.embed(list(texts.values())), strict=True)))
    return len(texts)


def _put(table: VectorTable, batch: Sequence[Wanted], vectors: Kept) -> None:
    import numpy as np

    for want in batch:
        table.set(want.entry_id, np.stack([vectors[name] for name in want.digests]), want.digests)
