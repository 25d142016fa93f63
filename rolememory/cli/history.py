"""history, undo: every change that was made, and the way back."""

from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import open_role
from rolememory.cli.options import RoleName, argument, option, whole
from rolememory.cli.output import one_line, out, picked
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
    with open_role(role) as role_memory:
        lines = role_memory.history(memory_id, limit)
    values = [
        picked(line, "seq txn at actor op id")
        | {"fields": {name: list(pair) for name, pair in line.fields.items()}}
        | {"reason": line.reason}
        for line in lines
    ]
    rows = [
        value
        | {"at": line.at.astimezone(), "op": say(line.op, msgctxt="change"), "what": _what(line)}
        for line, value in zip(lines, values, strict=True)
    ]
    columns, why = "at actor op id what reason txn", say("why", msgctxt="change")
    out.listing(values, columns, say("no changes on record"), rows, reason=why)


def _what(line: "HistoryLine") -> str:
    if line.op != "set":
        pair = line.fields.get("content", ("", ""))
        return _short(pair[1] if line.op == "add" else pair[0])
    return "; ".join(
        f"{name}: {_short(before)} → {_short(after)}"
        for name, (before, after) in line.fields.items()
    )


def _short(value: Any) -> str:
    import json

    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = one_line(plain)
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def undo(
    role: RoleName,
    txn: Annotated[
        str | None,
        argument("[CHANGE]", "another one, as `history` shows it"),
    ] = None,
) -> None:
    """Take a transaction back as far as nobody changed the same since."""
    from rolememory.engine.changes import changes

    with open_role(role) as role_memory:
        before = dict(role_memory.memories)
        role_memory.undo(txn)
        rows = list(changes(before, role_memory.memories))
    out.result(list(map(change_json, rows)), *map(change_text, rows))


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
