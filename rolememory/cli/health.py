"""stats, doctor: statistics of a home, and faults."""

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from rolememory.cli.bookshelf import FOUND_FAULTS
from rolememory.cli.context import open_home
from rolememory.cli.options import MaybeRole, Wait, option
from rolememory.cli.output import Row, out, say
from rolememory.cli.upkeep import chosen, size
from rolememory.locales import translatable
from rolememory.schema.json_types import JsonMapping, JsonObject

if TYPE_CHECKING:
    from rolememory.cli.checks import HealthFinding
    from rolememory.engine import RoleMemory

STATS = "memories by_type by_source by_user turns chats vectors on_disk last_backup problems"
_MARKS = {
    "good": (translatable("ok"), "green"),
    "note": (translatable("note"), "cyan"),
    "warning": (translatable("warning"), "yellow"),
    "fault": (translatable("FAULT"), "bold red"),
}
translatable(("episodic", "semantic", "traits", "goals"), "memory")


def stats(role: MaybeRole = None, wait: Wait = False) -> None:
    """One block per role."""
    with open_home(meaning=wait) as home:
        rows = [_figures(home.role(role_id), wait) for role_id in chosen(home, role)]
    if out.json({"roles": rows}):
        return
    for row in rows:
        out.line(f"{row['name']}  ({row['id']})", "bold")
        out.record(_told(row), STATS)
        out.line()


def _figures(role_memory: "RoleMemory", wait: bool) -> JsonObject:
    from rolememory.cli.embedding_status import ready
    from rolememory.storage.files.backup import list_backups

    if wait:
        ready(role_memory)
    newest = next(iter(list_backups(role_memory.folder)), None)
    chats = role_memory.chats.chats(archived=True)
    kinds = {
        name: sum(
            path.stat().st_size for path in (role_memory.folder / name).rglob("*") if path.is_file()
        )
        for name in ("journal", "chats", ".cache", "backups")
    }
    return {
        "id": role_memory.id,
        "name": role_memory.role.name,
        **asdict(role_memory.stats()),
        "turns": role_memory.turns,
        "vectors": role_memory.embedded,
        "bytes": kinds,
        "last_backup": newest and newest.made,
        "problems": len(role_memory.store.snapshot().problems) + len(role_memory.chats.problems),
        "chats": len(chats),
        "chats_archived": sum(info.archived for info in chats),
        "messages": sum(info.messages for info in chats),
    }


def _told(row: JsonMapping) -> Row:
    """Statistics of a role for people."""
    parts = [f"{name} {size(count)}" for name, count in row["bytes"].items() if count]
    backup = row["last_backup"]
    return {
        **row,
        "memories": say("{total}, archived {archived}", **row),
        "chats": say(
            "{chats}, archived {archived}; {messages} {messages:message|messages}",
            chats=row["chats"],
            archived=row["chats_archived"],
            messages=row["messages"],
        ),
        "by_type": [
            f"{say(name, msgctxt='memory')} {n}" for name, n in row["by_type"].items() if n
        ],
        "by_source": [f"{name} {n}" for name, n in row["by_source"].items()],
        "by_user": [f"{name or say('shared')} {n}" for name, n in row["by_user"].items()],
        "on_disk": " ".join([size(row["bytes_on_disk"]), *parts]),
        "last_backup": _age(backup) if backup else say("none"),
    }


def _age(moment: datetime) -> str:
    hours = max((datetime.now(UTC) - moment).total_seconds(), 0.0) / 3600
    return (
        say("{hours:.0f} days ago", hours=hours / 24)
        if hours >= 48
        else say("{hours:.0f} hours ago", hours=hours)
    )


def doctor(
    wait: Wait = False, terse: Annotated[bool, option("--quiet -q", "only what is wrong")] = False
) -> None:
    """One line per finding: how it stands, where, what, what to do."""
    from rolememory.cli.checks import checks

    found: list[HealthFinding] = []
    for one in checks(load_model=wait):
        found.append(one)
        if not out.as_json and not (terse and one.level in ("good", "note")):
            mark, style = _MARKS[one.level]
            out.line(f"{say(mark)}{say(': ')}{one.text()}", style)
    levels = Counter(one.level for one in found)
    faults = levels["fault"]
    warnings = levels["warning"]
    values = {"faults": faults, "warnings": warnings, "findings": list(map(asdict, found))}
    if not out.json(values) and not terse and not faults + warnings:
        out.say("all is well", style="bold green")
    if faults:
        raise typer.Exit(FOUND_FAULTS)
