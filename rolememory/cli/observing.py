"""observe, review, infer: what is learned from a chat, and a person's word on it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.chats import chat_messages
from rolememory.cli.context import CommandContext, desk, read_text
from rolememory.cli.memory_rows import memory_json
from rolememory.cli.options import RoleName, UserName, argument, option
from rolememory.cli.output import TableColumn, one_line, plain
from rolememory.cli.words import Tongue, say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory
    from rolememory.schema.memory import Memory
    from rolememory.storage.review import Waiting

_RECEIPTS, _SHOWN = 20, 60  # messages that are looked at, and characters of a reply

ChatName = Annotated[
    str,
    option("--chat NAME", "which chat it belongs to; none = found out by what was said"),
]


def observe(
    role: RoleName,
    file: Annotated[
        str,
        argument("FILE|-", "the whole chat: JSON, JSON lines, or a SillyTavern chat"),
    ],
    chat: ChatName = "",
    user: UserName = None,
    wait: Annotated[
        bool,
        option("--wait", "ask the model now, where one is set"),
    ] = False,
) -> None:
    """Tell what was new and what was learned of it."""
    here = desk()
    messages = chat_messages(read_text(file), file)
    with here.role(role) as role_memory:
        before = set(role_memory.memories)
        seen = role_memory.observe(messages, chat=chat, user=user)
        role_memory.learned()
        report = role_memory.learner.behind.run(force=True) if wait else None
        learned = [
            memory for memory_id, memory in role_memory.memories.items() if memory_id not in before
        ]
        waiting = len(role_memory.waiting())
    if here.out.as_json:
        values = {
            "chat": seen.chat,
            "entered": len(seen.entered),
            "left": len(seen.left),
            "branch_of": seen.branch_of,
        }
        here.out.data(
            {
                **values,
                "learned": [memory_json(memory) for memory in learned],
                "waiting": waiting,
                "asked": report.requests if report else 0,
            }
        )
        return
    here.out.say(
        say("chat {chat}: {count} new messages", chat=seen.chat, count=len(seen.entered)),
        "bold",
    )
    for memory in learned:
        here.out.say(f"  + {one_line(memory.content)}  ({memory.id})")
    if not learned:
        here.out.say(say("nothing new to remember"))
    for note in report.notes if report else ():
        here.out.warn(note.text(Tongue.language))
    if waiting:
        here.out.warn(say("{waiting} wait for your word: `rolememory review`", waiting=waiting))


def review(
    role: RoleName,
    accept: Annotated[
        list[str] | None,
        option("--accept ID", "let it become a memory (`all`: everything)"),
    ] = None,
    reject: Annotated[
        list[str] | None,
        option("--reject ID", "send it away for good (`all`: everything)"),
    ] = None,
    mend: Annotated[
        str | None,
        option("--mend ID", "accept it with the words of --content"),
    ] = None,
    content: Annotated[
        str | None,
        option("--content TEXT", "with --mend: what it shall say"),
    ] = None,
    refused: Annotated[
        bool,
        option("--refused", "what was not kept, and why; --accept ID keeps it"),
    ] = False,
) -> None:
    """Without options: what waits, and why."""
    here = desk()
    with here.role(role) as role_memory:
        if mend:
            if not content:
                raise InvalidValueError("--mend needs --content TEXT")
            role_memory.accept(mend, content=content)
        for waiting_id in _meant(role_memory, accept):
            role_memory.accept(waiting_id)
        role_memory.reject(*_meant(role_memory, reject))
        rows = [_row(one) for one in (role_memory.refused() if refused else role_memory.waiting())]
        receipts = [] if here.out.as_json else list(_receipts(role_memory))
    _show(here, rows, refused)
    for reply, learned in receipts:
        here.out.say(say("learned from this reply: {reply}", reply=reply), "bold")
        for memory in learned:
            here.out.say(f"  + {one_line(memory.content)}  ({memory.id})")


def _show(here: CommandContext, rows: list[dict[str, Any]], refused: bool) -> None:
    """What waits, or was refused."""
    if here.out.as_json:
        here.out.data([plain(row) for row in rows])
        return
    if not rows:
        here.out.say(say("nothing was refused") if refused else say("nothing waits"))
        return
    why = say("why not", msgctxt="memory") if refused else say("why it waits")
    columns = [
        TableColumn("id", "id", style="cyan"),
        TableColumn("content", say("what"), fold=3),
        TableColumn("why", why, fold=2),
    ]
    here.out.table(rows, columns)


def _receipts(role_memory: "RoleMemory") -> "Iterator[tuple[str, list[Memory]]]":
    """What was learned from the last replies of the chat that changed last, the newest reply first."""
    chat = role_memory.chats.active()
    path = role_memory.chats.path(chat.id)[-_RECEIPTS:] if chat else ()
    for said in reversed(path):
        learned = (
            role_memory.learned_from(chat.id, said.version)
            if chat and said.role == "assistant"
            else []
        )
        if learned:
            text = one_line(said.text)
            yield (text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"), learned


def infer(role: RoleName) -> None:
    """Now, whether or not it is due."""
    here = desk()
    with here.role(role) as role_memory:
        before = set(role_memory.memories)
        report = role_memory.learner.behind.infer()
        drawn = [
            memory for memory_id, memory in role_memory.memories.items() if memory_id not in before
        ]
    if here.out.as_json:
        here.out.data(
            {
                "drawn": [memory_json(memory) for memory in drawn],
                "notes": [note.text(Tongue.language) for note in report.notes],
            }
        )
        return
    for memory in drawn:
        here.out.say(f"  + {one_line(memory.content)}  ({memory.confidence:.2f})")
    for note in report.notes:
        here.out.warn(note.text(Tongue.language))
    if not drawn and not report.notes:
        here.out.say(say("nothing new follows"))


def _meant(role_memory: "RoleMemory", ids: list[str] | None) -> list[str]:
    if ids and "all" in ids:
        return [one.id for one in role_memory.waiting()]
    return ids or []


def _row(one: "Waiting") -> dict[str, Any]:
    from rolememory.schema.wording import word

    return {
        "id": one.id,
        "content": one_line(one.draft.content),
        "why": word(one.reason, Tongue.language),
        "at": one.at,
    }
