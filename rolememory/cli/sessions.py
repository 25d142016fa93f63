"""sessions, story, forget: the chats of a role, what they know of one another, and one person's way out."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import DryRun, MaybeRole, RoleName, UserName, Yes, argument, option
from rolememory.cli.out import Column, one_line, plain
from rolememory.cli.upkeep import chosen
from rolememory.cli.verbs import KEEP, LEARN, verb
from rolememory.cli.words import both, say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from rolememory.chats import ChatInfo
    from rolememory.schema.learning import Said
    from rolememory.storage.erase import Erased

_MODES = {"here": "仅此处", "read_only": "只读", "off": "关闭"}


@verb(
    "sessions",
    LEARN,
    both("the chats of a role, or the messages of one", "角色的会话列表，或其中一个的消息"),
)
def sessions(
    role: RoleName,
    chat: Annotated[
        str | None, argument("[CHAT]", "show its messages", "显示这个会话的消息")
    ] = None,
    user: UserName = None,
    archived: Annotated[bool, option("--archived", "archived ones too", "也列出已归档的")] = False,
    title: Annotated[
        str | None, option("--title TEXT", "give the chat this title", "给会话起名")
    ] = None,
    archive: Annotated[
        bool | None, option("--archive/--unarchive", "put the chat away, or back", "归档或取消归档")
    ] = None,
    mode: Annotated[
        str | None,
        option("--mode MODE", "on, here, read_only or off", "on、here、read_only 或 off"),
    ] = None,
    story: Annotated[
        str | None,
        option(
            "--story --timeline NAME",
            'put the chat into this story; "" = the shared life, own = its own, default',
            '归入这个故事；"" = 共用的经历，own = 独立，default = 默认',
        ),
    ] = None,
    remove: Annotated[
        bool,
        option(
            "--remove",
            "delete the chat's record; what was learned stays",
            "删除会话记录；学到的记忆保留",
        ),
    ] = False,
    yes: Yes = False,
) -> None:
    """Newest first. Nothing brings a removed record back: without a terminal --remove wants --yes."""
    here = desk()
    told = {"title": title, "archived": archive, "mode": mode, "story": story}
    told = {name: value for name, value in told.items() if value is not None}
    if chat is None and (told or remove):
        raise InvalidValueError(
            f"say which chat is meant: `rolememory sessions {role}` lists them",
            zh=f"请指明是哪个会话：`rolememory sessions {role}` 列出全部",
        )
    if chat is None:
        _list(here, role, archived, user)
    elif remove:
        _remove(here, role, chat, yes)
    else:
        with here.role(role) as mind:
            if told:
                mind.chats.update(chat, **told)  # type: ignore[arg-type]  # checked there
            _note_mode(here, mode)
            path = mind.chats.path(chat)
        _show(here, [_message(said) for said in path])


def _remove(here: Desk, role: str, chat: str, yes: bool) -> None:
    if not here.sure(say(f"remove the record of {chat!r}?", f"删除会话“{chat}”的记录？"), yes):
        here.out.say(say("nothing was removed", "没有删除"))
        return
    with here.role(role) as mind:
        mind.chats.remove(chat)
    here.out.say(say(f"{chat}: removed", f"{chat}：已删除"))


def _note_mode(here: Desk, mode: str | None) -> None:
    """Say what a mode of earlier versions is called now."""
    if mode in ("own", "shared"):
        story = "own" if mode == "own" else "default"
        here.out.note(
            say(f"--mode {mode} is --story {story} now", f"--mode {mode} 现在是 --story {story}")
        )


def _show(here: Desk, rows: list[dict[str, Any]]) -> None:
    if here.out.as_json:
        here.out.data([plain(row) for row in rows])
        return
    for row in rows:
        here.out.say(f"[{row['name'] or row['role']}]", "bold cyan")
        here.out.raw(row["text"])


def _list(here: Desk, role: str, archived: bool, user: str | None) -> None:
    with here.role(role) as mind:
        chats = mind.chats.chats(archived=archived, **({"user": user} if user else {}))
    if here.out.as_json:
        here.out.data([plain(_chat_json(info)) for info in chats])
    elif chats:
        here.out.table([_chat_row(info) for info in chats], _columns())
    else:
        here.out.say(
            say(
                "no chats yet; `observe` or a frontend brings them",
                "还没有会话；由 `observe` 或前端带来",
            )
        )


@verb("story list", LEARN, both("the stories of a role", "角色的故事"))
def stories(role: RoleName) -> None:
    """The life that chats share first."""
    here = desk()
    with here.role(role) as mind:
        found = mind.stories.list()
    rows: list[dict[str, Any]] = [
        {"name": one.name, "of": one.of, "at": one.at, "merged": list(one.merged)} for one in found
    ]
    if here.out.as_json:
        here.out.data([plain(row) for row in rows])
        return
    shown = [
        {
            **row,
            "name": _named(row["name"]),
            "of": "" if row["of"] is None else _named(row["of"]),
            "merged": ", ".join(map(_named, row["merged"])),
        }
        for row in rows
    ]
    here.out.table(
        shown,
        [
            Column("name", say("story", "故事")),
            Column("of", say("forked from", "分自")),
            Column("at", say("at", "时间")),
            Column("merged", say("knows also", "并入")),
        ],
    )


@verb(
    "story begin",
    LEARN,
    both("a new story, empty or forked from another", "新的故事：从空白开始，或从别的故事分出"),
)
def begin(
    role: RoleName,
    name: Annotated[str, argument("NAME", "what to call it", "起个名字")],
    of: Annotated[
        str | None,
        option(
            "--of NAME",
            'it knows what was told there; "" = the shared life',
            '知道那里说过的一切；"" = 共用的经历',
        ),
    ] = None,
    at: Annotated[
        str | None,
        option(
            "--at TIME",
            "... until then, e.g. 2024-05-01; none = now",
            "……到何时为止，例如 2024-05-01；不写 = 现在",
        ),
    ] = None,
    chat: Annotated[
        str | None, option("--chat NAME", "put this chat into it", "把这个会话归入它")
    ] = None,
) -> None:
    """Chats are put into it with --chat, or `sessions CHAT --story NAME`."""
    here = desk()
    with here.role(role) as mind:
        made = mind.stories.begin(name, of, _moment(at))
        if chat:
            mind.stories.assign(chat, made.name)
    here.out.say(say(f"{made.name}: a story of its own from here on", f"{made.name}：从此各走各的"))


@verb(
    "story merge",
    LEARN,
    both("let a story know what was told in another", "让一个故事知道另一个里说过的事"),
)
def merge(
    role: RoleName,
    name: Annotated[str, argument("NAME", "whose events", "谁的经历")],
    into: Annotated[
        str,
        option(
            "--into NAME",
            "who learns of them; none = the shared life",
            "并入哪个；不写 = 共用的经历",
        ),
    ] = "",
) -> None:
    """Nothing is copied: it is heard there from now on."""
    here = desk()
    with here.role(role) as mind:
        mind.stories.merge(name, into)
    here.out.say(
        say(
            f"{name}: known in {into or 'the shared life'} from now on",
            f"{name}：从此在{into or '共用的经历'}中也知道",
        )
    )


@verb(
    "story default",
    LEARN,
    both(
        "whether chats share one life, or each is a story of its own",
        "会话共用一段经历，还是各成一个故事",
    ),
)
def living(
    role: RoleName,
    stories: Annotated[
        str | None,
        argument("[STORIES]", "one, each, or default", "one、each 或 default"),
    ] = None,
    user: UserName = None,
) -> None:
    """For chats of this user that nobody put into a story. For all users: `settings chats.stories each`."""
    here = desk()
    with here.role(role) as mind:
        if stories is not None:
            mind.stories.choose(None if stories == "default" else stories, user)  # type: ignore[arg-type]  # checked there
        found = mind.stories.default(user)
    if here.out.as_json:
        here.out.data({"user": user, "stories": found})
        return
    here.out.say(
        say("one: chats share one life", "one：会话共用一段经历")
        if found == "one"
        else say("each: every chat is a story of its own", "each：每个会话各成一个故事")
    )


def _named(story: str) -> str:
    return story or say("(shared)", "（共用）")


@verb(
    "forget",
    KEEP,
    both(
        "remove everything of one person: memories, chats, history, backups",
        "彻底删除某人的一切：记忆、会话、历史、备份",
    ),
)
def forget(
    role: MaybeRole = None,
    user: Annotated[str | None, option("--user NAME", "whose data", "谁的数据")] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """There is no way back: without a terminal it wants --yes. Chats with others stay without this person."""
    if not user:
        raise InvalidValueError("say who: --user NAME", zh="请指明是谁：--user 名字")
    here = desk()
    question = say(f"forget {user!r} for good?", f"彻底忘掉“{user}”？")
    if not (dry_run or here.out.asks):
        here.sure(question, yes)
    with here.home() as home:
        minds = [home.role(role_id) for role_id in chosen(home, role)]
        found = {mind.role.name: mind.forget(user, dry_run=True) for mind in minds}
        _would_go(here, found, dry_run)
        if dry_run:
            return
        if not here.sure(question, yes):
            here.out.say(say("nothing was removed", "没有删除"))
            return
        done = [mind.forget(user) for mind in minds] if role else list(home.forget(user).values())
    for name in (name for one in done for name in one.left):
        here.out.warn(
            say(
                f"{name}: names them still, or cannot be read; look yourself",
                f"{name}：仍提到此人，或读不出来，请自行查看",
            )
        )
    here.out.say(say(f"{user} is forgotten", f"已忘掉 {user}"), "bold")


def _would_go(here: Desk, found: "Mapping[str, Erased]", dry_run: bool) -> None:
    """What there is of a person in each role."""
    if here.out.as_json:
        told = [
            {"role": name, "memories": one.memories, "chats": len(one.chats)}
            | {"messages": one.messages, "waiting": one.waiting}
            for name, one in found.items()
        ]
        here.out.data({"dry_run": dry_run, "roles": told})
        return
    for name, one in found.items():
        here.out.say(
            say(
                f"{name}: {one.memories} memories, {len(one.chats)} chats, "
                f"{one.messages} messages in chats with others",
                f"{name}：{one.memories} 条记忆，{len(one.chats)} 个会话，"
                f"与他人共享的会话中 {one.messages} 条消息",
            )
        )


def _moment(text: str | None) -> datetime | None:
    from rolememory.storage.moments import moment

    try:
        return moment(text) if text else None
    except ValueError as error:
        raise InvalidValueError(
            f"--at: expected a time, got {text!r}; write 2024-05-01",
            zh=f"--at：应为时间，却是“{text}”；例如 2024-05-01",
        ) from error


def _message(said: "Said") -> dict[str, Any]:
    return {
        "version": said.version,
        "role": said.role,
        "name": said.name,
        "text": said.text,
        "at": said.at,
        "emotions": list(said.emotions),
    }


def _chat_json(info: "ChatInfo") -> dict[str, Any]:
    names = (
        "id",
        "title",
        "user",
        "story",
        "mode",
        "created",
        "updated",
        "messages",
        "archived",
        "branch_of",
    )
    return {name: getattr(info, name) for name in names}


def _chat_row(info: "ChatInfo") -> dict[str, Any]:
    mode = "" if info.mode == "on" else say(info.mode, _MODES[info.mode])
    story = say("its own", "独立") if info.story == "own" else info.story
    return {
        **_chat_json(info),
        "title": one_line(info.title),
        "user": info.user or "",
        "story": " ".join(one for one in (story, mode) if one),
    }


def _columns() -> list[Column]:
    return [
        Column("updated", say("last", "最近")),
        Column("title", say("title", "标题"), fold=2),
        Column("messages", say("messages", "消息")),
        Column("user", say("user", "用户")),
        Column("story", say("story", "故事")),
        Column("branch_of", say("branch of", "分自")),
        Column("id", "id", style="cyan"),
    ]
