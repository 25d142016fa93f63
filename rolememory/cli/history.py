"""history, undo: every change that was made, and the way back."""

from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import desk
from rolememory.cli.options import RoleName, argument, option, whole
from rolememory.cli.output import TableColumn, one_line
from rolememory.cli.words import say
from rolememory.locales import translatable

if TYPE_CHECKING:
    from rolememory.engine.changes import MemoryChange
    from rolememory.storage.memories import HistoryLine

translatable(("add", "set", "remove"), "change")
_MOST = 60  # characters of a value in a table


def history(
    role: RoleName,
    memory_id: Annotated[str | None, argument("[ID]", "only of this memory")] = None,
    limit: Annotated[int, option("--limit N", "at most so many", whole(1))] = 50,
) -> None:
    """From the journal."""
    here = desk()
    with here.role(role) as role_memory:
        lines = role_memory.history(memory_id, limit)
    if here.out.as_json:
        here.out.data([_json(line) for line in lines])
        return
    if not lines:
        here.out.warn(say("no changes on record"))
        return
    columns = [
        TableColumn("at", say("when")),
        TableColumn("actor", say("by")),
        TableColumn("op", say("did")),
        TableColumn("id", "id", style="cyan"),
        TableColumn("what", say("what"), fold=3),
        TableColumn("reason", say("why", msgctxt="change")),
        TableColumn("txn", say("for `undo`")),
    ]
    here.out.table([_row(line) for line in lines], columns)


def _json(line: "HistoryLine") -> dict[str, Any]:
    return {
        "seq": line.seq, "txn": line.txn, "at": line.at, "actor": line.actor, "op": line.op, "id": line.id,
        "fields": {name: list(pair) for name, pair in line.fields.items()}, "reason": line.reason,
    }  # fmt: skip


def _row(line: "HistoryLine") -> dict[str, Any]:
    return {
        "at": line.at.astimezone(), "actor": line.actor, "op": say(line.op, msgctxt="change"), "id": line.id,
        "what": _what(line), "reason": line.reason, "txn": line.txn,
    }  # fmt: skip


def _what(line: "HistoryLine") -> str:
    if line.op != "set":
        pair = line.fields.get("content", ("", ""))
        return _short(pair[1] if line.op == "add" else pair[0])
    return "; ".join(
        f"{name}: {_short(before)} → {_short(after)}"
        for name, (before, after) in line.fields.items()
    )


def _short(value: Any) -> str:
    text = one_line(value if isinstance(value, str) else _plain(value))
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def _plain(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, default=str)


def undo(
    role: RoleName,
    txn: Annotated[
        str | None,
        argument("[CHANGE]", "another one, as `history` shows it"),
    ] = None,
) -> None:
    """Take a transaction back as far as nobody changed the same since."""
    from rolememory.engine.changes import changes

    here = desk()
    with here.role(role) as role_memory:
        before = dict(role_memory.memories)
        role_memory.undo(txn)
        rows = list(changes(before, role_memory.memories))
    if here.out.as_json:
        here.out.data([change_json(row) for row in rows])
        return
    for row in rows:
        here.out.say(change_text(row))


def change_json(change: "MemoryChange") -> dict[str, Any]:
    """A change as codes and values."""
    told = {"fields": change.fields} if change.did == "changed" else {"content": change.content}
    return {"did": change.did, "id": change.id, **told}


def change_text(change: "MemoryChange") -> str:
    """A change in words: `+ id: content`, `- id: content`, `~ id.weight: 1 → 0.5`."""
    if change.did == "changed":
        return "\n".join(
            f"~ {change.id}.{name}: {_short(pair[0])} → {_short(pair[1])}"
            for name, pair in change.fields.items()
        )
    return f"{'+' if change.did == 'added' else '-'} {change.id}: {one_line(change.content)}"
