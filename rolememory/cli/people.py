"""users: who a home knows, under which names, and names that mean one person."""

from typing import Annotated

from rolememory.cli.context import CommandContext, desk
from rolememory.cli.options import argument
from rolememory.cli.output import TableColumn
from rolememory.cli.words import say
from rolememory.locales import Listed


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
        here.out.say(say("nobody is known yet"))
        return
    columns = [
        TableColumn("name", say("person"), style="cyan"),
        TableColumn("names", say("also called")),
        TableColumn("memories", say("memories")),
        TableColumn("chats", say("chats")),
        TableColumn("roles", say("known to"), fold=2),
    ]
    rows = [
        {"name": one.name, "names": ", ".join(one.names[1:]), "memories": one.memories}
        | {"chats": one.chats, "roles": ", ".join(row.name for row in one.roles)}
        for one in found
    ]
    here.out.table(rows, columns)
    _ask(here, unasked)


def _ask(here: CommandContext, unasked: list[tuple[str, str]]) -> None:
    for name, person in unasked:
        here.out.note(
            say(
                "is {name} the same person as {person}? `rolememory users link {person!r} {name!r}`; no: `rolememory users unlink {name!r}`",
                name=name,
                person=person,
            )
        )


def link(
    names: Annotated[
        list[str],
        argument("NAME...", "two names or more, the usual one first"),
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
    here.out.say(say("one person: {one}", one=Listed(one)))


def unlink(
    name: Annotated[str, argument("NAME", "which name; it is not asked about again")],
) -> None:
    """What was told under it stays its own."""
    here = desk()
    with here.home() as home:
        home.people.unlink(name)
    if here.out.as_json:
        here.out.data({"apart": name})
        return
    here.out.say(say("{name}: a person of their own", name=name))
