"""sessions, story, forget: the chats of a role, what they know of one another, and one person's way out."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import CommandContext, desk
from rolememory.cli.options import DryRun, MaybeRole, RoleName, UserName, Yes, argument, option
from rolememory.cli.output import TableColumn, one_line, plain
from rolememory.cli.upkeep import chosen
from rolememory.cli.words import say
from rolememory.errors import InvalidValueError
from rolememory.locales import translatable

if TYPE_CHECKING:
    from rolememory.chats import ChatInfo
    from rolememory.schema.learning import ChatMessage
    from rolememory.storage.erase import Erased

translatable(("here", "read_only", "off"), "mode")


def sessions(
    role: RoleName,
    chat: Annotated[str | None, argument("[CHAT]", "show its messages")] = None,
    user: UserName = None,
    archived: Annotated[bool, option("--archived", "archived ones too")] = False,
    title: Annotated[str | None, option("--title TEXT", "give the chat this title")] = None,
    archive: Annotated[
        bool | None, option("--archive/--unarchive", "put the chat away, or back")
    ] = None,
    mode: Annotated[
        str | None,
        option("--mode MODE", "on, here, read_only or off"),
    ] = None,
    story: Annotated[
        str | None,
        option(
            "--story --timeline NAME",
            'put the chat into this story; "" = the shared life, own = its own, default',
        ),
    ] = None,
    remove: Annotated[
        bool,
        option("--remove", "delete the chat's record; what was learned stays"),
    ] = False,
    yes: Yes = False,
) -> None:
    """Newest first. Nothing brings a removed record back: without a terminal --remove wants --yes."""
    here = desk()
    told = {"title": title, "archived": archive, "mode": mode, "story": story}
    told = {name: value for name, value in told.items() if value is not None}
    if chat is None and (told or remove):
        raise InvalidValueError(
            "say which chat is meant: `rolememory sessions {role}` lists them", role=role
        )
    if chat is None:
        _list(here, role, archived, user)
    elif remove:
        _remove(here, role, chat, yes)
    else:
        with here.role(role) as role_memory:
            if told:
                role_memory.chats.update(chat, **told)  # type: ignore[arg-type]  # checked there
            _note_mode(here, mode)
            path = role_memory.chats.path(chat)
        _show(here, [_message(said) for said in path])


def _remove(here: CommandContext, role: str, chat: str, yes: bool) -> None:
    if not here.sure(say("remove the record of {chat!r}?", chat=chat), yes):
        here.out.say(say("nothing was removed"))
        return
    with here.role(role) as role_memory:
        role_memory.chats.remove(chat)
    here.out.say(say("{chat}: removed", chat=chat))


def _note_mode(here: CommandContext, mode: str | None) -> None:
    """Say what a mode of earlier versions is called now."""
    if mode in ("own", "shared"):
        story = "own" if mode == "own" else "default"
        here.out.note(say("--mode {mode} is --story {story} now", mode=mode, story=story))


def _show(here: CommandContext, rows: list[dict[str, Any]]) -> None:
    if here.out.as_json:
        here.out.data([plain(row) for row in rows])
        return
    for row in rows:
        here.out.say(f"[{row['name'] or row['role']}]", "bold cyan")
        here.out.raw(row["text"])


def _list(here: CommandContext, role: str, archived: bool, user: str | None) -> None:
    with here.role(role) as role_memory:
        chats = role_memory.chats.chats(archived=archived, **({"user": user} if user else {}))
    if here.out.as_json:
        here.out.data([plain(_chat_json(info)) for info in chats])
    elif chats:
        here.out.table([_chat_row(info) for info in chats], _columns())
    else:
        here.out.say(say("no chats yet; `observe` or a frontend brings them"))


def stories(role: RoleName) -> None:
    """The life that chats share first."""
    here = desk()
    with here.role(role) as role_memory:
        found = role_memory.stories.list()
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
            TableColumn("name", say("story")),
            TableColumn("of", say("forked from")),
            TableColumn("at", say("at")),
            TableColumn("merged", say("knows also")),
        ],
    )


def begin(
    role: RoleName,
    name: Annotated[str, argument("NAME", "what to call it")],
    of: Annotated[
        str | None,
        option("--of NAME", 'it knows what was told there; "" = the shared life'),
    ] = None,
    at: Annotated[
        str | None,
        option("--at TIME", "... until then, e.g. 2024-05-01; none = now"),
    ] = None,
    chat: Annotated[str | None, option("--chat NAME", "put this chat into it")] = None,
) -> None:
    """Chats are put into it with --chat, or `sessions CHAT --story NAME`."""
    here = desk()
    with here.role(role) as role_memory:
        made = role_memory.stories.begin(name, of, _moment(at))
        if chat:
            role_memory.stories.assign(chat, made.name)
    here.out.say(say("{name}: a story of its own from here on", name=made.name))


def merge(
    role: RoleName,
    name: Annotated[str, argument("NAME", "whose events")],
    into: Annotated[
        str,
        option("--into NAME", "who learns of them; none = the shared life"),
    ] = "",
) -> None:
    """Nothing is copied: it is heard there from now on."""
    here = desk()
    with here.role(role) as role_memory:
        role_memory.stories.merge(name, into)
    here.out.say(
        say(
            "{name}: known in {story} from now on",
            name=name,
            story=into or say("the shared life"),
        )
    )


def living(
    role: RoleName,
    stories: Annotated[
        str | None,
        argument("[STORIES]", "one, each, or default"),
    ] = None,
    user: UserName = None,
) -> None:
    """For chats of this user that nobody put into a story. For all users: `settings chats.stories each`."""
    here = desk()
    with here.role(role) as role_memory:
        if stories is not None:
            role_memory.stories.choose(None if stories == "default" else stories, user)  # type: ignore[arg-type]  # checked there
        found = role_memory.stories.default(user)
    if here.out.as_json:
        here.out.data({"user": user, "stories": found})
        return
    here.out.say(
        say("one: chats share one life")
        if found == "one"
        else say("each: every chat is a story of its own")
    )


def _named(story: str) -> str:
    return story or say("(shared)")


def forget(
    role: MaybeRole = None,
    user: Annotated[str | None, option("--user NAME", "whose data")] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """There is no way back: without a terminal it wants --yes. Chats with others stay without this person."""
    if not user:
        raise InvalidValueError("say who: --user NAME")
    here = desk()
    question = say("forget {user!r} for good?", user=user)
    if not (dry_run or here.out.asks):
        here.sure(question, yes)
    with here.home() as home:
        minds = [home.role(role_id) for role_id in chosen(home, role)]
        found = {
            role_memory.role.name: role_memory.forget(user, dry_run=True) for role_memory in minds
        }
        _would_go(here, found, dry_run)
        if dry_run:
            return
        if not here.sure(question, yes):
            here.out.say(say("nothing was removed"))
            return
        done = (
            [role_memory.forget(user) for role_memory in minds]
            if role
            else list(home.forget(user).values())
        )
    for name in (name for one in done for name in one.left):
        here.out.warn(say("{name}: names them still, or cannot be read; look yourself", name=name))
    here.out.say(say("{user} is forgotten", user=user), "bold")


def _would_go(here: CommandContext, found: "Mapping[str, Erased]", dry_run: bool) -> None:
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
                "{name}: {memories} memories, {count} chats, {messages} messages in chats with others",
                name=name,
                memories=one.memories,
                count=len(one.chats),
                messages=one.messages,
            )
        )


def _moment(text: str | None) -> datetime | None:
    from rolememory.storage.timestamps import moment

    try:
        return moment(text) if text else None
    except ValueError as error:
        raise InvalidValueError(
            "--at: expected a time, got {text!r}; write 2024-05-01", text=text
        ) from error


def _message(said: "ChatMessage") -> dict[str, Any]:
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
    mode = "" if info.mode == "on" else say(info.mode, msgctxt="mode")
    story = say("its own") if info.story == "own" else info.story
    return {
        **_chat_json(info),
        "title": one_line(info.title),
        "user": info.user or "",
        "story": " ".join(one for one in (story, mode) if one),
    }


def _columns() -> list[TableColumn]:
    return [
        TableColumn("updated", say("last")),
        TableColumn("title", say("title"), fold=2),
        TableColumn("messages", say("messages")),
        TableColumn("user", say("user")),
        TableColumn("story", say("story")),
        TableColumn("branch_of", say("branch of")),
        TableColumn("id", "id", style="cyan"),
    ]
