"""What `doctor` looks at besides the memories themselves: who learns, the chats, what waits for a person, the server."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rolememory.cli.behind import Server, Standing, learns_by, servers, standing
from rolememory.cli.finding import FAULT, Finding
from rolememory.cli.words import Tongue, say
from rolememory.errors import RoleMemoryError

if TYPE_CHECKING:
    from rolememory.schema.role import Role
    from rolememory.schema.settings import Settings

_MEANWHILE = {
    "learning": ("nothing is lost: what is to be learned waits", "不会丢东西：要学的会等着"),
    "replies": ("until then the frontend shows this error", "在此之前前端会显示这个错误"),
}
MANY_WAIT = 50  # drafts that wait for a person: more than one looks through in an evening


def learning(settings: "Settings", *, ask: bool) -> Iterator[Finding]:
    """Who learns, and the servers that are asked."""
    by = learns_by(settings)
    told = Standing(by).told()
    yield Finding(
        "note" if by == "off" else "good",
        "learning",
        "",
        say(f"memories are learned by: {told}", f"学习记忆靠：{told}"),
    )
    endpoint, model = settings.learn.endpoint, settings.learn.model
    if endpoint == "upstream" and not settings.serve.upstream:
        what = say(
            'learn.endpoint is "upstream", and no model is set behind the proxy',
            "learn.endpoint 是 upstream，但代理后面没有设模型",
        )
        yield Finding(
            "warning", "learning", "", what, say("set serve.upstream", "请设置 serve.upstream")
        )
    elif by == "commands" and bool(endpoint) != bool(model) and settings.learn.extractor != "rules":
        named = "learn.endpoint" if endpoint else "learn.model"
        other = "learn.model" if endpoint else "learn.endpoint"
        what = say(
            f"{named} is set and {other} is not, so no model learns",
            f"设了 {named}，没有设 {other}，所以模型不参与学习",
        )
        yield Finding("warning", "learning", "", what, say(f"set {other}", f"请设置 {other}"))
    yield from (_server(one) for one in servers(settings, ask=ask))


def _server(one: Server) -> Finding:
    what = say(
        *{
            "learning": ("the model that learns", "学习用的模型"),
            "replies": ("the model that replies", "写回复的模型"),
        }[one.what]
    )
    key = (
        say(f"key from {one.key_env}", f"密钥取自 {one.key_env}")
        if one.has_key
        else say(f"no key in {one.key_env}", f"{one.key_env} 里没有密钥")
    )
    where = say(f"{what}, {one.url}", f"{what}，{one.url}")
    if one.state == "failed":
        return Finding("warning", "server", where, one.reason, say(*_MEANWHILE[one.what]))
    state = (
        say("answers", "有应答")
        if one.state == "ready"
        else say("not asked; --wait asks it", "还没有问；加 --wait 会问一下")
    )
    return Finding(
        "good" if one.state == "ready" else "note",
        "server",
        where,
        say(f"{state}, {key}", f"{state}，{key}"),
    )


def role(folder: Path, role: "Role", settings: "Settings") -> Iterator[Finding]:
    """How learning stands in one role, and what is wrong with its chats."""
    from rolememory.storage.files.space import FileSpace

    try:
        found = standing(FileSpace(folder), settings)
    except (RoleMemoryError, OSError) as error:
        yield Finding(
            "warning",
            "chats",
            role.name,
            error.text(Tongue.language) if isinstance(error, RoleMemoryError) else str(error),
        )
        return
    yield from (
        Finding("warning", "chats", f"{role.name}: {folder}", problem) for problem in found.problems
    )
    if found.waiting:
        command = (
            f'rolememory review "{role.name}"'
            if " " in role.name
            else f"rolememory review {role.name}"
        )
        what = say(f"{found.waiting} wait for your word", f"有 {found.waiting} 条等你过目")
        yield Finding(
            "warning" if found.waiting > MANY_WAIT else "note",
            "review",
            role.name,
            what,
            f"`{command}`",
        )
    if found.unread:
        what = say(
            f"{found.unread} chats are not learned from yet", f"有 {found.unread} 个会话还没有学习"
        )
        yield Finding(
            "note",
            "learning",
            role.name,
            what,
            say("it goes on with the next turn", "下一轮对话时会接着学"),
        )
    if found.queued:
        what = say(
            f"{found.queued} exchanges wait for the model", f"有 {found.queued} 轮对话等模型来读"
        )
        yield Finding("note", "learning", role.name, what)
    yield from (Finding("note", "learning", role.name, note) for note in found.notes)


def serving(home: Path, settings: "Settings") -> Iterator[Finding]:
    """Whether `serve` can do its work as it is set."""
    rules = settings.serve
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        yield Finding(
            "note",
            "serve",
            "",
            say("the server is not installed", "没有安装服务"),
            'pip install "rolememory[serve]"',
        )
        return
    if not rules.upstream:
        remedy = say(
            "set serve.upstream, or start with --upstream URL",
            "请设置 serve.upstream，或用 --upstream 地址 启动",
        )
        yield Finding(
            "note",
            "serve",
            "",
            say("no model is set behind the proxy", "代理后面还没有设置模型"),
            remedy,
        )
    yield _token(home)
    if rules.host not in ("127.0.0.1", "localhost", "::1"):
        what = say(
            f"listens on {rules.host}: other machines may ask, with the token",
            f"监听 {rules.host}：其他设备凭令牌可以访问",
        )
        yield Finding("note", "serve", "", what)
    if rules.role:
        yield from _default_role(home, rules.role)
    if rules.cards and not Path(rules.cards).expanduser().is_dir():
        what = say(
            f"serve.cards: no folder {rules.cards}", f"serve.cards：没有文件夹 {rules.cards}"
        )
        yield Finding(
            "warning", "serve", "", what, say("roles are known by name alone", "目前只凭名字认角色")
        )


def _token(home: Path) -> Finding:
    from rolememory.serve.token import NAME, VARIABLE

    token = home / NAME
    if os.environ.get(VARIABLE, "").strip():
        return Finding(
            "good", "serve", "", say(f"the token comes from {VARIABLE}", f"令牌取自 {VARIABLE}")
        )
    if not token.is_file():
        return Finding(
            "note",
            "serve",
            "",
            say("no token yet; the first start makes one", "还没有令牌；第一次启动时生成"),
        )
    if os.name == "posix" and token.stat().st_mode & 0o077:
        what = say("others on this machine may read the token", "本机的其他用户也能读到令牌")
        return Finding("warning", "serve", str(token), what, f"chmod 600 {token}")
    return Finding("good", "serve", str(token), say("the token is there", "令牌已有"))


def _default_role(home: Path, name: str) -> Iterator[Finding]:
    from rolememory.storage.home import HomeFolder

    try:
        HomeFolder(home).find(name)
    except RoleMemoryError as error:
        remedy = say(
            "put another name into serve.role, or none", "请在 serve.role 里换一个名字，或不写"
        )
        yield Finding(FAULT, "serve", "serve.role", error.text(Tongue.language), remedy)
