"""What Chinese sentences claim, and of whom."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from rolememory.learn.statements import Speaker, claims, claims_of_memory
from rolememory.schema.claims import ATTRIBUTES, Claim
from rolememory.schema.memory import Memory

HERE = Path(__file__).parent
NAMES = {"巧姨": "", "阿林": "user"}
SPEAKERS = {
    "user": Speaker("user", "", NAMES, {"": "巧姨", "user": "阿林"}),
    "unnamed": Speaker("user", "", {"巧姨": ""}, {"": "巧姨", "user": "用户"}),
    "role": Speaker("", "user", NAMES, {"": "巧姨", "user": "阿林"}),
    "group": Speaker(
        "user", None, {**NAMES, "老周": "老周"}, {"": "巧姨", "user": "阿林", "老周": "老周"}
    ),
}
Said = tuple[str, str, str, str, bool]


def rows(name: str) -> list[Any]:
    """Each row: a text, who says it, and what it claims: subject, attribute, about, value, and false where it holds no longer."""
    table = json.loads((HERE / name).read_text(encoding="utf-8"))
    return [
        pytest.param(
            text, who, [(*claim[:4], (*claim[4:], True)[0]) for claim in expected], id=text
        )
        for text, who, expected in table
    ]


def said(claim: Claim) -> Said:
    return (claim.subject, claim.attribute, claim.about, claim.value, claim.holds)


def read(text: str, who: str = "user") -> list[Claim]:
    return claims(text, SPEAKERS[who])


@pytest.mark.parametrize(
    ("text", "who", "expected"), [*rows("chinese.json"), *rows("chinese_later.json")]
)
def test_a_sentence_claims(text: str, who: str, expected: list[Said]) -> None:
    assert sorted(map(said, read(text, who))) == sorted(expected)


@pytest.mark.parametrize("known", [True, False], ids=["with the names", "without the names"])
@pytest.mark.parametrize(
    ("text", "who", "expected"), [*rows("chinese.json"), *rows("chinese_later.json")]
)
def test_the_sentence_that_is_stored_reads_back(
    text: str, who: str, expected: list[Said], known: bool
) -> None:
    for claim in read(text, who):
        stored = Memory(id="stored", content=claim.content, subject=claim.subject or None)
        assert [
            said(one) for one in claims_of_memory(stored, SPEAKERS[who].shown if known else None)
        ] == [said(claim)]
    assert expected or not read(text, who)


@pytest.mark.parametrize(
    ("text", "attribute", "value", "former", "corrects"),
    [
        ("我从北京搬到上海了。", "home", "上海", "北京", False),
        ("我以前住在北京，现在住在上海。", "home", "上海", "北京", False),
        ("我从阿里跳槽到字节了。", "employer", "字节", "阿里", False),
        ("我不住北京了，搬回老家了。", "home", "老家", "北京", False),
        ("我不是四川人，是重庆人。", "origin", "重庆", "四川", True),
        ("其实我是四川人，不是重庆人。", "origin", "四川", "重庆", True),
        ("其实我不喜欢咖啡。", "dislikes", "咖啡", "", True),
        ("不对，我住在苏州。", "home", "苏州", "", True),
        ("不对。我住在苏州。", "home", "苏州", "", True),
        ("你记错了，我今年24。", "age", "24", "", True),
        ("我說錯了，我妹妹叫小美。", "relation", "小美", "", True),
        ("我不是学生，是老师。", "job", "老师", "学生", True),
        ("我住在苏州。", "home", "苏州", "", False),
    ],
)
def test_a_change_names_what_was_before(
    text: str, attribute: str, value: str, former: str, corrects: bool
) -> None:
    found = [claim for claim in read(text) if claim.holds and claim.attribute == attribute]
    assert [(one.value, one.former, one.corrects) for one in found] == [(value, former, corrects)]


@pytest.mark.parametrize(
    ("sure", "unsure"),
    [
        ("我对芒果过敏。", "我可能对芒果过敏。"),
        ("我是南方人。", "我好像是南方人。"),
        ("你是苏州人。", "我觉得你是苏州人。"),
        ("我住在上海。", "住在上海。"),
        ("小梅讨厌茶。", "小梅说她讨厌茶。"),
        ("我住在杭州。", "我住在杭州吧。"),
    ],
)
def test_a_guess_is_less_sure(sure: str, unsure: str) -> None:
    assert [one.certainty for one in read(unsure)] < [one.certainty for one in read(sure)]


@pytest.mark.parametrize(
    ("text", "who", "contents"),
    [
        ("我住杭州，是做设计的。", "user", ["阿林住在杭州。", "阿林的工作是设计。"]),
        ("我妹妹叫小梅，是医生。", "user", ["阿林的妹妹叫小梅。", "小梅是医生。"]),
        ("我不太喜欢咖啡。", "unnamed", ["用户不喜欢咖啡。"]),
        ("我答应你明天带我的狗来。", "user", ["阿林答应明天带阿林的狗来。"]),
        ("妳答應過我帶燈籠來。", "user", ["巧姨答應帶燈籠來。"]),
        ("我對花生過敏，會說日語。", "user", ["阿林對花生過敏。", "阿林會說日語。"]),
        ("我下周要去看她。", "user", ["阿林说：“我打算下周去看她。”"]),
        ("我养了两只猫，分别叫可乐和雪碧。", "user", ["阿林的猫叫可乐。", "阿林的猫叫雪碧。"]),
        ("我98年的，还单身。", "user", ["阿林出生于1998年。", "阿林单身。"]),
        ("我想要一只猫。", "user", ["阿林想要一只猫。"]),
        ("我爱你。", "role", ["巧姨喜欢阿林。"]),
    ],
)
def test_a_claim_is_told_in_the_third_person(text: str, who: str, contents: list[str]) -> None:
    assert [one.content for one in read(text, who)] == contents


@pytest.mark.parametrize(
    "text",
    ["哈哈（笑）我叫阿林，*挥手* 我住 **杭州** ！我喜歡貓。", "“我怕黑，”阿林说，“也怕打雷。”"],
)
def test_a_quote_stands_in_the_text(text: str) -> None:
    found = read(text)
    assert found
    assert all(text[one.start : one.end] == one.quote and one.quote for one in found)


@pytest.mark.parametrize("shown", ["阿林", "林小雨", "Alice", "夜"])
def test_a_memory_somebody_wrote_by_hand_is_read(shown: str) -> None:
    written = Memory(
        id="written", content=f"{shown}住在杭州。{shown}不喜欢咖啡，会弹钢琴。", subject="user"
    )
    found = [said(one)[1:] for one in claims_of_memory(written)]
    assert found == [
        ("home", "", "杭州", True),
        ("dislikes", "", "咖啡", True),
        ("skill", "", "弹钢琴", True),
    ]
    assert {one.subject for one in claims_of_memory(written)} == {"user"}


@pytest.mark.parametrize(
    "text",
    [
        "我" * 40_000,
        "我喜欢" * 13_000,
        "我不" * 20_000,
        "“" * 20_000,
        "（" * 20_000,
        "我的妹妹" * 10_000,
        "，" * 40_000,
        "我是个" + "很" * 39_000,
        "说：“我" * 8_000,
    ],
    ids=[
        "one word",
        "one verb",
        "one negation",
        "open quotes",
        "open brackets",
        "kinship",
        "commas",
        "degrees",
        "speeches",
    ],
)
def test_hostile_text_ends_soon(text: str) -> None:
    started = time.perf_counter()
    assert len(read(text)) < 100
    assert time.perf_counter() - started < 10


def test_every_rule_speaks_of_a_known_attribute() -> None:
    lexicon = json.loads(
        (
            Path(__file__).parents[3] / "worldbook_rules" / "lexicons" / "statements.zh.json"
        ).read_text(encoding="utf-8")
    )
    assert {row["says"] for row in lexicon["rules"]} <= set(ATTRIBUTES)
    assert len(lexicon["traditional"]) == len(lexicon["simplified"])
