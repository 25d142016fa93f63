"""A lorebook to begin with: three entries that show the fields one needs first, and the expectations that go with them."""

import json
from collections.abc import Mapping
from typing import Any

from rolememory.cards.sillytavern import new_entry
from rolememory.schema.scene import Language

_ENTRIES: Mapping[Language, tuple[dict[str, Any], ...]] = {
    "en": (
        {
            "comment": "The place, always",
            "content": "The harbour is small and everyone knows everyone.",
            "constant": True,
            "order": 10,
        },
        {
            "comment": "The lighthouse",
            "key": ["lighthouse", "beacon"],
            "content": "The lighthouse has been dark since the storm; {{char}} still climbs it every evening.",
            "order": 20,
        },
        {
            "comment": "The storm, when the lighthouse is spoken of",
            "key": ["storm"],
            "content": "The storm took two boats. Nobody says their names near the water.",
            "order": 30,
            "sticky": 3,
        },
    ),
    "zh": (
        {
            "comment": "总览（常驻）",
            "content": "这是一座小渔港，人人都认得人人。",
            "constant": True,
            "order": 10,
        },
        {
            "comment": "灯塔",
            "key": ["灯塔", "燈塔"],
            "content": "灯塔自那场风暴之后就再没亮过，{{char}}仍旧每晚爬上去坐一会儿。",
            "order": 20,
        },
        {
            "comment": "风暴（提到灯塔时带出）",
            "key": ["风暴", "風暴"],
            "content": "那场风暴卷走了两条船。在水边，没有人提那两条船的名字。",
            "order": 30,
            "sticky": 3,
        },
    ),
}
_CASES: Mapping[Language, str] = {
    "en": """# What this book must do. Run it with:  rolememory book test {file}

[[case]]
name = "nothing is asked"
messages = ["Hello."]
exactly = ["The place, always"]

[[case]]
name = "the lighthouse, by each of its names, brings the storm along"
each = ["Why is the lighthouse dark?", "Is that the Beacon?"]
fires = ["The lighthouse", "The storm, when the lighthouse is spoken of"]
contains = ["dark since the storm", "took two boats"]
order = ["The place, always", "The lighthouse", "The storm, when the lighthouse is spoken of"]
costs_at_most = 80

[[case]]
name = "the storm is remembered for one turn more"
settings = { scan_depth = 1 }
turns = [
    { messages = ["Tell me of the storm."], fires = ["The storm, when the lighthouse is spoken of"] },
    { messages = [{ role = "assistant", text = "It was long ago." }, "Go on."], fires = ["The storm, when the lighthouse is spoken of"] },
    { messages = [{ role = "assistant", text = "Well." }, "Go on."], not_fires = ["The storm, when the lighthouse is spoken of"] },
]
""",
    "zh": """# 这本世界书应当做到的事。运行：rolememory book test {file}

[[case]]
name = "什么也没问"
messages = ["你好。"]
exactly = ["总览（常驻）"]

[[case]]
name = "提到灯塔，简繁皆可，并带出风暴"
each = ["灯塔怎么不亮了？", "那是燈塔嗎？"]
fires = ["灯塔", "风暴（提到灯塔时带出）"]
contains = ["再没亮过", "卷走了两条船"]
order = ["总览（常驻）", "灯塔", "风暴（提到灯塔时带出）"]
costs_at_most = 100

[[case]]
name = "风暴会多留一轮"
settings = { scan_depth = 1 }
turns = [
    { messages = ["说说那场风暴。"], fires = ["风暴（提到灯塔时带出）"] },
    { messages = [{ role = "assistant", text = "很久以前了。" }, "然后呢？"], fires = ["风暴（提到灯塔时带出）"] },
    { messages = [{ role = "assistant", text = "嗯。" }, "然后呢？"], not_fires = ["风暴（提到灯塔时带出）"] },
]
""",
}


def new_book(name: str, language: Language = "en") -> str:
    """The JSON of a small world file of that name."""
    entries = {
        str(at): {"uid": at, **new_entry(addMemo=True, **fields)}
        for at, fields in enumerate(_ENTRIES[language])
    }
    return json.dumps({"name": name, "entries": entries}, ensure_ascii=False, indent=2) + "\n"


def new_expectations(file: str, language: Language = "en") -> str:
    """The expectations of that book, which it meets."""
    return _CASES[language].replace("{file}", file)
