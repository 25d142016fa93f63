"""A cache of question vectors."""

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce

from rolememory.errors import ModelError
from rolememory.locales import LocalizedNote
from rolememory.text.arrays import Floats, np
from rolememory.text.embed.base import Embedder
from rolememory.text.words import term_query

SPEAKS_FOR_ITSELF = 1.5  # content words from which a message is embedded alone
EARLIER = 4  # messages before, for the topic of the talk
FADING = 0.7  # weight factor per message back
MOST_EARLIER = 300  # characters taken from the message before


def asked(query: str, earlier: str = "") -> str:
    r"""The text to embed for a message: with the end of the message before if it has few words of its own.

    >>> asked("And then?", "Nora lit the beacon.")
    'Nora lit the beacon.\nAnd then?'
    >>> asked("Who lit the beacon at the harbour?", "Hello.")
    'Who lit the beacon at the harbour?'
    """
    if not earlier or term_query(query).mass >= SPEAKS_FOR_ITSELF:
        return query
    return f"{earlier[-MOST_EARLIER:]}\n{query}"


class QueryVectors:
    """A cache of the last `size` question vectors. If the model fails, the turn goes on without a vector."""

    def __init__(self, embedder: Callable[[], Embedder | None], size: int = 1024) -> None:
        self._embedder = embedder
        self._kept = lru_cache(maxsize=size)(self._made)
        self.failure = ""  # why the last question has no vector; "" also if its language is unknown to the model

    @property
    def hits(self) -> int:
        """Number of cache hits."""
        return self._kept.cache_info().hits

    @property
    def misses(self) -> int:
        """Number of cache misses."""
        return self._kept.cache_info().misses

    def __call__(self, text: str) -> Floats | None:
        """The question's vector, (dim,); None without a model, for a language it does not know, or if it fails."""
        self.failure = ""
        embedder = self._embedder()
        if embedder is None or not text.strip():
            return None
        try:
            return self._kept(embedder.key, text)  # another model has other vectors
        except ModelError as error:
            self.failure = LocalizedNote(error)
            return None

    def talk(self, texts: Sequence[str]) -> Floats | None:
        """The topic of the messages before, newest first: decaying mean of their vectors, (dim,); None without any."""
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
