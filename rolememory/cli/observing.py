"""observe, review, infer: what is learned from a chat, and a person's word on it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.chats import chat_messages
from rolememory.cli.desk import desk, read_text
from rolememory.cli.options import RoleName, UserName, argument, option
from rolememory.cli.out import Column, one_line, plain
from rolememory.cli.sheets import memory_json
from rolememory.cli.verbs import LEARN, verb
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import InvalidValueError

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory
    from rolememory.schema.memory import Memory
    from rolememory.storage.review import Waiting

_RECEIPTS, _SHOWN = 20, 60  # messages that are looked at, and characters of a reply

ChatName = Annotated[
    str,
    option(
        "--chat NAME",
        "which chat it belongs to; none = found out by what was said",
        "属于哪个会话；不写 = 按内容判断",
    ),
]


@verb("observe", LEARN, both("let a role learn from a chat", "让角色从一段对话中学习"))
def observe(
    role: RoleName,
    file: Annotated[
        str,
        argument(
            "FILE|-",
            "the whole chat: JSON, JSON lines, or a SillyTavern chat",
            "完整对话：JSON、JSON Lines 或 SillyTavern 聊天记录",
        ),
    ],
    chat: ChatName = "",
    user: UserName = None,
    wait: Annotated[
        bool,
        option("--wait", "ask the model now, where one is set", "设了模型就立即询问，并等它答完"),
    ] = False,
) -> None:
    """Tell what was new and what was learned of it."""
    here = desk()
    messages = chat_messages(read_text(file), file)
    with here.role(role) as mind:
        before = set(mind.memories)
        seen = mind.observe(messages, chat=chat, user=user)
        mind.learned()
        report = mind.learner.behind.run(force=True) if wait else None
        learned = [memory for memory_id, memory in mind.memories.items() if memory_id not in before]
        waiting = len(mind.waiting())
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
        say(
            f"chat {seen.chat}: {len(seen.entered)} new messages",
            f"会话 {seen.chat}：{len(seen.entered)} 条新消息",
        ),
        "bold",
    )
    for memory in learned:
        here.out.say(f"  + {one_line(memory.content)}  ({memory.id})")
    if not learned:
        here.out.say(say("nothing new to remember", "没有新的内容要记"))
    for note in report.notes if report else ():
        here.out.warn(note.text(Tongue.language))
    if waiting:
        here.out.warn(
            say(
                f"{waiting} wait for your word: `rolememory review`",
                f"有 {waiting} 条等你过目：`rolememory review`",
            )
        )


@verb(
    "review",
    LEARN,
    both("what waits for your word: accept, mend or reject it", "过目待定的记忆：接受、修改或拒绝"),
)
def review(
    role: RoleName,
    accept: Annotated[
        list[str] | None,
        option(
            "--accept ID", "let it become a memory (`all`: everything)", "接受为记忆（all：全部）"
        ),
    ] = None,
    reject: Annotated[
        list[str] | None,
        option(
            "--reject ID",
            "send it away for good (`all`: everything)",
            "拒绝，不再学习（all：全部）",
        ),
    ] = None,
    mend: Annotated[
        str | None,
        option("--mend ID", "accept it with the words of --content", "按 --content 修改后接受"),
    ] = None,
    content: Annotated[
        str | None,
        option("--content TEXT", "with --mend: what it shall say", "与 --mend 同用：改成什么"),
    ] = None,
    refused: Annotated[
        bool,
        option(
            "--refused",
            "what was not kept, and why; --accept ID keeps it",
            "没有记下的内容及原因；--accept ID 可记下",
        ),
    ] = False,
) -> None:
    """Without options: what waits, and why."""
    here = desk()
    with here.role(role) as mind:
        if mend:
            if not content:
                raise InvalidValueError(
                    "--mend needs --content TEXT", zh="--mend 需要同时给出 --content"
                )
            mind.accept(mend, content=content)
        for waiting_id in _meant(mind, accept):
            mind.accept(waiting_id)
        mind.reject(*_meant(mind, reject))
        rows = [_row(one) for one in (mind.refused() if refused else mind.waiting())]
        receipts = [] if here.out.as_json else list(_receipts(mind))
    if here.out.as_json:
        here.out.data([plain(row) for row in rows])
    elif not rows:
        here.out.say(
            say("nothing was refused", "没有未记下的内容")
            if refused
            else say("nothing waits", "没有待定的记忆")
        )
    else:
        columns = [
            Column("id", "id", style="cyan"),
            Column("content", say("what", "内容"), fold=3),
            Column(
                "why",
                say("why not", "为何没记") if refused else say("why it waits", "为何待定"),
                fold=2,
            ),
        ]
        here.out.table(rows, columns)
    for reply, learned in receipts:
        here.out.say(say(f"learned from this reply: {reply}", f"从这条回复学到：{reply}"), "bold")
        for memory in learned:
            here.out.say(f"  + {one_line(memory.content)}  ({memory.id})")


def _receipts(mind: "RoleMemory") -> "Iterator[tuple[str, list[Memory]]]":
    """What was learned from the last replies of the chat that changed last, the newest reply first."""
    chat = mind.chats.active()
    path = mind.chats.path(chat.id)[-_RECEIPTS:] if chat else ()
    for said in reversed(path):
        learned = (
            mind.learned_from(chat.id, said.version) if chat and said.role == "assistant" else []
        )
        if learned:
            text = one_line(said.text)
            yield (text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"), learned


@verb(
    "infer",
    LEARN,
    both(
        "draw conclusions from several memories, with the model that is set",
        "用已设的模型，从多条记忆推出结论",
    ),
)
def infer(role: RoleName) -> None:
    """Now, whether or not it is due."""
    here = desk()
    with here.role(role) as mind:
        before = set(mind.memories)
        report = mind.learner.behind.infer()
        drawn = [memory for memory_id, memory in mind.memories.items() if memory_id not in before]
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
        here.out.say(say("nothing new follows", "没有推出新的结论"))


def _meant(mind: "RoleMemory", ids: list[str] | None) -> list[str]:
    if ids and "all" in ids:
        return [one.id for one in mind.waiting()]
    return ids or []


def _row(one: "Waiting") -> dict[str, Any]:
    from rolememory.schema.wording import word

    return {
        "id": one.id,
        "content": one_line(one.draft.content),
        "why": word(one.reason, Tongue.language),
        "at": one.at,
    }
