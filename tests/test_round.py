"""Whole rounds as the source designs draw them: said, kept, learned by a model, recalled, weighed, put away; through Home, over real HTTP."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home, RoleMemory
from rolememory.schema.message import Message
from tests.endpoint import Behaviour, Endpoint, Line, answers
from tests.hashing import HashingEmbedder

U, A = Message.user, Message.assistant
PARIS = "Lin moved from Rome to Paris."
STEPS: dict[str, Any] = {
    "extraction": {
        "facts": [
            {
                "turn": 1,
                "quote": "I moved from Rome to Paris",
                "content": PARIS,
                "about": "user",
                "type": "fact",
                "tags": ["home"],
                "confidence": 0.9,
                "replaces": 0,
            }
        ]
    },
    "decision": {"should_remember": True, "reason": "a move"},
    "summary": {"memory": PARIS, "about": "user", "turn": 1, "quote": "I moved from Rome to Paris"},
    "inference": [
        {"conclusion": "Lin knows two capitals by heart.", "confidence": 0.8, "basedOn": [1, 2]}
    ],
}


def by_step(**changed: Any) -> Behaviour:
    """A model that answers each step in its shape."""
    known = STEPS | changed

    def behave(line: Line) -> None:
        answers(known[line.request.json["response_format"]["json_schema"]["name"]])(line)

    return behave


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with Endpoint(by_step()) as served:
        yield served


def opened(folder: Path, model: Endpoint, **settings: Any) -> Home:
    learning = {
        "learn.endpoint": model.url,
        "learn.model": "small",
        "learn.summarize.enabled": False,
    }
    return Home.open(
        folder,
        {**learning, **{name.replace("__", "."): value for name, value in settings.items()}},
        HashingEmbedder(),
    )


def exchanges(count: int) -> list[Message]:
    """So many complete exchanges; the first one tells something."""
    first = [U("Good evening! I moved from Rome to Paris."), A("So far from the sea.")]
    return [
        *first,
        *(
            message
            for number in range(2, count + 1)
            for message in (U(f"Lamp {number} is trimmed."), A(f"Lamp {number}, good."))
        ),
    ]


def read(role: RoleMemory) -> None:
    """Wait for commands and model."""
    assert role.learned(20)
    assert role.learner.worker.settle(60)


def recalled(role: RoleMemory, question: str, **about: Any) -> list[str]:
    return [
        one.memory.content
        for one in role.recall([U(question)], chat="later", user="lin", **about).recalled
    ]


def test_s4_33_a_whole_round(tmp_path: Path, model: Endpoint) -> None:
    with opened(tmp_path, model, preset="agent") as home:
        role = home.create("Mira")
        said = exchanges(1)
        role.observe(said, chat="one", user="lin")
        assert [one.text for one in role.chats.recent("one", 20, 8000)] == [
            message.content for message in said
        ], "short term"
        for count in range(2, 6):
            role.observe(exchanges(count), chat="one", user="lin")
        read(role)
        assert model.requests == [], "the fifth is not final"
        role.observe([*exchanges(5), U("Good night.")], chat="one", user="lin")
        read(role)
        assert len(model.requests) == 1
        (fact,) = (one for one in role.memories.values() if one.content == PARIS)
        assert role.ready(60)
        assert PARIS in recalled(role, "Where did I move from Rome?")
        role.observe(
            [U("Where did I move from Rome?"), A("You live in Paris now.")],
            chat="later",
            user="lin",
        )
        role.usage.settle()
        assert [one.id for one in role.core(1.01)] == [fact.id]
        role.edit(fact.id, weight=0.1)
        long_after = datetime.now(UTC) + timedelta(days=400)
        role.used(fact.id, "Where was I?", referenced=False)
        assert (
            [one.id for one in role.clean(long_after)]
            == [fact.id]
            == [one.id for one in role.archived()]
        )
        assert PARIS not in recalled(role, "Where did I move from Rome?")


def test_s0_7_a_dialogue_is_judged_told_in_one_sentence_and_recalled(
    tmp_path: Path, model: Endpoint
) -> None:
    with opened(tmp_path, model, preset="koishi", learn__extractor="model") as home:
        role = home.create("Mira")
        role.observe([*exchanges(1), U("Good night.")], chat="one", user="lin")
        read(role)
        assert [
            request.json["response_format"]["json_schema"]["name"] for request in model.requests
        ] == ["decision", "summary"]
        assert [one.content for one in role.memories.values()] == [PARIS]
        assert role.ready(60)
        assert recalled(role, "Where did I move?") == [PARIS]
        assert role.recall([U("Where did I move?")], user="tom").recalled == ()


@pytest.mark.parametrize(
    ("said", "asked", "better", "question"),
    [
        pytest.param(
            "Remember that I live in Riga.",
            "I live in Riga",
            "Lin lives in Riga, in an attic near the river.",
            "In which attic do I live?",
            id="en",
        ),
        pytest.param(
            "记住，我住在杭州。",
            "我住在杭州",
            "Lin住在杭州西湖边的小楼里。",
            "我住在哪座小楼里？",
            id="zh",
        ),
    ],
)
def test_a_command_is_obeyed_at_once_and_the_model_says_it_better_later(
    tmp_path: Path, said: str, asked: str, better: str, question: str
) -> None:
    fact = STEPS["extraction"]["facts"][0] | {
        "quote": asked,
        "content": better,
        "about": "user",
        "replaces": 1,
    }
    with (
        Endpoint(by_step(extraction={"facts": [fact]})) as model,
        opened(tmp_path, model, learn__batch_size=1) as home,
    ):
        role = home.create("Mira")
        role.observe([U(said)], chat="one", user="lin")
        assert role.learned(20)
        assert role.ready(60)
        (order,) = (one for one in role.memories.values())
        assert asked in recalled(role, question), "it is known before any model was asked"
        role.observe([U(said), A("How nice."), U("Good night.")], chat="one", user="lin")
        read(role)
        assert role.ready(60)
        (best,) = (one for one in role.memories.values() if one.content == better)
        assert best.supersedes == (order.id,)
        assert better in recalled(role, question)


def test_s0_10_small_talk_leaves_nothing(tmp_path: Path) -> None:
    with (
        Endpoint(by_step(decision={"should_remember": False})) as model,
        opened(tmp_path, model, preset="koishi", learn__extractor="model") as home,
    ):
        role = home.create("Mira")
        role.observe([*exchanges(1), U("Good night.")], chat="one", user="lin")
        read(role)
        assert (len(model.requests), dict(role.memories)) == (1, {})


def test_s2_22_conclusions_are_drawn_behind_the_chat(tmp_path: Path, model: Endpoint) -> None:
    wanted = {
        "learn__inference_enabled": True,
        "learn__inference_interval": 1,
        "learn__batch_size": 1,
    }
    with opened(tmp_path, model, **wanted) as home:
        role = home.create("Mira")
        role.remember("Lin was born in Rome.", "semantic", id="born", subject="user", user="lin")
        role.observe([*exchanges(1), U("Good night.")], chat="one", user="lin")
        read(role)
        (drawn,) = (one for one in role.memories.values() if one.source == "inference")
        assert (drawn.content, drawn.confidence, drawn.user) == (
            STEPS["inference"][0]["conclusion"],
            0.8,
            "lin",
        )
        assert drawn.evidence, "it goes with the words it rests on"


CHAT = {"preset": "local_chat", "embedding__backend": "off"}


def test_s3_22_a_turn_recalls_first_then_keeps_and_the_next_start_finds_it(
    tmp_path: Path, model: Endpoint
) -> None:
    said = U("My sister Anna keeps bees in Riga.")
    with opened(tmp_path, model, learn__extractor="rules", **CHAT) as home:
        role = home.create("Mira")
        turn = role.recall([said], chat="one", user="lin")
        assert turn.recalled == (), "recall comes before what was just said is kept"
        assert turn.messages[-1].content == said.content
        role.observe([said], "<think>bees?</think>[joy] Bees are kind.", chat="one", user="lin")
    with opened(tmp_path, model, learn__extractor="rules", **CHAT) as home:
        role = home.role("Mira")
        active = role.chats.active("lin")
        assert active is not None
        kept = role.chats.recent(active.id, 20, 8000)
        assert [one.text for one in kept] == [said.content, "Bees are kind."]
        assert "bees?" in kept[-1].raw
        assert role.ready(60)
        assert any(
            "Anna" in content for content in recalled(role, "Where does my sister Anna keep bees?")
        )


def test_s3_31_a_sentence_that_is_repeated_does_not_echo(tmp_path: Path, model: Endpoint) -> None:
    said = "My sister Anna keeps bees in Riga."
    with opened(tmp_path, model, learn__extractor="rules", **CHAT) as home:
        role = home.create("Mira")
        chat: list[Message] = []
        for _ in range(4):
            chat.append(U(said))
            turn = role.recall(chat, chat="one", user="lin")
            assert said not in turn.text
            chat.append(A("You said so."))
            role.observe(chat, chat="one", user="lin")
        heard = recalled(role, "Where does Anna keep her bees?")
        assert heard.count(said) == 1


def test_s3_34_replies_word_for_word_only_where_the_settings_want_them(
    tmp_path: Path, model: Endpoint
) -> None:
    with opened(tmp_path, model, learn__extractor="rules", **CHAT) as home:
        role = home.create("Mira")
        role.observe(
            [U("Tell me of the harbour."), A("The harbour freezes in January."), U("And then?")],
            chat="one",
            user="lin",
        )
        raw = "The harbour freezes in January."
        assert role.ready(60)
        question = "What becomes of the harbour when it is cold in January?"
        assert raw not in recalled(role, question)
        everything = {
            "recall.passages.recall": "all",
            "recall.sources": ["manual", "summary", "user_input", "ai_output"],
        }
        assert raw in recalled(role, question, settings=everything)
