"""What a role believes follows from what is visible now, however it came to be visible."""

from pathlib import Path

import pytest

from rolememory.engine import Home
from rolememory.schema.message import Message
from tests.learning.replay import SETTINGS, believed, walked

A, U = Message.assistant, Message.user


@pytest.mark.parametrize("seed", range(201, 205))
def test_a_life_of_edits_swipes_cuts_branches_and_restarts_leaves_what_is_visible_told_once_would_leave(
    seed: int,
) -> None:
    life = walked(seed, steps=150, every=75)
    assert life["wrong"] == []
    assert life["checks"] >= 2
    assert life["memories"] > 50, "there was something to differ in"


def test_a_promise_stands_while_its_words_stand_even_if_the_answer_that_let_it_stand_was_deleted(
    tmp_path: Path,
) -> None:
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


@pytest.mark.parametrize(
    ("question", "other", "answer"),
    [
        pytest.param("What are you by trade?", "*She nods.*", "A lighthouse keeper.", id="en"),
        pytest.param("你的灯笼是什么颜色的？", "*她点点头。*", "银色的。", id="zh"),
    ],
)
def test_an_answer_says_something_only_behind_its_question(
    tmp_path: Path, question: str, other: str, answer: str
) -> None:
    def kept() -> bool:
        return any(answer in content for content, *_ in believed(mind, "one"))

    with Home.open(tmp_path, SETTINGS) as home:
        mind = home.create("Mira")
        mind.observe([U("Hello."), A(question), U(answer)], chat="one", user="lin")
        assert kept()
        mind.observe([U("Hello."), A(other), U(answer)], chat="one", user="lin")
        assert not kept()
        mind.observe([U("Hello."), A(question), U(answer)], chat="one", user="lin")
        assert kept()


def test_a_question_put_in_later_lets_the_answer_be_kept(tmp_path: Path) -> None:
    with Home.open(tmp_path, SETTINGS) as home:
        mind = home.create("Mira")
        for reply in ("*She nods.*", "What are you by trade?"):
            mind.observe([U("Hello."), A(reply), U("A lighthouse keeper.")], chat="one", user="lin")
        assert any("keeper" in content for content, *_ in believed(mind, "one"))
