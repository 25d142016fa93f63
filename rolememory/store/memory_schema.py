"""memory.schema.json: what editors complete and explain while somebody writes a memory.json."""

from collections.abc import Mapping
from typing import Any, Literal

from rolememory.schema.memory import Memory, MemoryType
from rolememory.store.codec import ALIASES
from rolememory.store.said import Said

NAME = "memory.schema.json"

_FIELDS: Mapping[str, Said] = {
    "id": Said("what other entries call it; given at the next save", "这条记忆的编号；不写则下次保存时自动给出"),
    "content": Said("what is remembered; the only field that is required", "记忆的内容；唯一必填的字段"),
    "keys": Said("words that wake it when they are said", "出现这些关键词时想起它"),
    "secondary_keys": Said("further words, judged by selective_logic", "次要关键词，按 selective_logic 判断"),
    "selective_logic": Said(
        "and_any: one secondary key; and_all: every one; not_any: none; not_all: not every one",
        "and_any：任一次要关键词；and_all：全部；not_any：一个都没有；not_all：不是全部",
    ),
    "constant": Said("comes every turn", "每一轮都出现"),
    "type": Said("episodic, semantic, trait or goal; the array says it already", "类型；所在的数组已经说明，一般不必写"),
    "triggers": Said("which strategies may wake it; empty = all", "哪些策略可以唤起它；留空则都可以"),
    "priority": Said("0 to 100: who stays when there is no room", "0 到 100：放不下时谁留下"),
    "weight": Said("0 to 2: how much it counts", "0 到 2：分量有多重"),
    "salience": Said("0 to 1: how much it mattered", "0 到 1：当时有多重要"),
    "decay": Said("factor on its fading; 0 = it never fades", "淡去的快慢；0 = 永不淡去"),
    "topics": Said("what it is about", "相关的话题"),
    "emotions": Said("feelings that belong to it", "与它相连的情绪"),
    "tags": Said("labels of your own", "自定的标签"),
    "source": Said("where it comes from", "来源"),
    "subject": Said("whom it is about; unset = the role itself", "关于谁；不写则是角色自己"),
    "user": Said("whose memory it is; unset = everybody's", "属于哪位用户；不写则所有人共用"),
    "created": Said(
        "when it happened: 2024-05-01T18:30:00Z, 2024-05-01, or seconds since 1970", "发生的时间：2024-05-01T18:30:00Z、2024-05-01 或时间戳"
    ),
    "expires": Said("when it stops to count", "何时失效"),
    "confidence": Said("0 to 1: how sure it is", "0 到 1：有多确定"),
    "evidence": Said("the sentences of a chat that it rests on", "它依据的原话"),
    "supersedes": Said("ids of memories that it replaces", "它取代了哪些记忆（编号）"),
    "archived": Said("put away: kept, but not recalled", "已归档：保留，但不再召回"),
    "locked": Said("may not be changed by learning", "不允许自动改动"),
}
_ARRAYS: Mapping[MemoryType, Said] = {
    MemoryType.EPISODIC: Said("what happened", "发生过的事"),
    MemoryType.SEMANTIC: Said("what is known", "已知的事实"),
    MemoryType.TRAIT: Said("what the role is like", "角色是怎样的人"),
    MemoryType.GOAL: Said("what the role wants", "角色想要什么"),
}


def memory_schema(language: Literal["zh", "en"] = "en") -> dict[str, Any]:
    """The JSON schema of memory.json, explained in that language. Unknown fields are allowed: they are kept."""
    made = Memory.model_json_schema()
    fields = {name: made["properties"][name] | {"description": said.text(language)} for name, said in _FIELDS.items()}
    for name in ("created", "expires"):
        fields[name] = {"description": fields[name]["description"], "type": ["string", "number"]}
    also = {name: fields[ours] | {"description": f"= {ours}: {fields[ours]['description']}"} for name, ours in ALIASES.items()}
    entry = {"type": "object", "properties": fields | also, "anyOf": [{"required": ["content"]}, {"required": ["text"]}]}
    arrays = {kind.array: _array(said.text(language)) for kind, said in _ARRAYS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memory.json",
        "type": "object",
        "properties": {"$schema": {"type": "string"}, "version": {"const": 1}, "through": {"type": "integer", "minimum": 0}, **arrays},
        "$defs": made.get("$defs", {}) | {"Memory": {"anyOf": [{"type": "string"}, entry]}},
    }


def _array(description: str) -> dict[str, Any]:
    return {"type": "array", "description": description, "items": {"$ref": "#/$defs/Memory"}}
