"""Vectors of questions, each embedded once."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

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
        self._embedder, self._size = embedder, size
        self._kept: OrderedDict[tuple[str, str], Floats | None] = OrderedDict()
        self._lock = threading.Lock()
        self.hits, self.misses = 0, 0
        self.failure = ""  # why the last question has no vector; empty = it has, or its language is not the model's

    def __call__(self, text: str) -> Floats | None:
        """The question's vector, (dim,); None without a model, for a language it does not know, or when it fails."""
        self.failure = ""
        embedder = self._embedder()
        if embedder is None or not text.strip():
            return None
        name = (embedder.key, text)
        with self._lock:
            if name in self._kept:
                self.hits += 1
                self._kept.move_to_end(name)
                return self._kept[name]
        return self._fresh(embedder, name)

    def talk(self, texts: Sequence[str]) -> Floats | None:
        """What the messages before are about, newest first: the mean of their vectors, fading with each, (dim,); None without any."""
        known = [(back, self(text[-MOST_EARLIER:])) for back, text in enumerate(texts[:EARLIER])]
        told = [np.float32(FADING**back) * vector for back, vector in known if vector is not None]
        if not told:
            return None
        total = np.sum(told, axis=0)
        length = float(np.linalg.norm(total))
        return (total / np.float32(length)).astype(np.float32) if length else None

    def _fresh(self, embedder: Embedder, name: tuple[str, str]) -> Floats | None:
        try:
            vector = embedder.embed_query(name[1]) if embedder.trusts(name[1]) else None
        except ModelError as error:
            self.failure = str(error)
            return None
        with self._lock:
            self.misses += 1
            self._kept[name] = vector
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return vector
