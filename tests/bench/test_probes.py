"""The probes of both languages keep their quality: a change that loses it is seen. Figures are floors, a little under what is reached."""

import json
from pathlib import Path

import pytest

from rolememory.schema.settings import RecallSettings, TriggerSettings
from rolememory.text.embed.local import packaged
from tests.bench.retrieval import Embeddings, admission, ranking, texts

DATA = Path(__file__).parent / "data"
THRESHOLD = RecallSettings().relevance_threshold


def roles(language: str) -> list[dict[str, object]]:
    read: list[dict[str, object]] = json.loads(
        (DATA / f"probes.{language}.json").read_text(encoding="utf-8")
    )["roles"]
    return read


@pytest.mark.parametrize(
    ("language", "first", "ten", "recall", "silent"),
    [
        pytest.param("en", 0.50, 0.68, 0.60, 0.85, id="English by words alone"),
        pytest.param("zh", 0.78, 0.94, 0.74, 0.77, id="Chinese by words alone"),
    ],
)
def test_by_words_alone(
    language: str, first: float, ten: float, recall: float, silent: float
) -> None:
    ranked = ranking(roles(language), None, TriggerSettings())["all"]
    passing = admission(roles(language), None, TriggerSettings(), THRESHOLD)
    assert ranked["recall@1"] >= first
    assert ranked["recall@10"] >= ten
    assert passing["recall"] >= recall
    assert passing["idle_silent"] >= silent
    assert passing["lines"] < 2.5


@pytest.mark.slow
@pytest.mark.skipif(packaged() is None, reason="the extra `offline` is not installed")
@pytest.mark.filterwarnings("default")
def test_with_the_english_model() -> None:
    vectors = Embeddings(None)
    vectors.want(texts(roles("en")))
    ranked = ranking(roles("en"), vectors, TriggerSettings())["all"]
    passing = admission(roles("en"), vectors, TriggerSettings(), THRESHOLD)
    assert ranked["recall@1"] >= 0.68
    assert ranked["recall@10"] >= 0.92
    assert passing["recall"] >= 0.83
    assert passing["idle_silent"] >= 0.68
    chinese = roles("zh")
    with_model = ranking(chinese, vectors, TriggerSettings())["all"]
    assert with_model == ranking(chinese, None, TriggerSettings())["all"], (
        "an English model has no say about Chinese"
    )
