"""Words of the flood test, in two languages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """Names, and how a fact and its question are worded."""

    language: str
    names: tuple[str, ...]
    fact: str
    question: str


WORDS = (
    Words(
        "en",
        tuple("Anna Boris Clara Dmitri Elsa Frank Greta Hugo Iris Jonas Karin Lars Mona Nils Olga Peter Quinn Rita Sven Tilda".split()),
        "My cousin {} keeps {} in {}.",
        "What does my cousin {} keep?",
    ),
    Words(
        "zh",
        tuple("安娜 柏林 陈晨 丁宁 尔雅 方远 古月 何平 金铃 江枫 柯南 林溪 孟秋 南星 欧阳 潘安 秦川 苏木 唐糖 吴越".split()),
        "我表妹{}养着{}，住在{}。",
        "我表妹{}养着什么？",
    ),
)  # fmt: skip
THINGS = {
    "en": "bees goats orchids boats clocks violins stamps horses kites lamps masks nets owls pots quilts ropes saddles tiles urns vases".split(),
    "zh": "蜜蜂 山羊 兰花 木船 座钟 鹦鹉 金鱼 马驹 风筝 锦鲤 面具 画眉 猫头鹰 陶罐 蚕 麻绳 骆驼 瓦雀 瓷瓶 鸬鹚".split(),
}
PLACES = {
    "en": "Riga Oslo Turku Visby Bergen Malmo Tartu Narva Kiel Lubeck Gdansk Memel Tromso Bodo Umea Lulea Kemi Oulu Pori Rauma".split(),
    "zh": "里加 洛阳 泉州 扬州 敦煌 苏州 徽州 漳州 泰州 台州 绍兴 明州 青州 润州 庐州 渝州 沧州 潞州 兖州 登州".split(),
}
FLOODS = {
    "en": ["Cousin {0} keeps nothing at all, cousin {0} {2}!", "What does cousin {0} keep? My cousin {0} keeps a secret {2}.", "{0} {0} {0} keeps {1} {1} {2}, cousin {0}!"],
    "zh": ["表妹{0}什么也不养，表妹{0}{2}！", "我表妹{0}养着什么？表妹{0}养着秘密{2}。", "{0}{0}{0}养着{1}{1}{2}，表妹{0}！"],
}  # fmt: skip
