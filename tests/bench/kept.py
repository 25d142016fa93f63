"""The model in use, its vectors kept in a folder between runs: embedding is the slow part of a measurement."""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.embed.base import Embedder
from rolememory.text.embed.loader import load

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class KeptVectors:
    """An embedder that asks another one only for texts it has not seen. Thread-safe."""

    def __init__(self, model: Embedder, folder: Path | None = None) -> None:
        self.key, self.dim, self._model = model.key, model.dim, model
        name = hashlib.sha256(model.key.encode()).hexdigest()[:16]
        self._file = folder / f"{name}.npz" if folder else None
        self._vectors: dict[str, Floats] = {}
        self._fresh, self._lock = 0, threading.Lock()
        if self._file and self._file.exists():
            with np.load(self._file) as kept:
                self._vectors = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    def embed(self, texts: Sequence[str]) -> "Floats":
        """Vectors of passages, (n_texts, dim)."""
        missing = sorted({text for text in texts if _name("", text) not in self._vectors})
        if missing:
            for text, vector in zip(missing, self._model.embed(missing), strict=True):
                self._put("", text, vector)
        return np.stack([self._vectors[_name("", text)] for text in texts])

    def embed_query(self, text: str) -> "Floats":
        """The vector of a question, (dim,)."""
        if _name("query", text) not in self._vectors:
            self._put("query", text, self._model.embed_query(text))
        return self._vectors[_name("query", text)]

    def unknown_share(self, text: str) -> float:
        """As the model says."""
        return self._model.unknown_share(text)

    def trusts(self, text: str) -> bool:
        """As the model says."""
        return self._model.trusts(text)

    def save(self) -> None:
        """Write what is new."""
        with self._lock:
            if not self._file or not self._fresh:
                return
            self._file.parent.mkdir(parents=True, exist_ok=True)
            other = self._file.with_suffix(".tmp.npz")
            vectors = np.stack(list(self._vectors.values())).astype(np.float16)
            np.savez(other, keys=np.array(list(self._vectors)), vectors=vectors)
            other.replace(self._file)
            self._fresh = 0

    def _put(self, kind: str, text: str, vector: "Floats") -> None:
        with self._lock:
            # as it reads from the file, so that a second run gives the same
            self._vectors[_name(kind, text)] = vector.astype(np.float16).astype(np.float32)
            self._fresh += 1


def _name(kind: str, text: str) -> str:
    return hashlib.blake2b(f"{kind}\n{text}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()  # fmt: skip


@contextmanager
def kept_model(folder: Path | None, words_only: bool = False) -> Iterator[KeptVectors | None]:
    """The model that a home would load by itself; None where there is none, or none is wanted."""
    model = None if words_only else load(EmbeddingSettings())
    kept = KeptVectors(model, folder) if model else None
    try:
        yield kept
    finally:
        if kept:
            kept.save()
