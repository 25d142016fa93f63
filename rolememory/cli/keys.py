"""keys: who may ask a service, for which role and user, and what they may do."""

from typing import Annotated

from rolememory.cli.context import CommandContext, desk
from rolememory.cli.options import argument, option
from rolememory.cli.output import TableColumn
from rolememory.cli.words import say
from rolememory.serve.keys import EVERY, RIGHTS, ApiKey, ApiKeys
from rolememory.serve.token import token_of

KeyName = Annotated[str, argument("NAME", "what the key is called")]


def listed() -> None:
    """What they are is shown to nobody: the home keeps their digests alone."""
    here = desk()
    rows = [_row(one) for one in _keys(here).all()]
    if here.out.as_json:
        here.out.data(rows)
    elif rows:
        columns = [
            TableColumn("name", say("key"), style="cyan"),
            TableColumn("user", say("user")),
            TableColumn("roles", say("roles"), fold=2),
            TableColumn("rights", say("rights")),
        ]
        here.out.table(rows, columns)
    else:
        here.out.say(say("no keys yet: `rolememory keys add NAME`"))


def add(
    name: KeyName,
    role: Annotated[
        str | None,
        option("--role NAMES", "for these roles alone, with commas"),
    ] = None,
    user: Annotated[
        str,
        option("--user NAME", "whose turns they are; * = whom a signed claim names"),
    ] = EVERY,
    rights: Annotated[
        str,
        option("--rights LIST", "read, write, admin, with commas"),
    ] = ",".join(RIGHTS[:2]),
) -> None:
    """It is shown once."""
    here = desk()
    with here.home() as home:
        roles = [home.role(one.strip()).id for one in role.split(",")] if role else [EVERY]
    wanted = [one.strip() for one in rights.split(",") if one.strip()]
    key = _keys(here).add(name, roles, user.strip(), wanted)
    if here.out.as_json:
        here.out.data({"name": name, "key": key})
        return
    here.out.say(say("{name}, shown once: {key}", name=name, key=key))


def remove(name: KeyName) -> None:
    """It counts no longer, nor does what it signed."""
    here = desk()
    _keys(here).remove(name)
    here.out.say(say("{name}: taken away", name=name))


def _keys(here: CommandContext) -> ApiKeys:
    with here.home() as home:
        return ApiKeys(home.path, token_of(home.path)[0])


def _row(key: ApiKey) -> dict[str, str]:
    return {
        "name": key.name,
        "user": key.user,
        "roles": ", ".join(key.roles),
        "rights": ", ".join(key.rights),
    }
