"""Questions that need two lines: whose birthday it is, then what that person does. Made-up talk in English and Chinese.

    python -m tests.bench.two_hops [--words-only] [--seeds 3] [--set KEY=VALUE]

A user tells of a dozen persons, each in lines of several chats among small talk. Questions, as `tests.bench.conversation` judges them:

    direct  name the person; the line that answers is gold
    second  name only what another line says of the person; the line that answers shares nothing but that person with it
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.bench.conversation import run, setting
from tests.bench.kept import kept_model
from tests.bench.prose import LANGUAGES, SMALL_TALK, WHO, prose

USER, CHARACTER = {"en": "Otto", "zh": "阿舟"}, "Mira"
LINES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {
        "birthday": (
            "{who}'s birthday is on {date}.",
            "On {date} we are invited, it is {who}'s birthday.",
        ),
        "gift": ("{who} gave me the {gift}.", "The {gift} is a present from {who}."),
        "met": ("I met {who} at the {place}.", "It was at the {place} that {who} and I first met."),
        "hobby": (
            "{who} spends every free hour on {hobby}.",
            "You cannot get {who} away from {hobby}.",
        ),
        "town": ("{who} grew up in {town}.", "{who} still has an accent, from {town}."),
        "food": (
            "{who} swells up after one bite of {food}.",
            "Never put {food} in front of {who}, it ends in hospital.",
        ),
        "other": (
            "{who} came by on Sunday and stayed too long.",
            "I had a letter from {who} today.",
            "{who} laughed at my hat again.",
        ),
    },
    "zh": {
        "birthday": ("{who}的生日是{date}。", "{date}我们要去做客，那天是{who}的生日。"),
        "gift": ("{who}送了我那个{gift}。", "那个{gift}是{who}给的礼物。"),
        "met": ("我是在{place}认识{who}的。", "我和{who}头一回见面是在{place}。"),
        "hobby": ("{who}一有空就{hobby}。", "谁也没法让{who}放下{hobby}。"),
        "town": ("{who}从小在{town}长大。", "{who}说话还带着{town}口音。"),
        "food": ("{who}吃一口{food}就浑身起疹子。", "千万别给{who}端{food}，会出人命的。"),
        "other": ("{who}周日来坐了好久。", "今天收到{who}一封信。", "{who}又笑话我的帽子了。"),
    },
}
HINTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "birthday": "the person whose birthday is on {date}",
        "gift": "the person who gave me the {gift}",
        "met": "the person I met at the {place}",
    },
    "zh": {
        "birthday": "{date}过生日的那个人",
        "gift": "送我{gift}的那个人",
        "met": "我在{place}认识的那个人",
    },
}
QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "hobby": "What is the hobby of {who}?",
        "town": "Where was {who} raised?",
        "food": "What is {who} allergic to?",
    },
    "zh": {
        "hobby": "{who}有什么爱好？",
        "town": "{who}是哪里人？",
        "food": "{who}对什么过敏？",
    },
}
VALUES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {
        "date": tuple(
            "the 4th of May|the 19th of June|the 2nd of April|the 27th of July|the 11th of March|the 8th of August|"
            "the 30th of January|the 15th of October|the 22nd of February|the 6th of December|the 13th of September|"
            "the 25th of November".split("|")
        ),
        "gift": tuple(
            "compass|teapot|silver comb|ladder|mirror|saddle|kettle|lantern|whistle|hammer|drum|flute".split(
                "|"
            )
        ),
        "place": tuple(
            "ferry|quarry|lighthouse|fish market|chapel|ice rink|flour mill|orchard|archive|swimming bath|kiln|windmill".split(
                "|"
            )
        ),
        "hobby": tuple(
            "carving spoons|mending clocks|old maps|fencing|beekeeping|knitting|kites|woodcuts|moss gardens|crosswords|"
            "falconry|puppets".split("|")
        ),
        "town": tuple(
            "Lowick|Saltmere|Graz|Oslo|Ferrow|Turin|Hallin|Brest|Quarn|Elm|Narvik|Cadiz".split("|")
        ),
        "food": tuple(
            "walnuts|shrimp|celery|mustard|peaches|sesame|eggs|lupins|strawberries|squid|soy|kiwi".split(
                "|"
            )
        ),
    },
    "zh": {
        "date": tuple(
            "五月四号|六月十九|四月初二|七月二十七|三月十一|八月初八|一月三十|十月十五|二月二十二|腊月初六|九月十三|冬月二十五".split(
                "|"
            )
        ),
        "gift": tuple(
            "罗盘|紫砂壶|银梳子|折叠梯|铜镜|马鞍|暖水瓶|灯笼|哨子|锤子|手鼓|竹笛".split("|")
        ),
        "place": tuple(
            "渡船上|采石场|灯塔下|鱼市|教堂|溜冰场|磨坊|果园|档案馆|澡堂|砖窑|风车边".split("|")
        ),
        "hobby": tuple(
            "刻木勺|修钟表|看旧地图|练剑|养蜂|织毛线|放风筝|印版画|种苔藓|填字谜|驯鹰|演木偶".split(
                "|"
            )
        ),
        "town": tuple("洛阳|苏州|大理|青岛|泉州|绍兴|敦煌|丽江|扬州|承德|桂林|拉萨".split("|")),
        "food": tuple("核桃|虾|芹菜|芥末|桃子|芝麻|鸡蛋|羽扇豆|草莓|鱿鱼|豆浆|猕猴桃".split("|")),
    },
}
SESSIONS, BEGAN = 8, datetime(2025, 2, 3, 20, 0, tzinfo=UTC)


def told(chance: random.Random, language: str) -> list[tuple[str, str, str, Mapping[str, str]]]:
    """(who, what it is about, the line, all that is true of the person), in the order in which it is told."""
    values = {
        name: chance.sample(some, len(WHO[language])) for name, some in VALUES[language].items()
    }
    found = []
    for number, who in enumerate(WHO[language]):
        facts = {"who": who, **{name: some[number] for name, some in values.items()}}
        for about, forms in LINES[language].items():
            found.append((who, about, chance.choice(forms).format(**facts), facts))
    chance.shuffle(found)
    return found


def a_role(seed: int, language: str) -> dict[str, Any]:
    """One user's talk and its questions, as `tests.bench.conversation` reads them."""
    chance = random.Random(f"{seed} {language}")
    lines = told(chance, language)
    memories: list[dict[str, Any]] = []
    ids: dict[tuple[str, str], str] = {}
    for number, (who, about, line, _) in enumerate(lines):
        session = number * SESSIONS // len(lines)
        at = BEGAN + timedelta(days=7 * session, minutes=3 * number)
        ids[who, about] = _add(memories, USER[language], line, session, at)
        _add(memories, CHARACTER, prose(chance, language, 90), session, at + timedelta(minutes=1))
        if chance.random() < 0.5:
            talk = chance.choice(SMALL_TALK[language])
            _add(memories, USER[language], talk, session, at + timedelta(minutes=2))
            _add(memories, CHARACTER, prose(chance, language, 60), session, at)
    people = {who: facts for who, _, _, facts in lines}
    return {
        "role": f"{language} {seed}",
        "memories": memories,
        "queries": list(_questions(chance, language, people, ids)),
    }


def _add(memories: list[dict[str, Any]], who: str, text: str, session: int, at: datetime) -> str:
    name = f"D{len(memories)}"
    said = {"id": name, "text": text, "speaker": who, "session": session}
    memories.append(said | {"timestamp": at.isoformat()})
    return name


def _questions(
    chance: random.Random,
    language: str,
    people: Mapping[str, Mapping[str, str]],
    ids: Mapping[tuple[str, str], str],
) -> Iterator[dict[str, Any]]:
    for who, facts in people.items():
        about, hint = chance.choice([*QUESTIONS[language]]), chance.choice([*HINTS[language]])
        meant = HINTS[language][hint].format(**facts)
        for category, person in (("direct", who), ("second", meant)):
            text = QUESTIONS[language][about].format(who=person)
            yield {
                "id": f"{who}-{category}",
                "text": text,
                "gold": [ids[who, about]],
                "category": category,
                "lang": language,
            }


def a_set(language: str, seeds: Sequence[int]) -> dict[str, Any]:
    """Several users' talks."""
    return {"roles": [a_role(seed, language) for seed in seeds]}


def main() -> None:
    """Print the measures of each language."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words-only", action="store_true", help="without an embedding model")
    parser.add_argument("--seeds", type=int, default=3, help="so many users")
    parser.add_argument("--set", action="append", default=[], help="a setting: KEY=VALUE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for language in LANGUAGES:
            file = Path(scratch) / f"two-hops.{language}.json"
            file.write_text(json.dumps(a_set(language, range(given.seeds))), encoding="utf-8")
            with kept_model(None, given.words_only) as embedder:
                report = run(file, embedder=embedder, changed=dict(map(setting, given.set)))
            print(json.dumps(report, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
