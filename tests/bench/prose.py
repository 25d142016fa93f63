"""Made-up role-play talk in English and Chinese: prose without facts, small talk, facts. The same for the same seed.

Prose says nothing that a question could be about: how somebody moves, what the light does. It is what stands around the one line
that matters in a long reply.
"""

import json
import random
from collections.abc import Iterator, Mapping
from itertools import chain, count, cycle
from pathlib import Path

from tests.paths import SHARED

PROSE: Mapping[str, tuple[str, ...]] = {
    "en": (
        "*{who} {moves} and {looks}.*",
        "{who} {moves}, {adverb}, as if the {place} were listening.",
        "The {light} falls across the {object} and makes it look older than it is.",
        "For a while there is only {sound}, and neither of them minds.",
        "{other} can smell {smell} from here.",
        "*A breath, held a little too long, then let go.*",
        "Somewhere behind the {place} there is {sound}, and then it stops.",
        '"Hm," {who} says {adverb}, and {looks}.',
        '"Well," says {who}, "give me a moment with that."',
        "{who} turns the {object} over once, twice, and puts it back where it was.",
        "It is the sort of {weather} that makes people speak {adverb}.",
        "*The {object} gets pushed aside to make room for two elbows.*",
        "{who} {looks}, and whatever was about to be said goes back to where it came from.",
        "The corner of a mouth moves; it is not quite a smile, but it is not far from one either.",
        "There is a pause in which {sound} seems louder than it should be.",
        "{who} waits, {adverb}, the way one waits for a kettle.",
        "Outside the {weather} has made up its mind at last.",
        "A hand finds the {object} without looking and stays there.",
        '"Do not look at me like that, {other}," says {who}, and laughs under the breath.',
        "The {place} has its own quiet, made of {sound} and old wood.",
        "{who} {moves} again, closer this time.",
        "*Fingers drum on the {object}, stop, begin once more.*",
        "In the {light} it is hard to tell whether that was meant as a joke.",
        "{other} knows that look by now: it means patience, or something that passes for it.",
        "Dust turns slowly in the {light}, and {smell} hangs in the air.",
        "{who} shrugs, which could mean anything, and probably does.",
        "The words come {adverb}, one behind the other, like people leaving a {place}.",
        '"You know how it is," {who} adds, and {moves}.',
        "Nothing in the {place} moves except the shadow of the {object}.",
        "{who} tilts the head, weighs it, and lets it pass.",
        "A draught brings in {smell} and takes half of the warmth with it.",
        "*A glance towards the door, then back to {other}.*",
        "It would be easy to leave it at that, and for two heartbeats {who} does.",
        "Then the shoulders drop, the voice drops with them, and it sounds {mood}.",
        "The {object} ticks as it cools.",
        "{who} reaches past {other} and straightens the {object}, {adverb}.",
        "There is something {mood} in the way {who} {looks}.",
        "The {weather} leans against the windows of the {place}.",
        '"Go on," says {who}, "I am still here."',
        "A chair complains somewhere; nobody answers it.",
        "{who} makes a small sound that might be agreement.",
        "Under the {light} everything in the {place} seems to hold still on purpose.",
        "The silence that follows is a {mood} one, and it is allowed to stay.",
        "*{who} rubs both palms together and {looks}.*",
        "Step by step {sound} comes nearer, passes, and is gone.",
        "{other} gets half a nod for that, which from {who} is a great deal.",
    ),
    "zh": (
        "*{who}{moves}，{looks}。*",
        "{who}{adverb}{moves}，好像连{place}都在听。",
        "{light}落在{object}上，把它照得比原来更旧一些。",
        "有那么一会儿，只听得见{sound}，谁也没有在意。",
        "{other}在这里都能闻到{smell}。",
        "*一口气憋得久了些，然后才慢慢吐出来。*",
        "{place}后头传来{sound}，响了一阵又停了。",
        "“嗯。”{who}{adverb}应了一声，{looks}。",
        "“好吧，”{who}说，“容我想一想。”",
        "{who}把{object}翻过来又翻过去，最后放回了原处。",
        "这样的{weather}，总让人说话变得{mood}起来。",
        "*{object}被推到一边，腾出放两只手肘的地方。*",
        "{who}{looks}，到了嘴边的话又咽了回去。",
        "嘴角动了一动，算不上笑，倒也差不太远。",
        "停顿的当口，{sound}显得格外清楚。",
        "{who}{adverb}等着，像在等一壶水烧开。",
        "外头的{weather}总算拿定了主意。",
        "一只手不用看就摸到了{object}，搁在那里不动了。",
        "“别这样看着我，{other}。”{who}说着，低低地笑了一声。",
        "{place}有它自己的安静，是{sound}和旧木头凑成的。",
        "{who}又{moves}，这回离得近了些。",
        "*手指在{object}上敲了几下，停住，又敲起来。*",
        "在{light}里，很难分辨那句话是不是玩笑。",
        "这副神情{other}早就认得：要么是耐心，要么是装出来的耐心。",
        "灰尘在{light}里慢慢打转，空气里浮着{smell}。",
        "{who}耸了耸肩，那可以是任何意思，大概也真是任何意思。",
        "话说得{adverb}，一句挨着一句，像散场的人走出{place}。",
        "“你也知道的。”{who}补了一句，{moves}。",
        "{place}里什么都没有动，除了{object}的影子。",
        "{who}偏了偏头，掂量了一下，便由它过去了。",
        "一阵穿堂风带进了{smell}，也带走了一半的暖意。",
        "*朝门口望了一眼，又转回来看着{other}。*",
        "就此打住也未尝不可，有两次心跳那么久，{who}也真的打住了。",
        "随后肩膀松了下来，声音也跟着低了，听着有些{mood}。",
        "{object}渐渐凉下来，发出细小的声响。",
        "{who}越过{other}伸出手，{adverb}把{object}扶正。",
        "{who}{looks}的样子里，有几分{mood}的意味。",
        "{weather}贴在{place}的窗子上。",
        "“接着说吧，”{who}道，“我还在呢。”",
        "不知哪里的椅子吱呀一声，没有人理会它。",
        "{who}轻轻哼了一声，大约算是答应。",
        "{light}底下，{place}里的一切都像是有意屏住了呼吸。",
        "接下来的沉默是{mood}的，谁也不急着赶它走。",
        "*{who}搓了搓手掌，{looks}。*",
        "{sound}一步一步近了，又过去了，终于没有了。",
        "{other}为此得了半个点头，从{who}那里这已经很难得。",
    ),
}
SLOTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {
        "moves": tuple(
            "leans back|leans forward|shifts on the bench|crosses one ankle over the other|steps aside|"
            "half turns away|sets both hands flat on the table|pulls the coat a little closer|"
            "stops in the doorway|walks to the window and back|sits down on the lowest step|"
            "tucks a strand of hair behind one ear|folds both arms|stretches like a cat|"
            "rocks on both heels|settles against the wall".split("|")
        ),
        "looks": tuple(
            "looks at the floorboards|studies the ceiling|watches the flame|meets the other's eyes|"
            "looks out at nothing in particular|squints into the dark|lets the gaze wander|"
            "blinks twice|looks down at both hands|glances up|watches the door|looks almost amused".split(
                "|"
            )
        ),
        "adverb": tuple(
            "slowly|softly|without hurry|carefully|under the breath|lightly|almost absently|"
            "with some care|drily|in no rush at all|evenly|warily|gently|in a low voice".split("|")
        ),
        "mood": tuple(
            "soft|wry|tired|wistful|warm|guarded|amused|patient|uncertain|stubborn|tender|wary".split(
                "|"
            )
        ),
        "place": tuple(
            "room|stairwell|kitchen|courtyard|hall|porch|corridor|gallery|attic|lane|doorway|yard|passage".split(
                "|"
            )
        ),
        "object": tuple(
            "cup|candle|stove|tray|spoon|curtain|bench|doorknob|inkwell|blanket|stool|pitcher|basin|latch|shutter|cushion".split(
                "|"
            )
        ),
        "light": tuple(
            "lamplight|last light|firelight|grey light|low sun|moonlight|light of the stove|morning haze|dusk".split(
                "|"
            )
        ),
        "sound": tuple(
            "the drip of a gutter|the wind in the eaves|a slow creak|the crackle of embers|distant footsteps|"
            "the hum of insects|water in the pipes|the rattle of a shutter|a far-off bell|rain on slate".split(
                "|"
            )
        ),
        "smell": tuple(
            "wet wool|candle smoke|cut grass|cold ash|beeswax|old paper|damp stone|woodsmoke|soap|pine resin".split(
                "|"
            )
        ),
        "weather": tuple("rain|fog|wind|drizzle|heat|cold|snow|damp|haze|evening chill".split("|")),
    },
    "zh": {
        "moves": tuple(
            "往后靠了靠|向前倾了倾身子|在长凳上挪了挪|换了个坐姿|让到一旁|侧过半个身子|把两手平放在桌上|"
            "拢了拢外衣|在门口站住|踱到窗边又踱回来|在最低的台阶上坐下|把一缕头发别到耳后|抱起了胳膊|"
            "伸了个懒腰|晃了晃脚尖|靠着墙站定".split("|")
        ),
        "looks": tuple(
            "看着地板|打量着天花板|盯着火苗|对上了那双眼睛|望着说不清是哪里的地方|眯眼看向暗处|"
            "任目光四处游走|眨了两下眼|低头看自己的手|抬起眼来|望着门|像是觉得有趣".split("|")
        ),
        "adverb": tuple(
            "慢慢地|轻轻地|不紧不慢地|小心地|压低声音|漫不经心地|带着几分谨慎|淡淡地|一点也不着急地|平静地|温和地|迟疑地".split(
                "|"
            )
        ),
        "mood": tuple("柔软|自嘲|疲惫|怅然|温热|戒备|好笑|耐心|犹疑|执拗|温存|小心".split("|")),
        "place": tuple("屋子|楼梯间|厨房|院子|厅堂|门廊|走廊|阁楼|巷子|门口|天井|过道".split("|")),
        "object": tuple(
            "杯子|蜡烛|炉子|托盘|勺子|帘子|长凳|门把手|砚台|毯子|凳子|水罐|铜盆|门闩|窗板|坐垫".split(
                "|"
            )
        ),
        "light": tuple("灯光|最后一点天光|火光|灰白的光|斜阳|月光|炉火的光|晨曦|暮色".split("|")),
        "sound": tuple(
            "檐沟滴水的声音|屋檐下的风声|慢吞吞的吱呀声|炭火的噼啪声|远处的脚步声|虫鸣|水管里的水声|"
            "窗板的响动|远远的钟声|雨打瓦片的声音".split("|")
        ),
        "smell": tuple(
            "湿羊毛的味道|蜡烛的烟味|割过的草味|冷灰的气味|蜂蜡味|旧纸的味道|潮石头的气息|柴烟味|皂角味|松脂香".split(
                "|"
            )
        ),
        "weather": tuple("雨|雾|风|毛毛雨|暑气|寒意|雪|潮气|薄霭|夜凉".split("|")),
    },
}
OPENERS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "With {sound} for company, ",
        "In the {light} of the {place}, ",
        "A moment later, beside the {object}, ",
        "Through {smell} and {sound}, ",
        "After the {weather}, ",
        "Half turned to the {object}, ",
        "Once {sound} has died away, ",
        "{adverb}, {adverb}, ",
    ),
    "zh": (
        "伴着{sound}，",
        "在{place}的{light}里，",
        "过了一会儿，在{object}旁边，",
        "隔着{smell}和{sound}，",
        "{weather}过后，",
        "半个身子对着{object}，",
        "等{sound}静下去，",
        "{adverb}，又{adverb}，",
    ),
}
OPENED = 0.6  # share of the sentences that may begin with one
JOIN = {"en": " ", "zh": ""}  # between two sentences
PARAGRAPH = 5  # sentences


def sentences(chance: random.Random, language: str, who: str, other: str) -> Iterator[str]:
    """Prose without end: no form comes again before most others had their turn."""
    forms = list(PROSE[language])
    slots = SLOTS[language]
    while True:
        chance.shuffle(forms)
        for form in forms[: len(forms) * 3 // 4]:
            if form[0] not in '*"“' and chance.random() < OPENED:
                plain = form if form.startswith("{") else form[0].lower() + form[1:]
                form = chance.choice(OPENERS[language]) + plain  # noqa: PLW2901
            values = {name: chance.choice(words) for name, words in slots.items()}
            yield _begun(form.format(who=who, other=other, **values))


def _begun(sentence: str) -> str:
    at = next((place for place, letter in enumerate(sentence) if letter.isalpha()), 0)
    return sentence[:at] + sentence[at].upper() + sentence[at + 1 :]


def prose(
    chance: random.Random, language: str, length: int, who: str = "Mira", other: str = "Lin"
) -> str:
    """About so many characters of it, in paragraphs."""
    said: list[str] = []
    for sentence in sentences(chance, language, who, other):
        said.append(sentence)
        if sum(map(len, said)) + len(said) * len(JOIN[language]) >= length:
            break
    return joined(said, language)


def joined(said: list[str], language: str) -> str:
    """Sentences in paragraphs."""
    starts = range(0, len(said), PARAGRAPH)
    return "\n\n".join(JOIN[language].join(said[at : at + PARAGRAPH]) for at in starts)


def buried(
    line: str, seed: str, language: str, length: int = 2000, who: str = "Mira", other: str = "Lin"
) -> str:
    """The line, untouched, in the middle of so many characters of prose."""
    chance, each = random.Random(seed), (length - len(line)) // 2
    if each <= 0:
        return line
    before, after = (prose(chance, language, each, who, other) for _ in range(2))
    return JOIN[language].join((before, line, after)) if language == "en" else before + line + after


# ── what a user says ─────────────────────────────────────────────────────────────────────────────────────────────────

WHO = {
    "en": tuple("Anna Bruno Clara Derek Elsa Frank Greta Hugo Ines Jonas Karin Lukas".split()),
    "zh": tuple("小梅 大伟 阿兰 志明 晓燕 建华 秀英 国强 丽娜 文斌 桂花 海涛".split()),
}
KIN = {
    "en": tuple("brother sister cousin neighbour uncle aunt friend landlord teacher".split()),
    "zh": tuple("哥哥 妹妹 表弟 邻居 叔叔 姑姑 朋友 房东 老师".split()),
}
THING = {
    "en": tuple(
        "compass teapot violin ladder mirror saddle kettle lantern whistle hammer drum flute".split()
    ),
    "zh": tuple("罗盘 茶壶 小提琴 梯子 镜子 马鞍 水壶 灯笼 哨子 锤子 鼓 笛子".split()),
}
TOWN = {
    "en": tuple("Lowick Saltmere Graz Oslo Ferrow Turin Hallin Brest Quarn Elm".split()),
    "zh": tuple("洛阳 苏州 大理 青岛 泉州 绍兴 敦煌 丽江 扬州 承德".split()),
}
FACTS = {
    "en": (
        "My {kin} {who} lives in {town} now, at number {number}.",
        "I bought a {thing} in {town} for {number} crowns.",
        "{who}'s birthday is on the {day}th; my {kin} forgot it {number} times.",
        "I hid the {thing} behind locker {number} in {town}.",
        "My {kin} works night shifts at mill number {number} near {town}.",
        "I am allergic to the polish on the {thing}, ever since {town}, year {number}.",
        "{who} and I are learning to play the {thing}; lesson {number} was in {town}.",
        "I lost {number} marks on a bet with my {kin} {who}.",
        "On the {day}th I travel to {town} with {who}, on coach {number}.",
        "The {thing} that {who} gave me broke after {number} days.",
        "I used to share flat {number} in {town} with {who}, my {kin}.",
        "My favourite {thing} is the one from {town}, number {number} of the series.",
        "I have moved again, I live in {town} now, at number {number}.",
        "I work at mill number {number} in {town} now.",
    ),
    "zh": (
        "我{kin}{who}现在住在{town}，门牌{number}号。",
        "我在{town}花了{number}文钱买了一个{thing}。",
        "{who}的生日是{day}号，我{kin}每次都忘，今年是第{number}回了。",
        "我把{thing}藏在{town}的{number}号柜子后面了。",
        "我{kin}在{town}附近的{number}号磨坊上夜班。",
        "从{town}回来以后，我一碰那第{number}号{thing}就过敏。",
        "{who}和我在学{thing}，第{number}课是在{town}上的。",
        "我跟{kin}{who}打赌输了{number}文钱。",
        "{day}号我要和{who}坐{number}号车去{town}。",
        "{who}送我的{thing}用了{number}天就坏了。",
        "我以前和{kin}{who}一起住在{town}的{number}号院。",
        "我最喜欢的{thing}是{town}买的那个，编号{number}。",
        "我又搬家了，现在住在{town}，门牌{number}号。",
        "我现在在{town}的{number}号磨坊工作。",
    ),
}
SMALL_TALK = {
    "en": (
        "How was your day?",
        "That sounds about right to me.",
        "Shall we sit for a while?",
        "The tea has gone cold again.",
        "What do you think about that?",
        "I could listen to this for hours.",
        "Let us take the long way round today.",
        "Oh, do not start with that again!",
    ),
    "zh": (
        "你今天过得怎么样？",
        "我也是这么觉得的。",
        "我们坐一会儿好不好？",
        "茶又凉了。",
        "你怎么看这件事呢？",
        "这样听着，听多久都行。",
        "今天绕远路走吧。",
        "哎，你别又来了！",
    ),
}
LANGUAGES = ("en", "zh")
STRETCH = 25  # turns in one language


def facts(chance: random.Random, language: str) -> Iterator[str]:
    """Things that somebody tells, no two alike."""
    for number, form in zip(count(101), cycle(FACTS[language]), strict=False):
        names = {"who": WHO, "kin": KIN, "thing": THING, "town": TOWN}
        values = {name: chance.choice(words[language]) for name, words in names.items()}
        yield form.format(number=number, day=chance.randint(4, 20), **values)


def turns(seed: int, *, told: bool, reply_length: int = 400) -> Iterator[tuple[str, str]]:
    """What a user says and what the character answers, without end; with a fact in every turn if `told`."""
    chance = random.Random(seed)
    source = {language: facts(chance, language) for language in LANGUAGES}
    for number in count():
        language = LANGUAGES[number // STRETCH % len(LANGUAGES)]
        talk = chance.choice(SMALL_TALK[language])
        more = next(source[language]) if told else prose(chance, language, 60, "Lin", "Mira")
        length = chance.randint(reply_length // 2, reply_length * 3 // 2)
        yield f"{talk}{JOIN[language]}{more}", prose(chance, language, length)


REAL = SHARED / "bench" / "locomo.json"
"""Real talk to measure with, where it is at hand."""


def ordinary(seed: int, file: Path | None = None) -> Iterator[tuple[str, str]]:
    """Turns of talk as people lead it: the lines of a data set two by two, then made-up small talk without end."""
    file = file or (REAL if REAL.exists() else None)
    return chain(_read(file) if file else (), turns(seed, told=False))


def _read(file: Path) -> Iterator[tuple[str, str]]:
    for role in json.loads(file.read_text(encoding="utf-8"))["roles"]:
        texts = [memory["text"] for memory in role["memories"]]
        yield from zip(texts[::2], texts[1::2], strict=False)
