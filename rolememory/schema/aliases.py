"""Setting names of the source designs, so that their settings load unchanged: one row per name.

`storage.settings` looks up unknown dotted names in `ALIASES`. In one file our own name wins over an alias, an earlier row over
a later one, and of two switches the one that is off. An empty text is ignored.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.value_class import value_class

GEMINI = "https://generativelanguage.googleapis.com/v1beta/openai"
PROVIDERS: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "gemini": GEMINI,
    "google": GEMINI,
    "deepseek": "https://api.deepseek.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "siliconflow": "https://api.siliconflow.cn/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
}
"""OpenAI-compatible endpoints by their name in S0.16 and S4.9."""


@value_class
class Alias:
    """A foreign name. `keys` are our keys for the value; none = ignored, `why` says so."""

    name: str
    keys: tuple[str, ...]
    of: str  # the requirement it comes from
    reads: Callable[[Any], Any] | None = (
        None  # converts the foreign value: None = unset, a dict = by our keys
    )
    implies: JsonMapping | None = None  # also set, unless set otherwise
    weak: bool = False  # silently overridden by any other name of the same key
    why: LocalizedText = LocalizedText("")  # never changes
    secret: bool = False  # an API key, which must not be in a file


def base_url(url: str) -> str:
    """The OpenAI-compatible base of an endpoint; a native Gemini address is translated.

    >>> base_url("https://generativelanguage.googleapis.com/v1beta/models/embedding-001:embedContent?key=x")
    'https://generativelanguage.googleapis.com/v1beta/openai'
    >>> base_url("http://127.0.0.1:5001/v1/chat/completions")
    'http://127.0.0.1:5001/v1'
    """
    parts = urlsplit(url)
    if parts.hostname == "generativelanguage.googleapis.com" and "/openai" not in parts.path:
        return GEMINI
    return re.sub(r"/(chat/completions|completions|embeddings)/?$", "", url).rstrip("/")


def seconds(value: Any) -> Any:
    """A duration in seconds, from a number or a Go duration.

    >>> seconds("1m30s"), seconds("500ms"), seconds(20)
    (90.0, 0.5, 20)
    """
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h)", value) if isinstance(value, str) else []
    whole = "".join(number + unit for number, unit in parts)
    return (
        sum(float(number) * _SECONDS[unit] for number, unit in parts)
        if parts and whole == value
        else value
    )


_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def provider(value: Any) -> Any:
    """The endpoint of a provider; "" if unknown.

    >>> provider("Gemini"), provider("acme")
    ('https://generativelanguage.googleapis.com/v1beta/openai', '')
    """
    return PROVIDERS.get(str(value).casefold(), "")


def index_wanted(value: Any) -> Any:
    """Whether a vector index is wanted, from a flag or the name of an index.

    >>> index_wanted("hnsw"), index_wanted("none"), index_wanted(False)
    (True, False, False)
    """
    return value.casefold() not in ("", "none", "off", "false") if isinstance(value, str) else value


def trigger_mode(value: Any) -> Any:
    """`always` or `keywords`; a list of words means `keywords` with these.

    >>> trigger_mode("keyword"), trigger_mode(["API"])
    ('keywords', {'recall.long_term_trigger': 'keywords', 'recall.long_term_keywords': ['API']})
    """
    if isinstance(value, list | tuple):
        return {"recall.long_term_trigger": "keywords", "recall.long_term_keywords": list(value)}
    return "keywords" if value == "keyword" else value


def boost(value: Any) -> Any:
    """The emotional weight if the boost is off; None (unchanged) if on.

    >>> boost(False), boost(True)
    (0.0, None)
    """
    if isinstance(value, bool):
        return None if value else 0.0
    return value


def tags_wanted(value: Any) -> Any:
    """Allowed sources of memories, and of passages: `ai_output` means replies, `user_input` the user's messages.

    >>> tags_wanted(["manual", "user_input"])["recall.passages.recall"], tags_wanted("manual")
    ('user', 'manual')
    """
    if not isinstance(value, list | tuple):
        return value
    said = "all" if "ai_output" in value else "user" if "user_input" in value else "none"
    return {"recall.sources": list(value), "recall.passages.recall": said}


_NO_STORE = LocalizedText("vectors lie in each role's .cache and need no server")
_CHAT_LOG = LocalizedText("the chat log keeps every message; what was said is recalled from there")
_ALWAYS_JSON = LocalizedText("answers are always asked for as JSON")
_WALL: JsonMapping = {"triggers.recency.clock": "wall"}
_ENDPOINT: JsonMapping = {"embedding.backend": "endpoint"}

_RENAMED: Mapping[str, Mapping[str, str]] = {
    "S0.16": {
        "embedding.EmbeddingModel": "embedding.model",
        "embedding.EmbeddingDims": "embedding.dims",
        "embedding.ChunkSize": "embedding.chunk_size",
    },
    "S0.17": {
        "decisionModel.endpoint": "learn.decision.endpoint",
        "decisionModel.model": "learn.decision.model",
        "decisionModel.prompt": "learn.decision.prompt",
    },
    "S0.18": {
        "summarizerModel.endpoint": "learn.summary.endpoint",
        "summarizerModel.model": "learn.summary.model",
        "summarizerModel.prompt": "learn.summary.prompt",
    },
    "S0.20": {
        "retrieval.topK": "recall.max_items",
    },
    "S1.15": {
        "enabled": "recall.enabled",
    },
    "S1.18": {
        "retrievalConfig.timeDecayEnabled": "triggers.recency.enabled",
        "retrievalConfig.relevanceThreshold": "recall.relevance_threshold",
    },
    "S1.16": {
        "triggerStrategies.keywordMatching": "triggers.keyword.enabled triggers.pattern.enabled",
        "triggerStrategies.semanticSimilarity": "triggers.semantic.enabled",
        "triggerStrategies.temporalProximity": "triggers.recency.enabled triggers.dates.enabled",
        "triggerStrategies.emotionalRelevance": "triggers.emotional.wakes",
    },
    "S1.17": {
        "retrievalConfig.maxMemoriesPerType.episodic": "recall.max_per_type.episodic",
        "retrievalConfig.maxMemoriesPerType.semantic": "recall.max_per_type.semantic",
        "retrievalConfig.maxMemoriesPerType.traits": "recall.max_per_type.traits",
        "retrievalConfig.maxMemoriesPerType.trait": "recall.max_per_type.traits",
        "retrievalConfig.maxMemoriesPerType.goals": "recall.max_per_type.goals",
        "retrievalConfig.maxMemoriesPerType.goal": "recall.max_per_type.goals",
    },
    "S1.19": {
        "injectionConfig.maxTotalLength": "budget.max_total_length",
        "injectionConfig.injectPosition": "inject.position",
        "injectionConfig.template": "inject.template",
        "injectionConfig.separateByType": "inject.separate_by_type",
    },
    "N.7": {
        "serve.depth": "inject.depth",
    },
    "S2.8": {
        "autoRecallEnabled": "recall.auto",
    },
    "S2.9": {
        "autoRecallLimit": "recall.max_items",
    },
    "S2.25": {
        "inferenceEnabled": "learn.inference_enabled",
    },
    "S2.26": {
        "inferenceInterval": "learn.inference_interval",
    },
    "S3.15": {
        "topKCandidates": "recall.candidates",
    },
    "S3.16": {
        "maxContextItems": "recall.max_items",
    },
    "S3.17": {
        "minSimilarity": "recall.relevance_threshold",
    },
    "S4.5": {
        "memory.enabled": "recall.enabled learn.enabled",
    },
    "S4.6": {
        "memory.short_term.max_items": "memory.short_term_items",
        "memory.short_term.compression_threshold": "memory.compression_threshold",
    },
    "S4.8": {
        "memory.inject.short_term_count": "memory.short_term_count",
        "memory.inject.first_round_empty": "recall.first_round_empty",
        "memory.inject.min_query_length": "recall.min_query_length",
    },
    "S4.7": {
        "memory.long_term.enabled": "recall.enabled",
        "memory.long_term.max_return": "recall.max_items",
        "memory.long_term.archive_threshold": "memory.archive_threshold",
    },
    "S4.20": {
        "memory.inject.long_term_keywords": "recall.long_term_keywords",
    },
    "S4.9": {
        "memory_agent.enabled": "learn.enabled",
        "memory_agent.base_url": "learn.endpoint",
        "memory_agent.model": "learn.model",
    },
    "S4.10": {
        "memory_agent.extract.batch_size": "learn.batch_size",
        "memory_agent.extract.max_facts": "learn.max_facts",
        "memory_agent.extract.min_confidence": "learn.min_confidence",
        "memory_agent.extract.auto_tag": "learn.auto_tag",
    },
    "S4.11": {
        "memory_agent.summarize.enabled": "learn.summarize.enabled",
        "memory_agent.summarize.trigger_tokens": "learn.summarize.trigger_tokens",
    },
}
"""Plain renames by the requirement they come from: our keys, separated by blanks."""

_READ_OTHERWISE = (
    Alias("embedding.BaseURL", ("embedding.endpoint",), "S0.16", implies=_ENDPOINT),
    Alias(
        "embedding.APIType",
        ("embedding.endpoint",),
        "S0.16",
        reads=provider,
        implies=_ENDPOINT,
        weak=True,
    ),
    Alias("embedding.APIKey", ("embedding.api_key_env",), "S0.16", secret=True),
    Alias("decisionModel.apiKey", ("learn.decision.api_key_env",), "S0.17", secret=True),
    Alias("decisionModel.generationConfig", (), "S0.17", why=_ALWAYS_JSON),
    Alias("summarizerModel.apiKey", ("learn.summary.api_key_env",), "S0.18", secret=True),
    Alias("learn.raw", (), "S3.11", why=_CHAT_LOG),
    Alias("vectorStore.path", (), "S0.19", why=_NO_STORE),
    Alias("vectorStore.tableName", (), "S0.19", why=_NO_STORE),
    Alias(
        "retrievalConfig.emotionalBoostEnabled",
        ("triggers.emotional.weight",),
        "S1.18",
        reads=boost,
    ),
    Alias(
        "highRelevanceThreshold",
        ("recall.high_relevance_threshold",),
        "S2.10",
        implies={"recall.mode": "hybrid", "recall.past_threshold": 0.3},
    ),
    Alias("halfLifeDays", ("triggers.recency.half_life_days",), "S3.18", implies=_WALL),
    Alias("allowedTagsForChat", ("recall.sources",), "S3.19", reads=tags_wanted),
    Alias(
        "memory.long_term.vector_index", ("triggers.semantic.vectors",), "S4.7", reads=index_wanted
    ),
    Alias(
        "memory.inject.long_term_trigger",
        ("recall.long_term_trigger",),
        "S4.8",
        reads=trigger_mode,
    ),
    Alias("memory_agent.provider", ("learn.endpoint",), "S4.9", reads=provider, weak=True),
    Alias("memory_agent.api_key", ("learn.api_key_env",), "S4.9", secret=True),
    Alias("memory_agent.timeout", ("learn.timeout_s",), "S4.9", reads=seconds),
)

ALIASES: Mapping[str, Alias] = {row.name: row for row in _READ_OTHERWISE} | {
    name: Alias(name, tuple(keys.split()), of)
    for of, names in _RENAMED.items()
    for name, keys in names.items()
}
"""Every foreign name, in order of precedence."""
