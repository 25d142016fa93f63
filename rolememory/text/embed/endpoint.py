"""Client of an OpenAI-compatible `/embeddings` endpoint: a local server, or any provider.

A circuit breaker avoids a time-out in every turn; messages never contain secrets.
"""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson
from pydantic import BaseModel, ValidationError

from rolememory.circuit_breaker import CircuitBreaker
from rolememory.errors import DirectionError, ModelError
from rolememory.schema.json_types import JsonObject
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.arrays import Floats, np
from rolememory.text.embed.base import normalised, trusted
from rolememory.upstream import UpstreamCall, bearer, shown, signed, translated
from rolememory.upstream import client as client_for

if TYPE_CHECKING:
    import httpx

BATCH = 32  # texts per request
MOST_BYTES = 32 * 2**20  # per answer: 32 vectors of 8,192 numbers with all digits
PROBE = "lighthouse"  # embedded once, to get the dimensions

_log = logging.getLogger(__name__)


class _Vector(BaseModel, allow_inf_nan=False):
    index: int | None = None
    embedding: list[float]


class _EmbeddingsResponse(BaseModel):
    """The used fields of an `/embeddings` answer."""

    data: list[_Vector]


class Endpoint:
    """Vectors over HTTP. `client` is for tests; `breaker` may be shared.

    Raises:
        ModelError: no endpoint is configured, or it does not answer.
    """

    def __init__(
        self,
        settings: EmbeddingSettings,
        *,
        client: "httpx.Client | None" = None,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        if not settings.endpoint:
            raise ModelError(
                'embedding.backend is "endpoint" but embedding.endpoint is empty; name the base URL of the server'
            )
        self._settings = settings
        self._base, self._model = translated(settings.endpoint, settings.model)
        self._client = client or client_for(self._base, keep_alive=True)
        self._named = shown(self._base)
        self.breaker = breaker or CircuitBreaker("embedding endpoint")
        self.dim = settings.dims or len(self._ask([PROBE])[0])
        about = (settings.dims, settings.query_prefix, settings.passage_prefix)
        self.key = f"endpoint:{self._named}:{self._model}:{settings.revision}:{self.dim}:{about!r}"

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of passages, (n_texts, dim)."""
        prefixed = [self._settings.passage_prefix + text for text in texts]
        parts = [
            self._vectors(prefixed[start : start + BATCH])
            for start in range(0, len(prefixed), BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.dim), dtype=np.float32)

    def embed_query(self, text: str) -> Floats:
        """The vector of a question, (dim,)."""
        first: Floats = self._vectors([self._settings.query_prefix + text])[0]
        return first

    def unknown_share(self, text: str) -> float:
        """0, since the tokenizer is not known."""
        return 0.0

    def trusts(self, text: str) -> bool:
        """Whether the settings' `languages` name the language of this text; none named = all."""
        return trusted(text, 0.0, self._settings.languages)

    def _vectors(self, texts: Sequence[str]) -> Floats:
        rows = self._ask(texts)
        if any(len(row) < self.dim for row in rows):
            raise self._failed(
                f"answered vectors of {len(rows[0])} dimensions, expected {self.dim}"
            )
        try:
            return normalised(np.array(rows), self.dim)
        except DirectionError as error:  # may concern only one text
            raise DirectionError(
                "{url}/embeddings: {error}", url=self._named, error=error
            ) from None

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        if not self.breaker.allows():
            raise ModelError(
                "{named}: resting after failures ({reason})",
                named=self._named,
                reason=self.breaker.reason,
            )
        try:
            rows = _read(self._post(texts), len(texts))
        except Exception as error:  # network and server errors have many classes
            raise self._failed(_told(error)) from None
        if self.breaker.success():
            _log.warning("%s: gives vectors again", self._named)
        return rows

    def _failed(self, reason: str) -> ModelError:
        if self.breaker.failure(reason):
            _log.warning(
                "%s: %s; it is left alone for a while, turns go by words", self._named, reason
            )
        return ModelError("{named}/embeddings: {reason}", named=self._named, reason=reason)

    def _post(self, texts: Sequence[str]) -> bytes:
        body: JsonObject = {
            "model": self._model,
            "input": list(texts),
            "encoding_format": "float",
        }
        if self._settings.dims:
            body["dimensions"] = self._settings.dims
        reply = UpstreamCall(
            self._client,
            f"{shown(self._base)}/embeddings",
            orjson.dumps(body),
            signed(self._base) | bearer(self._settings.api_key_env),
            deadline_s=self._settings.timeout_s,
            most_bytes=MOST_BYTES,
        ).whole()
        if not 200 <= reply.head.status < 300:
            raise ValueError(f"answered status {reply.head.status}")
        return reply.body


def _read(raw: bytes, n_texts: int) -> list[list[float]]:
    """The vectors of an answer in the order of the texts."""
    answer = _EmbeddingsResponse.model_validate_json(raw)
    rows = sorted(answer.data, key=lambda row: row.index if row.index is not None else 0)
    lengths = {len(row.embedding) for row in rows}
    if len(rows) != n_texts or len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            f"answered {len(rows)} vectors of lengths {sorted(lengths)} for {n_texts} texts"
        )
    return [row.embedding for row in rows]


def _told(error: Exception) -> str:
    """An error in a few words, without headers, bodies or secrets."""
    if isinstance(error, ValidationError):
        return "answered something that is not a list of embeddings"
    return (
        str(error)[:200] if isinstance(error, (ValueError, TimeoutError)) else type(error).__name__
    )
