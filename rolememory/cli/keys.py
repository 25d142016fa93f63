"""keys: API keys of the service, with roles, user and rights."""

from typing import Annotated

from rolememory.cli.context import open_home
from rolememory.cli.options import Text, argument, option
from rolememory.cli.output import out, picked, say
from rolememory.serve.keys import EVERY, RIGHTS, ApiKeys
from rolememory.serve.token import token_of

KeyName = Annotated[str, argument("NAME", "what the key is called")]


def listed() -> None:
    """What they are is shown to nobody: the home keeps their digests alone."""
    rows = [
        picked(key, "name user") | {"roles": ", ".join(key.roles), "rights": ", ".join(key.rights)}
        for key in _keys().all()
    ]
    empty = say("no keys yet: `rolememory keys add NAME`")
    out.listing(rows, "name user roles rights", empty, name=say("key"))


def add(
    name: KeyName,
    role: Annotated[Text, option("--role NAMES", "for these roles alone, with commas")] = None,
    user: Annotated[
        str, option("--user NAME", "the user it acts for; * = the user of a signed claim")
    ] = EVERY,
    rights: Annotated[str, option("--rights LIST", "read, write, admin, with commas")] = ",".join(
        RIGHTS[:2]
    ),
) -> None:
    """It is shown once."""
    with open_home() as home:
        roles = [home.role(one.strip()).id for one in role.split(",")] if role else [EVERY]
    wanted = [one.strip() for one in rights.split(",") if one.strip()]
    key = _keys().add(name, roles, user.strip(), wanted)
    out.told("{name}, shown once: {key}", name=name, key=key)


def remove(name: KeyName) -> None:
    """It counts no longer, nor does what it signed."""
    _keys().remove(name)
    out.told("{name}: removed", name=name)


def _keys() -> ApiKeys:
    with open_home() as home:
        return ApiKeys(home.path, token_of(home.path)[0])
