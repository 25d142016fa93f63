"""What `doctor` looks at besides the memories themselves: who learns, the chats, what waits for a person, the server."""

import os
from importlib.util import find_spec
from pathlib import Path

from rolememory.cli.health_finding import (
    Findings,
    HealthFinding,
    Level,
    command,
    fault,
    finding,
    good,
    note,
    warning,
)
from rolememory.cli.learning_status import (
    ConfiguredServer,
    LearningStatus,
    learns_by,
    servers,
    standing,
)
from rolememory.cli.words import say
from rolememory.errors import RoleMemoryError
from rolememory.locales import translatable
from rolememory.schema.role import Role
from rolememory.schema.settings import Settings
from rolememory.serve.token import NAME, VARIABLE
from rolememory.storage.files.space import FileSpace
from rolememory.storage.home import HomeFolder

_SERVERS = translatable({"learning": "the model that learns", "replies": "the model that replies"})
_MEANWHILE = translatable(
    {
        "learning": "nothing is lost: what is to be learned waits",
        "replies": "until then the frontend shows this error",
    }
)
MANY_WAIT = 50  # drafts that wait for a person: more than one looks through in an evening


def learning(settings: Settings, *, ask: bool) -> Findings:
    """Who learns, and the servers that are asked."""
    by = learns_by(settings)
    told = LearningStatus(by).told()
    yield finding(
        "note" if by == "off" else "good",
        "learning",
        say("memories are learned by: {told}", told=told),
    )
    endpoint, model = settings.learn.endpoint, settings.learn.model
    if endpoint == "upstream" and not settings.serve.upstream:
        what = say('learn.endpoint is "upstream", and no model is set behind the proxy')
        yield warning("learning", what, remedy=say("set serve.upstream"))
    elif by == "commands" and bool(endpoint) != bool(model) and settings.learn.extractor != "rules":
        named = "learn.endpoint" if endpoint else "learn.model"
        other = "learn.model" if endpoint else "learn.endpoint"
        what = say(
            "{named} is set and {other} is not, so no model learns", named=named, other=other
        )
        yield warning("learning", what, remedy=say("set {other}", other=other))
    yield from (_server(one) for one in servers(settings, ask=ask))


def _server(one: ConfiguredServer) -> HealthFinding:
    what = say(_SERVERS[one.what])
    key = (
        say("key from {key_env}", key_env=one.key_env)
        if one.has_key
        else say("no key in {key_env}", key_env=one.key_env)
    )
    where = say("{what}, {url}", what=what, url=one.url)
    if one.state == "failed":
        return warning("server", one.reason, where, remedy=say(_MEANWHILE[one.what]))
    state = say("answers") if one.state == "ready" else say("not asked; --wait asks it")
    return finding(
        "good" if one.state == "ready" else "note",
        "server",
        say("{state}, {key}", state=state, key=key),
        where,
    )


def role(folder: Path, role: Role, settings: Settings) -> Findings:
    """How learning stands in one role, and what is wrong with its chats."""
    try:
        found = standing(FileSpace(folder), settings)
    except (RoleMemoryError, OSError) as error:
        what = error if isinstance(error, RoleMemoryError) else str(error)
        yield warning("chats", what, role.name)
        return
    yield from (warning("chats", problem, f"{role.name}: {folder}") for problem in found.problems)
    if found.waiting:
        what = say("{waiting} pending review", waiting=found.waiting)
        level: Level = "warning" if found.waiting > MANY_WAIT else "note"
        yield finding(level, "review", what, role.name, f"`{command('review', role.name)}`")
    if found.unread:
        what = say("chats not learned from yet: {unread}", unread=found.unread)
        yield note("learning", what, role.name, remedy=say("it goes on with the next turn"))
    if found.queued:
        what = say("{queued} exchanges wait for the model", queued=found.queued)
        yield note("learning", what, role.name)
    yield from (note("learning", one, role.name) for one in found.notes)


def serving(home: Path, settings: Settings) -> Findings:
    """Whether `serve` can do its work as it is set."""
    rules = settings.serve
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        what = say("the server is not installed")
        yield note("serve", what, "", 'pip install "rolememory[serve]"')
        return
    if not rules.upstream:
        remedy = say("set serve.upstream, or start with --upstream URL")
        yield note("serve", say("no model is set behind the proxy"), remedy=remedy)
    yield _token(home)
    if rules.host not in ("127.0.0.1", "localhost", "::1"):
        what = say("listens on {host}: other machines may ask, with the token", host=rules.host)
        yield note("serve", what)
    if rules.role:
        yield from _default_role(home, rules.role)
    if rules.cards and not Path(rules.cards).expanduser().is_dir():
        what = say("serve.cards: no folder {cards}", cards=rules.cards)
        yield warning("serve", what, remedy=say("roles are known by name alone"))


def _token(home: Path) -> HealthFinding:

    token = home / NAME
    if os.environ.get(VARIABLE, "").strip():
        return good("serve", say("the token comes from {variable}", variable=VARIABLE))
    if not token.is_file():
        return note("serve", say("no token yet; the first start makes one"))
    if os.name == "posix" and token.stat().st_mode & 0o077:
        what = say("others on this machine may read the token")
        return warning("serve", what, str(token), remedy=f"chmod 600 {token}")
    return good("serve", say("the token is there"), str(token))


def _default_role(home: Path, name: str) -> Findings:

    try:
        HomeFolder(home).find(name)
    except RoleMemoryError as error:
        remedy = say("put another name into serve.role, or none")
        yield fault("serve", error, "serve.role", remedy=remedy)
