"""Whether facts in the middle of long role-play prose reach the prompt. Prints one JSON object for each language.

    python -m tests.bench.hidden [--facts 100] [--language en|zh] [--set KEY=VALUE]

User and character write in turn, 500 to 3,000 characters of prose each; every message hides one fact of its speaker, in speech or in narration.
Then each fact is asked for in a new chat, in words of which the fact holds only some. Words alone: no embedding model.

    told    share of facts that stand in the prompt, every sentence of them
    empty   share of questions that got no block at all
    by      the same share of what the user said, of what the character said, and of short and long messages
"""

import argparse
import json
import random
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rolememory import Home, Message
from tests.bench.conversation import NO_MODEL, WORDS_ALONE, letters, setting
from tests.bench.prose import JOIN, LANGUAGES, joined, sentences

SHORTEST, LONGEST = 500, 3_000
WINDOW = 12  # messages that the frontend shows
Form = tuple[str, str]
"""What is said, and what is asked."""

FORMS: Mapping[str, tuple[Form, ...]] = {
    "en": (
        ("My {kin} {who} keeps {animal} behind the old {shop}.", "Which animals does {who} have?"),
        ("I buried the {thing} under the {tree} by the {shop}.", "Where is the {thing} hidden?"),
        ("{who} owes me {number} crowns since the {feast}.", "How much money does {who} owe me?"),
        ("The password of the {shop} is \"{word} {number}\".", "What do I have to say at the door of the {shop}?"),
        ("I have been allergic to {food} since I was a child.", "Is there any {food} that would make me ill?"),
        ("{who} was born in {town} on the night of the {feast}.", "Where does {who} come from?"),
        ("My {kin} taught me the {skill} when I was {age}.", "Who showed me how to do the {skill}?"),
        ("We promised {who} to bring back the {thing} before the {feast}.", "By when did we want to return the {thing} to {who}?"),
        ("The scar on my {limb} comes from a {animal} in {town}.", "How did I get the scar on my {limb}?"),
        ("{who} is the only one who can open the vault of the {shop}.", "Who has access to the vault at the {shop}?"),
        ("I once worked as a {job} in {town} for {age} years.", "What was my trade while I lived in {town}?"),
        ("My horse is called {word} and fears the {animal}.", "What frightens {word}, my horse?"),
    ),
    "zh": (
        ("我{kin}{who}在旧{shop}后面养着几只{animal}。", "{who}养的是什么动物？"),
        ("我把{thing}埋在了{shop}旁边的{tree}底下。", "{thing}藏在哪里？"),
        ("从{feast}起，{who}一直欠我{number}文钱。", "{who}欠了我多少钱？"),
        ("{shop}的暗号是“{word}{number}”。", "进{shop}的门要说什么？"),
        ("我从小就对{food}过敏。", "吃{food}我会不会不舒服？"),
        ("{who}是{feast}那天夜里在{town}出生的。", "{who}的老家在什么地方？"),
        ("我{age}岁那年，{kin}教会了我{skill}。", "{skill}是谁教我的？"),
        ("我们答应过{who}，{feast}以前把{thing}还回去。", "{who}的{thing}什么时候该还？"),
        ("我{limb}上的疤是在{town}被{animal}弄的。", "我{limb}上的疤怎么来的？"),
        ("{shop}的地库只有{who}打得开。", "谁能进{shop}的地库？"),
        ("我以前在{town}当过{age}年{job}。", "我在{town}的时候做什么营生？"),
        ("我的马叫{word}，它最怕{animal}。", "{word}这匹马害怕什么？"),
    ),
}  # fmt: skip
VALUES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "who": "Aldous Briony Cedric Dagny Edda Fenwick Gisela Halvard Isolde Jorunn Kester Liesel Maddock Nerys Orrin Perrin Quilla Rowena Sefton Tamsin Ulric Verity Wystan Yrsa",
        "kin": "aunt cousin godmother brother uncle stepsister grandfather niece",
        "animal": "ferrets geese bees goats ravens foxes lizards otters badgers owls",
        "shop": "tannery chandlery brewery smithy pharmacy bindery dairy cooperage glassworks ropewalk sawmill saltworks",
        "thing": "astrolabe locket ledger chisel telescope rosary flute signet thimble sextant hourglass compass",
        "tree": "willow walnut hawthorn rowan poplar juniper elder linden",
        "feast": "solstice harvest regatta jubilee eclipse carnival coronation vintage",
        "word": "Marzipan Thunderclap Periwinkle Cobweb Saffron Kettledrum Brimstone Quicksilver Juniper Ember",
        "food": "shellfish walnuts honey rye celery plums mustard mushrooms",
        "town": "Lowick Saltmere Graz Oslo Ferrow Turin Hallin Brest Quarn Elmstead Norwick Tarven",
        "skill": "shorthand fencing juggling falconry calligraphy glassblowing archery weaving",
        "limb": "shoulder wrist knee chin elbow ankle thigh temple",
        "job": "surveyor ferryman locksmith cartographer beekeeper gravedigger printer tinker",
    },
    "zh": {
        "who": "沈砚 白芷 陆川 顾晚 方霁 秦筝 苏棠 裴朔 温酌 江蓠 林霜 楚歌 纪尘 叶昭 程野 薛凝 傅渊 宋蝉 柳絮 莫离 简宁 齐越 贺兰 韩松",
        "kin": "姑姑 表哥 干娘 弟弟 舅舅 堂姐 外公 侄女",
        "animal": "雪貂 大鹅 蜜蜂 山羊 乌鸦 狐狸 蜥蜴 水獭 獾 猫头鹰",
        "shop": "染坊 蜡烛铺 酒坊 铁匠铺 药铺 书坊 豆腐坊 木桶店 琉璃厂 绳厂 锯木厂 盐场",
        "thing": "星盘 坠子 账本 凿子 望远镜 念珠 竹笛 印章 顶针 六分仪 沙漏 罗盘",
        "tree": "柳树 核桃树 山楂树 槐树 杨树 松树 榆树 桂花树",
        "feast": "冬至 秋收 龙舟赛 庙会 日食 花朝节 登基大典 酒会",
        "word": "杏仁糖 霹雳 长春花 蛛网 藏红花 铜鼓 硫磺 水银 墨玉 余烬",
        "food": "虾蟹 核桃 蜂蜜 荞麦 芹菜 李子 芥末 蘑菇",
        "town": "洛阳 苏州 大理 青岛 泉州 绍兴 敦煌 丽江 扬州 承德 徽州 凉州",
        "skill": "速记 剑术 杂耍 驯鹰 书法 吹玻璃 射箭 织布",
        "limb": "肩膀 手腕 膝盖 下巴 手肘 脚踝 大腿 额角",
        "job": "测量师 船夫 锁匠 画地图的 养蜂人 守墓人 印书匠 补锅匠",
    },
}


@dataclass(frozen=True, slots=True)
class Hidden:
    """A fact with the message that holds it."""

    message: Message
    fact: str
    asked: str


def facts(chance: random.Random, language: str) -> Iterator[tuple[str, str]]:
    """Fact and question without end; no two questions are alike while there are others."""
    asked_before = set[str]()
    while True:
        for said, asked in FORMS[language]:
            for _ in range(50):  # of few values there are no more
                values: dict[str, Any] = named(chance, language)
                values |= {"number": chance.randint(11, 99), "age": chance.randint(5, 10)}
                if asked.format(**values) not in asked_before:
                    break
            asked_before.add(asked.format(**values))
            yield said.format(**values), asked.format(**values)


def named(chance: random.Random, language: str) -> dict[str, Any]:
    """A name, a place, a thing, ... of that language."""
    return {name: chance.choice(some.split()) for name, some in VALUES[language].items()}


def talk(language: str, count: int, seed: int = 1) -> list[Hidden]:
    """So many messages, the user's and the character's in turn, each with one fact somewhere in its prose."""
    chance = random.Random(seed)
    source, found = facts(chance, language), list[Hidden]()
    for number in range(count):
        fact, asked = next(source)
        by_user = number % 2 == 0
        who, other = ("Lin", "Mira") if by_user else ("Mira", "Lin")
        asked = asked if by_user else to_the_character(asked, language)
        prose = sentences(chance, language, who, other)
        length, said = chance.randint(SHORTEST, LONGEST), list[str]()
        while sum(map(len, said)) + len(said) * len(JOIN[language]) < length - len(fact):
            said.append(next(prose))
        told = f"“{fact}”" if chance.random() < 0.5 else fact
        said.insert(chance.randint(0, len(said)), told)
        make = Message.user if by_user else Message.assistant
        text = joined(said, language)[:LONGEST]
        found.append(Hidden(make(text), fact, asked))
    return found


_SELF = {
    "en": ((" me ", " you "), (" my ", " your "), (" my?", " your?"), (" me?", " you?"), (" did I ", " did you "), (" do I ", " does one "), (" was your trade while I ", " was your trade while you ")),
    "zh": (("我", "你"),),
}  # fmt: skip


def to_the_character(asked: str, language: str) -> str:
    """The question as the user puts it to the character about themselves."""
    for mine, yours in _SELF[language]:
        asked = asked.replace(mine, yours)
    return asked


def measured(language: str, count: int, changed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The shares of one language."""
    hidden = talk(language, count)
    own = {**NO_MODEL, **WORDS_ALONE, **(changed or {})}
    with tempfile.TemporaryDirectory() as folder, Home.open(folder, own) as home:
        role = home.create("Mira")
        for at in range(0, len(hidden), 2):
            window = [one.message for one in hidden[max(at + 2 - WINDOW, 0) : at + 2]]
            role.observe(window, chat="old", user="Lin")
        role.ready(600.0)
        turns = [role.recall(one.asked, chat="new", user="Lin", dry_run=True) for one in hidden]
    blocks = [letters(turn.text) for turn in turns]
    told = [letters(one.fact) in block for one, block in zip(hidden, blocks, strict=True)]
    lengths = [len(one.message.content) for one in hidden]
    middle = statistics.median(lengths)
    return {
        "language": language,
        "facts": len(hidden),
        "told": share(told),
        "empty": share([not block for block in blocks]),
        "by": {
            "user": share(told[::2]),
            "character": share(told[1::2]),
            "short": share([one for one, long in zip(told, lengths, strict=True) if long < middle]),
            "long": share([one for one, long in zip(told, lengths, strict=True) if long >= middle]),
        },
        "characters": statistics.median(len(turn.text) for turn in turns),
        "missed": [
            {"fact": one.fact, "asked": one.asked}
            for one, found in zip(hidden, told, strict=True)
            if not found
        ],
    }


def share(some: Sequence[bool]) -> float:
    """How many of them are true, as a fraction; 0 of none."""
    return round(sum(some) / len(some), 3) if some else 0.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--facts", type=int, default=100)
    parser.add_argument("--language", choices=LANGUAGES)
    parser.add_argument("--set", action="append", default=[], type=setting, metavar="KEY=VALUE")
    given = parser.parse_args()
    for language in [given.language] if given.language else LANGUAGES:
        found = measured(language, given.facts, dict(given.set))
        print(json.dumps(found, ensure_ascii=False, indent=1), flush=True)


if __name__ == "__main__":
    main()
