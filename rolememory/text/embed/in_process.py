"""Base of models in this process: small batches, questions first, trust by vocabulary."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

from rolememory.errors import ModelError
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.arrays import Floats, np
from rolememory.text.embed.base import PriorityLock, known_languages, trusted

BATCH = 4  # passages a question may have to wait for; larger batches waste time on padding
READ = 2000  # characters used to detect the language


def vector_space(weights: str, settings: EmbeddingSettings, made: str = "float32") -> str:
    """The key of vectors made with these weights. float32 backends share one: their results differ by less than 1e-4."""
    about = (settings.dims, settings.query_prefix, settings.passage_prefix, settings.max_tokens)
    return f"sentence-transformers:{weights}:{made}:{about!r}"


class InProcess(ABC):
    """A model in this process. Vectors are float32 and normalised; calls may come from several threads."""

    key: str
    dim: int
    runtime: str  # name of the backend, for people
    passed_over: ModelError | None = None  # why the exported graph of this model is not used

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._turnstile = PriorityLock()

    @abstractmethod
    def _encode(self, texts: Sequence[str]) -> Floats:
        """Vectors of texts with prefix, (n_texts, dim)."""

    @abstractmethod
    def _tokens(self, text: str) -> tuple[Sequence[int], int | None]:
        """The tokens of a text under the model's tokenizer, and the one for what it does not know."""

    def unknown_share(self, text: str) -> float:
        """Share of unknown tokens under the model's tokenizer, 0..1."""
        with self._turnstile.question():
            ids, unknown = self._tokens(text[:READ])
        return ids.count(unknown) / len(ids) if ids and unknown is not None else 0.0

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, (n_texts, dim), in small batches of similar length so that questions can go between."""
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        places = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(places), BATCH):
            batch = places[start : start + BATCH]
            with self._turnstile.passage():
                out[batch] = self._encode(
                    [self._settings.passage_prefix + texts[at] for at in batch]
                )
        return out

    def embed_query(self, text: str) -> Floats:
        """The vector of a question, (dim,)."""
        with self._turnstile.question():
            vectors = self._encode([self._settings.query_prefix + text])
        first: Floats = vectors[0]
        return first

    def trusts(self, text: str) -> bool:
        """Whether the model knows the language of this text."""
        if self._settings.languages:
            return trusted(text, 0.0, self._settings.languages)
        return trusted(text, self.unknown_share(text), self._known)

    @cached_property
    def _known(self) -> tuple[str, ...]:
        return known_languages(self.unknown_share)
