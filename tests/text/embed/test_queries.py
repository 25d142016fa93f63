"""Vectors of questions: each embedded once, none that would be noise, no failure of the turn."""

import numpy as np
import pytest

from rolememory.errors import ModelError
from rolememory.text.embed.queries import QueryVectors, asked
from tests.hashing import HashingEmbedder


def test_s4_34_a_question_asked_again_is_at_hand() -> None:
    model = HashingEmbedder()
    queries = QueryVectors(lambda: model)
    for _ in range(100):
        queries("why is it dark?")
    assert (queries.hits, queries.misses, model.asked) == (99, 1, 1)
    assert queries.hits / (queries.hits + queries.misses) > 0.95


def test_the_oldest_question_is_forgotten_first() -> None:
    model = HashingEmbedder()
    queries = QueryVectors(lambda: model, size=2)
    for text in ("one", "two", "one", "three", "one", "two"):
        queries(text)
    assert queries.misses == 4


def test_without_a_model_there_is_no_vector() -> None:
    assert QueryVectors(lambda: None)("storm") is None
    assert QueryVectors(HashingEmbedder)("  ") is None


def test_a_language_the_model_does_not_know_gives_no_vector() -> None:
    queries = QueryVectors(lambda: HashingEmbedder(unknown="灯塔为什么灭了"))
    assert queries("灯塔为什么灭了") is None
    assert queries.failure == ""
    assert isinstance(queries("why"), np.ndarray)


def test_s0_26_a_failing_model_costs_the_vector_and_is_asked_again_next_time() -> None:
    class Flaky(HashingEmbedder):
        fails = True

        def embed_query(self, text: str) -> np.ndarray:
            if self.fails:
                raise ModelError("no answer")
            return super().embed_query(text)

    model = Flaky()
    queries = QueryVectors(lambda: model)
    assert queries("storm") is None
    assert queries.failure == "no answer"
    model.fails = False
    assert queries("storm") is not None
    assert queries.failure == ""


def test_another_model_has_its_own_vectors() -> None:
    models = [HashingEmbedder(8), HashingEmbedder(16)]
    queries = QueryVectors(lambda: models[0])
    assert queries("storm").shape == (8,)  # type: ignore[union-attr]
    models.pop(0)
    assert queries("storm").shape == (16,)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("query", "earlier", "together"),
    [
        pytest.param(
            "And then?",
            "Nora lit the beacon.",
            True,
            id="a short follow-up is read with the message before",
        ),
        pytest.param("后来呢？", "诺拉点亮了灯塔。", True, id="in Chinese too"),
        pytest.param(
            "Who lit the beacon in the storm?",
            "Nice weather.",
            False,
            id="a full question stands alone",
        ),
        pytest.param(
            "灯塔是谁点亮的？", "天气真好。", False, id="a full Chinese question stands alone"
        ),
        pytest.param("And then?", "", False, id="nothing was said before"),
    ],
)
def test_what_is_embedded(query: str, earlier: str, together: bool) -> None:
    assert asked(query, earlier) == (f"{earlier}\n{query}" if together else query)
