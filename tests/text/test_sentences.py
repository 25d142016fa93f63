"""Where sentences end."""

import pytest
from hypothesis import given

from rolememory.text.sentences import sentences
from tests.text.prose import PROSE, growth


@pytest.mark.parametrize(
    "marked",
    [
        pytest.param("It rained.| We stayed in.", id="a full stop ends a sentence"),
        pytest.param("Dr. Lin met Mr. Brown.| Good.", id="a title does not"),
        pytest.param("We left at 5 p.m. and ate.| Ok.", id="p.m. does not inside a sentence"),
        pytest.param("We left at 5 p.m.| Then it rained.", id="p.m. before a capital does"),
        pytest.param("Ask J. Smith, e.g. today.| It was I.| Yes.", id="initials do not"),
        pytest.param("It cost 3.50 at v1.2, see node.js.| Cheap.", id="decimals stay whole"),
        pytest.param("What?!| No way...| Really?", id="several marks are one end"),
        pytest.param("I... i don't know... maybe.| Yes.", id="a pause is no end"),
        pytest.param("I...I mean it...No!| Yes.", id="a stammer is no end"),
        pytest.param('"Go!" he said.| I went.', id="who said it belongs to the quote"),
        pytest.param('He said "Hi."| Then he left.', id="a quote closes behind its full stop"),
        pytest.param('He left.| "Hi," I said.', id="a quote that opens belongs to what follows"),
        pytest.param('*He nods.*| *I wait.*| "Fine."', id="an action closes behind its full stop"),
        pytest.param("(He sighs.)| Fine.", id="a bracket closes behind its full stop"),
        pytest.param("hi there|\nhow r u|\n\nlol", id="chat lines without punctuation"),
        pytest.param("1. Bread|\n2. Two eggs|\n- milk", id="items of a list keep their numbers"),
        pytest.param("灯塔灭了。|为什么？|不知道！", id="中文句号问号叹号"),
        pytest.param("我……我不知道。|你呢？", id="省略号只是停顿"),
        pytest.param("他走了……|「等等！」", id="省略号后面有人开口是句末"),
        pytest.param("“走吧。”他说。|门开了。", id="谁说的跟着引号"),
        pytest.param("「走吧。」|「好。」", id="两个人的话是两句"),
        pytest.param("你好。|*他点头。*|“好的。”", id="动作和引号各归各的"),
        pytest.param("我住北京（以前叫北平。）|后来搬了。", id="括号收在句末"),
        pytest.param("好呀~| 我来了！！~|嗯", id="波浪号也结束"),
        pytest.param("The 灯塔 is dark.| 为什么？|Why?", id="mixed languages"),
        pytest.param("Stop!|你是谁？|Bram.", id="mixed without blanks"),
        pytest.param("", id="nothing"),
        pytest.param(" \n\n ", id="blanks only"),
    ],
)
def test_a_text_splits_at(marked: str) -> None:
    text = marked.replace("|", "")
    wanted = [one.strip() for one in marked.split("|") if one.strip()]
    assert [text[one.start : one.end] for one in sentences(text)] == wanted


def test_a_part_of_a_text_is_split_in_its_own_places() -> None:
    assert sentences("One. Two. Three.", 5, 9) == [(5, 9)]


@given(PROSE)
def test_every_visible_character_stands_in_one_sentence(text: str) -> None:
    found = sentences(text)
    assert "".join("".join(text[one.start : one.end].split()) for one in found) == "".join(
        text.split()
    )


@pytest.mark.parametrize("hostile", ["a. ", '."', "。*", "....", "p.m. ", "\n \n", '"。“', "~"])
def test_a_character_costs_the_same_in_a_long_text(hostile: str) -> None:
    assert growth(sentences, hostile * (20_000 // len(hostile))) < 3
