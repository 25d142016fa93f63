"""What one user is told does not depend on what others said: byte for byte, with and without their data.

`ROLEMEMORY_PROBES=250` asks 1,000 questions in all: so many in each language, by words alone and with vectors.
"""

import os
import random

import pytest

from rolememory import Home
from rolememory.schema.message import Message
from tests.hashing import HashingEmbedder

PROBES = int(os.environ.get("ROLEMEMORY_PROBES", "20"))

WORDS = {
    "en": ("lantern harbour copper violet orchard ferry winter saddle mirror cellar bishop honey thunder "
           "ribbon anchor meadow spindle raven candle gravel").split(),
    "zh": ["灯笼", "码头", "铜钱", "紫藤", "果园", "渡船", "冬天", "马鞍", "镜子", "地窖", "蜂蜜", "雷声", "丝带", "铁锚", "草地", "乌鸦"],
}  # fmt: skip
NOW = "2026-05-01T12:00:00+00:00"


def sentence(chance, language):
    words = chance.sample(WORDS[language], 5)
    if language == "zh":
        return f"我把{words[0]}和{words[1]}放在{words[2]}旁边，又想起{words[3]}的{words[4]}。"
    return f"I left the {words[0]} and the {words[1]} by the {words[2]}, thinking of {words[3]} {words[4]}."


def told(role, chance, user, language, n):
    for number in range(n):
        text = sentence(chance, language)
        role.observe(
            [Message.user(text)],
            sentence(chance, language),
            chat=f"{user}-{number % 3}",
            user=user,
            now=NOW,
        )
    for number in range(5):
        words = chance.sample(WORDS[language], 3)
        role.remember(
            sentence(chance, language),
            id=f"{user}-{number}",
            user=user,
            subject=user.title(),
            keys=[words[0]],
            topics=[words[1]],
            created=NOW,
        )


def answers(role, language, others):
    chance = random.Random(7)
    out = []
    for number in range(PROBES):
        talk = [
            Message.user(sentence(chance, language)),
            Message.assistant(sentence(chance, language)),
        ]
        asked = Message.user(
            ["Eve: ", "", "Lin: "][number % 3]
            + sentence(chance, language)[: 40 if number % 2 else 80]
            + ("？" if language == "zh" else "?")
        )
        if others:
            role.recall([asked], chat="others", user="eve", now=NOW, dry_run=True)
        turn = role.recall([*talk, asked], chat="ask", user="lin", now=NOW)
        why = [f"lin-{number % 5}"] if number % 4 == 0 else []
        out.append(
            (
                turn.text,
                [(one.memory.id, one.scored.score, one.scored.hits) for one in turn.recalled],
                [(one.memory.id, one.score) for one in turn.near],
                [(one.entry_id, one.because) for one in turn.left_out()],
                str(turn.explain(*why)),
            )
        )
        out.append([(one.memory.id, one.score) for one in role.search(asked.content, user="lin")])
    return out


@pytest.mark.parametrize(
    ("vectors", "mode"),
    [(False, "inject"), (True, "inject"), (True, "hybrid")],
    ids=["words alone", "with vectors", "some offered"],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_answers_are_the_same_with_and_without_anothers_data(tmp_path, language, vectors, mode):
    settings = {"recall.mode": mode, **({} if vectors else {"embedding.backend": "off"})}
    given = []
    for name, others in (("alone", 0), ("among", 60)):
        embedder = HashingEmbedder() if vectors else None
        with Home.open(tmp_path / name, settings, embedder=embedder) as home:
            role = home.create("Mira", id="7d3bd1f0-0000-4000-8000-000000000001")
            told(role, random.Random(3), "lin", language, 30)
            if others:
                told(role, random.Random(4), "eve", language, others)
            assert role.ready(60.0) is vectors
            given.append(answers(role, language, others))
    alone, among = given
    assert any(one[1] for one in alone[::2])
    assert any(one[2] for one in alone[::2]) is (mode == "hybrid"), "something was offered"
    assert alone == among


@pytest.mark.parametrize(
    ("fact", "question", "reply"),
    [
        pytest.param(
            "The copper lantern hangs in the cellar above the honey.",
            "Where is the copper lantern?",
            "Above the honey, down in the cellar.",
            id="en",
        ),
        pytest.param("铜灯笼挂在酒窖的蜂蜜架上。", "铜灯笼在哪里？", "在酒窖，蜂蜜架上。", id="zh"),
    ],
)
def test_what_anothers_replies_used_weighs_nothing_before_who_did_not_hear_them(
    tmp_path, fact, question, reply
):
    def score(role, user):
        turn = role.recall([question], chat=f"of {user}", user=user, now=NOW, dry_run=True)
        return {one.memory.id: one.scored.score for one in turn.recalled}["lantern"]

    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("Mira")
        role.remember(fact, id="lantern", created=NOW)
        before = score(role, "lin")
        for number in range(6):
            said = [Message.user(f"{number}: {question}")]
            role.recall(said, chat=f"eve {number}", user="eve", now=NOW)
            role.observe(said, reply, chat=f"eve {number}", user="eve", now=NOW)
        role.usage.settle()
        assert score(role, "lin") == before
        assert len([one for one in role.usage.uses.of("lantern") if one.referenced]) == 6
