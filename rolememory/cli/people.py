"""users: the users of a home, their names, and linking names of one person."""

from typing import Annotated

from rolememory.cli.context import open_home
from rolememory.cli.options import argument
from rolememory.cli.output import out, pasted, say
from rolememory.locales import Listed


def users() -> None:
    """New names that may be somebody who is known are asked about."""
    with open_home() as home:
        found = home.users()
        unasked = home.strangers()
    rows = [
        {"user": one.name, "names": list(one.names), "memories": one.memories}
        | {"chats": one.chats, "roles": [role.name for role in one.roles]}
        for one in found
    ]
    asked = [{"name": name, "person": person} for name, person in unasked]
    if out.json({"users": rows, "unasked": asked}):
        return
    shown = [row | {"names": one.names[1:]} for one, row in zip(found, rows, strict=True)]
    columns = "user names memories chats roles"
    empty = say("nobody is known yet")
    out.listing(shown, columns, empty, user=say("person"), roles=say("known to"))
    for row in asked:
        out.note(
            say(
                "is {name} the same person as {person}? `rolememory users link {both}`; no: `rolememory users unlink {other}`",
                **row,
                both=f"{pasted(row['person'])} {pasted(row['name'])}",
                other=pasted(row["name"]),
            )
        )


def link(
    names: Annotated[list[str], argument("NAME...", "two names or more, the usual one first")],
) -> None:
    """What was told under one of them is known under all, at once; `users unlink` takes it back."""
    with open_home() as home:
        home.people.link(*names)
        one = next(group for group in home.people.linked if names[0].strip() in group)
    out.result({"linked": list(one)}, say("one person: {one}", one=Listed(one)))


def unlink(
    name: Annotated[str, argument("NAME", "which name; it is not asked about again")],
) -> None:
    """What was told under it stays its own."""
    with open_home() as home:
        home.people.unlink(name)
    out.result({"apart": name}, say("{name}: a separate person", name=name))
