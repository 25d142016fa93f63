"""The interface of embedding models."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Protocol

from rolememory.errors import DirectionError
from rolememory.shipped import lexicon
from rolememory.text.arrays import Floats, np
from rolememory.text.embed.shutdown import ENDING
from rolememory.text.language import language_of

MOST_UNKNOWN = 0.2
"""Share of unknown tokens above which a model's vector is noise.
Source: an English model on Chinese text: 66 % unknown, wrong pairs at cosine 0.50 against 0.55 of right ones."""


class Embedder(Protocol):
    """An embedding model. Vectors are float32 and normalised; calls may come from several threads."""

    key: str  # names model, revision, backend, dimensions and prefixes: vectors of another key are not comparable
    dim: int

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, (n_texts, dim).

        Raises:
            ModelError: the model could not be asked.
        """
        ...

    def embed_query(self, text: str) -> Floats:
        """The vector of a question, (dim,); goes before waiting passages.

        Raises:
            ModelError: the model could not be asked.
        """
        ...

    def unknown_share(self, text: str) -> float:
        """Share of the text's tokens unknown to the model, 0..1; 0 if it cannot be determined."""
        ...

    def trusts(self, text: str) -> bool:
        """Whether the model's vector of this text is meaningful."""
        ...


def trusted(text: str, unknown_share: float, languages: Sequence[str]) -> bool:
    """Whether the text's language is one of the model's (none named = all), and its tokens are known.

    Both, since a vocabulary may contain characters of a language that the model was not trained on.

    >>> trusted("灯塔", 0.0, ("en",)), trusted("灯塔", 0.66, ()), trusted("灯塔", 0.0, ("en", "zh"))
    (False, False, True)
    """
    return unknown_share <= MOST_UNKNOWN and (not languages or language_of(text) in languages)


def known_languages(unknown_share: Callable[[str], float]) -> tuple[str, ...]:
    """The languages whose everyday sentences a model's tokenizer can read."""
    shares = {
        language: [unknown_share(text) for text in sentences]
        for language, sentences in everyday_sentences().items()
    }
    return tuple(
        language for language, found in shares.items() if sum(found) / len(found) <= MOST_UNKNOWN
    )


def normalised(vectors: Floats, dims: int = 0) -> Floats:
    """The first `dims` columns (0 = all) as float32 rows of length 1.

    Raises:
        DirectionError: a row is all zero or not finite.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        kept = np.asarray(vectors, dtype=np.float32)[..., : dims or None].astype(np.float64)
        lengths = np.linalg.norm(kept, axis=-1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0.0)).all():
        raise DirectionError(
            "the model gave a vector that points nowhere (NaN, infinite or all zero); it is not used"
        )
    return np.asarray(kept / lengths, dtype=np.float32)


@cache
def everyday_sentences() -> Mapping[str, tuple[str, ...]]:
    """Unrelated sentences per language, to measure a model's noise cosines."""
    raw = lexicon("everyday")
    return {language: tuple(sentences) for language, sentences in raw.items()}


def background(embedder: Embedder) -> dict[str, Floats]:
    """The vectors of the everyday sentences, for each language the model is trusted in."""
    return {
        language: embedder.embed(sentences)
        for language, sentences in everyday_sentences().items()
        if all(map(embedder.trusts, sentences[:8]))
    }


class PriorityLock:
    """Admits one caller at a time, questions before passages, and none at process exit: a later caller's thread ends."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._busy = False
        self._questions = 0
        self._open = ENDING.watch(self)

    def shut(self) -> None:
        """Admit no more callers, and wait until none is inside."""
        with self._free:
            self._open = False
            self._free.notify_all()
            self._free.wait_for(lambda: not self._busy)

    def _enter(self) -> None:
        if not self._open:
            raise SystemExit
        self._busy = True

    @contextmanager
    def question(self) -> Iterator[None]:
        """Enter before waiting passages."""
        with self._free:
            self._questions += 1
            self._free.wait_for(lambda: not self._busy)
            self._questions -= 1
            self._enter()
        yield from self._inside()

    @contextmanager
    def passage(self) -> Iterator[None]:
        """Enter when no question waits."""
        with self._free:
            self._free.wait_for(lambda: not self._busy and not self._questions)
            self._enter()
        yield from self._inside()

    def _inside(self) -> Iterator[None]:
        try:
            yield
        finally:
            with self._free:
                self._busy = False
                self._free.notify_all()
