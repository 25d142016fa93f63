"""Memories and roles as rows of a table and as JSON."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rolememory.cli.out import Column, one_line
from rolememory.cli.words import say

if TYPE_CHECKING:
    from rolememory.schema.evidence import Hit
    from rolememory.schema.memory import Memory

_TYPES = {"episodic": "经历", "semantic": "知识", "trait": "特质", "goal": "目标"}


def memory_columns(*before: Column) -> list[Column]:
    """The columns of a list of memories."""
    return [
        *before,
        Column("id", "id", style="cyan"),
        Column("type", say("type", "类型")),
        Column("weight", say("weight", "权重"), right=True),
        Column("content", say("content", "内容"), fold=3),
        Column("keys", say("keys", "关键词"), fold=1),
        Column("state", say("state", "状态")),
    ]


def memory_row(memory: "Memory") -> dict[str, Any]:
    """A memory as a row."""
    return {
        "id": memory.id,
        "type": say(memory.type.value, _TYPES[memory.type.value]),
        "weight": memory.weight,
        "content": one_line(memory.content),
        "keys": memory.keys,
        "state": state(memory),
    }


def state(memory: "Memory") -> str:
    """What is special about a memory, in words."""
    marks = [
        (memory.archived, say("archived", "已归档")),
        (memory.constant, say("constant", "常驻")),
        (memory.locked, say("locked", "锁定")),
        (memory.user is not None, say(f"of {memory.user}", f"属于{memory.user}")),
    ]
    return say(", ", "、").join(word for holds, word in marks if holds)


def memory_json(memory: "Memory") -> dict[str, Any]:
    """A memory as JSON, as memory.json would have it, with its type."""
    from rolememory.storage.codec import fields_of

    return {"id": memory.id, "type": memory.type.value, **fields_of(memory)}


def hit_text(hit: "Hit") -> str:
    """A strategy's evidence in words: `keyword 'beacon' in message 1`."""
    from rolememory.cli.words import Tongue
    from rolememory.schema.wording import strategy_name, word

    told = word(hit.because, Tongue.language)
    if hit.trigger == "constant":
        return told
    return f"{strategy_name(hit.trigger, Tongue.language, hit.because)} {told}"


_STRATEGIES: Mapping[str, str] = {
    "constant": "常驻", "keyword": "关键词", "pattern": "正则", "semantic": "语义", "dates": "时间", "recency": "新近", "emotional": "情绪",
    "weight": "权重", "salience": "重要程度", "priority": "优先级",
}  # fmt: skip


def strategy(name: str) -> str:
    """A strategy's or part's name for people."""
    return say(name, _STRATEGIES.get(name, name))
