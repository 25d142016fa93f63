"""stats, doctor: figures of a home, and what is wrong with it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rolememory.cli.context import home_path, open_home
from rolememory.cli.embedding_status import look
from rolememory.cli.options import MaybeRole, Wait, option
from rolememory.cli.output import Row, out
from rolememory.cli.upkeep import chosen, size
from rolememory.cli.words import say
from rolememory.locales import translatable

if TYPE_CHECKING:
    from rolememory.cli.checks import HealthFinding
    from rolememory.engine import Home, RoleMemory

FOUND_FAULTS = 3
STATS = "memories by_type by_source by_user turns chats learned_by waits vectors on_disk last_backup problems"
_MARKS = {
    "good": (translatable("ok"), "green"),
    "note": (translatable("note"), "cyan"),
    "warning": (translatable("warning"), "yellow"),
    "fault": (translatable("FAULT"), "bold red"),
}
translatable(("uninitialised", "ready", "failed"), "server")
translatable(("episodic", "semantic", "traits", "goals"), "memory")


def stats(role: MaybeRole = None, wait: Wait = False) -> None:
    """One block per role."""
    from rolememory.cli.embedding_status import ready
    from rolememory.cli.learning_status import servers

    rows = []
    with open_home(meaning=wait) as home:
        for role_id in chosen(home, role):
            role_memory = home.role(role_id)
            if wait:
                ready(role_memory)
            rows.append(_figures(home, role_memory))
        meaning = look(home.path)
        asked = list(servers(home.settings, ask=wait))
        state = home.loader.state if wait else "not asked"
    status = {**meaning.as_json(), "state": state}
    if out.json({"roles": rows, "meaning": status, "servers": list(map(asdict, asked))}):
        return
    for row in rows:
        out.line(f"{row['name']}  ({row['id']})", "bold")
        out.record(_told(row), STATS)
        out.line()
    out.line(meaning.text())
    for one in asked:
        why = say(" ({reason})", reason=one.reason) if one.reason else ""
        out.line(f"{one.url}: {say(one.state, msgctxt='server')}{why}")


def _figures(home: "Home", role_memory: "RoleMemory") -> dict[str, Any]:
    from rolememory.cli.learning_status import standing
    from rolememory.storage.files.backup import list_backups

    newest = next(iter(list_backups(role_memory.folder)), None)
    behind = standing(role_memory.space, role_memory.settings, role_memory.chats)
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
        "problems": len(role_memory.store.snapshot().problems) + len(behind.problems),
        "learning": asdict(behind),
        "query_cache": {"hits": home.queries.hits, "misses": home.queries.misses},
    }


def _told(row: Mapping[str, Any]) -> Row:
    """Figures of a role for people."""
    parts = [f"{name} {size(count)}" for name, count in row["bytes"].items() if count]
    backup = row["last_backup"]
    return {
        **row,
        **_told_learning(row["learning"]),
        "memories": say("{total}, archived {archived}", **row),
        "by_type": [
            f"{say(name, msgctxt='memory')} {n}" for name, n in row["by_type"].items() if n
        ],
        "by_source": [f"{name} {n}" for name, n in row["by_source"].items()],
        "by_user": [f"{name or say('shared')} {n}" for name, n in row["by_user"].items()],
        "on_disk": " ".join([size(row["bytes_on_disk"]), *parts]),
        "last_backup": _age(backup) if backup else say("none"),
    }


def _told_learning(row: Mapping[str, Any]) -> Row:
    queued = sum(row["queue"].values())
    waits = {
        say("{unread} chats to read for commands", unread=row["unread"]): row["unread"],
        say("{queued} exchanges for the model", queued=queued): queued,
        say("{waiting} for your word", waiting=row["waiting"]): row["waiting"],
    }
    return {
        "chats": say("{chats}, archived {archived}; {messages} messages", **row),
        "learned_by": say(row["by"], msgctxt="learning"),
        "waits": [text for text, count in waits.items() if count],
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
    for one in checks(home_path(), load_model=wait):
        found.append(one)
        if not out.as_json and not (terse and one.level in ("good", "note")):
            mark, style = _MARKS[one.level]
            out.line(f"{say(mark)}: {one.text()}", style)
    levels = Counter(one.level for one in found)
    faults, warnings = levels["fault"], levels["warning"]
    values = {"faults": faults, "warnings": warnings, "findings": list(map(asdict, found))}
    if not out.json(values) and not faults + warnings:
        out.say("all is well", style="bold green")
    if faults:
        raise typer.Exit(FOUND_FAULTS)
