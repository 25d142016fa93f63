"""recall, explain: one turn, the words for the prompt, and why."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.chats import messages_of
from rolememory.cli.context import CommandContext, desk
from rolememory.cli.memory_rows import memory_json
from rolememory.cli.options import RoleName, UserName, Wait, argument, option
from rolememory.cli.output import plain
from rolememory.cli.wait_for_model import ready, tell_without
from rolememory.cli.words import Tongue, say
from rolememory.errors import UnknownMemoryError

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory
    from rolememory.recall.turn import Turn

Said = Annotated[
    str,
    argument("MESSAGE|-", "what the user says; - reads it from standard input"),
]
Chat = Annotated[
    str | None,
    option("--chat FILE", "the messages before: JSON, JSON lines, or a SillyTavern chat"),
]
Now = Annotated[
    str | None,
    option("--now TIME", "pretend it is then, e.g. 2024-05-01"),
]


def recall(
    role: RoleName,
    message: Said,
    chat: Chat = None,
    user: UserName = None,
    now: Now = None,
    prompt: Annotated[
        bool,
        option("--prompt", "show all messages as they would be sent"),
    ] = False,
    wait: Wait = False,
    count: Annotated[
        bool,
        option("--count", "count this as a turn of the story; otherwise it only looks"),
    ] = False,
) -> None:
    """A look that changes nothing, unless it is to count."""
    here = desk()
    messages = messages_of(chat, message)
    with here.role(role, meaning=wait, reading=True) as role_memory:
        turn = ask(here, role_memory, messages, user, now, wait, dry_run=not count)
    if here.out.as_json:
        here.out.data(turn_json(turn))
    elif prompt:
        for one in turn.messages:
            here.out.say(f"[{one.role}]", "bold cyan")
            here.out.raw(one.content)
    elif added := [one.content for one in turn.messages if one not in messages]:
        here.out.raw("\n\n".join(added))
    else:
        here.out.warn(say("nothing comes to mind; `rolememory explain` tells why"))
    if not wait:
        tell_without(here, messages[-1].content)


def explain(
    role: RoleName,
    message: Said,
    memory_ids: Annotated[
        list[str] | None,
        argument("[ID...]", "memories to ask about in particular"),
    ] = None,
    chat: Chat = None,
    user: UserName = None,
    now: Now = None,
    everything: Annotated[bool, option("--all", "every memory of the role")] = False,
    wait: Wait = False,
) -> None:
    """Reasons of a turn that does not count."""
    here = desk()
    messages = messages_of(chat, message)
    with here.role(role, meaning=wait, reading=True) as role_memory:
        unknown = next((one for one in memory_ids or () if one not in role_memory.memories), None)
        if unknown is not None:
            raise UnknownMemoryError(unknown, role_memory.memories)
        turn = ask(here, role_memory, messages, user, now, wait)
        ids = (
            list(role_memory.memories)
            if everything
            else memory_ids or [one.entry_id for one in turn.left_out()]
        )
        explanation = turn.explain(*ids, language=Tongue.language)
    if here.out.as_json:
        here.out.data([row_json(row) for row in explanation.rows])
        return
    nothing = say("nothing comes to mind; --all tells why of every memory")
    here.out.raw(str(explanation) or nothing)
    if not wait:
        tell_without(here, messages[-1].content)


def ask(
    here: CommandContext,
    role_memory: "RoleMemory",
    messages: Sequence[Any],
    user: str | None,
    now: str | None = None,
    wait: bool = False,
    dry_run: bool = True,
) -> "Turn":
    """One turn of these messages, oldest first."""
    if wait:
        ready(here, role_memory)
    turn = role_memory.recall(messages, user=user, now=_time(now), dry_run=dry_run)
    for note in turn.trace.notes:
        here.out.warn(note)
    return turn


def _time(text: str | None) -> Any:
    if text is None:
        return None
    from rolememory.errors import InvalidValueError
    from rolememory.storage.timestamps import moment

    try:
        return moment(text)
    except ValueError as error:
        raise InvalidValueError(
            "--now: expected a time, got {text!r}; write 2024-05-01", text=text
        ) from error


def turn_json(turn: "Turn") -> dict[str, Any]:
    """A turn for scripts: the words, their places, the reasons."""
    return {
        "text": turn.text,
        "messages": [
            plain(one.model_dump(mode="json", exclude_none=True)) for one in turn.messages
        ],
        "recalled": [
            {"score": one.score, "line": one.line, "memory": memory_json(one.memory)}
            for one in turn.recalled
        ],
        "near": [{"score": one.score, "memory": memory_json(one.memory)} for one in turn.near],
        "why": [row_json(row) for row in turn.explain().rows],
        "embedder": turn.trace.embedder,
        "notes": list(turn.trace.notes),
    }


def row_json(row: Any) -> dict[str, Any]:
    """A row of an explanation: codes and numbers, and the words beside them."""
    from rolememory.schema.wording import word, word_change

    reasons = [
        {
            "by": by,
            "code": reason.code,
            "values": dict(reason.values),
            "text": word(reason, Tongue.language),
        }
        for by, reason in row.reasons
    ]
    remedy = row.remedy and {
        "target": row.remedy.target, "field": row.remedy.field, "value": row.remedy.value, "id": row.remedy.entry_id or row.id,
        "text": word_change(row.remedy, Tongue.language),
    }  # fmt: skip
    return {
        "id": row.id,
        "in": row.gate is None,
        "gate": row.gate,
        "score": row.score,
        "relevance": row.relevance,
        "reasons": reasons,
        "remedy": remedy,
    }
