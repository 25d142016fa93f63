"""history, undo: every change that was made, and the way back."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.desk import desk
from rolememory.cli.options import RoleName, argument, option, whole
from rolememory.cli.out import Column, one_line
from rolememory.cli.verbs import KEEP, verb
from rolememory.cli.words import both, say

if TYPE_CHECKING:
    from rolememory.schema.memory import Memory
    from rolememory.storage.memories import HistoryLine

_OPS = {"add": "新增", "set": "修改", "remove": "删除"}
_MOST = 60  # characters of a value in a table


@verb(
    "history",
    KEEP,
    both(
        "what was changed, when and by whom, newest first",
        "改动记录：何时、何人、改了什么，最新的在前",
    ),
)
def history(
    role: RoleName,
    memory_id: Annotated[
        str | None, argument("[ID]", "only of this memory", "只看这条记忆")
    ] = None,
    limit: Annotated[int, option("--limit N", "at most so many", "最多显示几条", whole(1))] = 50,
) -> None:
    """From the journal."""
    here = desk()
    with here.role(role) as mind:
        lines = mind.store.history(memory_id, limit)
    if here.out.as_json:
        here.out.data([_json(line) for line in lines])
        return
    if not lines:
        here.out.warn(say("no changes on record", "没有改动记录"))
        return
    columns = [
        Column("at", say("when", "时间")),
        Column("actor", say("by", "何人")),
        Column("op", say("did", "操作")),
        Column("id", "id", style="cyan"),
        Column("what", say("what", "内容"), fold=3),
        Column("reason", say("why", "原因")),
        Column("txn", say("for `undo`", "供 `undo` 使用")),
    ]
    here.out.table([_row(line) for line in lines], columns)


def _json(line: "HistoryLine") -> dict[str, Any]:
    return {
        "seq": line.seq, "txn": line.txn, "at": line.at, "actor": line.actor, "op": line.op, "id": line.id,
        "fields": {name: list(pair) for name, pair in line.fields.items()}, "reason": line.reason,
    }  # fmt: skip


def _row(line: "HistoryLine") -> dict[str, Any]:
    return {
        "at": line.at.astimezone(), "actor": line.actor, "op": say(line.op, _OPS.get(line.op, line.op)), "id": line.id,
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


@verb(
    "undo",
    KEEP,
    both(
        "take the newest change back; `undo` again takes back the one before",
        "撤销最近一次改动；再来一次就撤销更早的",
    ),
)
def undo(
    role: RoleName,
    txn: Annotated[
        str | None,
        argument("[CHANGE]", "another one, as `history` shows it", "指定某次改动，见 `history`"),
    ] = None,
) -> None:
    """Take a transaction back as far as nobody changed the same since."""
    here = desk()
    with here.role(role) as mind:
        before = dict(mind.memories)
        after = mind.store.undo(txn).memories
    rows = differences(before, after)
    if here.out.as_json:
        here.out.data(rows)
        return
    for row in rows:
        here.out.say(difference_text(row))


def differences(
    before: "Mapping[str, Memory]", after: "Mapping[str, Memory]"
) -> list[dict[str, Any]]:
    """What came, went and changed between two states, as codes and values."""
    from rolememory.storage.codec import difference

    rows: list[dict[str, Any]] = [
        {"did": "added", "id": name, "content": after[name].content}
        for name in after
        if name not in before
    ]
    rows += [
        {"did": "removed", "id": name, "content": before[name].content}
        for name in before
        if name not in after
    ]
    for name, memory in after.items():
        if (
            name in before
            and before[name] is not memory
            and (fields := difference(before[name], memory))
        ):
            rows.append({"did": "changed", "id": name, "fields": fields})
    return rows


def difference_text(row: Mapping[str, Any]) -> str:
    """A difference in words: `+ id: content`, `- id: content`, `~ id.weight: 1 → 0.5`."""
    if row["did"] == "changed":
        return "\n".join(
            f"~ {row['id']}.{name}: {_short(pair[0])} → {_short(pair[1])}"
            for name, pair in row["fields"].items()
        )
    return f"{'+' if row['did'] == 'added' else '-'} {row['id']}: {one_line(row['content'])}"
