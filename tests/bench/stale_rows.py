"""What people tell and later change, English and Chinese: forms of a fact, of its change, and of questions about it.

`{old}` and `{new}` are values of the kind; a form without `{new}` only ends the old. A fact stands alone or inside a longer turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fact and how it changes."""

    name: str
    language: str
    values: Sequence[str]
    told: Sequence[str]
    changed: Sequence[str]
    asked: Sequence[str]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every value with another one."""
        return [(old, new) for old in self.values for new in self.values if old != new]


AROUND = {
    "en": (
        "{fact}",
        "{fact}",
        "What a day, the tram broke down twice. {fact} Anyway, how was yours?",
        "Before I forget: {fact} And my feet hurt from the market.",
        "*sits down by the fire* {fact} Pass me the bread, would you?",
    ),
    "zh": (
        "{fact}",
        "{fact}",
        "今天真累，电车坏了两次。{fact}你那边怎么样？",
        "差点忘了告诉你，{fact}逛集市逛得我脚疼。",
        "*在火炉边坐下* {fact}把面包递给我好吗？",
    ),
}

BETWEEN = {
    "en": (
        "The soup smells wonderful.",
        "Shall we light the lamps?",
        "I saw a heron by the river this morning.",
    ),
    "zh": ("汤闻起来真香。", "我们把灯点上吧？", "早上我在河边看见一只白鹭。"),
}

KINDS = (
    Kind(
        "moved",
        "en",
        ("Rome", "Oslo", "Riga", "Lisbon", "Toronto", "Kyoto", "Dublin", "Prague"),
        (
            "I live in {old}.",
            "I'm living in {old} these days.",
            "My home is in {old}.",
            "I live in {old} with my cousin.",
            "I've lived in {old} for six years.",
        ),
        (
            "I moved to {new} last week.",
            "I've moved from {old} to {new}.",
            "We finally moved house, I live in {new} now.",
            "I don't live in {old} any more, I'm in {new}.",
            "Big news: I left {old} for good and settled in {new}.",
            "I relocated to {new} for work.",
        ),
        (
            "Where do I live?",
            "Which city is my home?",
            "Do I still live in {old}?",
            "What's the weather like where I live?",
        ),
    ),
    Kind(
        "corrected home",
        "en",
        ("Rome", "Oslo", "Riga", "Lisbon", "Toronto", "Kyoto", "Dublin", "Prague"),
        ("I live in {old}.", "My home is in {old}.", "I'm living in {old} these days."),
        (
            "Actually, I live in {new}.",
            "No wait, I live in {new}, not {old}.",
            "I lied before. I actually live in {new}.",
            "Correction: I live in {new}.",
            "Sorry, I misspoke, I live in {new}.",
        ),
        ("Where do I live?", "Which city is my home?", "Do I live in {old}?"),
    ),
    Kind(
        "job",
        "en",
        ("baker", "nurse", "carpenter", "teacher", "plumber", "lawyer", "florist", "welder"),
        (
            "I work as a {old}.",
            "I'm a {old}.",
            "I'm a {old} by trade.",
            "I have been working as a {old} since spring.",
        ),
        (
            "I quit, I'm a {new} now.",
            "I'm no longer a {old}, I work as a {new} these days.",
            "I switched jobs and became a {new}.",
            "I got a new job as a {new}.",
            "I gave up being a {old}; now I work as a {new}.",
        ),
        ("What is my job?", "What do I do for a living?", "Am I a {old}?"),
    ),
    Kind(
        "pet",
        "en",
        ("Rex", "Bello", "Fido", "Juno", "Argos", "Luna", "Pepper", "Biscuit"),
        (
            "My dog is called {old}.",
            "My dog's name is {old}.",
            "I have a dog named {old}.",
            "My dog {old} is asleep at home.",
        ),
        (
            "I renamed my dog, he is called {new} now.",
            "Actually, my dog is called {new}.",
            "No, my dog's name is {new}, not {old}.",
            "My dog's name is {new} now, we changed it.",
        ),
        ("What is my dog called?", "What's my dog's name?", "Is my dog called {old}?"),
    ),
    Kind(
        "name",
        "en",
        ("Walter", "Marian", "Edith", "Oscar", "Gwen", "Hector", "Iris", "Leopold"),
        ("My name is {old}.", "I'm {old}, by the way.", "My name's {old}, I forgot to say."),
        (
            "My name isn't {old}, it's {new}.",
            "Actually, my name is {new}.",
            "I changed my name to {new}.",
        ),
        ("What's my name?", "Do you remember my name?", "How should you call me?"),
    ),
    Kind(
        "favourite",
        "en",
        ("blue", "green", "orange", "purple", "scarlet", "silver", "brown", "turquoise"),
        (
            "My favourite colour is {old}.",
            "{old} is my favourite colour.",
            "My favorite color is {old}.",
        ),
        (
            "My favourite colour is {new} now.",
            "My favourite colour isn't {old} any more, it's {new}.",
            "Actually, my favourite colour is {new}.",
            "I changed my mind, my favourite colour is {new}.",
        ),
        (
            "What is my favourite colour?",
            "Which colour do I like best?",
            "Is {old} my favourite colour?",
        ),
    ),
    Kind(
        "taste",
        "en",
        (
            "olives",
            "mushrooms",
            "herring",
            "walnuts",
            "coriander",
            "radishes",
            "oysters",
            "liquorice",
        ),
        ("I love {old}.", "I really like {old}.", "I enjoy {old} a lot.", "I'm fond of {old}."),
        (
            "I hate {old} now.",
            "I don't like {old} any more.",
            "I can't stand {old} these days.",
            "Actually, I dislike {old}.",
            "I've gone off {old}.",
        ),
        ("Do I like {old}?", "What do I think of {old}?", "Would I enjoy {old}?"),
    ),
    Kind(
        "age",
        "en",
        ("24", "29", "31", "35", "42", "47", "53", "58"),
        ("I am {old} years old.", "I'm {old}.", "I'm {old} years old."),
        (
            "I am {new} years old, not {old}.",
            "I just turned {new}.",
            "Actually I'm {new}.",
            "I'm {new} now, my birthday was yesterday.",
        ),
        ("How old am I?", "What is my age?", "Am I {old}?"),
    ),
    Kind(
        "sister",
        "en",
        ("Rome", "Oslo", "Riga", "Lisbon", "Toronto", "Kyoto", "Dublin", "Prague"),
        (
            "My sister lives in {old}.",
            "My sister Anna lives in {old}.",
            "My sister is living in {old}.",
        ),
        (
            "My sister moved to {new}.",
            "My sister moved from {old} to {new}.",
            "My sister lives in {new} now.",
            "My sister doesn't live in {old} any more, she moved to {new}.",
        ),
        (
            "Where does my sister live?",
            "Which city is my sister in?",
            "Does my sister live in {old}?",
        ),
    ),
    Kind(
        "married",
        "en",
        ("married", "single", "engaged", "divorced"),
        ("I'm {old}.", "I am {old}.", "I'm {old}, you know."),
        ("I'm {new} now.", "I'm not {old} any more, I'm {new}.", "Actually, I'm {new}."),
        ("Am I {old}?", "What's my marital status?", "Am I married, single, engaged or divorced?"),
    ),
    Kind(
        "forget",
        "en",
        (
            "burn scar",
            "wooden leg",
            "glass eye",
            "gambling debt",
            "secret twin",
            "stolen ring",
            "hidden cellar",
            "forged passport",
        ),
        ("I have a {old}.", "I've got a {old}, you know.", "The truth is that I have a {old}."),
        (
            "Please forget that I have a {old}.",
            "Please forget what I told you about the {old}.",
            "Forget about my {old}.",
            "Forget everything I said about my {old}.",
            "I want you to forget about the {old}.",
        ),
        ("Do I have a {old}?", "What do you know about my {old}?", "What have I got?"),
    ),
    Kind(
        "moved",
        "zh",
        ("杭州", "成都", "苏州", "大连", "厦门", "长沙", "青岛", "昆明"),
        (
            "我住在{old}。",
            "我现在住{old}。",
            "我家在{old}。",
            "我和表姐住在{old}。",
            "我在{old}住了六年了。",
        ),
        (
            "我上周搬到{new}了。",
            "我从{old}搬到{new}了。",
            "我们终于搬家了，我现在住在{new}。",
            "我不住{old}了，现在在{new}。",
            "我离开{old}，在{new}定居了。",
            "因为工作我搬去了{new}。",
        ),
        ("我住在哪里？", "我家在哪个城市？", "我还住在{old}吗？", "我那边天气怎么样？"),
    ),
    Kind(
        "corrected home",
        "zh",
        ("杭州", "成都", "苏州", "大连", "厦门", "长沙", "青岛", "昆明"),
        ("我住在{old}。", "我家在{old}。", "我现在住{old}。"),
        (
            "其实我住在{new}。",
            "不对，我住在{new}，不是{old}。",
            "我之前骗你的，我其实住在{new}。",
            "更正一下，我住在{new}。",
            "说错了，我住在{new}。",
        ),
        ("我住在哪里？", "我家在哪个城市？", "我住在{old}吗？"),
    ),
    Kind(
        "job",
        "zh",
        ("厨师", "护士", "木匠", "老师", "水管工", "律师", "花匠", "焊工"),
        ("我是一名{old}。", "我是{old}。", "我的工作是{old}。", "我从春天起就当{old}了。"),
        (
            "我辞职了，现在是{new}。",
            "我不当{old}了，现在做{new}。",
            "我换工作了，当了{new}。",
            "我找到新工作了，是{new}。",
            "其实我是{new}。",
        ),
        ("我是做什么工作的？", "我的职业是什么？", "我是{old}吗？"),
    ),
    Kind(
        "pet",
        "zh",
        ("旺财", "小黑", "豆豆", "雪球", "阿福", "可乐", "布丁", "年糕"),
        (
            "我的狗叫{old}。",
            "我家狗狗的名字是{old}。",
            "我养了一只狗，叫{old}。",
            "我的狗名叫{old}。",
        ),
        (
            "我给狗改名了，现在叫{new}。",
            "其实我的狗叫{new}。",
            "不对，我的狗叫{new}，不叫{old}。",
            "我的狗现在叫{new}了。",
        ),
        ("我的狗叫什么？", "我家狗狗叫什么名字？", "我的狗叫{old}吗？"),
    ),
    Kind(
        "name",
        "zh",
        ("文远", "思琪", "子轩", "雨桐", "建国", "若兰", "志强", "晓雯"),
        ("我叫{old}。", "我的名字是{old}。", "我的名字叫{old}。"),
        (
            "我不叫{old}，我叫{new}。",
            "其实我叫{new}。",
            "我改名叫{new}了。",
            "我的名字改成{new}了。",
        ),
        ("我叫什么名字？", "你还记得我的名字吗？", "你该怎么称呼我？"),
    ),
    Kind(
        "favourite",
        "zh",
        ("蓝色", "绿色", "橙色", "紫色", "红色", "银色", "棕色", "白色"),
        ("我最喜欢的颜色是{old}。", "{old}是我最喜欢的颜色。", "我最喜欢{old}。"),
        (
            "我现在最喜欢的颜色是{new}。",
            "我最喜欢的颜色不是{old}了，是{new}。",
            "其实我最喜欢的颜色是{new}。",
            "我改主意了，我最喜欢的颜色是{new}。",
        ),
        ("我最喜欢的颜色是什么？", "我最喜欢哪种颜色？", "{old}是我最喜欢的颜色吗？"),
    ),
    Kind(
        "taste",
        "zh",
        ("香菜", "榴莲", "豆腐", "茄子", "苦瓜", "芝麻", "生蚝", "蘑菇"),
        ("我喜欢吃{old}。", "我很爱吃{old}。", "我特别喜欢{old}。", "我爱吃{old}。"),
        (
            "我现在讨厌{old}了。",
            "我不喜欢吃{old}了。",
            "我现在受不了{old}。",
            "其实我不喜欢{old}。",
            "我再也不吃{old}了。",
        ),
        ("我喜欢吃{old}吗？", "我觉得{old}怎么样？", "我爱吃{old}吗？"),
    ),
    Kind(
        "age",
        "zh",
        ("24", "29", "31", "35", "42", "47", "53", "58"),
        ("我今年{old}岁。", "我{old}岁了。", "我已经{old}岁了。"),
        (
            "我今年{new}岁，不是{old}岁。",
            "我刚满{new}岁。",
            "其实我{new}岁。",
            "昨天过生日，我现在{new}岁了。",
        ),
        ("我多大了？", "我今年几岁？", "我是{old}岁吗？"),
    ),
    Kind(
        "sister",
        "zh",
        ("杭州", "成都", "苏州", "大连", "厦门", "长沙", "青岛", "昆明"),
        ("我妹妹住在{old}。", "我妹妹小梅住在{old}。", "我妹妹现在住{old}。"),
        (
            "我妹妹搬到{new}了。",
            "我妹妹从{old}搬到{new}了。",
            "我妹妹现在住在{new}。",
            "我妹妹不住{old}了，搬去了{new}。",
        ),
        ("我妹妹住在哪里？", "我妹妹在哪个城市？", "我妹妹住在{old}吗？"),
    ),
    Kind(
        "married",
        "zh",
        ("已婚", "单身", "离异"),
        ("我{old}。", "我目前{old}。", "我现在是{old}。"),
        ("我现在{new}了。", "其实我{new}。", "我已经不是{old}了，我{new}。"),
        ("我{old}吗？", "我的婚姻状况是什么？", "我结婚了还是单身？"),
    ),
    Kind(
        "forget",
        "zh",
        ("烧伤疤", "木腿", "玻璃眼", "赌债", "孪生哥哥", "赃物戒指", "地下室", "假护照"),
        ("我有一个{old}。", "其实我有{old}。", "告诉你吧，我有{old}。"),
        (
            "忘掉我有{old}这件事。",
            "请忘记我跟你说的{old}的事。",
            "忘了我的{old}吧。",
            "请忘掉我说过的关于{old}的一切。",
            "别再记得我有{old}了。",
        ),
        ("我有{old}吗？", "关于我的{old}你知道什么？", "我有什么？"),
    ),
)
