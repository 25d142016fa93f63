"""add, edit, weight, delete: changing what a role remembers. Every change is durable at once and can be undone."""

from typing import Annotated, Any

from rolememory.cli.choices import Kind
from rolememory.cli.desk import Desk, desk, read_text
from rolememory.cli.fields import assignments, checked, value_of
from rolememory.cli.options import MemoryId, RoleName, Text, Words, Yes, argument, option
from rolememory.cli.out import one_line
from rolememory.cli.sheets import memory_json
from rolememory.cli.verbs import MEMORIES, verb
from rolememory.cli.words import both, say
from rolememory.errors import InvalidValueError, UnknownMemoryError

Given = Annotated[
    str,
    argument(
        "TEXT|-",
        "what to remember; - reads it from standard input",
        "要记住的内容；- 表示从标准输入读取",
    ),
]
OfKind = Annotated[
    Kind, option("--type episodic|semantic|trait|goal", "what kind of memory", "记忆的类型")
]
Keys = Annotated[
    Words, option("--key -k KEY", "a word that wakes it; repeat for more", "唤起它的词，可重复")
]
Tags = Annotated[Words, option("--tag TAG", "a tag; repeat for more", "标签，可重复")]
Emotions = Annotated[
    Words,
    option(
        "--emotion WORD", "a feeling that goes with it; repeat for more", "与之相连的情绪，可重复"
    ),
]
Topics = Annotated[
    Words, option("--topic WORD", "what it is about; repeat for more", "话题，可重复")
]
Subject = Annotated[
    Text,
    option(
        "--subject NAME", "whom it is about; not given: the role itself", "关于谁；不写就是角色自己"
    ),
]
Owner = Annotated[
    Text,
    option(
        "--user NAME",
        "whose it is; not given: shared by all users",
        "属于哪位用户；不写就是所有用户共享",
    ),
]
Created = Annotated[
    Text,
    option("--created TIME", "when it happened, e.g. 2024-05-01", "发生的时间，例如 2024-05-01"),
]
Expires = Annotated[Text, option("--expires TIME", "until when it counts", "到什么时候为止有效")]
Salience = Annotated[Text, option("--salience 0..1", "how much it mattered", "有多重要")]
Weight = Annotated[Text, option("--weight 0..2", "how strongly it is held", "记得多牢")]
Priority = Annotated[
    Text, option("--priority 0..100", "who goes first when room is short", "位置不够时谁优先")
]
Constant = Annotated[bool, option("--constant", "always there", "常驻")]
NewId = Annotated[
    str, option("--id ID", "its id; not given: made from its words", "指定 id；不写就由内容生成")
]
EachLine = Annotated[
    bool,
    option(
        "--each-line", "every line of the text is a memory of its own", "文字的每一行各成一条记忆"
    ),
]


@verb("add", MEMORIES, both("write a memory", "写下一条记忆"))
def add(
    role: RoleName,
    text: Given,
    kind: OfKind = Kind.EPISODIC,
    key: Keys = None,
    tag: Tags = None,
    emotion: Emotions = None,
    topic: Topics = None,
    subject: Subject = None,
    user: Owner = None,
    created: Created = None,
    expires: Expires = None,
    salience: Salience = None,
    weight: Weight = None,
    priority: Priority = None,
    constant: Constant = False,
    memory_id: NewId = "",
    each_line: EachLine = False,
) -> None:
    """Write one memory, or one per line."""
    fields = {
        "type": kind.value, "keys": key, "tags": tag, "emotions": emotion, "topics": topic, "subject": subject, "user": user,
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
    raws = [{"content": one, **given} for one in contents]
    for raw in raws:
        checked(raw)
    _remember(desk(), role, raws, each_line)


def _remember(here: Desk, role: str, raws: list[dict[str, Any]], many: bool) -> None:
    with here.role(role) as mind:
        made = mind.remember_all(raws)
        name = mind.role.name
    if here.out.as_json:
        here.out.data([memory_json(memory) for memory in made] if many else memory_json(made[0]))
        return
    for memory in made:
        text = one_line(memory.content)
        here.out.say(
            say(f"{name} remembers {memory.id}: {text}", f"{name}记住了 {memory.id}：{text}")
        )


@verb(
    "edit",
    MEMORIES,
    both("change a memory: field=value ..., or in your editor", "修改记忆：字段=值……，或用编辑器"),
)
def edit(
    role: RoleName,
    memory_id: MemoryId,
    changes: Annotated[
        list[str] | None,
        argument(
            "[FIELD=VALUE...]",
            "keys=a,b sets a list, keys+=c and keys-=a change it, user= empties; none: the whole memory opens in your editor",
            "keys=甲,乙 设定列表，keys+=丙 和 keys-=甲 增减，user= 清空；都不写就在编辑器里打开整条记忆",
        ),
    ] = None,
) -> None:
    """Change fields of one memory."""
    here = desk()
    with here.role(role) as mind:
        memory = mind.memories.get(memory_id)
        if memory is None:
            raise UnknownMemoryError(memory_id, mind.memories)
        fields = assignments(changes, memory) if changes else _edited(memory_json(memory))
        checked(memory_json(memory) | fields, memory_id)
        after = mind.edit(memory_id, **fields)
    _tell_change(here, role, memory_json(memory), memory_json(after))


def _edited(before: dict[str, Any]) -> dict[str, Any]:
    """What the person changed in the editor; a field taken out goes back to its default."""
    from rolememory.cli.editor import edit_json
    from rolememory.storage.codec import DEFAULTS

    after = edit_json(before, "memory")
    if after.get("id", before["id"]) != before["id"]:
        raise InvalidValueError(
            "id: stays as it is; add a new memory and delete this one",
            zh="id 不能改；可另加一条，再删掉这一条",
        )
    gone = {
        name: DEFAULTS.get(name)
        for name in before
        if name not in after and name not in ("id", "content")
    }
    return gone | {
        name: value for name, value in after.items() if name != "id" and before.get(name) != value
    }


def _tell_change(here: Desk, role: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    if here.out.as_json:
        here.out.data(after)
        return
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if not names:
        here.out.say(say(f"{after['id']}: nothing changed", f"{after['id']}：没有变化"))
    for name in names:
        here.out.say(
            f"{after['id']}.{name}: {_value(before.get(name))} → {_value(after.get(name))}"
        )


def _value(value: Any) -> str:
    import json

    return say("default", "默认") if value is None else json.dumps(value, ensure_ascii=False)


@verb("weight", MEMORIES, both("set how strongly a memory is held", "设定一条记忆的权重"))
def weight(
    role: RoleName,
    memory_id: MemoryId,
    value: Annotated[
        str,
        argument(
            "VALUE",
            "0..2; 1 is usual, below 0.1 `clean` archives it",
            "0..2，通常为 1；低于 0.1 会被 `clean` 归档",
        ),
    ],
) -> None:
    """The same as `edit ROLE ID weight=VALUE`."""
    edit(role, memory_id, [f"weight={value}"])


@verb(
    "delete",
    MEMORIES,
    both("delete memories; `undo` brings them back", "删除记忆，可用 `undo` 找回"),
)
def delete(
    role: RoleName,
    memory_ids: Annotated[
        list[str], argument("ID...", "ids, as `list` shows them", "记忆的 id，见 `list`")
    ],
    yes: Yes = False,
) -> None:
    """Ask at a terminal, then delete in one go."""
    here = desk()
    ids = list(dict.fromkeys(memory_ids))
    with here.role(role) as mind:
        unknown = next((one for one in ids if one not in mind.memories), None)
        if unknown is not None:
            raise UnknownMemoryError(unknown, mind.memories)
        if (
            not yes
            and here.out.asks
            and not _sure(here, [mind.memories[one].content for one in ids])
        ):
            here.out.say(say("nothing was deleted", "没有删除"))
            return
        mind.delete(*ids)
    if here.out.as_json:
        here.out.data({"deleted": ids})
        return
    gone = ", ".join(ids)
    here.out.say(
        say(
            f"deleted {gone}; `rolememory undo {role}` brings it back",
            f"已删除 {gone}；`rolememory undo {role}` 可以找回",
        )
    )


def _sure(here: Desk, contents: list[str]) -> bool:
    for content in contents:
        here.out.say(f"  {one_line(content)}")
    return here.out.ask(say(f"delete {len(contents)}?", f"删除这 {len(contents)} 条？"))
