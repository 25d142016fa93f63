"""Preset `koishi`, the chat-bot design: judge a dialogue, keep one sentence of it, recall the three nearest in meaning (S0)."""

from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home
from tests.designs.chats import Chatting, a, chatting, u
from tests.endpoint import status

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
SAID = {
    "en": ("Guess what: I was born on the 25th of October.", "I will bake you a cake."),
    "zh": ("跟你说件事：我是十月二十五日出生的。", "到时候我给你烤个蛋糕。"),
}
KEPT = {"en": "The user's birthday is October 25th.", "zh": "用户的生日是十月二十五日。"}
ASKED = {"en": "On which day is my birthday?", "zh": "我的生日是哪一天？"}
KNOWN = {
    "en": (
        "The user's birthday is October 25th.",
        "The user likes green tea.",
        "The user works in a bakery.",
        "The user has a grey dog.",
        "The harbour froze in January.",
    ),
    "zh": (
        "用户的生日是十月二十五日。",
        "用户爱喝绿茶。",
        "用户在面包店工作。",
        "用户养了一条灰狗。",
        "港口在一月结了冰。",
    ),
}


def remembering(language: str, **steps: Any) -> dict[str, Any]:
    """A model that finds something to remember in every exchange."""
    return {"decision": {"should_remember": True, "reason": "-"}, "summary": KEPT[language]} | steps


def exchanged(mira: Chatting, language: str) -> None:
    """One complete exchange, and the message that makes it final."""
    said, reply = SAID[language]
    mira.say(said, reply=reply)
    mira.say(u(said), a(reply), u("Good night." if language == "en" else "晚安。"))


def lines(block: str) -> list[str]:
    """The memories of a block."""
    return [line[2:] for line in block.splitlines() if line.startswith("- ")]


@LANGUAGES
def test_an_exchange_is_judged_told_in_one_sentence_stored_and_recalled(
    tmp_path: Path, language: str
) -> None:
    """S0.1, S0.2, S0.6, S0.7, S0.12, N.2: nobody calls anything; the bare sentence of the summary is the memory."""
    with chatting(
        tmp_path, preset="koishi", language=language, steps=remembering(language)
    ) as mira:
        exchanged(mira, language)
        memories = mira.mind.memories.values()
        assert [one.content for one in memories] == [KEPT[language]]
        assert mira.asked == ["decision", "summary"]
        assert lines(mira.say(ASKED[language], chat="two")) == [KEPT[language]]


@LANGUAGES
def test_small_talk_leaves_nothing(tmp_path: Path, language: str) -> None:
    """S0.10, N.2: `false` is final, and no summary is asked for."""
    steps = remembering(language, decision={"should_remember": False})
    with chatting(tmp_path, preset="koishi", language=language, steps=steps) as mira:
        exchanged(mira, language)
        assert (dict(mira.mind.memories), mira.asked) == ({}, ["decision"])
        assert mira.say(ASKED[language], chat="two") == ""


@LANGUAGES
def test_the_decision_sees_the_exchange_and_is_asked_as_json(tmp_path: Path, language: str) -> None:
    """S0.9, S0.11: the dialogue stands in the prompt, and the answer's form is asked for."""
    with chatting(
        tmp_path, preset="koishi", language=language, steps=remembering(language)
    ) as mira:
        exchanged(mira, language)
        assert mira.mind.memories
        decision = next(one for one in mira.model.requests if one.form)
        assert decision.form == "json_schema"
        assert all(text in decision.said for text in SAID[language])


@LANGUAGES
def test_the_three_nearest_come_however_near(tmp_path: Path, language: str) -> None:
    """S0.4, S0.20, N.11: the question is embedded, and the three with the highest cosine come; no threshold."""
    with chatting(tmp_path, preset="koishi", language=language) as mira:
        mira.tell(*KNOWN[language])
        for asked in (*ASKED.values(), "x", "?"):
            embedded = mira.script.embedder.embed([asked, *KNOWN[language]])
            cosines = dict(zip(KNOWN[language], (embedded[1:] @ embedded[0]).tolist(), strict=True))
            nearest = sorted(cosines, key=cosines.__getitem__, reverse=True)[:3]
            found = lines(mira.say(asked, chat=f"about {asked}"))
            assert {cosines[one] for one in found} == {cosines[one] for one in nearest}, asked


@LANGUAGES
def test_only_what_is_the_users_own_is_searched(tmp_path: Path, language: str) -> None:
    """S0.4: the store is filtered by the user."""
    with chatting(tmp_path, preset="koishi", language=language) as mira:
        mira.tell(*KNOWN[language][:1], user="tom")
        mira.tell(*KNOWN[language][1:3])
        assert set(lines(mira.say(ASKED[language]))) == set(KNOWN[language][1:3])
        assert lines(mira.say(ASKED[language], user="tom", chat="toms")) == [KNOWN[language][0]]
        assert mira.say(ASKED[language], user="eve", chat="eves") == ""


@LANGUAGES
def test_memories_are_put_into_the_system_prompt_itself(tmp_path: Path, language: str) -> None:
    """S0.5, N.7: behind what the system prompt says, and nowhere else."""
    with chatting(tmp_path, preset="koishi", language=language) as mira:
        mira.tell(KNOWN[language][0])
        history = [u(SAID[language][0]), a(SAID[language][1]), u(ASKED[language])]
        block = mira.say(*history)
        assert lines(block) == [KNOWN[language][0]]
        assert mira.sent == [("system", f"{mira.card}\n\n{block}"), *history]


@LANGUAGES
def test_the_bot_may_call_it_and_format_the_list_on_its_own(tmp_path: Path, language: str) -> None:
    """S0.3, S0.5: user and new message give the list of memories; the words around it are the caller's."""
    with Home.open(tmp_path, {"preset": "koishi", "embedding.backend": "off"}) as home:
        role = home.role("Mira", create=True)
        role.remember(KNOWN[language][0], user="lin")
        found = role.recall(ASKED[language], user="lin").recalled
        assert [one.memory.content for one in found] == [KNOWN[language][0]]


PLUGIN = """
preset = "koishi"
[embedding]
APIType = "Gemini"
EmbeddingModel = "embedding-001"
BaseURL = "SERVER"
EmbeddingDims = 64
ChunkSize = 300
[decisionModel]
endpoint = "SERVER"
model = "gemini-1.5-flash"
prompt = "Is anything in it worth keeping? {conversation} Answer in JSON."
[decisionModel.generationConfig]
response_mime_type = "application/json"
[summarizerModel]
endpoint = "SERVER"
model = "gemini-1.5-pro"
prompt = "Put it into one sentence: {conversation}"
[vectorStore]
path = "./data/lancedb"
tableName = "memories"
[retrieval]
topK = 1
"""


def test_the_plugins_own_settings_work_as_they_are(tmp_path: Path) -> None:
    """S0.9, S0.12, S0.16 to S0.21: one section; its models and prompts are asked, its `topK` is given."""
    with chatting(tmp_path, steps=remembering("en"), toml=PLUGIN) as mira:
        exchanged(mira, "en")
        mira.tell(*KNOWN["en"][1:])
        assert len(lines(mira.say(ASKED["en"], chat="two"))) == 1
        asked = {one.json["model"]: one for one in mira.model.requests}
        assert set(asked) == {"embedding-001", "gemini-1.5-flash", "gemini-1.5-pro", "m"}
        for model, prompt in (
            ("gemini-1.5-flash", "Is anything in it worth keeping?"),
            ("gemini-1.5-pro", "Put it into one sentence:"),
        ):
            assert prompt in asked[model].said
            assert SAID["en"][0] in asked[model].said


def test_a_failing_embedding_server_costs_no_reply(tmp_path: Path) -> None:
    """S0.24, S0.26, S0.28: the chat goes on, and the server is left alone after a few failures."""
    with chatting(tmp_path, preset="koishi") as mira:
        mira.tell(*KNOWN["en"])
        assert mira.say(ASKED["en"])
        before, mira.script.embedding = len(mira.model.requests), status(500)
        for number in range(8):
            mira.say(
                f"On which day number {number} is my birthday?", chat="two", reply="In autumn."
            )
            assert mira.answer is not None
            assert "In autumn." in mira.answer.text
        tried = [one for one in mira.model.requests[before:] if one.path.endswith("/embeddings")]
        assert 0 < len(tried) < 8


def test_a_failing_decision_ends_its_round_and_the_chat_notices_nothing(tmp_path: Path) -> None:
    """S0.27, S0.28: nothing is stored of that round, the reply arrives; the exchange is judged once the model is back."""
    with chatting(tmp_path, preset="koishi", steps=remembering("en", decision=status(500))) as mira:
        exchanged(mira, "en")
        assert mira.answer is not None
        assert "Hm." in mira.answer.text
        assert dict(mira.mind.memories) == {}
    with chatting(tmp_path, preset="koishi", steps=remembering("en")) as mira:
        mira.say("Are you still there?", chat="two")
        assert [one.content for one in mira.mind.memories.values()] == [KEPT["en"]]
