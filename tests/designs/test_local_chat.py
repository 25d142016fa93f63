"""Preset `local_chat`: what was said stays, and what bears on the new message comes back by similarity and age (S3)."""

import json
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rolememory.engine import Home
from tests.designs.chats import Chatting, a, chatting, u
from tests.endpoint import Line, answers

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
SISTER = {"en": "My sister Anna keeps bees in Riga.", "zh": "我妹妹安娜在里加养蜂。"}
ASKED = {"en": "Where does my sister Anna keep her bees?", "zh": "我妹妹安娜在哪里养蜂？"}
HEAD = {"en": "Relevant Memories (for reference):", "zh": "相关记忆（供参考）："}
NIGHT = {"en": "Good night.", "zh": "晚安。"}
BEES = {
    "en": [f"My sister Anna keeps {number} hives of bees." for number in range(10, 18)],
    "zh": [f"我妹妹安娜养了{number}箱蜂。" for number in range(10, 18)],
}


def lines(block: str) -> list[str]:
    """The memories of a block, without time and tag."""
    return [line.split("] ", 1)[1] for line in block.splitlines() if line.startswith("- [")]


def cosines(mira: Chatting, asked: str, texts: list[str]) -> dict[str, float]:
    """How near each text is to what is asked."""
    vectors = mira.script.embedder.embed([asked, *texts])
    return dict(zip(texts, (vectors[1:] @ vectors[0]).tolist(), strict=True))


@LANGUAGES
def test_what_was_said_is_recalled_in_the_next_chat_in_the_words_of_the_design(
    tmp_path: Path, language: str
) -> None:
    """S3.3, S3.21: heading, then `- [yyyy-MM-dd HH:mm][tag] text`."""
    with chatting(tmp_path, preset="local_chat", language=language) as mira:
        mira.say(SISTER[language])
        block = mira.say(ASKED[language], chat="two").splitlines()
        (said,) = mira.mind.chats.path("one")[:1]
        at = said.at.astimezone(UTC)
        assert block[1:-1] == [
            HEAD[language],
            f"- [{at:%Y-%m-%d %H:%M}][user_input] {SISTER[language]}",
        ]


@LANGUAGES
def test_a_memory_of_the_garden_shows_when_it_was_added(tmp_path: Path, language: str) -> None:
    """S3.21, S3.25, S3.26: every line has its time, also where nobody said when it happened."""
    with Home.open(tmp_path, {"preset": "local_chat", "embedding.backend": "off"}) as home:
        mira = home.role("Mira", create=True)
        added = mira.remember(SISTER[language], "semantic", source="manual")
        block = mira.recall(ASKED[language]).text.splitlines()
    assert added.written
    assert block[1:-1] == [
        HEAD[language],
        f"- [{added.written.astimezone(UTC):%Y-%m-%d %H:%M}][manual] {SISTER[language]}",
    ]


@LANGUAGES
def test_the_messages_stand_in_the_designs_order(tmp_path: Path, language: str) -> None:
    """S3.2, S3.24: persona, memories as system text of their own, history by time, the current input once and last."""
    with chatting(tmp_path, preset="local_chat", language=language) as mira:
        mira.say(SISTER[language])
        history = [u(NIGHT[language]), a("Hm."), u(ASKED[language])]
        mira.say(*history, chat="two")
        assert mira.sent == [("system", mira.card), ("system", mira.block), *history]


@LANGUAGES
def test_no_memories_no_message(tmp_path: Path, language: str) -> None:
    """S3.24: an empty context is skipped."""
    with chatting(tmp_path, preset="local_chat", language=language) as mira:
        mira.say(ASKED[language])
        assert mira.sent == [("system", mira.card), u(ASKED[language])]


@LANGUAGES
def test_what_was_just_typed_never_comes_back(tmp_path: Path, language: str) -> None:
    """S3.2, S3.22, S3.31: not on the first time, not when it is repeated, not in another chat, and recalled once after that."""
    with chatting(tmp_path, preset="local_chat", language=language) as mira:
        said = [u(SISTER[language])]
        for _ in range(3):
            assert mira.say(*said) == ""
            said += [a("Hm."), u(SISTER[language])]
        for number in range(3):
            assert mira.say(SISTER[language], chat=f"another {number}") == ""
        assert lines(mira.say(ASKED[language], chat="last")) == [SISTER[language]]


@LANGUAGES
def test_no_paraphrase_of_what_is_visible_comes_back(tmp_path: Path, language: str) -> None:
    """N.10: what was distilled from words that stand in the window, or were just typed again, says nothing new."""
    told = {"en": "Lin's sister Anna is a beekeeper.", "zh": "林的妹妹安娜是养蜂人。"}[language]
    fact = {"turn": 1, "content": told, "about": "user", "confidence": 0.9}
    first = iter([{"facts": [fact | {"quote": SISTER[language]}]}])  # later exchanges tell nothing

    def extraction(line: Line) -> None:
        answers(next(first, {"facts": []}))(line)

    settings = {"learn.batch_size": 1, "embedding.backend": "off"}
    with chatting(
        tmp_path,
        preset="local_chat",
        language=language,
        steps={"extraction": extraction},
        settings=settings,
    ) as mira:
        history = [u(SISTER[language]), a("Hm."), u(NIGHT[language]), a("Hm.")]
        mira.say(*history[:1])
        mira.say(*history[:3])
        assert told in [one.content for one in mira.mind.memories.values()]
        assert told not in mira.say(*history, u(ASKED[language]))
        assert told not in mira.say(SISTER[language], chat="two")
        assert told in mira.say(ASKED[language], chat="three")


@LANGUAGES
def test_similarity_is_the_cosine_times_age(tmp_path: Path, language: str) -> None:
    """S3.15 to S3.18, S3.20, N.11: at least 0.30, times e^(-days/14), the five best, nothing kept from the turn before."""
    texts = [*BEES[language], NIGHT[language]]
    with chatting(tmp_path, preset="local_chat", language=language) as mira:
        now = datetime.now(UTC)
        for age, text in enumerate(texts):
            mira.tell(text, created=now - timedelta(days=5 * age))
        near = cosines(mira, ASKED[language], texts)
        worth = {
            text: near[text] * math.exp(-5 * age / 14)
            for age, text in enumerate(texts)
            if near[text] >= 0.30
        }
        assert 5 < len(worth) < len(texts)
        best = sorted(worth, key=worth.__getitem__, reverse=True)[:5]
        assert set(lines(mira.say(ASKED[language]))) == set(best)
        found = mira.mind.recall(ASKED[language], user="lin").recalled
        for one in found:
            text = one.memory.content
            assert one.scored.relevance == pytest.approx(near[text], abs=1e-3)  # kept in bytes
            assert one.score == pytest.approx(worth[text], abs=1e-3)


@LANGUAGES
def test_nothing_is_kept_from_the_turn_before(tmp_path: Path, language: str) -> None:
    """S3.20, N.11: the best comes, by however little."""
    now, (one, other) = datetime.now(UTC), BEES[language][:2]
    with chatting(
        tmp_path, preset="local_chat", language=language, settings={"recall.max_items": 1}
    ) as mira:
        mira.tell(one, id="one", created=now - timedelta(days=1))
        mira.tell(other, id="other", created=now - timedelta(days=9))
        assert lines(mira.say(ASKED[language])) == [one]
        found = mira.mind.search(ASKED[language], user="lin")
        worth = {one.memory.id: one.relevance for one in found}
        age = 1 + 14 * math.log(worth["other"] / worth["one"])  # at which both are worth the same
        mira.mind.edit("other", created=now - timedelta(days=age - 0.1))
        history = [u(ASKED[language]), a("Hm.")]
        assert lines(mira.say(*history, u(ASKED[language]))) == [other]


@LANGUAGES
def test_equal_texts_count_once_the_newest(tmp_path: Path, language: str) -> None:
    """S3.5, S3.20: duplicates by text are one line."""
    with chatting(tmp_path, preset="local_chat", language=language) as mira:
        mira.tell(SISTER[language], created="2026-01-01")
        mira.tell(SISTER[language], created=datetime.now(UTC) - timedelta(days=1))
        block = mira.say(ASKED[language])
        assert lines(block) == [SISTER[language]]
        assert "2026-01-01" not in block


@LANGUAGES
def test_the_models_replies_stay_out_unless_somebody_wants_them(
    tmp_path: Path, language: str
) -> None:
    """S3.19, S3.34: `ai_output` is kept and not recalled, against loops."""
    reply = {"en": "Anna's bees sleep in winter.", "zh": "安娜的蜂在冬天睡觉。"}[language]
    asked = {"en": "When do Anna's bees sleep?", "zh": "安娜的蜂什么时候睡觉？"}[language]
    with chatting(tmp_path, preset="local_chat", language=language) as mira:
        mira.say(NIGHT[language], reply=reply)
        assert reply not in mira.say(asked, chat="two")
        assert reply in [one.text for one in mira.mind.chats.path("one")]
    toml = 'preset = "local_chat"\nallowedTagsForChat = ["manual", "ai_output"]\n'
    (tmp_path / "rolememory.toml").write_text(toml, "utf-8")
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        turn = home.role("Mira").recall(asked, user="lin")
        assert reply in [one.memory.content for one in turn.recalled]


@LANGUAGES
def test_the_garden_and_the_chat_are_one(tmp_path: Path, language: str) -> None:
    """S3.7, S3.25, S3.26, S3.33: added by hand, edited and deleted, the next message knows; an edit is embedded again."""
    honey = {"en": "Anna sells honey on Sundays.", "zh": "安娜每个星期天卖蜂蜜。"}[language]
    asked = {"en": "On which days does Anna sell honey?", "zh": "安娜星期几卖蜂蜜？"}[language]
    with chatting(tmp_path, preset="local_chat", language=language) as mira:
        one = mira.mind.remember(NIGHT[language], user="lin")
        assert mira.say(asked) == ""
        mira.mind.edit(one.id, content=honey)
        block = mira.say(asked, chat="two")
        assert (lines(block), "][manual] " in block) == ([honey], True)
        mira.mind.delete(one.id)
        assert mira.say(asked, chat="three") == ""


@LANGUAGES
def test_a_restart_finds_the_last_chat(tmp_path: Path, language: str) -> None:
    """S3.1, S3.4, S3.9, S3.10, S3.13, S3.23, S3.32: its title and its newest messages, clean and raw, cut by number and length."""
    raw = "<think>bees?</think>Hm."
    with chatting(tmp_path, preset="local_chat", language=language) as mira:
        mira.say(SISTER[language], reply=raw)
        assert mira.mind
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        chats = home.role("Mira").chats
        active = chats.active("lin")
        assert active is not None
        assert active.id == "one"
        assert SISTER[language].startswith((active.title or "").rstrip("…"))
        kept = chats.recent(active.id, 20, 8000)
        assert [one.text for one in kept] == [SISTER[language], "Hm."]
        assert kept[-1].raw == raw
        assert [one.text for one in chats.recent(active.id, 1, 8000)] == ["Hm."]
        memory = home.role("Mira").settings.memory
        assert (memory.short_term_items, memory.short_term_characters) == (20, 8000)


def test_parameters_are_settings(tmp_path: Path) -> None:
    """S3.15 to S3.19, S3.29: by the names of the design."""
    toml = """
preset = "local_chat"
topKCandidates = 7
maxContextItems = 1
minSimilarity = 0.9
halfLifeDays = 3
allowedTagsForChat = ["manual"]
"""
    with chatting(tmp_path, toml=toml, settings={"embedding.backend": "off"}) as mira:
        recall = mira.mind.settings.recall
        assert (recall.candidates, recall.max_items, recall.relevance_threshold) == (7, 1, 0.9)
        assert [str(one) for one in recall.sources] == ["manual"]
        assert mira.mind.settings.triggers.recency.half_life_days == 3


def test_old_records_are_read_as_they_are_meant(tmp_path: Path) -> None:
    """S3.11, S3.12, S3.28: an empty tag with the old emotion field `user` or `ai` is where it comes from; nothing is rewritten."""
    old = [
        {"id": "1", "text": SISTER["en"], "emotion": "user", "tag": ""},
        {"id": "2", "text": "Anna's hives are blue.", "emotion": "ai", "tag": ""},
    ]
    with Home.open(tmp_path, {"preset": "local_chat", "embedding.backend": "off"}) as home:
        role = home.role("Mira", create=True)
        document = {"version": 1, "episodic": old}
        (role.folder / "memory.json").write_text(json.dumps(document), "utf-8")
        assert {one.id: str(one.source) for one in role.memories.values()} == {
            "1": "user_input",
            "2": "ai_output",
        }
