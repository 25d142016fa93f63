"""keys: who may ask a service, for which role and user, and what they may do."""

from typing import Annotated

from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import argument, option
from rolememory.cli.out import Column
from rolememory.cli.verbs import DOORS, verb
from rolememory.cli.words import both, say
from rolememory.serve.keys import EVERY, RIGHTS, Key, Keys
from rolememory.serve.token import token_of

KeyName = Annotated[str, argument("NAME", "what the key is called", "密钥的名字")]


@verb("keys list", DOORS, both("the keys of a service", "服务的密钥"))
def listed() -> None:
    """What they are is shown to nobody: the home keeps their digests alone."""
    here = desk()
    rows = [_row(one) for one in _keys(here).all()]
    if here.out.as_json:
        here.out.data(rows)
    elif rows:
        columns = [
            Column("name", say("key", "密钥"), style="cyan"),
            Column("user", say("user", "用户")),
            Column("roles", say("roles", "角色"), fold=2),
            Column("rights", say("rights", "权限")),
        ]
        here.out.table(rows, columns)
    else:
        here.out.say(
            say("no keys yet: `rolememory keys add NAME`", "还没有密钥：`rolememory keys add 名字`")
        )


@verb("keys add", DOORS, both("make a key for `serve --service`", "为 `serve --service` 生成密钥"))
def add(
    name: KeyName,
    role: Annotated[
        str | None,
        option(
            "--role NAMES", "for these roles alone, with commas", "只对这些角色有效，以逗号分隔"
        ),
    ] = None,
    user: Annotated[
        str,
        option(
            "--user NAME",
            "whose turns they are; * = whom a signed claim names",
            "是谁的对话；* = 由签名的声明指定",
        ),
    ] = EVERY,
    rights: Annotated[
        str,
        option(
            "--rights LIST", "read, write, admin, with commas", "read、write、admin，以逗号分隔"
        ),
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
    here.out.say(say(f"{name}, shown once: {key}", f"{name}，只显示这一次：{key}"))


@verb("keys remove", DOORS, both("take a key away", "收回一个密钥"))
def remove(name: KeyName) -> None:
    """It counts no longer, nor does what it signed."""
    here = desk()
    _keys(here).remove(name)
    here.out.say(say(f"{name}: taken away", f"{name}：已收回"))


def _keys(here: Desk) -> Keys:
    with here.home() as home:
        return Keys(home.path, token_of(home.path)[0])


def _row(key: Key) -> dict[str, str]:
    return {
        "name": key.name,
        "user": key.user,
        "roles": ", ".join(key.roles),
        "rights": ", ".join(key.rights),
    }
