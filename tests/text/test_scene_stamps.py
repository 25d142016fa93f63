"""What cards and frontends print about a scene."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.text.scene_stamps import LONGEST_VALUE, MOST_FIELDS, panels, stamp_of
from tests.text.prose import PROSE, growth

ZH = {"time": "三月初七", "place": "茶楼"}
EN = {"time": "dusk", "place": "the mill"}


@pytest.mark.parametrize(
    ("raw", "fields"),
    [
        pytest.param("【时间】三月初七【地点】茶楼\n雨还在下。", ZH, id="一行方头括号"),
        pytest.param("【时间：三月初七】【地点：茶楼】\n雨还在下。", ZH, id="名字和值在一对括号里"),
        pytest.param("她笑了。\n【时间】三月初七【地点】茶楼", ZH, id="写在最后"),
        pytest.param("雨。\n\n[时间：三月初七｜地点：茶楼]\n\n她笑了。", ZH, id="写在中间的一行"),
        pytest.param("（时间：三月初七，地点：茶楼）\n雨。", ZH, id="圆括号里有两项"),
        pytest.param("时间：三月初七｜地点：茶楼\n雨还在下。", ZH, id="没有括号的状态行"),
        pytest.param("时间：三月初七 地点：茶楼\n雨还在下。", ZH, id="用空格隔开"),
        pytest.param("当前时间：三月初七\n所在地：茶楼\n\n雨。", ZH, id="当前时间就是时间"),
        pytest.param("【状态栏】\n时间：三月初七\n地点：茶楼\n\n雨。", ZH, id="状态栏标题下面几行"),
        pytest.param("雨。<状态栏>时间：三月初七<br>地点：茶楼</状态栏>", ZH, id="状态栏标签"),
        pytest.param("雨。\n⏰ 时间：三月初七\n📍 茶楼", ZH, id="图标开头"),
        pytest.param(
            '雨。\n```json\n{"时间": "三月初七", "地点": "茶楼"}\n```', ZH, id="代码块里的JSON"
        ),
        pytest.param(
            '{"世界": {"时间": ["三月初七", "说明"], "地点": "茶楼"}}\n雨。', ZH, id="MVU的变量"
        ),
        pytest.param(
            "雨。<UpdateVariable>\n_.set('世界.时间[0]', '早', '三月初七');//晚了\n"
            "_.set('世界.地点', '茶楼');\n</UpdateVariable>",
            ZH,
            id="MVU的变量更新",
        ),
        pytest.param(
            '雨。<UpdateVariable><Analysis>[略]</Analysis><JSONPatch>[{"op": "replace", "path": "/世界/时间", '
            '"value": "三月初七"}, {"op": "replace", "path": "/世界/地点", "value": "茶楼"}, {"op": "delta", '
            '"path": "/林/好感度", "value": 3}]</JSONPatch></UpdateVariable>',
            ZH,
            id="JSONPatch里只有设定的值",
        ),
        pytest.param("[Time: dusk | Place: the mill]\nHi.", EN, id="a line in brackets"),
        pytest.param("[Time: dusk] [Location: the mill]\nHi.", EN, id="several brackets"),
        pytest.param("Hi.\n\nTime: dusk | Place: the mill", EN, id="a bare line at the end"),
        pytest.param("**Time:** dusk\n**Location:** the mill\n\nHi.", EN, id="bold names"),
        pytest.param("🕒 dusk | 📍 the mill\nHi.", EN, id="pictures alone"),
        pytest.param("- Time: dusk\n- Place: the mill\n---\nHi.", EN, id="a list and a rule"),
        pytest.param(
            "Hi.\n<StatusBlock>\nTime: dusk\nPlace: the mill\n</StatusBlock>", EN, id="tag"
        ),
        pytest.param(
            "Hi.\n<status>\nTime: dusk\nPlace: the mill", EN, id="a tag that never closes"
        ),
        pytest.param(
            "<status><time>dusk</time><place>the mill</place></status>", EN, id="elements"
        ),
        pytest.param("```yaml\nworld:\n  time: dusk\n  place: the mill\n```\nHi.", EN, id="YAML"),
        pytest.param("Hi.\n```\nTime: dusk\nPlace: the mill\n```", EN, id="a plain code block"),
        pytest.param(
            '{"time": "dusk", "location": {"value": "the mill"}}\nHi.', EN, id="JSON first"
        ),
        pytest.param('Hi.\n{\n  "time": "dusk",\n  "place": "the mill"\n}', EN, id="JSON last"),
        pytest.param(
            "<think>Time: dawn\nPlace: home</think>\nTime: dusk\nPlace: the mill\n\nHi.",
            EN,
            id="thoughts say nothing",
        ),
        pytest.param(
            '```sim\n{"worldData": {"current_date": "2025-08-10", "current_time": "14:30"}, '
            '"characters": [{"name": "Mira", "hp": 7}, {"name": "Lin"}]}\n```',
            {"date": "2025-08-10", "time": "14:30", "who": "Mira, Lin"},
            id="a tracker's block",
        ),
        pytest.param(
            "<状态栏>\n日期：三月初七\n天气：雨\n心情：平静\n好感度：45/100\n在场人物：林晚、掌柜\n物品：地图\n着装：青衫\n</状态栏>",
            {
                "date": "三月初七",
                "weather": "雨",
                "mood": "平静",
                "affection": "45/100",
                "who": "林晚、掌柜",
                "items": "地图",
                "着装": "青衫",
            },
            id="认得的和照写的",
        ),
        pytest.param("【好感度】：63/100\n她笑了。", {"affection": "63/100"}, id="只有一项也算"),
        pytest.param(
            "时间：夜\n地点：茶楼\n林晚：你来了。\n掌柜：三位？",
            {"time": "夜", "place": "茶楼"},
            id="状态行后面的对白不算",
        ),
        pytest.param(
            "Time: dusk\nPlace: a\nTime: dawn", {"time": "dusk", "place": "a"}, id="first"
        ),
        pytest.param("She waits. [He is late: again]", {}, id="a bracket in prose"),
        pytest.param("[Mira smiles: she knows]", {}, id="prose in brackets alone"),
        pytest.param("(Note: I was late)\nHello", {}, id="a note in brackets"),
        pytest.param("[Mood: she is calm | and waits]", {}, id="half a field, half prose"),
        pytest.param("Mira: hi\nLin: hello\nMira: what time: now", {}, id="a dialogue with names"),
        pytest.param("明天见！\n时间：下午三点\n你要来。", {}, id="话里的一个时间"),
        pytest.param("掌柜说：“时间：三月。地点：茶楼。”", {}, id="引号里的话"),
        pytest.param(
            "I wait.\nTime: it flies\nPlace: none\nI go.", {}, id="bare lines amid the text"
        ),
        pytest.param("【任务】去找药师。\n【奖励】三两", {}, id="括号里没有场景"),
        pytest.param("[Time: " + "long " * 30 + "]", {}, id="a value as long as prose"),
        pytest.param("```python\nx: int = 3\ntime: float = 2\n```", {}, id="code"),
        pytest.param('```json\n{"id": 7, "ok": true}\n```', {}, id="JSON about something else"),
        pytest.param("<status>all quiet</status>", {}, id="a panel without fields"),
        pytest.param('{"time": ', {}, id="broken JSON"),
        pytest.param("[" * 5000, {}, id="deep nesting"),
        pytest.param("", {}, id="nothing"),
    ],
)
def test_a_message_prints(raw: str, fields: dict[str, str]) -> None:
    assert dict(stamp_of(raw)) == fields


def test_known_fields_come_before_others_when_there_are_too_many() -> None:
    lines = [f"stat{chr(97 + number)}: {number}" for number in range(20)]
    told = stamp_of("<status>\n" + "\n".join([*lines, "Time: dusk"]) + "\n</status>")
    assert len(told) == MOST_FIELDS
    assert told[-1] == ("time", "dusk")


def test_long_values_of_a_panel_are_cut() -> None:
    told = dict(stamp_of("<status>\nPlace: " + "far " * 60 + "\n</status>"))
    assert told["place"] == ("far " * 60)[:LONGEST_VALUE].rstrip()


@pytest.mark.parametrize(
    ("raw", "printed"),
    [
        pytest.param("【时间】夜【地点】茶楼\n雨。", "【时间】夜【地点】茶楼", id="一行"),
        pytest.param("Hi.\nTime: dusk\nPlace: mill\n", "Time: dusk\nPlace: mill", id="two lines"),
        pytest.param("Hi. <status>Time: x</status> Bye.", "<status>Time: x</status>", id="element"),
    ],
)
def test_a_panel_knows_its_place(raw: str, printed: str) -> None:
    assert [raw[one.start : one.end] for one in panels(raw)] == [printed]


ANYTHING = st.sampled_from(
    [
        "<status>",
        "</status>",
        "```json\n",
        "```",
        "{",
        "}",
        '"time":',
        "Time:",
        "【地点】",
        "|",
        "[",
        "]",
        "\n",
        "x",
        "📍",
    ]
)


@given(PROSE | st.lists(ANYTHING | st.text(max_size=5), max_size=30).map("".join))
def test_a_stamp_is_small_and_its_panels_lie_apart(raw: str) -> None:
    told = stamp_of(raw)
    assert len(told) <= MOST_FIELDS
    assert len(dict(told)) == len(told)
    assert all(name and 0 < len(value) <= LONGEST_VALUE for name, value in told)
    assert all(value == value.strip() for _, value in told)
    places = [place for one in panels(raw) for place in (one.start, one.end)]
    assert places == sorted(places)
    assert all(0 <= place <= len(raw) for place in places)


@pytest.mark.parametrize(
    "hostile",
    [
        "<status>",
        "<a ",
        "```\n",
        "【时间】x",
        "[a: b]\n",
        "{",
        "\n{",
        "time: x\n",
        "a,b:",
        '_.set("a","b',
        "📍",
        "<t>x</t>",
    ],
)
def test_a_character_costs_the_same_in_a_long_text(hostile: str) -> None:
    assert growth(stamp_of, hostile * (20_000 // len(hostile))) < 3
