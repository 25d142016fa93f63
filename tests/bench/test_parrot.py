"""A model that repeats what it sees: a small part of the bench."""

import pytest

from tests.bench.parrot import closed_loop, distinct, open_loop


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_parrot_is_not_led_in_circles(language: str) -> None:
    found = open_loop(language, 200, {})
    assert found["distinct"] >= 0.95
    assert found["unasked"] <= 3.0
    assert found["asked"] > 20.0, "who asks is told what the character said"


def test_nothing_grows_by_being_recalled() -> None:
    first, *_, last = closed_loop("en", 160, {})["samples"]
    assert last["weight"] <= first["weight"] <= 1.0
    assert last["salience"] == first["salience"]
    assert last["memories"] == first["memories"]
    assert last["copies"] == 1


def test_what_is_said_twice_is_less_distinct() -> None:
    assert distinct(["a b c d e"], "en") == 1.0
    assert distinct(["a b c d e"] * 2, "en") == 0.5
