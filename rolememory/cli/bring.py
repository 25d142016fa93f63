"""import sillytavern: characters, lorebooks, personas and chats of another program, with what its memory extensions left."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rolememory.cli.desk import Desk
from rolememory.cli.options import Text, option
from rolememory.cli.out import Column, write
from rolememory.cli.upkeep import size
from rolememory.cli.words import Tongue, both, say, told
from rolememory.errors import InvalidValueError, RoleMemoryError, UnknownNameError

if TYPE_CHECKING:
    from rolememory.author.bring.carry import Brought
    from rolememory.author.bring.ledger import Ledger
    from rolememory.author.bring.plan import Plan, Wishes
    from rolememory.cards.tavern.layout import DataFolder
    from rolememory.chats.stories import Living
    from rolememory.engine import Home

PROGRAM = "sillytavern"
DEFAULT_USER = "default-user"
FAILED = 1

Profile = Annotated[
    Text, option("--profile USER", "of several users this one", "有多个用户时选这一个")
]
Hidden = Annotated[
    bool,
    option("--hidden", "also messages that were hidden from the model", "连同对模型隐藏的消息"),
]
Again = Annotated[
    bool,
    option(
        "--again",
        "read every chat anew, also those that did not change",
        "所有聊天都重读，没有变化的也读",
    ),
]

Stories = Annotated[
    Text,
    option(
        "--stories HOW",
        "one or each: whether the chats of a role share one life, or each is a story of its own",
        "one 或 each：同一角色的聊天共用一段经历，还是各成一个故事",
    ),
]

_STATES = {
    "new": both("new", "新增"), "changed": both("changed", "有变化"), "same": both("here already", "已有"),
    "kept": both("edited here, stays", "在此改过，保留"), "failed": both("not brought", "未导入"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """How a person called it."""

    role: str | None = None
    profile: str | None = None
    hidden: bool = False
    again: bool = False
    dry_run: bool = False
    yes: bool = False
    stories: str | None = None


def bring(here: Desk, program: str, folder: str, asked: Asked) -> None:
    """Show what there is, then bring it, unless it is only to be shown.

    Raises:
        UnknownNameError: not a program that we know.
        FileError: the folder is none of its.
    """
    from pathlib import Path

    from rolememory.author.bring.ledger import ledger_of
    from rolememory.cards.tavern.layout import data_folders

    if program.casefold() != PROGRAM:
        raise UnknownNameError("program", program, [PROGRAM])
    source = _chosen(here, data_folders(Path(folder)), asked.profile)
    with here.home() as home, ledger_of(home.path, source.path, write=not asked.dry_run) as ledger:
        wishes = _wishes(home, asked)
        plan = _plan(here, home, source, ledger, wishes)
        if asked.stories not in (None, "one", "each"):
            raise InvalidValueError(
                f"--stories: expected one or each, got {asked.stories!r}",
                zh=f"--stories：应为 one 或 each，却是“{asked.stories}”",
            )
        if asked.dry_run:
            _show_dry(here, plan, wishes)
            return
        _show(here, plan)
        if (
            plan.is_empty
            or asked.yes
            or here.out.as_json
            or not here.out.asks
            or here.out.ask(say("bring it?", "现在导入吗？"))
        ):
            _carry(here, home, plan, ledger, wishes, _stories(here, plan, asked))


def _stories(here: Desk, plan: "Plan", asked: Asked) -> "Mapping[str, Living]":
    """For each role with many chats whether they share one life: as was said, as a person answers, else each its own."""
    found: dict[str, Living] = {}
    for avatar, count in plan.many.items():
        name = plan.roles[avatar].name
        found[avatar] = "one" if asked.stories == "one" else "each"
        if asked.stories or here.out.as_json:
            continue
        if here.out.asks and not asked.yes:
            found[avatar] = _lives(here, name, count)
        else:
            here.out.note(
                say(
                    f"{name}: each of {count} chats is a story of its own, nothing of one is recalled in another; --stories one: they share one life",
                    f"{name}：{count} 段聊天各成一个故事，一段里的事不会在另一段想起；--stories one 则共用一段经历",
                )
            )
    return found


def _lives(here: Desk, name: str, count: int) -> "Living":
    """The answer of a person; a blank one takes what is proposed."""
    question = say(
        f"{name} has {count} chats. Is each a story of its own (each), or do they share one life (one)? [each] ",
        f"{name}有 {count} 段聊天。各成一个故事（each），还是共用一段经历（one）？[each] ",
    )
    write(question, sys.stderr)
    sys.stderr.flush()
    return (
        "one" if sys.stdin.readline().strip().casefold() in ("one", "1", "一", "共用") else "each"
    )


def _wishes(home: "Home", asked: Asked) -> "Wishes":
    from rolememory.author.bring.plan import Wishes

    return Wishes(home.folder.find(asked.role).id if asked.role else "", asked.hidden, asked.again)


def _chosen(here: Desk, users: "Sequence[DataFolder]", wanted: str | None) -> "DataFolder":
    """The user that is meant: the one named, the only one, the one a person picks, else the default one.

    Raises:
        UnknownNameError, InvalidValueError: there is none of that name, or nobody says which.
    """
    named = {user.name: user for user in users}
    if wanted is not None:
        if wanted not in named:
            raise UnknownNameError("user", wanted, named)
        return named[wanted]
    if len(users) == 1:
        return users[0]
    if here.out.asks and (picked := named.get(_picked(here, list(named)))):
        return picked
    if DEFAULT_USER in named:
        others = ", ".join(name for name in named if name != DEFAULT_USER)
        here.out.note(
            say(
                f"of the users {DEFAULT_USER} is taken; --profile names another: {others}",
                f"选用 {DEFAULT_USER}；可用 --profile 改选：{others}",
            )
        )
        return named[DEFAULT_USER]
    listed = ", ".join(named)
    raise InvalidValueError(
        f"there are several users: {listed}; say which with --profile",
        zh=f"有多个用户：{listed}；请用 --profile 指定",
    )


def _picked(here: Desk, names: list[str]) -> str:
    for number, name in enumerate(names, 1):
        write(f"{number}  {name}\n", sys.stderr)
    write(say("which user? ", "选哪个用户？"), sys.stderr)
    sys.stderr.flush()
    answer = sys.stdin.readline().strip()
    return (
        names[int(answer) - 1] if answer.isdecimal() and 0 < int(answer) <= len(names) else answer
    )


def _plan(
    here: Desk, home: "Home", source: "DataFolder", ledger: "Ledger", wishes: "Wishes"
) -> "Plan":
    from rolememory.author.bring.planning import make_plan

    with here.out.progress(say("looking at what there is", "正在查看")) as tell:
        return make_plan(home, source, ledger, wishes, tell)


# ── showing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _show(here: Desk, plan: "Plan") -> None:
    if here.out.as_json:
        return
    here.out.say(str(plan.source.path), "bold")
    here.out.pairs(_sums(plan))
    _warn(here, plan.problems)


def _sums(plan: "Plan") -> Iterator[tuple[str, str]]:
    """How many of each kind there are, and how they stand."""
    kinds = {
        say("characters", "角色"): [one.state for one in plan.roles.values()],
        say("lorebooks", "世界书"): [one.state for one in plan.worlds.values() if one.file],
        say("personas", "用户身份"): [one.state for one in plan.personas],
        say("chats", "聊天"): [one.state for one in plan.chats],
    }
    for title, states in kinds.items():
        if states:
            yield (
                title,
                say(", ", "，").join(
                    _counted(states.count(one), told(word))
                    for one, word in _STATES.items()
                    if one in states
                ),
            )
    if due := sum(chat.stamp.size for chat in plan.due):
        yield say("to read", "待读取"), size(due)


def _counted(count: int, state: str) -> str:
    return say(f"{count} {state}", f"{state} {count}")


def _show_dry(here: Desk, plan: "Plan", wishes: "Wishes") -> None:
    from rolememory.author.bring.looking import look

    chats = []
    with here.out.progress(say("reading the chats", "正在读取聊天"), len(plan.due)) as tell:
        for done in look(plan, hidden=wishes.hidden):
            chats.append(done)
            tell(len(chats), len(plan.due))
    if here.out.as_json:
        here.out.data(
            {
                **_plan_rows(plan),
                "dry_run": True,
                "chats": _chat_rows(plan, chats),
                "problems": _texts(plan.problems),
            }
        )
        return
    _show(here, plan)
    if rows := _chat_rows(plan, chats):
        here.out.say()
        here.out.table(
            [
                row | {"size": size(row["size"]), "state": told(_STATES[row["state"]])}
                for row in rows
            ],
            _columns(),
        )
    _warn(here, [problem for chat in chats for problem in chat.problems])
    _tell_hidden(here, chats)
    here.out.say(say("nothing was changed", "没有改动任何东西"))


def _plan_rows(plan: "Plan") -> dict[str, Any]:
    return {
        "source": str(plan.source.path),
        "roles": [{"avatar": one.avatar, "name": one.name, "state": one.state, "role": one.role} for one in plan.roles.values()],
        "worldbooks": [
            {"name": one.name, "file": one.file or None, "state": one.state, "entries": one.entries, "memories": len(one.world.memories)}
            for one in plan.worlds.values()
        ],
        "personas": [{"name": one.persona.name, "avatar": one.persona.avatar, "state": one.state} for one in plan.personas],
    }  # fmt: skip


def _chat_rows(plan: "Plan", done: "Iterable[Brought]") -> list[dict[str, Any]]:
    sizes = {chat.key: chat.stamp.size for chat in plan.chats}
    return [_chat_row(one, sizes.get(one.key, 0)) for one in done]


def _chat_row(one: "Brought", bytes_: int) -> dict[str, Any]:
    return {
        "chat": one.key, "name": one.name, "state": one.state, "roles": list(one.roles), "user": one.user, "messages": one.messages,
        "hidden": one.hidden, "summaries": one.summaries, "learned": one.learned, "size": bytes_, "problems": _texts(one.problems),
    }  # fmt: skip


def _texts(problems: Iterable[RoleMemoryError]) -> list[str]:
    return [problem.text(Tongue.language) for problem in problems]


def _columns() -> list[Column]:
    return [
        Column("name", say("chat", "聊天"), fold=2),
        Column("roles", say("heard by", "听到的角色"), fold=1),
        Column("user", say("user", "用户")),
        Column("messages", say("messages", "消息"), right=True),
        Column("summaries", say("summaries", "摘要"), right=True),
        Column("size", say("size", "大小"), right=True),
        Column("state", say("state", "状态")),
    ]


def _warn(here: Desk, problems: Iterable[RoleMemoryError]) -> None:
    for text in _texts(problems):
        here.out.warn(text)


def _tell_hidden(here: Desk, chats: "Iterable[Brought]") -> None:
    if hidden := sum(one.hidden for one in chats):
        here.out.note(
            say(
                f"{hidden} hidden messages are left out; --hidden brings them too",
                f"有 {hidden} 条隐藏的消息没有算进来；加上 --hidden 会一并导入",
            )
        )


# ── bringing ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _carry(
    here: Desk,
    home: "Home",
    plan: "Plan",
    ledger: "Ledger",
    wishes: "Wishes",
    stories: "Mapping[str, Living]",
) -> None:
    from rolememory.author.bring.carry import Bringing
    from rolememory.author.bring.takes import by_engine

    done: list[Brought] = []
    sizes = {chat.key: chat.stamp.size for chat in plan.due}
    total, read = sum(sizes.values()), 0
    try:
        with here.out.progress(say("bringing the chats", "正在导入聊天"), total) as tell:
            steps = Bringing(home, plan, ledger, by_engine, hidden=wishes.hidden, stories=stories)
            for one in steps.run():
                done.append(one)
                read += sizes.get(one.key, 0)
                tell(read, total)
                _tell_one(here, one, sizes.get(one.key, 0))
    except KeyboardInterrupt:
        here.out.warn(_stopped(len(plan.due), sum(one.kind == "chat" for one in done)))
        raise
    _tell_all(here, plan, done, stories)
    if any(one.state == "failed" for one in done):
        raise typer.Exit(FAILED)


def _tell_one(here: Desk, one: "Brought", bytes_: int) -> None:
    """One line of JSON per chat on standard error, for those who follow; people have the bar."""
    if here.out.as_json and one.kind == "chat":
        import orjson

        write(orjson.dumps(_chat_row(one, bytes_)).decode() + "\n", sys.stderr)
        sys.stderr.flush()


def _stopped(due: int, here_now: int) -> str:
    """Said at once. The chat in hand is kept; what it teaches is learned when the import goes on."""
    return say(
        f"stopping: {here_now} of {due} chats are here, the same command goes on; Ctrl-C again leaves at once, nothing is lost by it",
        f"正在停下：{due} 段聊天已导入 {here_now} 段，再运行一次就会接着导入；再按一次 Ctrl-C 立即退出，也不会丢失什么",
    )


def _tell_all(
    here: Desk, plan: "Plan", done: "Sequence[Brought]", stories: "Mapping[str, Living]"
) -> None:
    chats = [one for one in done if one.kind == "chat"]
    if here.out.as_json:
        failed = [problem for one in done if one.kind != "chat" for problem in one.problems]
        rows = _after(plan, done)
        here.out.data(
            {
                **rows,
                "dry_run": False,
                "stories": dict(stories),
                "chats": _chat_rows(plan, chats),
                "problems": _texts([*plan.problems, *failed]),
            }
        )
        return
    _warn(here, [problem for one in done for problem in one.problems])
    messages, summaries, learned = (
        sum(getattr(one, field) for one in chats) for field in ("messages", "summaries", "learned")
    )
    if not chats and plan.is_empty:
        here.out.say(say("everything is here already", "全都已经导入过了"))
        return
    here.out.say(
        say(
            f"brought {len(chats)} chats with {messages} messages; {learned} memories learned, {summaries} summaries taken over",
            f"导入了 {len(chats)} 段聊天，共 {messages} 条消息；学到 {learned} 条记忆，接过 {summaries} 条摘要",
        ),
        "bold",
    )
    _tell_hidden(here, chats)


def _after(plan: "Plan", done: "Sequence[Brought]") -> dict[str, Any]:
    """The plan's rows with what became of them: the ids of new roles, and what failed."""
    brought = {one.key: one for one in done if one.kind == "role"}
    rows = _plan_rows(plan)
    roles = [
        row
        | ({"state": one.state, "role": one.role} if (one := brought.get(row["avatar"])) else {})
        for row in rows["roles"]
    ]
    return rows | {"roles": roles}
