"""The talk before a message is evidence of its own: it wakes what nobody names, and drowns no question."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from rolememory import Home, Message, RoleMemory
from tests.hashing import HashingEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WORDS = {"embedding.backend": "off"}
KEPT = {
    "en": (
        "The old ferryman Osric drowned beside the mill wheel in the flood year.",
        "The baker sells rye loaves on market days.",
        "The chapel organ has two broken pipes.",
        "Foxes dig under the northern wall every winter.",
    ),
    "zh": (
        "老船夫阿福在发大水那年淹死在水车旁边。",
        "面包师赶集的日子卖黑麦面包。",
        "教堂的风琴有两根管子坏了。",
        "每年冬天狐狸都在北墙底下刨洞。",
    ),
}
TALK = {
    "en": (
        "The flood has taken the bridge again.",
        "The mill wheel turns too fast.",
        "I never liked it there.",
    ),
    "zh": ("发大水那年桥被冲走了。", "老船夫的水车还在转。", "我一直不喜欢那里。"),
}
ASKED = {"en": "What does the baker sell on market days?", "zh": "面包师赶集的时候卖什么？"}


def filled(home: Home, language: str) -> RoleMemory:
    role = home.create("Mira")
    role.remember_all([{"id": f"m{at}", "content": text} for at, text in enumerate(KEPT[language])])
    return role


def talk(*texts: str) -> list[Message]:
    return [(Message.assistant if at % 2 else Message.user)(text) for at, text in enumerate(texts)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_the_talk_is_about_comes_though_the_last_message_does_not_name_it(
    tmp_path: Path, language: str
) -> None:
    with Home.open(tmp_path, WORDS) as home:
        role = filled(home, language)
        before = role.recall(talk(TALK[language][-1]), dry_run=True)
        assert "m0" not in {one.memory.id for one in before.recalled}
        turn = role.recall(talk(*TALK[language]), dry_run=True)
        assert turn.recalled[0].memory.id == "m0"
        deaf = role.recall(
            talk(*TALK[language]), dry_run=True, settings={"triggers.semantic.context": 0.0}
        )
        assert "m0" not in {one.memory.id for one in deaf.recalled}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_that_names_its_matter_is_not_drowned(tmp_path: Path, language: str) -> None:
    with Home.open(tmp_path, WORDS) as home:
        role = filled(home, language)
        turn = role.recall(talk(*TALK[language][:2], ASKED[language]), dry_run=True)
        scores = {one.memory.id: one.scored.relevance for one in turn.recalled}
        assert turn.recalled[0].memory.id == "m1"
        assert scores["m1"] > 2 * scores.get("m0", 0.0)


def test_a_long_talk_costs_no_more_words_than_a_short_one(tmp_path: Path) -> None:
    from rolememory.schema.scene import Segment
    from rolememory.text.terms import TermIndex
    from rolememory.text.words import term_query
    from rolememory.triggers.semantic import MOST_WORDS, context_of

    terms, said = TermIndex(), " ".join(f"word{number}" for number in range(2_000))
    terms.add("a", said)
    segments = [Segment(said, "message", "user") for _ in range(50)]
    assert len(context_of(term_query("Hm."), segments, terms.among()).weights) <= MOST_WORDS


class TopicEmbedder(HashingEmbedder):
    """What is about water lies in one direction, whatever its words."""

    def _one(self, text: str) -> "Floats":
        plain = super()._one(text)
        water = any(word in text.lower() for word in ("ferry", "flood", "rowing boats"))
        return np.eye(self.dim, dtype=np.float32)[0] if water else plain


def test_what_the_talk_means_wakes_memories_though_no_word_is_shared(tmp_path: Path) -> None:
    model = TopicEmbedder(256)
    with Home.open(tmp_path, {"triggers.semantic.words": False}, model) as home:
        role = filled(home, "en")
        role.ready(60)
        told = ("All our rowing boats went down.", "In the flood?", "Never mind.")
        alone = role.recall(talk(told[-1]), dry_run=True)
        assert "m0" not in {one.memory.id for one in alone.recalled}
        asked = model.asked
        assert role.recall(talk(*told), dry_run=True).recalled[0].memory.id == "m0"
        role.recall(talk(*told), dry_run=True)
        assert model.asked - asked == len(told)  # each message once


def test_a_question_that_names_its_matter_embeds_nothing_else(tmp_path: Path) -> None:
    model = HashingEmbedder()
    with Home.open(tmp_path, None, model) as home:
        role = filled(home, "en")
        role.ready(60)
        asked = model.asked
        role.recall(talk(*TALK["en"][:2], ASKED["en"]), dry_run=True)
        assert model.asked - asked == 1


@pytest.mark.parametrize(
    ("told", "reply", "asked"),
    [
        pytest.param("I have a dog called Rex.", "Hm.", "Do I have a dog?", id="en"),
        pytest.param("我有一条狗叫小黑。", "嗯。", "我有狗吗？", id="zh"),
    ],
)
def test_what_says_nothing_does_not_come_along(
    tmp_path: Path, told: str, reply: str, asked: str
) -> None:
    with Home.open(tmp_path, WORDS) as home:
        role = home.create("Mira")
        role.observe([Message.user(told), Message.assistant(reply)], chat="old", user="lin")
        turn = role.recall([Message.user(asked)], chat="new", user="lin")
        assert [one.memory.content for one in turn.recalled] == [told]


@pytest.mark.parametrize(
    ("asked", "reply", "told"),
    [
        pytest.param("Where is the map?", "*Mira nods.*", False, id="en: a gesture"),
        pytest.param("Where is the map?", "Hmm... She shrugs.", False, id="en: a sound"),
        pytest.param("Where is the map?", "Under the stove.", True, id="en: an answer"),
        pytest.param("Who broke the map?", "Mira.", True, id="en: their own name"),
        pytest.param("Did you burn the map?", "*She nods.*", True, id="en: yes"),
        pytest.param("地图在哪里？", "*米拉点了点头。*", False, id="zh: a gesture"),
        pytest.param("地图在哪里？", "嗯……", False, id="zh: a sound"),
        pytest.param("地图在哪里？", "炉子下面。", True, id="zh: an answer"),
        pytest.param("你烧了地图吗？", "*她点点头。*", True, id="zh: yes"),
    ],
)
def test_what_was_asked_before_and_got_no_answer_is_no_answer_now(
    tmp_path: Path, asked: str, reply: str, told: bool
) -> None:
    name = "Mira" if asked.isascii() else "米拉"
    with Home.open(tmp_path, WORDS) as home:
        role = home.create(name)
        said = [Message.user("Hello."), Message.assistant("Good evening.")]
        said += [Message.user(asked), Message.assistant(reply)]
        role.observe(said, chat="old", user="lin")
        for _ in "twice":
            turn = role.recall([Message.user(asked)], chat="new", user="lin")
            assert (reply in turn.text) is told
            assert bool(turn.text) is told
