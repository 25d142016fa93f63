"""Which memories a reply used: precision first, in both languages."""

import pytest

from rolememory.schema.memory import Memory
from rolememory.schema.wording import word
from rolememory.usage.references import referenced
from tests.builders import memory

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


ALIKE = {
    ("Nothing from the sea for you.", "Lin is allergic to shellfish."): 0.8,
    ("Cook something!", "Lin is allergic to shellfish."): 0.1,
    ("What about oysters?", "Lin is allergic to shellfish."): 0.7,
}


@pytest.mark.parametrize(
    ("query", "reply", "near"),
    [
        pytest.param("Cook something!", "Nothing from the sea for you.", [0.8], id="other words"),
        pytest.param("What about oysters?", "Nothing from the sea for you.", [], id="no nearer"),
        pytest.param("Cook something!", "Sit down and wait.", [], id="no model can tell"),
        pytest.param("Cook something!", "No shellfish!", [None], id="words suffice"),
    ],
)
def test_meaning_helps_where_words_prove_nothing(
    query: str, reply: str, near: list[float | None]
) -> None:
    found = referenced(
        reply, KNOWN[:1], query=query, vectors=lambda one, two: ALIKE.get((one, two))
    )
    assert [dict(one.because.values).get("cosine") for one in found] == near


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
