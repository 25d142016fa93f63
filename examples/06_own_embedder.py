"""Your own embedding model: four members and two methods. This one knows nothing but three ideas."""

from collections.abc import Sequence
from datetime import UTC, datetime
from tempfile import TemporaryDirectory

import numpy as np

from rolememory import Home

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
IDEAS = {
    "home": ("house", "home", "roof", "wohne", "Haus"),
    "fear": ("afraid", "scared", "fear", "terrified", "Angst"),
    "water": ("sea", "deep water", "lake", "drown", "ocean", "Meer"),
}


class Ideas:
    """One direction for each idea. Vectors are float32 and of length 1, as every embedder's."""

    key = "ideas:1"  # names everything that makes vectors comparable; another key, and they are made again
    dim = len(IDEAS) + 1

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of passages, (n_texts, dim)."""
        rows = [
            [*(float(any(word in text for word in words)) for words in IDEAS.values()), 0.3]
            for text in texts
        ]
        vectors = np.array(rows, dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed_query(self, text: str) -> np.ndarray:
        """The vector of a question, (dim,)."""
        return self.embed([text])[0]

    def unknown_share(self, text: str) -> float:
        """Share of the text's tokens the model has never seen; 0 where that cannot be known."""
        return 0.0

    def trusts(self, text: str) -> bool:
        """Whether its vector of this text means anything."""
        return True


with TemporaryDirectory() as folder, Home.open(folder, embedder=Ideas()) as home:
    mira = home.role("Mira", create=True)
    mira.remember("Lin is terrified of the ocean.", "semantic", id="fear", created="2026-04-01")
    mira.remember("She painted the roof red.", id="roof", created="2026-04-02")
    mira.remember("Bread is cheaper on Fridays.", "semantic", id="bread", created="2026-04-03")
    print("model ready:", mira.ready(timeout=10))

    turn = mira.recall(["Hast du Angst vor dem Meer?"], now=NOW)  # not one word in common
    print(turn.explain())
    print("embedder of this turn:", turn.trace.embedder)
