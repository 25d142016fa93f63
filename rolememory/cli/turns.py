"""recall, explain: one turn, its injected text, and the reasons."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.chats import messages_of
from rolememory.cli.context import open_role, tell_listeners
from rolememory.cli.embedding_status import ready, tell_without
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.memory_rows import memory_json
from rolememory.cli.options import RoleName, Text, UserName, Wait, argument, option, time_given
from rolememory.cli.output import Row, one_line, out, picked, plain, say, told_reason
from rolememory.schema.wording import word_change

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory
    from rolememory.recall.turn import Explanation, Turn

Said = Annotated[str, argument("MESSAGE|-", "what the user says; - reads it from standard input")]
Chat = Annotated[
    Text,
    option(
        "--chat FILE",
        "the messages before: JSON, JSON lines, a SillyTavern chat, or lines `Name: text`",
    ),
]
Now = Annotated[Text, option("--now TIME", "the time of the turn, e.g. 2024-05-01")]


def recall(
    role: RoleName,
    message: Said,
    chat: Chat = None,
    user: UserName = None,
    now: Now = None,
    prompt: Annotated[bool, option("--prompt", "show all messages as they would be sent")] = False,
    wait: Wait = False,
    count: Annotated[
        bool, option("--count", "count this as a turn of the story; otherwise nothing is recorded")
    ] = False,
) -> None:
    """A look that changes nothing, unless it is to count."""
    messages = messages_of(chat, message)
    with open_role(role, meaning=wait, reading=True) as role_memory:
        turn = ask(role_memory, messages, user, now, wait, dry_run=not count)
    if out.as_json:
        out.data(turn_json(turn))
    elif prompt:
        for one in turn.messages:
            out.line(f"[{one.role}]", "bold cyan")
            out.raw(one.content)
    elif added := [one.content for one in turn.messages if one not in messages]:
        out.raw("\n\n".join(added))
    else:
        out.warn(say("nothing is recalled; `rolememory explain` tells why"))
        tell_listeners(role_memory, user)
    if not wait:
        tell_without(messages[-1].content)


def explain(
    role: RoleName,
    message: Said,
    memory_ids: Annotated[
        list[str] | None, argument("[ID...]", "ids of memories to explain")
    ] = None,
    chat: Chat = None,
    user: UserName = None,
    now: Now = None,
    everything: Annotated[bool, option("--all", "every memory of the role")] = False,
    wait: Wait = False,
) -> None:
    """Reasons of a turn that does not count."""
    messages = messages_of(chat, message)
    with open_role(role, meaning=wait, reading=True) as role_memory:
        turn = ask(role_memory, messages, user, now, wait)
        ids = (
            list(role_memory.memories)
            if everything
            else memory_ids or [one.entry_id for one in turn.left_out()]
        )
        explanation = turn.explain(*ids, language=ProcessLanguage.language)
        said = {row.id: _said(role_memory, row.id) for row in explanation.rows}
    if out.json([row_json(row) for row in explanation.rows]):
        return
    _tell_rows(explanation, said) if said else out.raw(str(explanation))
    if not turn.recalled:
        tell_listeners(role_memory, user)
    if not wait:
        tell_without(messages[-1].content)


_DIGEST = re.compile(r"[mp]-[0-9a-f]{8,}(-[0-9a-f]+)*")
"""An id that does not say what it stands for: of a passage, or of a memory whose first words are not Latin."""


def _said(role_memory: "RoleMemory", row_id: str) -> str:
    """The text of an id that does not show it, else ''."""
    if not _DIGEST.fullmatch(row_id):
        return ""
    if memory := role_memory.memories.get(row_id):
        return one_line(memory.content)
    return one_line(role_memory.passage(row_id).content) if row_id.startswith("p-") else ""


def _tell_rows(explanation: "Explanation", said: Mapping[str, str]) -> None:
    for row, line in zip(explanation.rows, str(explanation).split("\n"), strict=True):
        out.raw(line)
        if text := said[row.id]:
            out.line(f"      {text}", "dim")


def ask(
    role_memory: "RoleMemory",
    messages: Sequence[Any],
    user: str | None,
    now: str | None = None,
    wait: bool = False,
    dry_run: bool = True,
) -> "Turn":
    """One turn of these messages, oldest first."""
    if wait:
        ready(role_memory)
    turn = role_memory.recall(messages, user=user, now=time_given("--now", now), dry_run=dry_run)
    out.warn(*turn.trace.notes)
    return turn


def turn_json(turn: "Turn") -> Row:
    """A turn for scripts: texts, positions, reasons."""
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


def row_json(row: Any) -> Row:
    """A row of an explanation: codes and numbers, and their wording."""
    reasons = [
        {"by": by, "code": reason.code, "values": dict(reason.values)}
        | {"text": told_reason(reason)}
        for by, reason in row.reasons
    ]
    remedy = row.remedy and {
        **picked(row.remedy, "target field value"),
        "id": row.remedy.entry_id or row.id,
        "text": word_change(row.remedy, ProcessLanguage.language),
    }
    known = picked(row, "id gate score relevance")
    return known | {"in": row.gate is None, "reasons": reasons, "remedy": remedy}
