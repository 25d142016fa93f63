"""What people say in the walks: facts that change, deeds, promises, orders to remember and chit-chat, in English and Chinese."""

import random
from collections.abc import Mapping, Sequence

PLACES = ["Rome", "Oslo", "Lisbon", "Riga", "Cork", "Bergen", "Turin", "Leiden"]
CITIES = ["杭州", "成都", "苏州", "大连", "厦门", "长沙", "青岛", "昆明"]
JOBS = ["baker", "nurse", "carpenter", "teacher", "sailor", "painter"]
TRADES = ["厨师", "护士", "木匠", "老师", "水手", "画家"]
PETS = ["Rex", "Bello", "Fido", "Juno", "Argos", "Luna"]
ANIMALS = ["旺财", "小黑", "豆豆", "雪球", "阿福", "可乐"]
FOODS = ["olives", "plums", "herring", "walnuts", "figs", "radishes"]
DISHES = ["香菜", "榴莲", "豆腐", "茄子", "苦瓜", "芝麻"]
THINGS = [
    "copper lantern",
    "silver whistle",
    "golden comb",
    "iron kettle",
    "wooden flute",
    "glass bead",
    "velvet glove",
    "brass bell",
]
OBJECTS = ["铜灯笼", "银哨子", "金梳子", "铁水壶", "木笛子", "玻璃珠", "丝绒手套", "黄铜铃"]
SPOTS = ["harbour", "old mill", "chapel", "quarry", "market", "orchard", "tunnel", "tower"]
SITES = ["码头", "旧磨坊", "教堂", "采石场", "集市", "果园", "隧道", "钟楼"]

VALUES: Mapping[str, Sequence[str]] = {
    "place": PLACES,
    "job": JOBS,
    "pet": PETS,
    "food": FOODS,
    "thing": THINGS,
    "spot": SPOTS,
    "city": CITIES,
    "trade": TRADES,
    "animal": ANIMALS,
    "dish": DISHES,
    "object": OBJECTS,
    "site": SITES,
}

SAID: Mapping[str, Mapping[str, Sequence[str]]] = {
    "user": {
        "facts": [
            "I live in {place}.",
            "I work as a {job}.",
            "My dog is called {pet}.",
            "I love {food}.",
            "My sister lives in {place} and works as a {job}.",
            "I am {number} years old.",
            "My favourite food is {food}.",
            "我住在{city}。",
            "我是一名{trade}。",
            "我的狗叫{animal}。",
            "我喜欢吃{dish}。",
            "我妹妹住在{city}。",
            "我今年{number}岁。",
            "我最喜欢的食物是{dish}。",
        ],
        "changes": [
            "I moved to {place}.",
            "I moved from {place} to {place}.",
            "Actually, I live in {place}.",
            "I don't like {food} any more.",
            "I am no longer a {job}.",
            "I hate {food}.",
            "我搬到{city}去了。",
            "其实我住在{city}。",
            "我不喜欢吃{dish}了。",
            "我现在不当{trade}了。",
            "不对，我今年{number}岁。",
            "我讨厌{dish}。",
        ],
        "events": [
            "Yesterday I found a {thing} behind the {spot}.",
            "We climbed the {spot} and I lost my {thing} in the dark.",
            "The captain sold me the {thing} near the {spot} this morning.",
            "昨天我在{site}后面找到了一个{object}。",
            "我们爬上{site}，我在黑暗里丢了{object}。",
            "船长今天早上在{site}旁边把{object}卖给了我。",
        ],
        "orders": [
            "Remember that the gate code of the {spot} is {number}.",
            "请记住，{site}的暗号是{number}。",
            "Don't forget that my sister lives in {place}.",
            "Remember that.",
            "(OOC: remember that I hid the {thing} in the {spot})",
            "记住，我住在{city}。",
            "永远记住我的狗叫{animal}。",
            "记住这句话。",
        ],
        "chat": [
            "Good morning!",
            "Go on.",
            "Hm, really?",
            "What do you think?",
            "Seven years.",
            "A lighthouse keeper.",
            "Yes, for {number} years.",
            "早上好！",
            "继续吧。",
            "真的吗？",
            "七年了。",
            "银色的。",
            "是的。",
        ],
    },
    "assistant": {
        "promises": [
            "I promise to bring the {thing} to the {spot} tomorrow.",
            "I will mend your {thing} tonight.",
            "我答应你，明天把{object}带到{site}。",
            "今晚我会修好你的{object}。",
        ],
        "own": [
            "I grew up near the {spot}. *She smiles.*",
            "I love {food}, you know.",
            "I am afraid of the {spot}.",
            "我是在{site}旁边长大的。",
            "我最喜欢吃{dish}。",
            "我怕{site}。",
        ],
        "chat": [
            "*She nods.* And then?",
            "How long have you been here?",
            "What are you by trade?",
            "The wind howls around the {spot} tonight.",
            "*她点点头。* 然后呢？",
            "你来这里多久了？",
            "你的{object}是什么颜色的？",
            "今晚{site}的风真大。",
        ],
    },
}

_SHARE = {"facts": 4, "changes": 3, "events": 3, "orders": 4, "chat": 3, "promises": 3, "own": 3}


def sentence(
    chance: random.Random, role: str, kinds: Mapping[str, Sequence[str]] | None = None
) -> str:
    """One thing that a user or a character says."""
    kinds = kinds or SAID[role]
    kind = chance.choices(list(kinds), [_SHARE[kind] for kind in kinds])[0]
    return filled(chance, chance.choice(kinds[kind]))


def filled(chance: random.Random, form: str) -> str:
    """A form with values in its places, none twice."""
    while "{" in form:
        name = form[form.index("{") + 1 : form.index("}")]
        free = [
            value
            for value in VALUES.get(name, [str(chance.randrange(20, 80))])
            if value not in form
        ]
        form = form.replace(f"{{{name}}}", chance.choice(free), 1)
    return form


def message(chance: random.Random, role: str) -> str:
    """What one message holds: mostly one sentence, at times two or three, by chance in two languages."""
    return " ".join(sentence(chance, role) for _ in range(chance.choices([1, 2, 3], [6, 3, 1])[0]))
