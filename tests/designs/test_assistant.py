"""Preset `assistant`: what bears on the question is in the prompt, the rest is a search away, answers suit the user (S2)."""

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.designs.chats import Chatting, chatting
from tests.serve.proxy.upstreams import calls_tool

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
TOLD = {
    "en": (
        "How do I write a decorator in Python?",
        "What is the difference between a list and a tuple in Python?",
        "My cat is called Mochi and is three.",
        "I prefer Rust for new projects.",
        "It rained all day.",
    ),
    "zh": (
        "Python 里怎么写装饰器？",
        "我在学 Python，列表和元组有什么区别？",
        "我的猫叫年糕，今年三岁。",
        "我更喜欢用 Rust 写新项目。",
        "下了一整天的雨。",
    ),
}
PYTHON = {
    "en": "What Python questions did I ask you before?",
    "zh": "我之前问过什么 Python 问题？",
}
CAT = {"en": "What is my cat called?", "zh": "我的猫叫什么？"}
FUNCTION = {"en": "Write me a function.", "zh": "帮我写一个函数。"}
POEM = {"en": "Write me a poem about my cat Mochi.", "zh": "给我的猫年糕写首诗。"}
BOTH = {
    "en": "What is my cat called? Write me a poem about it.",
    "zh": "我的猫叫什么？给它写首诗吧。",
}
HEAD = {
    "en": "## Relevant memories\n\nThe following was learned in earlier conversations and may bear on the question:",
    "zh": "## 相关记忆\n\n以下是以往对话中得知、可能与当前问题有关的信息：",
}
NOTES = {
    "en": (
        "- If they bear on the question, use them.",
        "- If they do not, ignore them.",
        '- Never say "according to my memory" or "I remember"; use what you know naturally.',
    ),
    "zh": (
        "- 与用户的问题有关时，用上这些信息；",
        "- 与问题无关时，不必理会；",
        "- 不要说“根据记忆”“我记得”，自然地用在回答里即可。",
    ),
}


def told(mira: Chatting, language: str) -> None:
    """Some earlier conversations."""
    for number, text in enumerate(TOLD[language]):
        mira.say(text, chat=f"earlier {number}", reply="OK.")


@LANGUAGES
@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        pytest.param(PYTHON, (0, 1), id="which questions were asked"),
        pytest.param(CAT, (2,), id="what the cat is called"),
    ],
)
def test_who_asks_about_the_past_gets_it(
    tmp_path: Path, language: str, question: dict[str, str], wanted: tuple[int, ...]
) -> None:
    """S2.1, S2.5, S2.7, S2.16, N.5: a question about the past needs no search, in either language."""
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        told(mira, language)
        block = mira.say(question[language], chat="now")
        assert all(TOLD[language][one] in block for one in wanted)
        assert TOLD[language][4] not in block


@LANGUAGES
def test_what_is_asked_for_now_is_left_to_the_tool(tmp_path: Path, language: str) -> None:
    """S2.2, S2.6, S2.15, S2.16, N.6: the messages go unchanged, and what is known can be searched for."""
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        told(mira, language)
        search = calls_tool("search_memory", {"query": "Rust"}, streamed=False)

        def reply(line: Any) -> None:
            mira.script.reply = "fn main() {}"
            search(line)

        assert mira.say(FUNCTION[language], chat="now", reply=reply) == ""
        first, second = (one.json["messages"] for one in mira.chats[-2:])
        assert [one["role"] for one in first] == ["system", "user"]
        assert mira.tools == ["search_memory"]
        assert TOLD[language][3] in second[-1]["content"]
        assert mira.answer is not None
        assert mira.answer.json()["choices"][0]["message"]["content"] == "fn main() {}"


@LANGUAGES
def test_a_request_is_left_to_the_tool_though_something_bears_on_it(
    tmp_path: Path, language: str
) -> None:
    """S2.12, S2.16, N.6: only who asks about the past gets what is below `highRelevanceThreshold`."""
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        told(mira, language)
        assert mira.say(POEM[language], chat="now") == ""
        assert mira.tools == ["search_memory"]
        turn = mira.mind.recall(POEM[language], user="lin")
        (cat,) = (one for one in turn.near if one.memory.content == TOLD[language][2])
        rules = mira.mind.settings.recall
        assert (rules.past_threshold or 1.0) < cat.relevance < rules.high_relevance_threshold


@LANGUAGES
def test_a_mixed_message_gets_both(tmp_path: Path, language: str) -> None:
    """S2.16: what it asks about is injected, the rest is left to the tool."""
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        told(mira, language)
        assert TOLD[language][2] in mira.say(BOTH[language], chat="now")
        assert mira.tools == ["search_memory"]


def test_no_tool_where_there_is_nothing_to_search(tmp_path: Path) -> None:
    """N.6: not for a stranger, not for what stands in the window anyway."""
    with chatting(tmp_path, preset="assistant") as mira:
        mira.say(FUNCTION["en"])
        assert mira.tools == []
        mira.say(("user", FUNCTION["en"]), ("assistant", "Hm."), ("user", "A shorter one, please."))
        assert mira.tools == []
        mira.say(FUNCTION["en"], chat="toms", user="tom")
        assert mira.tools == []


@LANGUAGES
def test_the_block_says_what_the_design_says(tmp_path: Path, language: str) -> None:
    """S2.13, S2.14: heading, opening sentence, numbered items, three notes."""
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        mira.tell(*TOLD[language][2:3])
        block = mira.say(CAT[language]).split("\n")
        items = [line for line in block if line[:1].isdigit()]
        assert "\n".join(block[1:4]) == HEAD[language]
        assert items == [f"1. {TOLD[language][2]}"]
        assert tuple(block[-4:-1]) == NOTES[language]


@LANGUAGES
def test_it_is_appended_to_the_system_text_or_becomes_it(tmp_path: Path, language: str) -> None:
    """S2.15, S3.24, N.7: behind a blank line of the system text, and never in what the user said."""
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        mira.tell(*TOLD[language][2:3])
        block, asked = mira.say(CAT[language]), ("user", CAT[language])
        assert mira.sent == [("system", f"{mira.card}\n\n{block}"), asked]
        block = mira.say(CAT[language], chat="two", system="")
        assert mira.sent == [("system", block), asked]


@LANGUAGES
def test_the_switch_of_the_user_turns_it_off(tmp_path: Path, language: str) -> None:
    """S2.1, S2.8, S2.11: with `autoRecallEnabled = false` both lists are empty and the request goes as it is."""
    toml = 'preset = "assistant"\nautoRecallEnabled = false\n'
    with chatting(
        tmp_path, language=language, toml=toml, settings={"embedding.backend": "off"}
    ) as mira:
        mira.tell(*TOLD[language])
        assert (mira.say(CAT[language]), mira.tools) == ("", [])
        turn = mira.mind.recall(CAT[language], user="lin")
        assert (turn.recalled, turn.near) == ((), ())


@LANGUAGES
def test_at_most_five(tmp_path: Path, language: str) -> None:
    """S2.9: `autoRecallLimit`."""
    cat = {"en": "The user's cat sleeps in basket {}.", "zh": "用户的猫睡在第 {} 号篮子里。"}
    asked = {"en": "Where did my cat sleep before?", "zh": "我的猫以前睡在哪里？"}
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        mira.tell(*(cat[language].format(number) for number in range(1, 9)))
        block = mira.say(asked[language])
        assert "\n5. " in block
        assert "\n6. " not in block


@LANGUAGES
def test_at_or_above_the_threshold_is_high_and_below_is_low(tmp_path: Path, language: str) -> None:
    """S2.10, S2.12: the split, at `highRelevanceThreshold`."""
    said = {"en": "My cat is asleep.", "zh": "猫睡着了。"}[language]
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        mira.tell(TOLD[language][2])
        assert mira.mind.settings.recall.high_relevance_threshold == 0.8
        (score,) = (one.relevance for one in mira.mind.search(said, user="lin"))
        for threshold, high in ((score, True), (score + 0.01, False)):
            split = {"recall.high_relevance_threshold": threshold}
            turn = mira.mind.recall(said, user="lin", settings=split)
            assert (len(turn.recalled), len(turn.near)) == ((1, 0) if high else (0, 1))


WISHES = {
    "en": (
        "I am a beginner.",
        "Please keep your answers short.",
        "Please answer in English.",
    ),
    "zh": ("我是新手。", "回答请简洁一些。", "请用中文回答。"),
}


ANSWER = {
    "en": (
        "Explain from the ground up",
        "Keep answers short and to the point.",
        "Answer in English.",
    ),
    "zh": ("用户是初学者：从基础讲起", "回答要简短，只说要点。", "请用中文回答。"),
}
DETAILED = {"en": "Answer in detail and completely.", "zh": "回答要详细、完整。"}


@LANGUAGES
def test_answers_suit_the_user(tmp_path: Path, language: str) -> None:
    """S2.3, S2.17 to S2.21: what memories say of depth, length and language stands before the memories."""
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        mira.tell(*WISHES[language], *TOLD[language][2:3])
        mira.say(CAT[language])
        text = "\n".join(text for _, text in mira.sent)
        places = [text.index(one) for one in (mira.card, *ANSWER[language], mira.block)]
        assert places == sorted(places)
        mira.say(CAT[language], user="tom", chat="toms")
        assert ANSWER[language][0] not in str(mira.sent)


@LANGUAGES
def test_of_two_wishes_the_newer_counts_and_a_negated_one_does_not(
    tmp_path: Path, language: str
) -> None:
    """S2.20: the rules, with what they leave open settled."""
    newer = {"en": "I want detailed answers now.", "zh": "现在我想要详细的回答。"}[language]
    negated = {"en": "Don't answer too briefly.", "zh": "回答别太简短。"}[language]
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        mira.tell(negated)
        mira.say(CAT[language])
        assert ANSWER[language][1] not in str(mira.sent)
        mira.tell(WISHES[language][1], created="2026-03-01")
        mira.tell(newer, created="2026-03-02")
        mira.say(CAT[language], chat="two")
        assert ANSWER[language][1] not in str(mira.sent)
        assert DETAILED[language] in str(mira.sent)
        notes = mira.mind.recall(CAT[language], user="lin", dry_run=True).trace.notes
        assert [one.partition(":")[0] for one in notes] == ["response_length"], "the older is named"


CONCLUSIONS = {
    "en": ("The user is a programmer by trade.", "The user owns a ship."),
    "zh": ("用户以编程为业。", "用户有一艘船。"),
}


def concluding(language: str) -> dict[str, Any]:
    """A model that concludes something sure and something unsure."""
    sure, unsure = CONCLUSIONS[language]
    return {
        "extraction": {"facts": []},
        "inference": [
            {"conclusion": sure, "confidence": 0.9, "basedOn": [1, 2]},
            {"conclusion": unsure, "confidence": 0.2, "basedOn": [1, 2]},
        ],
    }


@LANGUAGES
def test_conclusions_are_drawn_behind_the_chat(tmp_path: Path, language: str) -> None:
    """S2.4, S2.22 to S2.24, S2.26, S2.31: every so many conversations, from several memories, only sure ones, with their source."""
    settings = {
        "learn.inference_enabled": True,
        "learn.inference_interval": 2,
        "learn.batch_size": 1,
    }
    with chatting(
        tmp_path,
        preset="assistant",
        language=language,
        steps=concluding(language),
        settings=settings,
    ) as mira:
        mira.tell(*TOLD[language][:2], *TOLD[language][3:4])
        for number in range(2):
            assert "inference" not in mira.asked
            said = TOLD[language][number]
            mira.say(said, chat=f"talk {number}", reply="OK.")
            mira.say(("user", said), ("assistant", "OK."), ("user", "…"), chat=f"talk {number}")
        (drawn,) = (one for one in mira.mind.memories.values() if one.source == "inference")
        assert (drawn.content, drawn.confidence) == (CONCLUSIONS[language][0], 0.9)
        assert drawn.user == "lin"
        (asked,) = (one for one in mira.model.requests if '"inference"' in one.body.decode())
        assert all(text in asked.said for text in TOLD[language][:2])


def test_nothing_is_concluded_unless_somebody_wants_it(tmp_path: Path) -> None:
    """S2.25: off by default."""
    with chatting(tmp_path, preset="assistant", steps=concluding("en")) as mira:
        assert (
            mira.mind.settings.learn.inference_enabled,
            mira.mind.settings.learn.inference_interval,
        ) == (False, 10)
        for number in range(11):
            mira.say("A", chat=f"talk {number}", reply="B")
        assert mira.mind
        assert "inference" not in mira.asked


def test_no_word_of_a_memory_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """S2.29: injected memories do not stand in logs."""
    caplog.set_level(logging.DEBUG, "rolememory")
    with chatting(tmp_path, preset="assistant") as mira:
        told(mira, "en")
        assert "Mochi" in mira.say(CAT["en"], chat="now")
        assert caplog.text
        assert "Mochi" not in caplog.text


@LANGUAGES
def test_the_prompt_has_an_upper_limit(tmp_path: Path, language: str) -> None:
    """S2.28, S2.30: however much is known, the block stays within its length."""
    with chatting(tmp_path, preset="assistant", language=language) as mira:
        cat = {"en": "The user's cat Mochi ", "zh": "用户的猫年糕"}[language]
        mira.tell(*(f"{cat}{number} " + "x" * 700 for number in range(6)))
        assert 0 < len(mira.say(CAT[language])) <= 2000
