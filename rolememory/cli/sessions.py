"""sessions, forget: the chats of a role, and erasing a person."""

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Annotated

from rolememory.cli.context import open_home, open_role
from rolememory.cli.options import (
    DryRun,
    MaybeRole,
    RoleName,
    Text,
    UserName,
    Yes,
    argument,
    option,
)
from rolememory.cli.output import Row, one_line, out, pasted, picked, say
from rolememory.cli.upkeep import chosen
from rolememory.errors import InvalidValueError
from rolememory.locales import translatable
from rolememory.schema.learning import ChatMessage

if TYPE_CHECKING:
    from rolememory.chats import ChatInfo
    from rolememory.storage.erase import Erased

translatable(("here", "read_only", "off"), "mode")


def sessions(
    role: RoleName,
    chat: Annotated[Text, argument("[CHAT]", "show its messages")] = None,
    user: UserName = None,
    archived: Annotated[bool, option("--archived", "include archived ones")] = False,
    title: Annotated[Text, option("--title TEXT", "give the chat this title")] = None,
    archive: Annotated[
        bool | None, option("--archive/--unarchive", "archive the chat, or restore it")
    ] = None,
    mode: Annotated[Text, option("--mode MODE", "on, here, read_only or off")] = None,
    story: Annotated[
        Text,
        option(
            "--story NAME",
            'put the chat into this story; "" = the shared story, own = a separate one, default',
        ),
    ] = None,
    remove: Annotated[
        bool, option("--remove", "delete the chat's messages; what was learned stays")
    ] = False,
    yes: Yes = False,
) -> None:
    """Newest first. Nothing brings a removed record back: without a terminal --remove wants --yes."""
    told = {"title": title, "archived": archive, "mode": mode, "story": story}
    told = {name: value for name, value in told.items() if value is not None}
    if chat is None and (told or remove):
        raise InvalidValueError(
            "say which chat is meant: `rolememory sessions {role}` lists them", role=pasted(role)
        )
    if chat is None:
        _list(role, archived, user)
    elif remove:
        _remove(role, chat, yes)
    else:
        with open_role(role) as role_memory:
            if told:
                role_memory.chats.update(chat, **told)  # type: ignore[arg-type]  # checked there
            path = role_memory.chats.path(chat)
        _show(path)


def _remove(role: str, chat: str, yes: bool) -> None:
    if out.sure(say("remove the messages of {chat!r}?", chat=chat), yes):
        with open_role(role) as role_memory:
            role_memory.chats.remove(chat)
        out.told("{chat}: removed", chat=chat)


def _show(path: Iterable[ChatMessage]) -> None:
    if out.json([picked(said, "version role name text at emotions") for said in path]):
        return
    for said in path:
        out.line(f"[{said.name or said.role}]", "bold cyan")
        out.raw(said.text)


def _list(role: str, archived: bool, user: str | None) -> None:
    with open_role(role) as role_memory:
        chats = role_memory.chats.chats(archived=archived, **({"user": user} if user else {}))
    fields = "id title user story mode created updated latest messages archived branch_of"
    out.listing(
        [picked(info, fields) for info in chats],
        "latest title messages user story branch_of id",
        say("no chats yet; `observe` or a frontend brings them"),
        [picked(info, fields) | _shown(info) for info in chats],
        title=say("title"),
    )


def _shown(info: "ChatInfo") -> Row:
    mode = "" if info.mode == "on" else say(info.mode, msgctxt="mode")
    story = say("its own") if info.story == "own" else info.story
    return {
        "title": one_line(info.title),
        "story": " ".join(one for one in (story, mode) if one),
        "latest": info.latest.astimezone(),
    }


def forget(
    role: MaybeRole = None,
    user: Annotated[Text, option("--user NAME", "whose data")] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """There is no way back: without a terminal it wants --yes. Chats with others stay without this person."""
    if not user:
        raise InvalidValueError("say who: --user NAME")
    question = say("forget {user!r} for good?", user=user)
    if not (dry_run or out.asks):
        out.sure(question, yes)
    with open_home() as home:
        meant = [home.role(role_id) for role_id in chosen(home, role)]
        found = [(one.role.name, one.forget(user, dry_run=True)) for one in meant]
        _would_go(found, dry_run)
        if not any(one.memories or one.chats or one.messages or one.waiting for _, one in found):
            known = ", ".join(one.name for one in home.users()) or "-"
            out.warn(say("nothing here is of {user!r} (known: {known})", user=user, known=known))
        if dry_run or not out.sure(question, yes):
            return
        done = [one.forget(user) for one in meant] if role else list(home.forget(user).values())
    for name in chain.from_iterable(one.left for one in done):
        out.warn(say("{name}: still names them, or cannot be read; check it yourself", name=name))
    out.say("{user} is forgotten", style="bold", user=user)


def _would_go(found: "list[tuple[str, Erased]]", dry_run: bool) -> None:
    """A person's data in each role."""
    rows: list[Row] = [
        {"role": name, "memories": one.memories, "chats": len(one.chats)}
        | picked(one, "messages waiting")
        for name, one in found
    ]
    if out.json({"dry_run": dry_run, "roles": rows}):
        return
    for row in rows:
        out.say(
            "{role}: memories {memories}, chats {chats}, messages in chats with others {messages}",
            **row,
        )
