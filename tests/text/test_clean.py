"""What is story stays, what is not goes: in Chinese and in English."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rolememory.errors import FileError
from rolememory.schema.settings import CleanSettings
from rolememory.shipped import shipped
from rolememory.text.clean import Cleaner, Rule, chosen, cleaner_for, load_rules

CLEANER = Cleaner(load_rules())

THOUGHTS = [
    pytest.param("<think>She hides it.</think>She smiled.", "She smiled.", id="thoughts go"),
    pytest.param(
        "<thinking>\nplan\n</thinking>\n\nShe smiled.",
        "She smiled.",
        id="thoughts over several lines go",
    ),
    pytest.param(
        "<Reasoning>why</Reasoning>She smiled.", "She smiled.", id="upper case does not save them"
    ),
    pytest.param(
        "She smiled.<think>now what", "She smiled.", id="thoughts that never end go to the end"
    ),
    pytest.param(
        "so I must be kind</think>She smiled.",
        "She smiled.",
        id="thoughts that lost their opening go",
    ),
    pytest.param(
        "One.<think>a</think>Two.<think>b</think>Three.",
        "One.Two.Three.",
        id="thoughts in several places go",
    ),
    pytest.param(
        "One.<think>a<think>b</think>c</think>Two.", "One.Two.", id="thoughts inside thoughts go"
    ),
    pytest.param(
        "<think>她在撒谎。</think>“我没去过那里。”她说。",
        "“我没去过那里。”她说。",
        id="思考段落去掉",
    ),
    pytest.param("<thinking>先试探一下\n\n再说", "", id="没写完的思考全部去掉"),
    pytest.param(
        "用户想要安慰。</think>她握住你的手。", "她握住你的手。", id="丢了开头的思考也去掉"
    ),
    pytest.param(
        "I think the thinking man thinks.",
        "I think the thinking man thinks.",
        id="the word think stays",
    ),
]

MARKUP = [
    pytest.param("<p>She <b>smiled</b>.</p>", "She smiled.", id="tags go, words stay"),
    pytest.param('<font color="#ff0">“走吧。”</font>', "“走吧。”", id="字体标签去掉，话留下"),
    pytest.param(
        "<div class='x'>One.</div><div>Two.</div>", "One.\n\nTwo.", id="blocks become lines"
    ),
    pytest.param(
        "One.<br>Two.<br/>Three.", "One.\nTwo.\nThree.", id="line breaks stay line breaks"
    ),
    pytest.param("One.<!-- note to self -->Two.", "One.Two.", id="comments go"),
    pytest.param("One.<!-- never closed", "One.", id="a comment that never ends goes to the end"),
    pytest.param("<style>.a{color:red}</style>One.", "One.", id="style goes with its content"),
    pytest.param("One.<script>alert(1)</script>", "One.", id="script goes with its content"),
    pytest.param(
        "One.\n<svg viewBox='0 0 1 1'><path d='M0'/></svg>\nTwo.", "One.\n\nTwo.", id="drawings go"
    ),
    pytest.param("See ![the harbour](https://x/y.png) there.", "See  there.", id="pictures go"),
    pytest.param("<content>灯塔灭了。</content>", "灯塔灭了。", id="自定义成对标签去掉，正文留下"),
    pytest.param("<正文>灯塔灭了。</正文>", "灯塔灭了。", id="中文标签也一样"),
    pytest.param(
        "Tom &amp; Mira&nbsp;said &quot;hi&quot;", 'Tom & Mira said "hi"', id="entities are read"
    ),
    pytest.param(
        "<span style='color:red'>Re<i>d</i></span> dragon",
        "Red dragon",
        id="a word inside tags is one word",
    ),
    pytest.param("3 < 5 and 7 > 2", "3 < 5 and 7 > 2", id="comparisons stay"),
    pytest.param("如果 a<b，那么 b>a。", "如果 a<b，那么 b>a。", id="不等式留下"),
    pytest.param(
        "if a<b and c>d then", "if a<b and c>d then", id="comparisons that look like a tag stay"
    ),
    pytest.param("I <3 you", "I <3 you", id="a heart stays"),
    pytest.param("<sigh> Fine.", "<sigh> Fine.", id="a sound in angle brackets stays"),
    pytest.param(
        "He wrote to <mira@harbour.example>.",
        "He wrote to <mira@harbour.example>.",
        id="an address stays",
    ),
    pytest.param("->look<-", "->look<-", id="arrows stay"),
    pytest.param("《灯塔》是本好书。", "《灯塔》是本好书。", id="书名号留下"),
]

PANELS = [
    pytest.param(
        "She smiled.\n<StatusBlock>\nHP: 80\n</StatusBlock>",
        "She smiled.",
        id="a status block goes",
    ),
    pytest.param(
        "<status_bar>mood: calm</status_bar>She smiled.", "She smiled.", id="a status bar goes"
    ),
    pytest.param("<状态栏>体力：80</状态栏>她笑了。", "她笑了。", id="状态栏标签去掉"),
    pytest.param("她笑了。\n<StatusPlaceHolderImpl/>", "她笑了。", id="状态栏占位去掉"),
    pytest.param(
        "She smiled.\n<options>\n1. Follow her\n2. Stay\n</options>",
        "She smiled.",
        id="a menu for the player",
    ),
    pytest.param(
        "<choices>Go | Stay</choices>\nShe smiled.\n\n[Options]\n1. Go\n\nShe left.",
        "She smiled.\n\nShe left.",
        id="a menu under a heading",
    ),
    pytest.param(
        "她笑了。\n<行动选项>\n1. 跟上\n2. 留下\n</行动选项>", "她笑了。", id="选项菜单去掉"
    ),
    pytest.param(
        "她笑了。\n\n【选项】\nA. 跟上\nB. 留下\n\n她走了。",
        "她笑了。\n\n她走了。",
        id="【选项】一段去掉",
    ),
    pytest.param(
        "她说：“【选项】只有两个。”她没有选择。",
        "她说：“【选项】只有两个。”她没有选择。",
        id="话里的选项留下",
    ),
    pytest.param(
        "她笑了。\n\n【状态栏】\n体力：80\n心情：平静\n\n她走了。",
        "她笑了。\n\n她走了。",
        id="状态栏一段去掉，后文留下",
    ),
    pytest.param(
        "她笑了。\n【状态栏】体力：80 | 心情：平静", "她笑了。", id="写在一行里的状态栏去掉"
    ),
    pytest.param(
        "【状态栏】\n体力：80\n\n心情：好\n【/状态栏】\n她笑了。",
        "她笑了。",
        id="有收尾的状态栏去到收尾处",
    ),
    pytest.param("她笑了。\n**【状态面板】**\n体力：80", "她笑了。", id="加粗的状态面板去掉"),
    pytest.param(
        "She smiled.\n[Status Panel]\nHP: 80\nMood: calm",
        "She smiled.",
        id="a panel under a heading goes",
    ),
    pytest.param("She smiled.\n```status\nHP: 80\n```", "She smiled.", id="a fenced panel goes"),
    pytest.param(
        "她笑了。\n```状态栏\n体力：80\n```\n她走了。",
        "她笑了。\n\n她走了。",
        id="代码块状态栏去掉",
    ),
    pytest.param(
        "她笑了。\n```\n📊 状态栏\n体力：80\n```", "她笑了。", id="第一行写着状态栏的代码块去掉"
    ),
    pytest.param(
        "One.<details><summary>More</summary>HP 80</details>Two.", "One.Two.", id="folded blocks go"
    ),
    pytest.param(
        "One.<details>a<details>b</details>c</details>Two.",
        "One.Two.",
        id="folded blocks in folded blocks go",
    ),
    pytest.param("```python\nprint('hi')\n```", "```python\nprint('hi')\n```", id="code stays"),
    pytest.param(
        "她的状态栏一直亮着红灯。", "她的状态栏一直亮着红灯。", id="正文里的状态栏三个字留下"
    ),
    pytest.param(
        "她低头看了看【状态栏】，叹了口气。",
        "她低头看了看【状态栏】，叹了口气。",
        id="句子中间的【状态栏】留下",
    ),
    pytest.param(
        "【灯塔守则】第一条：不许睡。", "【灯塔守则】第一条：不许睡。", id="别的方头括号留下"
    ),
    pytest.param(
        "Her status in town was high.", "Her status in town was high.", id="the word status stays"
    ),
]

VARIABLES = [
    pytest.param(
        "She smiled.\n<UpdateVariable>\n_.set('a',1);\n</UpdateVariable>",
        "She smiled.",
        id="an update block goes",
    ),
    pytest.param(
        "She smiled.<updatevariable>cut of",
        "She smiled.",
        id="an update block that was cut off goes",
    ),
    pytest.param("<initvar>\nhp: 80\n</initvar>开场白。", "开场白。", id="初始变量去掉"),
    pytest.param(
        '她笑了。<JSONPatch>[{"op":"add"}]</JSONPatch>', "她笑了。", id="JSONPatch 标签去掉"
    ),
    pytest.param(
        '她笑了。\n```json\n[{"op": "replace", "path": "/hp", "value": 80}]\n```',
        "她笑了。",
        id="代码块里的补丁去掉",
    ),
    pytest.param("{{setvar::mood::calm}}She smiled.", "She smiled.", id="a variable macro goes"),
    pytest.param(
        "{{setvar::line::{{char}} waits}}She smiled.",
        "She smiled.",
        id="a macro inside the macro goes with it",
    ),
    pytest.param(
        "{{addvar::好感度::1}}{{getglobalvar::天气}}她笑了。", "她笑了。", id="变量宏去掉"
    ),
    pytest.param("她笑了。\n_.set('好感度', 1, 2); // 因为礼物", "她笑了。", id="变量脚本去掉"),
    pytest.param("One.<% if (x) { %>Two.<% } %>", "One.Two.", id="template code goes"),
    pytest.param("{{user}} meets {{char}}.", "{{user}} meets {{char}}.", id="names as macros stay"),
    pytest.param(
        '```json\n{"name": "Mira"}\n```', '```json\n{"name": "Mira"}\n```', id="other JSON stays"
    ),
]

OUT_OF_CHARACTER = [
    pytest.param(
        "She smiled. ((OOC: brb, dinner))", "She smiled.", id="double brackets with OOC go"
    ),
    pytest.param(
        "(OOC: slower please) She smiled.", "She smiled.", id="single brackets with OOC go"
    ),
    pytest.param(
        "(OOC: slower (much) please) She smiled.", "She smiled.", id="brackets inside them go too"
    ),
    pytest.param(
        "[OOC let us skip a day]\nShe smiled.", "She smiled.", id="square brackets with OOC go"
    ),
    pytest.param("{OOC: next scene}\nShe smiled.", "She smiled.", id="curly brackets with OOC go"),
    pytest.param(
        "OOC: sorry, was away\nShe smiled.", "She smiled.", id="a line that begins with OOC: goes"
    ),
    pytest.param("（场外：我先吃个饭）她笑了。", "她笑了。", id="场外括号去掉"),
    pytest.param("（OOC：写慢一点）她笑了。", "她笑了。", id="全角 OOC 括号去掉"),
    pytest.param("【出戏：这段重来】\n她笑了。", "她笑了。", id="出戏括号去掉"),
    pytest.param("（場外：我先吃飯）她笑了。", "她笑了。", id="繁體場外括號也去掉"),
    pytest.param("// 下一幕去灯塔\n她笑了。", "她笑了。", id="双斜杠开头的一行去掉"),
    pytest.param("// skip to night\nShe smiled.", "She smiled.", id="a line of // goes"),
    pytest.param(
        "See http://harbour.example/a // b",
        "See http://harbour.example/a // b",
        id="slashes inside a line stay",
    ),
    pytest.param(
        "She (the keeper) smiled.", "She (the keeper) smiled.", id="ordinary brackets stay"
    ),
    pytest.param("（他笑了笑）“好啊。”", "（他笑了笑）“好啊。”", id="动作括号留下"),
    pytest.param("（场外传来脚步声）", "（场外传来脚步声）", id="场外传来的声音是正文"),
    pytest.param(
        "*she waves* _softly_ **Now.**", "*she waves* _softly_ **Now.**", id="actions stay"
    ),
    pytest.param(
        "[The next day]\nShe smiled.",
        "[The next day]\nShe smiled.",
        id="a heading in brackets stays",
    ),
    pytest.param(
        "The zoocat (oocyte?) slept.", "The zoocat (oocyte?) slept.", id="ooc inside words stays"
    ),
    pytest.param("((the beacon))", "((the beacon))", id="double brackets without OOC stay"),
]


@pytest.mark.parametrize(
    ("text", "story"), [*THOUGHTS, *MARKUP, *PANELS, *VARIABLES, *OUT_OF_CHARACTER]
)
def test_story_stays_the_rest_goes(text: str, story: str) -> None:
    assert CLEANER.clean(text) == story
    assert CLEANER.clean(story) == story


WHOLE_TURN = """<think>
他想听实话。
</think>
<content>
<p>她把灯点亮，<b>低声</b>说：“那年冬天，我也在这里。”</p>
（他笑了笑）
</content>
{{setvar::好感度::12}}
<StatusBlock>
时间：夜
</StatusBlock>
<UpdateVariable>_.set('a', 1, 2);</UpdateVariable>
（场外：要不要跳到第二天？）"""


def test_a_whole_reply_keeps_only_its_story() -> None:
    assert (
        CLEANER.clean(WHOLE_TURN) == "她把灯点亮，低声说：“那年冬天，我也在这里。”\n\n（他笑了笑）"
    )


def test_a_text_without_anything_to_take_out_is_the_very_same() -> None:
    text = "  The beacon went dark.\n\n\n\nNobody knew why.  "
    assert Cleaner(load_rules()).clean(text) is text


@pytest.mark.parametrize(
    "evil",
    [
        "<think>" * 3000,
        "<details>" * 3000,
        "{{setvar::" * 3000,
        "((OOC " * 3000,
        "<a " * 5000,
        "<x1>" * 5000,
        "【状态栏】\n" * 3000,
        "【选项】\n" * 3000,
        "<options>" * 3000,
        "（场外：（" * 2000,
    ],
)
def test_hostile_texts_come_to_an_end(evil: str) -> None:
    assert len(Cleaner(load_rules()).clean(evil)) <= len(evil)


@given(st.text(alphabet="abc <>/()[]{}【】（）:：|\n灯塔think OC`*_", max_size=60))
def test_cleaning_never_adds_words(text: str) -> None:
    cleaned = CLEANER.clean(text)
    assert len(cleaned) <= len(text)
    assert CLEANER.clean(text) == cleaned


@given(st.text(alphabet="abc <>/()[]{}:|\n灯塔think OC`*_", max_size=60))
@example("((OOC: brb)) <b>x</b>\n\n\n\n<think>y")
def test_a_group_less_takes_nothing_from_the_others(text: str) -> None:
    whole = Cleaner(load_rules())
    fewer = whole.without("out_of_character")
    kept = Cleaner(rule for rule in load_rules() if rule.id != "out_of_character")
    assert (whole.clean(text), fewer.clean(text)) == (CLEANER.clean(text), kept.clean(text))


MARKS = (
    "< </think> <b> [ ( （ ) 【状态栏】 】 ``` {{setvar::x}} _.set( ; <% %> <!-- &nbsp; &#39; ![a](b) </details> // ／／"
    ' OOC: ooc 场外： {ooc} } * {"op":1} a.b 灯塔'
)


@given(st.lists(st.sampled_from([*MARKS.split(), "\n", " ", "Out Of Character: x"]), max_size=9))
def test_rules_are_needed_where_they_say_so(parts: list[str]) -> None:
    always = Cleaner(replace(rule, needs=()) for rule in load_rules())
    assert CLEANER.clean("".join(parts)) == always.clean("".join(parts))


def test_groups_are_chosen_by_name() -> None:
    only = Cleaner(chosen(load_rules(), ["think"]))
    assert only.clean("<think>x</think><b>y</b>") == "<b>y</b>"
    assert chosen(load_rules(), ["thinks"]) == ()


def test_default_settings_name_every_shipped_group() -> None:
    assert set(CleanSettings().rules) == {rule.id for rule in load_rules()}
    assert all(rule.zh and rule.en for rule in load_rules())


def own_file(folder: Path, *rows: object) -> Path:
    path = folder / "cleaning.json"
    path.write_text(json.dumps({"rules": rows}), encoding="utf-8")
    return path


def test_every_shipped_rule_can_be_used() -> None:
    assert load_rules(shipped("worldbook_rules", "cleaning.json")) == load_rules()


def test_rules_of_ones_own_replace_a_group_or_add_one(tmp_path: Path) -> None:
    path = own_file(
        tmp_path,
        {"id": "think", "regex": "~.*?~"},
        {"id": "dice", "regex": r"\[roll \d+\]", "replacement": ""},
    )
    cleaner = cleaner_for(CleanSettings(), load_rules(path))
    assert cleaner is not None
    assert cleaner.clean("~hm~She <b>rolls</b> [roll 20]. <think>x</think>") == "She rolls . x"


def test_cleaning_can_be_switched_off() -> None:
    assert cleaner_for(CleanSettings(enabled=False)) is None
    assert cleaner_for(CleanSettings()) is not None


@pytest.mark.parametrize(
    ("row", "told"),
    [
        pytest.param(
            {"id": "a", "regex": "("},
            r"rules\[0\].regex: not a regular expression",
            id="a broken pattern is named",
        ),
        pytest.param(
            {"id": "a", "regex": "x" * 3000},
            r"rules\[0\].regex: 3000 characters",
            id="a pattern too long is named",
        ),
        pytest.param(
            {"id": "a", "regex": "x", "replacement": r"\3"},
            r"rules\[0\].replacement",
            id="a replacement without its group is named",
        ),
        pytest.param(
            {"id": "a", "regex": 5},
            r"rules\[0\].regex: expected a text, got 5",
            id="a number is no pattern",
        ),
        pytest.param(
            {"id": "a", "regex": "x", "needs": "x"},
            r'rules\[0\].needs: expected a list of strings, got "x"; write \["x"\]',
            id="what a rule needs is a list",
        ),
        pytest.param({"regex": "x"}, r"rules\[0\].id: a value is missing", id="a rule needs an id"),
        pytest.param("x", r"rules\[0\]: expected an object", id="a rule is an object"),
    ],
)
def test_a_rule_that_cannot_be_used_names_its_field(row: object, told: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=told):
        load_rules(own_file(tmp_path, row))


@pytest.mark.parametrize("content", ["{", "[]", "\xff\xfe", '{"rules": {}}'])
def test_a_file_that_is_no_rule_file_is_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "cleaning.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(FileError, match=r"cleaning\.json"):
        load_rules(path)


def test_a_rule_that_takes_too_long_leaves_the_text() -> None:
    slow = Cleaner([Rule("slow", r"(a|aa|aaa|a.?)+$"), Rule("b", "b")])
    assert "b" not in slow.clean("a" * 5000 + "b!")
