"""Each preset is its design's defaults, and nothing besides (golden; S0.20, S1.17-S1.19, S2.8-S2.10, S3.15-S3.20, S4.5-S4.11)."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from rolememory.schema.memory import MemoryType, Source
from rolememory.schema.settings import Settings
from rolememory.shipped import shipped
from rolememory.storage.settings import load_settings
from rolememory.storage.settings_tree import leaves
from tests.storage.homes import home_with

GOLDEN = Path(__file__).parent / "presets.golden.json"
NAMES = sorted(file.stem for file in shipped("worldbook_rules", "presets").glob("*.toml"))


@pytest.fixture
def preset(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    return load_settings(home_with(tmp_path), {"preset": request.param}).settings


def of(name: str) -> Any:
    return pytest.mark.parametrize("preset", [name], indirect=True)


def differing(settings: Settings) -> dict[str, Any]:
    """Every key that is not at its default."""
    ours, plain = settings.model_dump(mode="json"), Settings().model_dump(mode="json")

    def at(tree: Any, key: str) -> Any:
        for part in key.split("."):
            tree = tree[part]
        return tree

    return {key: at(ours, key) for key in leaves() if at(ours, key) != at(plain, key)}


def test_these_are_shipped() -> None:
    assert NAMES == ["agent", "anh", "assistant", "default", "koishi", "local_chat", "sillytavern"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_it_was(name: str, tmp_path: Path) -> None:
    found = differing(load_settings(home_with(tmp_path), {"preset": name}).settings)
    assert found == json.loads(GOLDEN.read_text("utf-8"))[name]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_explained_in_both_languages(name: str) -> None:
    text = shipped("worldbook_rules", "presets", f"{name}.toml").read_text("utf-8")
    head = [line for line in text.splitlines() if line.startswith("# ")][:4]
    assert any(line.isascii() for line in head)
    assert any(not line.isascii() for line in head)
    assert "preset" not in tomllib.loads(text)


@of("koishi")
def test_s0_recalls_the_three_nearest_in_meaning(preset: Settings) -> None:
    triggers = preset.triggers
    assert (
        preset.recall.max_items,
        preset.recall.relevance_threshold,
        preset.embedding.chunk_size,
    ) == (3, 0.0, 300)
    assert [
        triggers.keyword.enabled,
        triggers.dates.enabled,
        triggers.recency.enabled,
        triggers.emotional.enabled,
    ] == [False] * 4
    assert (preset.learn.flow, preset.learn.batch_size, preset.inject.template) == (
        "decide",
        1,
        "koishi",
    )


@of("anh")
def test_s1_limits_each_type_and_heads_the_block(preset: Settings) -> None:
    assert tuple(getattr(preset.recall.max_per_type, kind.array) for kind in MemoryType) == (
        5,
        5,
        3,
        3,
    )
    assert (preset.inject.heading, preset.inject.position, preset.inject.template) == (
        None,  # the template's own, in the language of the chat
        "system",
        "anh",
    )
    assert (
        preset.recall.relevance_threshold,
        preset.budget.max_total_length,
        preset.inject.separate_by_type,
    ) == (0.3, 2000, True)
    assert preset.triggers.recency.enabled
    assert preset.triggers.emotional.enabled


@of("assistant")
def test_s2_splits_by_a_high_threshold_and_knows_preferences(preset: Settings) -> None:
    recall = preset.recall
    assert (recall.auto, recall.max_items, recall.high_relevance_threshold, recall.mode) == (
        True,
        5,
        0.8,
        "hybrid",
    )
    assert (preset.inject.preferences, preset.inject.template) == (True, "assistant")
    assert (preset.learn.inference_enabled, preset.learn.inference_interval) == (False, 10)


@of("local_chat")
def test_s3_multiplies_similarity_by_freshness(preset: Settings) -> None:
    recall, recency = preset.recall, preset.triggers.recency
    assert (recall.candidates, recall.max_items, recall.relevance_threshold, recall.fusion) == (
        20,
        5,
        0.3,
        "multiply",
    )
    assert (recency.half_life_days, recency.curve, recency.clock, recency.spares_lasting) == (
        14.0,
        "exponential",
        "wall",
        False,
    )
    assert set(recall.sources) == {Source.MANUAL, Source.SUMMARY, Source.USER_INPUT}
    assert (recall.echo_window_s, recall.near_duplicate, preset.inject.template) == (
        3.0,
        1.0,
        "local_chat",
    )
    assert recall.passages.recall == "user", "replies stay in the log and are not recalled"


@of("agent")
def test_s4_extracts_from_five_dialogues_and_archives_what_is_light(preset: Settings) -> None:
    learn, memory = preset.learn, preset.memory
    assert (learn.batch_size, learn.max_facts, learn.min_confidence, learn.auto_tag) == (
        5,
        10,
        0.7,
        True,
    )
    assert (memory.short_term_items, memory.archive_threshold, learn.summarize.trigger_tokens) == (
        20,
        0.2,
        2000,
    )
    recall = preset.recall
    assert (recall.first_round_empty, recall.min_query_length, recall.long_term_trigger) == (
        False,
        2,
        "always",
    )
    assert preset.inject.template == "agent"


@of("sillytavern")
def test_sillytavern_has_that_programs_settings_and_none_of_our_repairs(preset: Settings) -> None:
    lore = preset.lore
    assert (
        lore.rules,
        lore.scan_depth,
        lore.budget_percent,
        lore.recursive,
        lore.match_whole_words,
    ) == ("sillytavern", 2, 25, True, True)
    assert (lore.by_meaning, lore.cross_waking, preset.clean.enabled) == ("off", False, False)
