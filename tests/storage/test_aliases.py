"""Settings of the source designs load as they are: every foreign name, row by row (S0.16 to S4.12)."""

import json
from pathlib import Path
from typing import Any

import pytest

from rolememory.schema.aliases import ALIASES, GEMINI
from rolememory.storage.settings import load_settings, undotted
from rolememory.storage.settings_layers import Layer, translate_layer
from rolememory.storage.settings_tree import leaves
from tests.storage.homes import home_with

NATIVE = "https://generativelanguage.googleapis.com/v1beta/models/{}"
NOTHING: dict[str, Any] = {}

ROWS: list[tuple[str, Any, dict[str, Any]]] = [
    (
        "embedding.APIType",
        "Gemini",
        {"embedding.endpoint": GEMINI, "embedding.backend": "endpoint"},
    ),
    ("embedding.APIKey", "${GEMINI_KEY}", {"embedding.api_key_env": "GEMINI_KEY"}),
    ("embedding.EmbeddingModel", "embedding-001", {"embedding.model": "embedding-001"}),
    (
        "embedding.BaseURL",
        NATIVE.format("embedding-001:embedContent"),
        {"embedding.endpoint": GEMINI, "embedding.backend": "endpoint"},
    ),
    ("embedding.EmbeddingDims", 768, {"embedding.dims": 768}),
    ("embedding.ChunkSize", 300, {"embedding.chunk_size": 300}),
    (
        "decisionModel.endpoint",
        NATIVE.format("gemini-1.5-flash:generateContent"),
        {"learn.decision.endpoint": GEMINI},
    ),
    ("decisionModel.apiKey", "env:GEMINI_KEY", {"learn.decision.api_key_env": "GEMINI_KEY"}),
    ("decisionModel.model", "gemini-1.5-flash", {"learn.decision.model": "gemini-1.5-flash"}),
    (
        "decisionModel.prompt",
        "Worth it? {conversation}",
        {"learn.decision.prompt": "Worth it? {conversation}"},
    ),
    ("decisionModel.generationConfig", {"response_mime_type": "application/json"}, NOTHING),
    (
        "summarizerModel.endpoint",
        "http://127.0.0.1:1234/v1/chat/completions",
        {"learn.summary.endpoint": "http://127.0.0.1:1234/v1"},
    ),
    ("summarizerModel.apiKey", "$GEMINI_KEY", {"learn.summary.api_key_env": "GEMINI_KEY"}),
    ("summarizerModel.model", "gemini-1.5-flash", {"learn.summary.model": "gemini-1.5-flash"}),
    (
        "summarizerModel.prompt",
        "一句话概括：{conversation}",
        {"learn.summary.prompt": "一句话概括：{conversation}"},
    ),
    ("learn.raw", ["user_input"], {}),
    ("vectorStore.path", "./data/lancedb", NOTHING),
    ("vectorStore.tableName", "memories", NOTHING),
    ("retrieval.topK", 3, {"recall.max_items": 3}),
    ("enabled", False, {"recall.enabled": False}),
    (
        "triggerStrategies.keywordMatching",
        False,
        {"triggers.keyword.enabled": False, "triggers.pattern.enabled": False},
    ),
    ("triggerStrategies.semanticSimilarity", False, {"triggers.semantic.enabled": False}),
    (
        "triggerStrategies.temporalProximity",
        False,
        {"triggers.recency.enabled": False, "triggers.dates.enabled": False},
    ),
    ("triggerStrategies.emotionalRelevance", False, {"triggers.emotional.wakes": False}),
    ("retrievalConfig.maxMemoriesPerType.episodic", 5, {"recall.max_per_type.episodic": 5}),
    ("retrievalConfig.maxMemoriesPerType.semantic", 5, {"recall.max_per_type.semantic": 5}),
    ("retrievalConfig.maxMemoriesPerType.traits", 3, {"recall.max_per_type.traits": 3}),
    ("retrievalConfig.maxMemoriesPerType.trait", 3, {"recall.max_per_type.traits": 3}),
    ("retrievalConfig.maxMemoriesPerType.goals", 3, {"recall.max_per_type.goals": 3}),
    ("retrievalConfig.maxMemoriesPerType.goal", 3, {"recall.max_per_type.goals": 3}),
    ("retrievalConfig.relevanceThreshold", 0.4, {"recall.relevance_threshold": 0.4}),
    ("retrievalConfig.timeDecayEnabled", False, {"triggers.recency.enabled": False}),
    ("retrievalConfig.emotionalBoostEnabled", False, {"triggers.emotional.weight": 0.0}),
    ("injectionConfig.maxTotalLength", 1500, {"budget.max_total_length": 1500}),
    ("serve.depth", 3, {"inject.depth": 3}),
    ("injectionConfig.injectPosition", "user", {"inject.position": "user"}),
    ("injectionConfig.template", "mine", {"inject.template": "mine"}),
    ("injectionConfig.separateByType", False, {"inject.separate_by_type": False}),
    ("autoRecallEnabled", False, {"recall.auto": False}),
    ("autoRecallLimit", 5, {"recall.max_items": 5}),
    (
        "highRelevanceThreshold",
        0.7,
        {
            "recall.high_relevance_threshold": 0.7,
            "recall.mode": "hybrid",
            "recall.past_threshold": 0.3,
        },
    ),
    ("inferenceEnabled", True, {"learn.inference_enabled": True}),
    ("inferenceInterval", 20, {"learn.inference_interval": 20}),
    ("topKCandidates", 20, {"recall.candidates": 20}),
    ("maxContextItems", 5, {"recall.max_items": 5}),
    ("minSimilarity", 0.25, {"recall.relevance_threshold": 0.25}),
    (
        "halfLifeDays",
        30,
        {"triggers.recency.half_life_days": 30.0, "triggers.recency.clock": "wall"},
    ),
    (
        "allowedTagsForChat",
        ["manual", "ai_output"],
        {"recall.sources": ["manual", "ai_output"], "recall.passages.recall": "all"},
    ),
    ("memory.enabled", False, {"recall.enabled": False, "learn.enabled": False}),
    ("memory.short_term.max_items", 12, {"memory.short_term_items": 12}),
    ("memory.short_term.compression_threshold", 15, {"memory.compression_threshold": 15}),
    ("memory.long_term.enabled", False, {"recall.enabled": False}),
    ("memory.long_term.vector_index", "none", {"triggers.semantic.vectors": False}),
    ("memory.long_term.max_return", 8, {"recall.max_items": 8}),
    ("memory.long_term.archive_threshold", 0.3, {"memory.archive_threshold": 0.3}),
    ("memory.inject.first_round_empty", True, {"recall.first_round_empty": True}),
    ("memory.inject.short_term_count", 6, {"memory.short_term_count": 6}),
    (
        "memory.inject.long_term_trigger",
        ["API", "部署"],
        {"recall.long_term_trigger": "keywords", "recall.long_term_keywords": ["API", "部署"]},
    ),
    ("memory.inject.long_term_keywords", ["API"], {"recall.long_term_keywords": ["API"]}),
    ("memory.inject.min_query_length", 4, {"recall.min_query_length": 4}),
    ("memory_agent.enabled", False, {"learn.enabled": False}),
    ("memory_agent.provider", "ollama", {"learn.endpoint": "http://127.0.0.1:11434/v1"}),
    ("memory_agent.model", "qwen", {"learn.model": "qwen"}),
    ("memory_agent.api_key", "${KEY}", {"learn.api_key_env": "KEY"}),
    (
        "memory_agent.base_url",
        "http://127.0.0.1:8000/v1",
        {"learn.endpoint": "http://127.0.0.1:8000/v1"},
    ),
    ("memory_agent.timeout", "30s", {"learn.timeout_s": 30.0}),
    ("memory_agent.extract.batch_size", 6, {"learn.batch_size": 6}),
    ("memory_agent.extract.max_facts", 4, {"learn.max_facts": 4}),
    ("memory_agent.extract.min_confidence", 0.8, {"learn.min_confidence": 0.8}),
    ("memory_agent.extract.auto_tag", False, {"learn.auto_tag": False}),
    ("memory_agent.summarize.enabled", False, {"learn.summarize.enabled": False}),
    ("memory_agent.summarize.trigger_tokens", 3000, {"learn.summarize.trigger_tokens": 3000}),
]


def said(home: Path, written: dict[str, Any]) -> dict[str, Any]:
    """What settings differ from the defaults, by dotted key."""
    loaded = load_settings(home, written)
    dumped, plain = (
        json.loads(settings.model_dump_json())
        for settings in (loaded.settings, load_settings(home).settings)
    )

    def at(tree: Any, key: str) -> Any:
        for part in key.split("."):
            tree = tree[part]
        return tree

    return {key: at(dumped, key) for key in leaves() if at(dumped, key) != at(plain, key)}


@pytest.mark.parametrize(
    ("name", "value", "ours"),
    [pytest.param(*row, id=f"{ALIASES[row[0]].of} {row[0]}") for row in ROWS],
)
def test_a_foreign_name_says_what_ours_says(
    name: str, value: Any, ours: dict[str, Any], tmp_path: Path
) -> None:
    home = home_with(tmp_path)
    assert said(home, {name: value}) == said(home, ours)


def test_every_foreign_name_has_its_row() -> None:
    assert {row[0] for row in ROWS} == set(ALIASES)


def test_every_row_points_at_keys_of_ours() -> None:
    pointed = {key for row in ALIASES.values() for key in (*row.keys, *(row.implies or {}))}
    assert pointed <= set(leaves())


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        pytest.param(
            {"retrieval.topK": 3, "recall.max_items": 7},
            {"recall.max_items": 7},
            id="our own name wins",
        ),
        pytest.param(
            {"autoRecallLimit": 5, "retrieval.topK": 3},
            {"recall.max_items": 3},
            id="the earlier row wins, whatever stands first",
        ),
        pytest.param(
            {"memory.enabled": True, "memory.long_term.enabled": False},
            {"recall.enabled": False},
            id="off wins over on",
        ),
        pytest.param(
            {"halfLifeDays": 14, "triggers.recency.clock": "turns"},
            {},
            id="what is implied gives way to what is said",
        ),
        pytest.param(
            {"embedding.APIType": "Gemini", "embedding.BaseURL": "http://127.0.0.1:1/v1"},
            {"embedding.endpoint": "http://127.0.0.1:1/v1", "embedding.backend": "endpoint"},
            id="an address wins over a provider's name",
        ),
        pytest.param({"embedding.APIType": "my own"}, {}, id="an unknown provider says nothing"),
        pytest.param(
            {"memory.inject.long_term_trigger": "keyword"},
            {"recall.long_term_trigger": "keywords"},
            id="keyword is keywords",
        ),
        pytest.param(
            {"retrievalConfig.emotionalBoostEnabled": True},
            {},
            id="a boost that is on is the default",
        ),
    ],
)
def test_names_that_meet(written: dict[str, Any], ours: dict[str, Any], tmp_path: Path) -> None:
    home = home_with(tmp_path)
    assert said(home, written) == said(home, ours)


def test_a_name_that_loses_is_told(tmp_path: Path) -> None:
    loaded = load_settings(home_with(tmp_path, "autoRecallLimit = 5\n[recall]\nmax_items = 7\n"))
    assert [note.text() for note in loaded.notes] == [
        f"{tmp_path}/home/rolememory.toml:1: autoRecallLimit: not used: recall.max_items says it already"
    ]
    assert (
        loaded.notes[0].text("zh").endswith("autoRecallLimit：未采用：recall.max_items 已经说明了")
    )


def test_a_key_in_a_file_is_neither_read_nor_repeated(tmp_path: Path) -> None:
    secret = "sk-live-0123456789"
    loaded = load_settings(
        home_with(tmp_path, f'[memory_agent]\nenabled = true\napi_key = "{secret}"\n')
    )
    assert secret not in loaded.settings.model_dump_json()
    assert "ROLEMEMORY_LEARN_KEY" in loaded.notes[0].text()
    assert secret not in str(loaded.notes)


def test_a_whole_file_of_the_agent_design_loads(tmp_path: Path) -> None:
    """S4.12: complete [memory] and [memory_agent] sections."""
    toml = """
[memory]
enabled = true
max_history = 50
[memory.short_term]
max_items = 10
compression_threshold = 15
[memory.long_term]
enabled = true
vector_index = true
max_return = 5
archive_threshold = 0.2
[memory.inject]
first_round_empty = true
short_term_count = 10
long_term_trigger = "always"
min_query_length = 3
[memory_agent]
enabled = true
provider = "openai"
model = "gpt-4o-mini"
api_key = ""
base_url = ""
timeout = 30
[memory_agent.extract]
batch_size = 5
max_facts = 10
min_confidence = 0.7
auto_tag = true
[memory_agent.summarize]
enabled = true
trigger_tokens = 2000
"""
    settings = load_settings(home_with(tmp_path, toml)).settings
    assert (
        settings.recall.max_items,
        settings.recall.first_round_empty,
        settings.memory.max_history,
        settings.memory.short_term_items,
        settings.memory.short_term_count,
        settings.memory.compression_threshold,
    ) == (5, True, 50, 10, 10, 15)
    assert (
        settings.learn.model,
        settings.learn.timeout_s,
        settings.learn.summarize.trigger_tokens,
    ) == ("gpt-4o-mini", 30.0, 2000)
    assert settings.learn.endpoint == "https://api.openai.com/v1"


def test_a_role_says_it_in_json_too(tmp_path: Path) -> None:
    """S1.15 to S1.19 as they stand in a TypeScript config, brought along into role.json."""
    config = json.loads(
        '{"triggerStrategies": {"keywordMatching": true}, "retrievalConfig": {"maxMemoriesPerType": {"traits": 3}}}'
    )
    assert (
        load_settings(
            home_with(tmp_path), role_overrides=config
        ).settings.recall.max_per_type.traits
        == 3
    )


def test_names_are_taken_as_written() -> None:
    """No guessing: a name in another spelling is unknown, and the error says which was meant."""
    errors = translate_layer(Layer("x", undotted({"retrieval.topk": 3}))).errors
    assert [str(error) for error in errors] == [
        "x: retrieval.topk: unknown key; did you mean 'retrieval.topK'?"
    ]
