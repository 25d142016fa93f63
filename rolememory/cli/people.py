"""users: who a home knows, under which names, and names that mean one person."""

from typing import Annotated

from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import argument
from rolememory.cli.out import Column
from rolememory.cli.verbs import LEARN, verb
from rolememory.cli.words import both, say


@verb("users list", LEARN, both("who is known, and under which names", "认识哪些人，各有哪些名字"))
def users() -> None:
    """New names that may be somebody who is known are asked about."""
    here = desk()
    with here.home() as home:
        found, unasked = home.users(), home.strangers()
    if here.out.as_json:
        rows = [
            {"user": one.name, "names": list(one.names), "memories": one.memories}
            | {"chats": one.chats, "roles": [row.name for row in one.roles]}
            for one in found
        ]
        asked = [{"name": name, "person": person} for name, person in unasked]
        here.out.data({"users": rows, "unasked": asked})
        return
    if not found:
        here.out.say(say("nobody is known yet", "还不认识任何人"))
        return
    columns = [
        Column("name", say("person", "人物"), style="cyan"),
        Column("names", say("also called", "也叫")),
        Column("memories", say("memories", "记忆")),
        Column("chats", say("chats", "会话")),
        Column("roles", say("known to", "认识的角色"), fold=2),
    ]
    rows = [
        {"name": one.name, "names": ", ".join(one.names[1:]), "memories": one.memories}
        | {"chats": one.chats, "roles": ", ".join(row.name for row in one.roles)}
        for one in found
    ]
    here.out.table(rows, columns)
    _ask(here, unasked)


def _ask(here: Desk, unasked: list[tuple[str, str]]) -> None:
    for name, person in unasked:
        here.out.note(
            say(
                f"is {name} the same person as {person}? `rolememory users link {person!r} {name!r}`; "
                f"no: `rolememory users unlink {name!r}`",
                f"{name} 和 {person} 是同一个人吗？是：`rolememory users link {person!r} {name!r}`；"
                f"不是：`rolememory users unlink {name!r}`",
            )
        )


@verb(
    "users link",
    LEARN,
    both("let several names be one person", "把几个名字当作同一个人"),
)
def link(
    names: Annotated[
        list[str],
        argument("NAME...", "two names or more, the usual one first", "两个或更多名字，常用的在前"),
    ],
) -> None:
    """What was told under one of them is known under all, at once; `users unlink` takes it back."""
    here = desk()
    with here.home() as home:
        home.people.link(*names)
        one = next(group for group in home.people.linked if names[0].strip() in group)
    if here.out.as_json:
        here.out.data({"linked": list(one)})
        return
    here.out.say(say(f"one person: {', '.join(one)}", f"同一个人：{'、'.join(one)}"))


@verb(
    "users unlink",
    LEARN,
    both("let a name be a person of its own", "让一个名字独自成为一个人"),
)
def unlink(
    name: Annotated[
        str, argument("NAME", "which name; it is not asked about again", "哪个名字；以后不再询问")
    ],
) -> None:
    """What was told under it stays its own."""
    here = desk()
    with here.home() as home:
        home.people.unlink(name)
    if here.out.as_json:
        here.out.data({"apart": name})
        return
    here.out.say(say(f"{name}: a person of their own", f"{name}：独立的一个人"))
