"""Memories and roles as rows of a table and as JSON."""

from rolememory.cli.language import ProcessLanguage
from rolememory.cli.output import Row, one_line, say, told_reason
from rolememory.locales import translatable
from rolememory.schema.evidence import Hit
from rolememory.schema.memory import Memory
from rolememory.schema.wording import strategy_name

translatable(("episodic", "semantic", "trait", "goal"), "memory")


MEMORY_COLUMNS = "id type weight content keys state"


def memory_row(memory: Memory, *, counts: bool = True) -> Row:
    """A memory as a row; `counts`: it is active, its messages stand and nothing replaced it."""
    return {
        "id": memory.id,
        "type": say(memory.type.value, msgctxt="memory"),
        "weight": memory.weight,
        "content": one_line(_answered(memory) + memory.content),
        "keys": memory.keys,
        "state": state(memory, counts=counts),
    }


def _answered(memory: Memory) -> str:
    """The question that a passage answers, needed to understand a short answer."""
    asked = memory.evidence[0].answers if memory.evidence and not memory.keys else ""
    return f"{asked} - " if asked else ""


def state(memory: Memory, *, counts: bool = True) -> str:
    """The special states of a memory, in words."""
    marks = [
        (not counts, say("counts no longer")),
        (memory.archived, say("archived")),
        (memory.constant, say("constant")),
        (memory.locked, say("locked")),
        (memory.user is not None, say("of {user}", user=memory.user)),
    ]
    return say(", ", msgctxt="list").join(word for holds, word in marks if holds)


def memory_json(memory: Memory) -> Row:
    """A memory as JSON, as memory.json would have it, with its type."""
    from rolememory.storage.codec import fields_of

    return {"id": memory.id, "type": memory.type.value, **fields_of(memory)}


def hit_text(hit: Hit) -> str:
    """A strategy's evidence in words: `keyword 'beacon' in message 1`."""
    told = told_reason(hit.because)
    if hit.trigger == "constant":
        return told
    return f"{strategy_name(hit.trigger, ProcessLanguage.language, hit.because)} {told}"
