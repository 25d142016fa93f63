"""history, undo, clean, backup, restore: changes and how to revert them; maintenance and backups."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import open_home, open_role
from rolememory.cli.options import DryRun, MaybeRole, RoleName, Text, Yes, argument, option, whole
from rolememory.cli.output import Row, one_line, out, pasted, picked, say, told_reason, worded
from rolememory.errors import FileError, InvalidValueError
from rolememory.locales import translatable

if TYPE_CHECKING:
    from rolememory.engine import Home, RoleMemory
    from rolememory.engine.changes import MemoryChange
    from rolememory.storage.files.backup import Backup
    from rolememory.storage.memories import HistoryLine


translatable(("add", "set", "remove"), "change")
_MOST = 60  # maximum characters of a value in a table


def history(
    role: RoleName,
    memory_id: Annotated[Text, argument("[ID]", "only of this memory")] = None,
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
    columns = "at actor op id what reason txn"
    why = say("why", msgctxt="change")
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
    txn: Annotated[Text, argument("[CHANGE]", "another one, as `history` shows it")] = None,
) -> None:
    """Take a transaction back as far as nobody changed the same since."""
    with open_role(role) as role_memory:
        rows = role_memory.undo(txn)
    out.result(list(map(_change_json, rows)), *map(_change_text, rows))


def _change_json(change: "MemoryChange") -> dict[str, Any]:
    """A change as codes and values."""
    told = {"fields": change.fields} if change.did == "changed" else {"content": change.content}
    return {"did": change.did, "id": change.id, **told}


def _change_text(change: "MemoryChange") -> str:
    """A change in words: `+ id: content`, `- id: content`, `~ id.weight: 1 → 0.5`."""
    if change.did == "changed":
        return "\n".join(
            f"~ {change.id}.{name}: {_short(pair[0])} → {_short(pair[1])}"
            for name, pair in change.fields.items()
        )
    return f"{'+' if change.did == 'added' else '-'} {change.id}: {one_line(change.content)}"


def chosen(home: "Home", name: str | None) -> list[str]:
    """The selected role ids: one by name, or all."""
    if name is None or name in ("all", say("all")):
        return [role.id for role in home.roles()]
    return [home.folder.find(name).id]


def clean(
    role: MaybeRole = None,
    dry_run: DryRun = False,
    journal_days: Annotated[
        int | None,
        option("--journal-days N", "also forget history older than so many days", whole(0)),
    ] = None,
    yes: Yes = False,
) -> None:
    """Tell what goes and why. Nothing brings history back: without a terminal --journal-days wants --yes."""
    if journal_days is not None and not dry_run:
        question = say(
            "forget history older than {journal_days} {journal_days:day|days}?",
            journal_days=journal_days,
        )
        if not out.sure(question, yes):
            return
    rows: list[Row] = []
    pruned = 0
    with open_home() as home:
        for role_memory in map(home.role, chosen(home, role)):
            rows += _retired(role_memory, dry_run)
            if journal_days is not None and not dry_run:
                pruned += role_memory.store.prune(datetime.now(UTC) - timedelta(days=journal_days))
    if not out.json({"dry_run": dry_run, "archived": rows, "pruned": pruned}):
        what = say("would be archived") if dry_run else say("archived")
        why = say("why", msgctxt="change")
        out.listing(rows, "role id content why", say("nothing to archive"), content=what, why=why)
    if pruned:
        out.say("forgot {pruned} {pruned:line|lines} of history", pruned=pruned)


def _retired(role_memory: "RoleMemory", dry_run: bool) -> list[Row]:
    """What is archived in a role, and why."""
    memories = role_memory.memories
    return [
        {
            "role": role_memory.role.name,
            "id": gone.id,
            "content": one_line(memories[gone.id].content),
            "why": told_reason(gone.because),
            "code": gone.because.code,
        }
        for gone in role_memory.clean(dry_run=dry_run)
    ]


def backup(
    role: MaybeRole = None, everyone: Annotated[bool, option("--all", "every role")] = False
) -> None:
    """One zip per role, in the role's folder backups/."""
    if role is None and not everyone:
        raise InvalidValueError("which role? name one, or write --all")
    rows: list[Row] = []
    with open_home() as home:
        for one in map(home.role, chosen(home, None if everyone else role)):
            path = one.backup()
            told = {"file": str(path), "size": path.stat().st_size}
            rows.append({"role": one.role.name, "id": one.id, **told})
    out.result(
        rows,
        *(
            say("{role}: backed up to {file} ({size})", **row | {"size": size(row["size"])})
            for row in rows
        ),
    )


def restore(
    role: RoleName,
    which: Annotated[
        str, argument("[WHICH]", "a name from --list; not given: the newest good one")
    ] = "latest",
    listing: Annotated[bool, option("--list", "list the backups")] = False,
) -> None:
    """Restore, or list what there is."""
    with open_role(role) as role_memory:
        if listing:
            _list(role_memory.folder)
            return
        done = role_memory.restore(which)
        found = role_memory.role
    row = {
        "role": found.id,
        "source": str(done.source),
        "saved": str(done.saved),
        "files": list(done.files),
    }
    out.result(
        row,
        say("{name}: restored from {name2}", name=found.name, name2=done.source.name),
        say(
            "what stood before is kept as {name}; `rolememory undo {role}` works too",
            name=done.saved.name,
            role=pasted(role),
        ),
    )


def _list(folder: Path) -> None:
    from rolememory.storage.files.backup import list_backups

    rows = [_row(one) for one in list_backups(folder)]
    shown = [row | {"size": size(row["size"]), "made": row["made"].astimezone()} for row in rows]
    empty = say("no backups yet; `rolememory backup` makes one")
    made = say("made", msgctxt="when")
    out.listing(rows, "name made size state", empty, shown, made=made)


def _row(one: "Backup") -> Row:
    from rolememory.storage.files.backup import verified

    try:
        problem = verified(one.path).problem
    except FileError as error:
        problem = worded(error)
    return {
        "name": one.path.name,
        "made": one.made,
        "size": one.size,
        "good": not problem,
        "state": problem or say("good"),
    }


def size(count: int) -> str:
    """A number of bytes for people.

    >>> size(900), size(2_000), size(3_500_000)
    ('900 B', '2 KB', '3.5 MB')
    """
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.0f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
