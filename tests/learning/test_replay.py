"""What a role believes follows from what is visible now, however it came to be visible."""

from pathlib import Path

import pytest

from rolememory.engine import Home
from rolememory.schema.message import Message
from tests.learning.replay import SETTINGS, believed, walked

A, U = Message.assistant, Message.user


@pytest.mark.parametrize("seed", range(201, 205))
def test_a_life_of_edits_swipes_cuts_branches_and_restarts_leaves_what_is_visible_told_once_would_leave(seed: int) -> None:
    life = walked(seed, steps=150, every=75)
    assert life["wrong"] == []
    assert life["checks"] >= 2
    assert life["memories"] > 50, "there was something to differ in"


def test_a_promise_stands_while_its_words_stand_even_if_the_answer_that_let_it_stand_was_deleted(tmp_path: Path) -> None:
    """The one difference by design: told anew, the promise would wait for the user's next word."""
    said = [U("Will you help me?"), A("I promise to bring the copper lantern tomorrow.")]
    with Home.open(tmp_path, SETTINGS) as home:
        mind = home.create("Mira")
        mind.observe([*said, U("Thank you.")], chat="one", user="lin")
        assert any("lantern" in content for content, *_ in believed(mind, "one"))
        mind.observe(said, chat="one", user="lin")
        assert any("lantern" in content for content, *_ in believed(mind, "one"))
        mind.observe([said[0], A("No, the road is closed.")], chat="one", user="lin")
        assert not any("lantern" in content for content, *_ in believed(mind, "one"))
