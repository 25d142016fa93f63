"""Which memories a reply used: precision first, in both languages."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rolememory import Home, Message
from rolememory.schema.memory import Memory
from rolememory.schema.wording import word
from rolememory.usage.references import nearer, referenced
from tests.builders import memory
from tests.hashing import HashingEmbedder

SPEAKERS = ("Mira", "Lin", "米拉", "林")
KNOWN = [
    memory("fish", "Lin is allergic to shellfish."),
    memory("sister", "Lin's sister is called Marta."),
    memory("storm", "The beacon went out in the storm of 1887."),
    memory("train", "Tom proposed to Elena on a train."),
    memory("nuts", "林对花生酱过敏。"),
    memory("dog", "林的狗在灯塔旁边追海鸥。"),
]


@pytest.mark.parametrize(
    ("query", "reply", "used"),
    [
        pytest.param("What do we eat?", "No shellfish tonight.", ["fish"], id="a telling word"),
        pytest.param("Who wrote?", "Marta sends her love.", ["sister"], id="a name"),
        pytest.param("When?", "In 1887, I think.", ["storm"], id="a year"),
        pytest.param("Any shellfish?", "Shellfish, yes.", [], id="a word that was said before"),
        pytest.param("Where to?", "The train is late.", [], id="one short word"),
        pytest.param("Lin?", "Yes, Lin?", [], id="the names of the speakers"),
        pytest.param("Good evening.", "Sit down, the tea is warm.", [], id="nothing"),
        pytest.param("吃什么？", "别放花生酱就行。", ["nuts"], id="a telling word in Chinese"),
        pytest.param("狗呢？", "又在灯塔旁边追海鸥。", ["dog"], id="several in Chinese"),
        pytest.param("吃花生酱吗？", "花生酱？不吃。", [], id="said before, in Chinese"),
        pytest.param("天气怎么样？", "下了一整天的雨。", [], id="nothing, in Chinese"),
    ],
)
def test_what_a_reply_used(query: str, reply: str, used: list[str]) -> None:
    assert [one.id for one in referenced(reply, KNOWN, query=query, names=SPEAKERS)] == used


def test_what_several_memories_share_speaks_for_none_of_them() -> None:
    alike = [memory(str(number), f"Marta keeps kettle {number} there.") for number in range(3)]
    assert referenced("How is Marta?", alike) == []


def test_why() -> None:
    (found,) = referenced("Marta sends her love.", KNOWN, names=SPEAKERS)
    assert word(found.because) == "the reply says 'marta'"
    assert word(found.because, "zh") == "回复里说到“marta”"


def test_our_own_block_in_the_reply_proves_nothing() -> None:
    block = "<rolememory>\n- Lin is allergic to shellfish.\n</rolememory>\nGood evening."
    assert not referenced(block, KNOWN, names=SPEAKERS)


@pytest.mark.parametrize(
    ("reply", "near", "before", "found"),
    [
        pytest.param("Nothing from the sea for you.", 0.8, 0.1, [0.8], id="other words"),
        pytest.param("Nothing from the sea for you.", 0.8, 0.7, [], id="no nearer"),
        pytest.param("Nothing from the sea for you.", 0.5, 0.1, [], id="not near"),
        pytest.param("Sit down and wait.", None, None, [], id="no model can tell"),
        pytest.param("No shellfish!", 0.8, 0.1, [None], id="words suffice"),
    ],
)
def test_meaning_helps_where_words_prove_nothing(
    reply: str, near: float | None, before: float | None, found: list[float | None]
) -> None:
    one = KNOWN[0].id
    said, earlier = ({one: cosine} if cosine else {} for cosine in (near, before))
    used = referenced(reply, KNOWN[:1], near=nearer(said, earlier))
    assert [dict(each.because.values).get("cosine") for each in used] == found


@pytest.mark.parametrize(
    ("content", "reply"),
    [
        pytest.param(
            "Lin buried the compass under the juniper.",
            "I know it well: *Lin buried the compass under the juniper*, and so on.",
            id="in English",
        ),
        pytest.param(
            "林把罗盘埋在磨坊后的杜松树下。",
            "我记得：林把罗盘埋在磨坊后的杜松树下！",
            id="in Chinese",
        ),
    ],
)
def test_a_memory_that_is_recited_is_not_used(content: str, reply: str) -> None:
    memory = Memory(id="a", content=content)
    assert referenced(reply, [memory]) == []
    assert referenced(reply.replace(content[:4], "…"), [memory]) != []


@pytest.mark.parametrize("content", ["", "   ", "{{user}}", "Mira", "的了", "茶", "🙂", "-"])
def test_a_memory_that_says_nothing_is_never_used(content: str) -> None:
    reply = "Mira drinks tea, 喝茶的。 🙂"
    assert referenced(reply, [Memory(id="a", content=content)], names=SPEAKERS) == []


class Synonyms(HashingEmbedder):
    """Knows that two ways of saying it mean the same."""

    def embed(self, texts: Sequence[str]) -> Any:
        return super().embed(
            [
                text.replace("Your dad went under", "Lin's father drowned")
                .replace("你爹掉进水里没了", "阿林的父亲淹死了")
                for text in texts
            ]
        )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "reply"),
    [
        pytest.param("Lin's father drowned.", "Your dad went under.", id="en"),
        pytest.param("阿林的父亲淹死了。", "你爹掉进水里没了。", id="zh"),
    ],
)
@pytest.mark.parametrize("model", [True, False], ids=["with a model", "by words alone"])
def test_a_reply_in_other_words_makes_its_memory_heavier_where_a_model_knows_them(
    tmp_path: Path, content: str, reply: str, model: bool
) -> None:
    settings = {"learn.extractor": "rules"} | ({} if model else {"embedding.backend": "off"})
    with Home.open(tmp_path, settings, Synonyms() if model else None) as home:
        mira = home.create("Mira")
        mira.remember(content, id="father", constant=True)
        said: list[Message] = []
        for text, answer in (("Good evening!", reply), ("Go on...", "Hm."), ("So?", "Hm, hm.")):
            said.append(Message.user(text))
            mira.recall(said, chat="one", user="lin")
            said.append(Message.assistant(answer))
            mira.observe(said, chat="one", user="lin")
            mira.ready(30)
    with Home.open(tmp_path, settings) as home:
        assert (home.role("Mira").weight("father") > 1.0) is model
