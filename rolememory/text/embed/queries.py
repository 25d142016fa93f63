"""Vectors of questions, each embedded once."""

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce

from rolememory.errors import ModelError
from rolememory.text.arrays import Floats, np
from rolememory.text.embed.base import Embedder
from rolememory.text.words import term_query

SPEAKS_FOR_ITSELF = 1.5  # words of its own with which a message is embedded alone
EARLIER = 4  # messages before that say what the talk is about
FADING = 0.7  # of their weight with each message back
MOST_EARLIER = 300  # characters of the message before that come along


def asked(query: str, earlier: str = "") -> str:
    r"""What to embed for a message: itself, or with the end of the message before when it says little alone.

    >>> asked("And then?", "Nora lit the beacon.")
    'Nora lit the beacon.\nAnd then?'
    >>> asked("Who lit the beacon at the harbour?", "Hello.")
    'Who lit the beacon at the harbour?'
    """
    if not earlier or term_query(query).mass >= SPEAKS_FOR_ITSELF:
        return query
    return f"{earlier[-MOST_EARLIER:]}\n{query}"


class QueryVectors:
    """A cache of the last `size` question vectors, with its hits. A failing model costs the vector, not the turn."""

    def __init__(self, embedder: Callable[[], Embedder | None], size: int = 1024) -> None:
        self._embedder = embedder
        self._kept = lru_cache(maxsize=size)(self._made)
        self.failure = ""  # why the last question has no vector; empty = it has, or its language is not the model's

    @property
    def hits(self) -> int:
        """How often a vector was at hand."""
        return self._kept.cache_info().hits

    @property
    def misses(self) -> int:
        """How often the model was asked."""
        return self._kept.cache_info().misses

    def __call__(self, text: str) -> Floats | None:
        """The question's vector, (dim,); None without a model, for a language it does not know, or when it fails."""
        self.failure = ""
        embedder = self._embedder()
        if embedder is None or not text.strip():
            return None
        try:
            return self._kept(embedder.key, text)  # vectors of another model are others
        except ModelError as error:
            self.failure = str(error)
            return None

    def talk(self, texts: Sequence[str]) -> Floats | None:
        """What the messages before are about, newest first: the mean of their vectors, fading with each, (dim,); None without any."""
        known = [(back, self(text[-MOST_EARLIER:])) for back, text in enumerate(texts[:EARLIER])]
        told = [np.float32(FADING**back) * vector for back, vector in known if vector is not None]
        if not told:
            return None
        total = reduce(np.add, told)
        length = float(np.linalg.norm(total))
        return (total / np.float32(length)).astype(np.float32) if length else None

    def _made(self, _: str, text: str) -> Floats | None:
        embedder = self._embedder()
        return embedder.embed_query(text) if embedder and embedder.trusts(text) else None
