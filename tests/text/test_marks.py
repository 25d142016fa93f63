"""What in a message is not plainly its speaker's own words. `{q|...}` stands for a quotation of somebody else, `{a|...}` for a stage
direction, `{o|...}` for words out of character."""

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
        pytest.param('{a|*I smile*} "My name is Lin"', id="my own action and my own words"),
        pytest.param('"My name is Lin," I tell the cook.', id="I say it to the cook"),
        pytest.param('The innkeeper said, {q|"Three daughters."}', id="said before"),
        pytest.param(
            '{q|"Three silver,"} says the ferryman. "I have two," I say.', id="said behind"
        ),
        pytest.param('{q|"I was a soldier,"} the beggar said. {q|"At Varn."} I go.', id="goes on"),
        pytest.param(
            '{q|"Get out!"} the cook yells. I stay. "No."', id="the next one is mine again"
        ),
        pytest.param('{q|"Yes,"} the cook said, {q|"three of them."}', id="a split quotation"),
        pytest.param(
            'I lean over to the cook and mutter: "Soup."', id="the cook is only spoken to"
        ),
        pytest.param('To the cook standing there I say, "Soup."', id="to the cook"),
        pytest.param('"Really?" The cook says nothing.', id="a new sentence says who is silent"),
        pytest.param('{a|*The cook grumbles*}\n{q|"Soup!"}', id="an action in the line above"),
        pytest.param('{a|*The cook grumbles*}\n\n"Soup!"', id="not in the paragraph above"),
        pytest.param('I listen as the bard sings, {q|"O my Lowick."}', id="a clause of their own"),
        pytest.param('The harbour master bows and says, {q|"Sunk."}', id="a master of something"),
        pytest.param(
            'I remember Grandpa saying, {q|"Mend her."}', id="what I remember somebody saying"
        ),
        pytest.param('As the bard sings, I murmur: "My sister sang so."', id="a clause of my own"),
        pytest.param('My mother always says {q|"trust nobody"} and I agree.', id="without a comma"),
        pytest.param('You told me, {q|"I can\'t swim."}', id="the other one is quoted"),
        pytest.param('I laughed when he said {q|"no"}.', id="he is another where I tell the story"),
        pytest.param('{a|*She hands him the map*} "Keep it."', id="she may be the speaker"),
        pytest.param('Karl texted me: {q|"I\'m moving."}', id="a name"),
        pytest.param('The sign reads: {q|"No dogs."}', id="a sign speaks too"),
        pytest.param('My voice shakes: "I was there."', id="my voice is me"),
        pytest.param('My cat is called "Miso", my song "Clocks".', id="names in quotation marks"),
        pytest.param('The cook never said "no".', id="what was not said is nobody's"),
        pytest.param(
            '"My boss said {q|“you\'re fired”}, so I left."', id="quoted in my own speech"
        ),
        pytest.param('{a|*The cook says }{q|"soup"}{a| and I sit*}', id="speech in an action"),
        pytest.param('"Fine. {a|*sighs*} Let us go."', id="an action inside of speech"),
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
        pytest.param("{a|*我靠在柜台上*}“我叫林晚。”", id="我的动作我的话"),
        pytest.param("我对掌柜说：“我叫林晚。”", id="我对掌柜说"),
        pytest.param("笑着对掌柜说：“我没钱。”", id="没有主语的对掌柜说"),
        pytest.param("“我要两碗面。”掌柜说：{q|“十文。”}", id="冒号引出的是后一句"),
        pytest.param("掌柜爱唱“晴天”，我也爱。", id="没有冒号的歌名"),
        pytest.param("我看着掌柜，说道：“我没钱。”", id="掌柜只是被看着"),
        pytest.param("{q|“客官几位？”}小二笑着问道。“两位。”我说。", id="说在后面"),
        pytest.param("{q|「桥断了，」}信使说道，{q|「快走。」}", id="分成两半的话"),
        pytest.param("我妈常说：{q|“别信生人。”}", id="我妈不是我"),
        pytest.param("你说过：{q|“我不会游泳。”}", id="引对方的话"),
        pytest.param("她低声说：{q|“别回头。”}我没有回头。", id="以我叙述时她是别人"),
        pytest.param("她低声说：“别回头。”", id="她也许就是说话的人"),
        pytest.param("高兴地说：“我有妹妹了！”", id="没有主语"),
        pytest.param("掌柜：{q|“三位里面请。”}", id="名字加冒号"),
        pytest.param("船夫啐了一口：{q|“两文钱。”}", id="动作加冒号"),
        pytest.param("将军清了清嗓子，沉声道：{q|“明日启程。”}", id="主语在前一个分句"),
        pytest.param("我的猫叫“年糕”，歌叫“晴天”。", id="引号里的名字"),
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


@pytest.mark.parametrize(
    "marked",
    [
        pytest.param('Mira leans in. "I hid the map," Mira whispers.', id="her name is her"),
        pytest.param('"I was born here," she says, her voice low.', id="she is perhaps Mira"),
        pytest.param('{a|*The vampire smirks*} "I am four hundred."', id="so is an epithet"),
        pytest.param('{a|*An old woman cackles*} {q|"Seven husbands!"}', id="somebody new is not"),
        pytest.param('{q|"She lies,"} Rafi mutters. "I do not," Mira says.', id="another name"),
        pytest.param('{a|*Rafi slams the door.*} {q|"We leave!"}', id="a name that is known"),
        pytest.param('Mira\'s grandmother said, {q|"Salt."}', id="her grandmother is not her"),
        pytest.param('Mira\'s voice breaks: "I was nine."', id="her voice is her"),
        pytest.param("Mira低声说：“我把地图藏起来了。”", id="米拉自己"),
        pytest.param('"I have none." Rafi says goodbye.', id="a full stop parts them"),
        pytest.param("“他常说{q|「慢就是快」}。”", id="自己话里的他是别人"),
        pytest.param("李雷低声说：{q|“我下周搬家。”}", id="别人的名字"),
        pytest.param("少女笑道：“我四百岁了。”", id="少女也许是她"),
        pytest.param("Mira的外婆常说：{q|“放盐。”}", id="外婆不是她"),
    ],
)
def test_a_speaker_is_known_by_name(marked: str) -> None:
    text, wanted = read(marked)
    assert list(marks(text, own=("Mira",), others=("Rafi",))) == wanted


@given(PROSE)
def test_marks_lie_apart_and_passages_follow_them(text: str) -> None:
    found = marks(text, own=("Lin",))
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
