"""What was learned from a reply is told, a wrong one is corrected by a word, and the reply can be had again with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home, RoleMemory
from tests.endpoint import Endpoint, Line, answers
from tests.learning.teller import A, U, opened, play, settled, step_of

SAID = [U("I went to see Anna yesterday."), A("Anna has one sister, if I recall.")]
SAID_ZH = [U("我昨天去看了小梅。"), A("小梅好像有一个姐姐。")]
WRONG = {"en": "Anna, whom Lin visited, has one sister.", "zh": "林去看过的小梅有一个姐姐。"}
RIGHT = {"en": "she has two sisters", "zh": "她有两个姐姐"}
COMMAND = {
    "en": "(OOC: that's wrong, she has two sisters.)",
    "zh": "（场外：不对，她有两个姐姐。）",
}
QUESTION = {"en": "How many sisters does Anna have?", "zh": "小梅有几个姐姐？"}


QUOTES = {
    "sister": (2, "Anna has one sister"),
    "姐姐": (2, "小梅好像有一个姐姐"),
    "bees": (1, "Anna keeps bees"),
    "boat": (1, "I own a boat"),
}


def fact(content: str, about: str) -> dict[str, Any]:
    turn, quote = next(found for word, found in QUOTES.items() if word in content)
    return {
        "turn": turn, "quote": quote, "content": content, "about": about, "type": "fact", "tags": [],
        "confidence": 0.95, "replaces": 0,
    }  # fmt: skip


def learns(*contents: str, about: str = "Anna") -> Any:
    def behave(line: Line) -> None:
        told = [fact(one, about) for one in contents]
        answers({"facts": told if step_of(line) == "extraction" else []})(line)

    return behave


@pytest.fixture(params=["en", "zh"])
def language(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def home(tmp_path: Path, language: str) -> Iterator[Home]:
    with (
        Endpoint(learns(WRONG[language], about="Anna" if language == "en" else "小梅")) as server,
        opened(tmp_path, server.url, learn__batch_size=1) as served,
    ):
        yield served
        server.now(learns())


def learned(home: Home, language: str) -> RoleMemory:
    """A role that was told something, and has learned it wrong."""
    role = home.create("Mira" if language == "en" else "米拉")
    said = SAID if language == "en" else SAID_ZH
    play(role, said)
    role.learner.worker.run(force=True)
    return role


def test_a_reply_tells_what_was_learned_from_it(home: Home, language: str) -> None:
    role = learned(home, language)
    assert [one.content for one in role.learned_from("harbour")] == [WRONG[language]]
    first = role.chats.path("harbour")[1].version
    assert [one.content for one in role.learned_from("harbour", first)] == [WRONG[language]]
    said = SAID if language == "en" else SAID_ZH
    play(role, [*said, U("Good night."), A("Sleep well.")])
    assert role.learned_from("harbour") == []
    assert [one.content for one in role.learned_from("harbour", first)] == [WRONG[language]]


def test_a_word_out_of_the_story_corrects_it_and_the_reply_is_had_again_with_it(
    home: Home, language: str
) -> None:
    role = learned(home, language)
    (wrong,) = role.learned_from("harbour")
    said = SAID if language == "en" else SAID_ZH
    play(role, [*said, U(COMMAND[language]), A("...")])
    right = next(one for one in role.memories.values() if RIGHT[language] in one.content)
    assert (right.supersedes, right.subject) == ((wrong.id,), wrong.subject)
    again = role.recall(
        [*said[:1], U(QUESTION[language])], chat="elsewhere", user="lin", dry_run=True
    )
    told = [one.memory.id for one in again.recalled]
    assert right.id in told
    assert wrong.id not in told
    role.undo()
    assert wrong.id in [
        one.memory.id
        for one in role.recall([U(QUESTION[language])], chat="elsewhere", user="lin").recalled
    ]


@pytest.mark.parametrize(
    ("facts", "said", "corrected"),
    [
        pytest.param(["Anna keeps bees in the garden.", "Lin owns a blue boat."], "(OOC: that's wrong, the boat is red.)", "Lin owns a blue boat.", id="the one that shares its words"),
        pytest.param(["Anna keeps bees in the garden.", "Lin owns a blue boat."], "(OOC: that's wrong, it rained.)", None, id="none where it may be several"),
        pytest.param(["Anna keeps bees in the garden."], "That's wrong, the boat is red.", None, id="none by a word of the story"),
    ],
)  # fmt: skip
def test_which_one_is_meant(
    tmp_path: Path, facts: list[str], said: str, corrected: str | None
) -> None:
    with (
        Endpoint(learns(*facts)) as server,
        opened(tmp_path, server.url, learn__batch_size=1) as home,
    ):
        role = home.create("Mira")
        talk = [U("Anna keeps bees, and I own a boat."), A("Anna and her garden, and your boat.")]
        play(role, talk)
        role.learner.worker.run(force=True)
        server.now(learns())
        play(role, [*talk, U(said), A("Hm.")])
        replaced = {old for one in role.memories.values() for old in one.supersedes}
        assert [role.memories[one].content for one in replaced] == [
            one for one in [corrected] if one
        ]


def test_what_an_author_wrote_is_never_meant(tmp_path: Path) -> None:
    with (
        Endpoint(learns("Anna has one sister and lives by the mill.")) as server,
        opened(tmp_path, server.url, learn__batch_size=1) as home,
    ):
        role = home.create("Mira")
        play(role, SAID)
        role.learner.worker.run(force=True)
        (one,) = role.learned_from("harbour")
        role.edit(one.id, locked=True)
        play(role, [*SAID, U("(OOC: that's wrong, she has two sisters.)"), A("Hm.")])
        settled(role)
        assert not any(each.supersedes for each in role.memories.values())
        assert [each.draft.content for each in role.waiting()] == ["she has two sisters"]
