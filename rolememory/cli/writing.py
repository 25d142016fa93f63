"""add, edit, weight, delete: changes memories. Every change is durable at once and can be undone."""

from typing import Annotated, Any

from rolememory.cli.context import open_role
from rolememory.cli.fields import assignments, value_of
from rolememory.cli.files import read_text
from rolememory.cli.memory_rows import memory_json
from rolememory.cli.options import (
    MemoryId,
    RoleName,
    Text,
    Words,
    Yes,
    argument,
    option,
)
from rolememory.cli.output import Row, one_line, out, pasted, say
from rolememory.errors import InvalidValueError, UnknownMemoryError


def add(
    role: RoleName,
    text: Annotated[str, argument("TEXT|-", "what to remember; - reads it from standard input")],
    kind: Annotated[
        str, option("--type episodic|semantic|trait|goal", "what kind of memory")
    ] = "episodic",
    key: Annotated[Words, option("--key -k KEY", "a key that recalls it; repeat for more")] = None,
    tag: Annotated[Words, option("--tag TAG", "a tag; repeat for more")] = None,
    emotion: Annotated[Words, option("--emotion WORD", "an emotion; repeat for more")] = None,
    topic: Annotated[Words, option("--topic WORD", "what it is about; repeat for more")] = None,
    subject: Annotated[
        Text, option("--subject NAME", "whom it is about; not given: the role itself")
    ] = None,
    user: Annotated[
        Text, option("--user NAME", "which user it belongs to; not given: shared by all users")
    ] = None,
    created: Annotated[Text, option("--created TIME", "when it happened, e.g. 2024-05-01")] = None,
    expires: Annotated[Text, option("--expires TIME", "when it expires")] = None,
    salience: Annotated[Text, option("--salience 0..1", "how much it mattered")] = None,
    weight: Annotated[Text, option("--weight 0..2", "how strongly it is remembered")] = None,
    priority: Annotated[
        Text, option("--priority 0..100", "what is kept when space is short")
    ] = None,
    constant: Annotated[bool, option("--constant", "in the prompt on every turn")] = False,
    memory_id: Annotated[str, option("--id ID", "its id; not given: made from its text")] = "",
    each_line: Annotated[
        bool, option("--each-line", "make each line of the text a separate memory")
    ] = False,
) -> None:
    """Write one memory, or one per line."""
    fields = {
        "type": kind, "keys": key, "tags": tag, "emotions": emotion, "topics": topic, "subject": subject, "user": user,
        "created": created, "expires": expires, "salience": salience, "weight": weight, "priority": priority,
        "constant": constant, "id": memory_id,
    }  # fmt: skip
    given = {
        name: value_of(name, value) if isinstance(value, str) else value
        for name, value in fields.items()
        if value
    }
    content = read_text("-") if text == "-" else text
    contents = (
        [line for line in content.splitlines() if line.strip()] if each_line else [content.strip()]
    )
    if not any(contents):
        raise InvalidValueError("content: there is nothing to remember; write a sentence")
    _remember(role, [{"content": one, **given} for one in contents], each_line)


def _remember(role: str, raws: list[Row], many: bool) -> None:
    with open_role(role) as role_memory:
        before = set(role_memory.memories)
        made = role_memory.remember_all(raws)
        name = role_memory.role.name
    if out.json([memory_json(memory) for memory in made] if many else memory_json(made[0])):
        return
    for memory in made:
        told = {"name": name, "id": memory.id, "text": one_line(memory.content)}
        if memory.id in before:
            out.say("{name} already remembers {id}: {text}", **told)
        else:
            out.say("{name} remembers {id}: {text}", **told)


def edit(
    role: RoleName,
    memory_id: MemoryId,
    changes: Annotated[
        list[str],
        argument(
            "FIELD=VALUE...",
            "keys=a,b sets a list, keys+=c and keys-=a change it, user= empties",
        ),
    ],
) -> None:
    """Change fields of one memory."""
    with open_role(role) as role_memory:
        memory = role_memory.memories.get(memory_id)
        if memory is None:
            raise UnknownMemoryError(memory_id, role_memory.memories)
        after = role_memory.edit(memory_id, **assignments(changes, memory))
    _tell_change(memory_json(memory), memory_json(after))


def _tell_change(before: Row, after: Row) -> None:
    if out.json(after):
        return
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if not names:
        out.say("{id}: nothing changed", id=after["id"])
    for name in names:
        out.line(f"{after['id']}.{name}: {_value(before.get(name))} → {_value(after.get(name))}")


def _value(value: Any) -> str:
    import json

    return say("default") if value is None else json.dumps(value, ensure_ascii=False)


def weight(
    role: RoleName,
    memory_id: MemoryId,
    value: Annotated[
        str,
        argument("VALUE", "0..2; 1 is normal, below memory.archive_threshold `clean` archives it"),
    ],
) -> None:
    """The same as `edit ROLE ID weight=VALUE`."""
    edit(role, memory_id, [f"weight={value}"])


def delete(
    role: RoleName,
    memory_ids: Annotated[list[str], argument("ID...", "ids, as `list` shows them")],
    yes: Yes = False,
) -> None:
    """Ask at a terminal, then delete in one go."""
    ids = list(dict.fromkeys(memory_ids))
    with open_role(role) as role_memory:
        known = role_memory.memories
        texts = [known[one].content for one in ids if one in known]
        if texts and not yes and out.asks and not _sure(texts):
            out.say("nothing was deleted")
            return
        role_memory.delete(*ids)
    gone = ", ".join(ids)
    told = say(
        "deleted {gone}; `rolememory undo {role}` brings it back", gone=gone, role=pasted(role)
    )
    out.result({"deleted": ids}, told)


def _sure(contents: list[str]) -> bool:
    for content in contents:
        out.line(f"  {one_line(content)}")
    return out.ask(say("delete {count}?", count=len(contents)))
