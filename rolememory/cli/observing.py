"""observe, review, infer: learning from a chat, and reviewing the results."""

from collections.abc import Set
from typing import TYPE_CHECKING, Annotated

import typer

from rolememory.cli.chats import messages_of
from rolememory.cli.context import open_role
from rolememory.cli.memory_rows import memory_json
from rolememory.cli.options import RoleName, UserName, Words, argument, option
from rolememory.cli.output import one_line, out, say, told_reason, worded
from rolememory.errors import FileError
from rolememory.schema.memory import Memory
from rolememory.schema.message import Message

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory


def observe(
    role: RoleName,
    file: Annotated[
        str,
        argument(
            "FILE|-",
            "the whole chat: JSON, JSON lines, a SillyTavern chat, or lines `Name: text`",
        ),
    ],
    chat: Annotated[
        str, option("--chat NAME", "the chat's id; none = detected from the messages")
    ] = "",
    user: UserName = None,
    wait: Annotated[bool, option("--wait", "call the model now, if one is set")] = False,
) -> None:
    """Tell what was new and what was learned of it."""
    with open_role(role) as role_memory:
        messages = _heard(role_memory, file, user)
        before = set(role_memory.memories)
        seen = role_memory.observe(messages, chat=chat, user=user)
        role_memory.learned()
        report = role_memory.learner.worker.run(force=True) if wait else None
        learned = _new(role_memory, before)
        waiting = len(role_memory.waiting())
    row = {
        "chat": seen.chat,
        "entered": len(seen.entered),
        "left": len(seen.left),
        "branch_of": seen.branch_of,
        "learned": list(map(memory_json, learned)),
        "waiting": waiting,
        "asked": report.requests if report else 0,
    }
    if out.json(row):
        return
    out.say("chat {chat}: {entered} new {entered:message|messages}", style="bold", **row)
    _tell(learned)
    if not learned:
        out.say("nothing new to remember")
    out.warn(*(report.notes if report else ()))
    if waiting:
        out.warn(say("{waiting} pending review: `rolememory review`", waiting=waiting))


def _heard(role_memory: "RoleMemory", file: str, user: str | None) -> list[Message]:
    """The messages of a file; in plain text, the speaker with the role's name is the role. Raises: FileError: none has it."""
    role = role_memory.role
    messages = messages_of(file, user=user, characters=role.names)
    names = sorted({one.name for one in messages if one.name})
    if names and len(messages) > 1 and all(one.role == "user" for one in messages):
        raise FileError(
            file,
            "nobody in it is {role}: {names} speak",
            remedy="write {role} before what the role says",
            role=role.name,
            names=", ".join(names),
        )
    return messages


def _new(role_memory: "RoleMemory", before: Set[str]) -> list[Memory]:
    return [one for one in role_memory.memories.values() if one.id not in before]


def _tell(learned: list[Memory]) -> None:
    for memory in learned:
        out.line(f"  + {one_line(memory.content)}  ({memory.id})")


def review(
    role: RoleName,
    accept: Annotated[
        Words, option("--accept ID", "store it as a memory (`all`: everything)")
    ] = None,
    reject: Annotated[
        Words, option("--reject ID", "reject it for good (`all`: everything)")
    ] = None,
    refused: Annotated[
        bool, option("--refused", "what was refused, and why; --accept ID stores it")
    ] = False,
) -> None:
    """Without options: what waits, and why."""
    with open_role(role) as role_memory:
        for waiting_id in _meant(role_memory, accept):
            role_memory.accept(waiting_id)
        role_memory.reject(*_meant(role_memory, reject))
        _show_waiting(role_memory, refused)


def _show_waiting(role_memory: "RoleMemory", refused: bool) -> None:
    """Show pending or refused drafts."""
    rows = [
        {
            "id": one.id,
            "content": one_line(one.draft.content),
            "why": told_reason(one.reason),
            "at": one.at,
        }
        for one in (role_memory.refused() if refused else role_memory.waiting())
    ]
    why = say("why not", msgctxt="memory") if refused else say("why it waits")
    empty = say("nothing was refused") if refused else say("nothing waits")
    out.listing(rows, "id content why", empty, content=say("what"), why=why)


def infer(role: RoleName) -> None:
    """Now, whether or not it is due."""
    with open_role(role) as role_memory:
        before = set(role_memory.memories)
        report = role_memory.learner.worker.infer()
        drawn = _new(role_memory, before)
    notes = list(map(worded, report.notes))
    if not out.json({"drawn": list(map(memory_json, drawn)), "notes": notes}):
        for memory in drawn:
            out.line(f"  + {one_line(memory.content)}  ({memory.confidence:.2f})")
        out.warn(*notes)
        if not (drawn or notes):
            out.say("no new conclusions")
    if not report.finished:
        raise typer.Exit(1)


def _meant(role_memory: "RoleMemory", ids: list[str] | None) -> list[str]:
    if ids and "all" in ids:
        return [one.id for one in role_memory.waiting()]
    return ids or []
