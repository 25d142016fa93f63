"""Evidence and strength: order kept, no leg drags the other, noise stays noise."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rolememory.text import calibrate

SHARES = st.lists(st.floats(0, 1.5, width=32), min_size=2, max_size=20)


@given(SHARES, st.lists(st.floats(-1, 1, width=32), min_size=20, max_size=20))
def test_a_leg_that_finds_nothing_costs_nothing(
    coverage: list[float], cosines: list[float]
) -> None:
    words = calibrate.lexical(np.array(coverage, dtype=np.float32))
    meaning = calibrate.dense(np.array(cosines[: len(coverage)], dtype=np.float32), 0.1, 0.1)
    assert (meaning >= 0).all()
    assert (calibrate.strength(words + meaning) >= calibrate.strength(words)).all()


@given(st.lists(st.floats(0, 20, width=32), min_size=2, max_size=50))
def test_strength_keeps_the_order_and_its_bounds(evidence: list[float]) -> None:
    strengths = calibrate.strength(np.sort(np.array(evidence, dtype=np.float32)))
    assert (np.diff(strengths) >= 0).all()
    assert ((strengths >= 0) & (strengths < 1)).all()


def test_cosines_of_unrelated_texts_mean_nothing_whatever_the_model_calls_near() -> None:
    for mean, deviation in ((0.05, 0.1), (0.8, 0.02)):
        cosines = np.array([mean, mean + deviation, mean + 5 * deviation], dtype=np.float32)
        assert calibrate.dense(cosines, mean, deviation).astype(float).round(2).tolist() == [
            0.0,
            0.0,
            3.5,
        ]


def test_a_role_with_three_memories_leans_on_everyday_sentences() -> None:
    own, everyday = np.full(3, 0.6, dtype=np.float32), np.array([0.0, 0.1, 0.2], dtype=np.float32)
    mean, deviation = calibrate.noise_of(own, everyday)
    assert mean < 0.15
    assert calibrate.dense(own, mean, deviation).min() > 2.0
    assert calibrate.noise_of(own, None)[0] < 0.15
