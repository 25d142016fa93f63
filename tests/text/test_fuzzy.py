"""Keys with a typing mistake."""

import pytest

from rolememory.text.fuzzy import fuzzy, may_be_fuzzy


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        pytest.param("beacon", "The beacn went dark.", "beacn", id="a letter is missing"),
        pytest.param("beacon", "那座beacom灭了", "beacom", id="a wrong letter beside Chinese"),
        pytest.param("Eldoria", "in eldroia", "eldroia", id="two letters changed places"),
        pytest.param(
            "beacon",
            "bacon for breakfast",
            "bacon",
            id="a limit: another word may be one letter away",
        ),
        pytest.param("beacon", "a deacon spoke", None, id="another first letter is another word"),
        pytest.param("storm", "the star", None, id="a short word is not guessed"),
        pytest.param("art", "arts", None, id="a short key is not guessed"),
        pytest.param("灯塔守护人", "灯塔守护者", None, id="Chinese is not guessed"),
    ],
)
def test_a_word_that_resembles_a_key_is_found(key: str, text: str, words: str | None) -> None:
    near = fuzzy([key], text, 83).get(key)
    assert (text[near.start : near.end] if near else None) == words


def test_the_cutoff_decides() -> None:
    assert fuzzy(["beacon"], "beacn", 95) == {}
    assert fuzzy(["beacon"], "beacon", 95)["beacon"].likeness == 100


def test_keys_of_several_words_are_not_guessed() -> None:
    assert not may_be_fuzzy("red dragon")
    assert may_be_fuzzy("north-west")
    assert fuzzy([], "anything", 88) == {}
