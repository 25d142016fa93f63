"""What in a message is no plain narration. `{q|...}` stands for quoted speech, `{a|...}` for a stage direction, `{o|...}` for words
out of character."""

import re

import pytest
from hypothesis import given

from rolememory.schema.learning import MarkedSpan
from rolememory.text.marks import marks
from rolememory.text.passages import passages
from tests.text.prose import PROSE, growth

KINDS = {"q": "quote", "a": "action", "o": "ooc"}


def read(marked: str) -> tuple[str, list[MarkedSpan]]:
    text, wanted = "", []
    for part in re.split(r"(\{[qao]\|[^}]*\})", marked):
        if part.startswith("{"):
            inside = part[3:-1]
            wanted.append(MarkedSpan(KINDS[part[1]], len(text), len(text) + len(inside)))  # type: ignore[arg-type]
            text += inside
        else:
            text += part
    return text, wanted


@pytest.mark.parametrize(
    "marked",
    [
        pytest.param('{a|*The innkeeper grumbles*} {q|"I have three daughters"}', id="innkeeper"),
        pytest.param('{q|"Yes,"} the cook said, {q|"three of them."}', id="a split quotation"),
        pytest.param('{q|"My boss said “you\'re fired”, so I left."}', id="quoted in a quotation"),
        pytest.param('{a|*The cook says "soup" and I sit*}', id="speech in an action"),
        pytest.param('{q|"Fine. *sighs* Let us go."}', id="an action inside of speech"),
        pytest.param("I *really* mean it, it's *so* good.", id="stressed words are no actions"),
        pytest.param("Hi there {a|*waves*}", id="an action at the end of a line"),
        pytest.param("{a|*sighs*} I don't know", id="an action at the start of a line"),
        pytest.param("{a|_I step closer to the fire_}", id="underscores"),
        pytest.param("my_file_name and 5 * 3 * 2 and **bold**", id="neither names nor sums"),
        pytest.param("{a|(smiles)} I'm glad (or was).", id="round brackets with a gesture"),
        pytest.param("*waves and never closes", id="an asterisk that stays open"),
        pytest.param('I said "and never close', id="a quotation that stays open"),
        pytest.param("{o|((brb (two minutes) ok))} I nod.", id="double brackets"),
        pytest.param("{o|(OOC: sorry, my cat)} I nod.", id="(OOC: ...)"),
        pytest.param("{o|[ooc can we skip?]} I nod.", id="[OOC ...]"),
        pytest.param("I nod.\n{o|// longer replies please}\nI go.", id="// line"),
        pytest.param("{o|OOC: longer replies please}\nI go.", id="OOC: line"),
        pytest.param("{o|(OOC: it never closes}\nI nod.", id="up to the end of its line"),
        pytest.param("{o|[OOC]we go on\ntomorrow[/OOC]} I nod.", id="[OOC] to [/OOC]"),
        pytest.param("https://a.b/c is a link :(( and (a note)", id="neither links nor sad faces"),
        pytest.param("掌柜嘀咕道：{q|“我有三个女儿。”}", id="掌柜嘀咕道"),
        pytest.param("{a|*掌柜嘀咕*}{q|“我有三个女儿。”}", id="动作里的掌柜"),
        pytest.param("{q|「桥断了，」}信使说道，{q|「快走。」}", id="分成两半的话"),
        pytest.param("{a|（叹了口气）}我也不知道。", id="圆括号里的动作"),
        pytest.param("好的{a|（点头）}我们走。", id="句子中间的动作"),
        pytest.param("我住在北平（现在的北京）。", id="括号里的说明"),
        pytest.param("（一）先吃饭", id="编号"),
        pytest.param("{o|（ooc：接个电话）}{a|*点头*}好。", id="中文括号里的ooc"),
        pytest.param("{o|【场外】明天继续}\n好。", id="【场外】到行尾"),
        pytest.param("{o|【ooc】明天继续【/ooc】}好。", id="【ooc】到【/ooc】"),
        pytest.param("{o|（（明天继续可以吗））}好。", id="双括号"),
        pytest.param("场外传来脚步声。", id="场外的脚步声是故事"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_message_is_marked(marked: str) -> None:
    text, wanted = read(marked)
    assert list(marks(text)) == wanted


@given(PROSE)
def test_marks_lie_apart_and_passages_follow_them(text: str) -> None:
    found = marks(text)
    places = [place for one in found for place in (one.start, one.end)]
    assert places == sorted(places)
    assert all(text[one.start : one.end].strip() for one in found)
    cut = passages(text, found)
    visible = "".join("".join(text[one.start : one.end].split()) for one in cut)
    assert visible == "".join(text.split())


@pytest.mark.parametrize(
    "hostile",
    [
        "((a",
        "(ooc: ",
        "[ooc] ",
        "*a ",
        '"a" ',
        '"a" said ',
        "“a”掌柜说",
        "（a",
        "_a ",
        '"*a* " ',
        "//\n",
        "「「",
        '*The guard says "a"* ',
    ],
)
def test_a_character_costs_the_same_in_a_long_text(hostile: str) -> None:
    assert growth(marks, hostile * (20_000 // len(hostile))) < 3
