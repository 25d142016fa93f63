"""An embedding model for tests: each character pair votes for a few directions. Deterministic, no files, no network."""

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rolememory.text.embed.base import normalised

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class HashingEmbedder:
    """Texts that share character pairs are near. `knows` says which texts it trusts; `asked` counts the texts it embedded."""

    def __init__(self, dim: int = 64, unknown: str = "") -> None:
        self.dim, self.key = dim, f"hashing:{dim}"
        self.asked = 0
        self._unknown = unknown

    def embed(self, texts: Sequence[str]) -> "Floats":
        """(n_texts, dim)."""
        self.asked += len(texts)
        return (
            np.stack([self._one(text) for text in texts])
            if texts
            else np.zeros((0, self.dim), dtype=np.float32)
        )

    def embed_query(self, text: str) -> "Floats":
        """(dim,)."""
        return self.embed([text])[0]

    def unknown_share(self, text: str) -> float:
        """Share of the characters it was told not to know."""
        return sum(one in self._unknown for one in text) / max(len(text), 1)

    def trusts(self, text: str) -> bool:
        """Whether it knows most of the text."""
        return self.unknown_share(text) <= 0.2

    def _one(self, text: str) -> "Floats":
        vector = np.zeros(self.dim, dtype=np.float32)
        folded = f" {text.casefold()} "
        for at in range(len(folded) - 1):
            seed = zlib.crc32(folded[at : at + 2].encode())
            vector[seed % self.dim] += 1.0 if seed & 0x10000 else -1.0
        return normalised(vector)
