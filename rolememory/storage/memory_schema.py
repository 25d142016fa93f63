"""The JSON schema of memory.json: completion, hints and red underlines in the author's editor, in English and Chinese."""

from typing import Any

from rolememory.schema.memory import Memory, MemoryType
from rolememory.storage.codec import ALIASES
from rolememory.storage.document import ARRAYS

Schema = dict[str, Any]
NAME = "memory.schema.json"

#: field -> what it means, in English and in Chinese
DESCRIPTIONS: dict[str, tuple[str, str]] = {
    "id": (
        "name of the memory; given by itself at the next save",
        "记忆的编号；不写会在下次保存时自动补上",
    ),
    "type": (
        "kind of memory; the array it stands in says it already",
        "记忆类型；一般由所在的数组决定，不必再写",
    ),
    "content": ("what is remembered; the only field that is required", "记忆内容，唯一必填的字段"),
    "keys": ("words that call it up", "触发词：对话里出现其中之一就会想起"),
    "secondary_keys": (
        "words judged by selective_logic once a key was seen",
        "次要触发词：触发词出现后按 selective_logic 判断",
    ),
    "selective_logic": ("how the secondary keys decide", "次要触发词的判断方式"),
    "constant": ("always in the prompt", "常驻：每一轮都放进提示词"),
    "triggers": ("strategies that may call it up; empty = all", "哪些策略可以唤起它；空 = 全部"),
    "priority": ("0 to 100: who stays when space is short", "0 到 100：空间不够时谁优先留下"),
    "weight": ("0 to 2: how much it counts", "0 到 2：分量"),
    "salience": ("0 to 1: how much it mattered", "0 到 1：情感上有多重要"),
    "decay": ("factor on the fading; 0 = never fades", "淡忘速度的倍数；0 = 永不淡忘"),
    "topics": ("what it is about", "相关话题"),
    "emotions": ("feelings that belong to it", "相关情绪"),
    "tags": ("words for filters", "标签，用于筛选"),
    "source": ("where it comes from", "来源"),
    "subject": ("whom it is about; empty = the role", "说的是谁；不写 = 角色自己"),
    "user": ("whose it is; empty = shared by all users", "属于哪位用户；不写 = 所有用户共享"),
    "created": (
        "when it happened: 2024-05-01T18:30:00Z, a date, or an epoch",
        "发生的时间：2024-05-01T18:30:00Z、日期或时间戳",
    ),
    "written": ("when it was written down by hand", "手工写下的时间"),
    "expires": ("when it stops counting", "到什么时候失效"),
    "confidence": ("0 to 1: how sure it is", "0 到 1：可信度"),
    "evidence": ("sentences of a chat that it rests on", "依据：聊天里的原话"),
    "chapter": (
        "a stretch of a story: title, until, time, place, people, parts",
        "故事的一章：标题、结束时间、故事里的时间、地点、在场的人、组成部分",
    ),
    "supersedes": ("ids of memories it replaces", "取代了哪些记忆（编号）"),
    "archived": ("kept, but never recalled", "已归档：保留但不再想起"),
    "locked": ("only people change it", "已锁定：只有人可以改动"),
}


def schema() -> Schema:
    """The schema of memory.json (JSON Schema 2020-12). Unknown fields are allowed, as everywhere in the file."""
    entry = _entry(Memory.model_json_schema())
    entries = {
        "type": "array",
        "items": {"anyOf": [{"type": "string", "minLength": 1}, {"$ref": "#/$defs/Memory"}]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memory.json",
        "description": _both("what a role remembers", "一个角色的记忆"),
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "version": {
                "type": "integer",
                "description": _both("version of the format", "格式版本"),
            },
            "through": {
                "type": "integer",
                "description": _both(
                    "kept by rolememory: leave it as it is", "由 rolememory 维护，请勿改动"
                ),
            },
            **{name: {**entries, "description": _array(kind)} for name, kind in ARRAYS.items()},
        },
        "$defs": {**entry.pop("$defs", {}), "Memory": entry},
    }


def _entry(entry: Schema) -> Schema:
    properties = {name: _generous(name, found) for name, found in entry["properties"].items()}
    for alias, name in ALIASES.items():
        properties[alias] = {
            **properties[name],
            "description": _both(f"another name for {name}", f"{name} 的另一种写法"),
        }
    named = [
        {"required": [name]}
        for name in ("content", *(alias for alias, name in ALIASES.items() if name == "content"))
    ]
    return {
        **entry,
        "properties": properties,
        "required": [],
        "anyOf": named,
        "additionalProperties": True,
    }


def _generous(name: str, found: Schema) -> Schema:
    """The field as the reader takes it: more ways to write it than the model has."""
    found = {key: value for key, value in found.items() if key != "title"} | {
        "description": _both(*DESCRIPTIONS[name])
    }
    if name in ("created", "written", "expires"):
        return {"type": ["string", "number", "null"], "description": found["description"]}
    if name == "id":
        return {**found, "type": ["string", "integer"]}
    if name == "type":
        return {
            "enum": [*MemoryType, "fact", "preference", "project", "scene"],
            "description": found["description"],
        }
    return found


def _array(kind: MemoryType | None) -> str:
    words = {
        MemoryType.EPISODIC: ("what happened", "发生过的事"),
        MemoryType.SEMANTIC: ("what is known", "知道的事"),
        MemoryType.TRAIT: ("what the role is like", "性格与特点"),
        MemoryType.GOAL: ("what the role wants", "想要达成的事"),
    }
    return _both(*words[kind]) if kind else _both("memories of any type", "任意类型的记忆")


def _both(english: str, chinese: str) -> str:
    return f"{english} / {chinese}"
