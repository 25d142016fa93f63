"""stats, doctor: figures of a home, and what is wrong with it."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rolememory.cli.checks import checks
from rolememory.cli.context import home_path, open_home
from rolememory.cli.embedding_status import look
from rolememory.cli.health_finding import FAULT, HealthFinding
from rolememory.cli.learning_status import servers, standing
from rolememory.cli.options import MaybeRole, Wait, option
from rolememory.cli.output import out
from rolememory.cli.upkeep import chosen, size
from rolememory.cli.words import say
from rolememory.locales import translatable

if TYPE_CHECKING:
    from rolememory.engine import Home, RoleMemory

FOUND_FAULTS = 3
_MARKS = {
    "good": (translatable("ok"), "green"),
    "note": (translatable("note"), "cyan"),
    "warning": (translatable("warning"), "yellow"),
    FAULT: (translatable("FAULT"), "bold red"),
}
translatable(("uninitialised", "ready", "failed"), "server")
translatable(("episodic", "semantic", "traits", "goals"), "memory")


def stats(role: MaybeRole = None, wait: Wait = False) -> None:
    """One block per role."""
    from rolememory.cli.wait_for_model import ready

    rows = []
    with open_home(meaning=wait) as home:
        for role_id in chosen(home, role):
            role_memory = home.role(role_id)
            if wait:
                ready(role_memory)
            rows.append(_figures(home, role_memory))
        meaning = look(home.path)
        asked = [asdict(one) for one in servers(home.settings, ask=wait)]
        state = home.loader.state if wait else "not asked"
    if out.json(
        {"roles": rows, "meaning": {**meaning.as_json(), "state": state}, "servers": asked}
    ):
        return
    for row in rows:
        out.line(f"{row['name']}  ({row['id']})", "bold")
        out.pairs([(f"  {name}", value) for name, value in _told(row)])
        out.line()
    out.line(meaning.text())
    for one in asked:
        out.line(f"{one['url']}: {say(one['state'], msgctxt='server')}{_why(one['reason'])}")


def _why(reason: str) -> str:
    return say(" ({reason})", reason=reason) if reason else ""


def _figures(home: "Home", role_memory: "RoleMemory") -> dict[str, Any]:
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


def _told(row: Mapping[str, Any]) -> list[tuple[str, Any]]:
    types = [
        f"{say(name, msgctxt='memory')} {count}" for name, count in row["by_type"].items() if count
    ]
    sources = [f"{name} {count}" for name, count in row["by_source"].items()]
    users = [f"{name or say('shared')} {count}" for name, count in row["by_user"].items()]
    backup = row["last_backup"]
    return [
        (
            say("memories"),
            say("{total}, archived {archived}", total=row["total"], archived=row["archived"]),
        ),
        (say("by type"), types),
        (say("by source"), sources),
        (say("by user"), users),
        (say("turns"), row["turns"]),
        *_told_learning(row["learning"]),
        (say("vectors"), row["vectors"] or "-"),
        (
            say("on disk"),
            " ".join(
                [
                    size(row["bytes_on_disk"]),
                    *(f"{name} {size(count)}" for name, count in row["bytes"].items() if count),
                ]
            ),
        ),
        (say("last backup"), _age(backup) if backup else say("none")),
        (say("problems"), row["problems"] or "-"),
    ]


def _told_learning(row: Mapping[str, Any]) -> list[tuple[str, Any]]:
    queued = sum(row["queue"].values())
    waits = [
        say("{unread} chats to read for commands", unread=row["unread"]) if row["unread"] else "",
        say("{queued} exchanges for the model", queued=queued) if queued else "",
        say("{waiting} for your word", waiting=row["waiting"]) if row["waiting"] else "",
    ]
    return [
        (
            say('chats'),
            say('{chats}, archived {archived}; {messages} messages', chats=row['chats'], archived=row['archived'], messages=row['messages']),
        ),
        (say('learned by'), say(row["by"], msgctxt="learning")),
        (say('waits'), [one for one in waits if one] or "-"),
    ]  # fmt: skip


def _age(moment: datetime) -> str:
    hours = max((datetime.now(UTC) - moment).total_seconds(), 0.0) / 3600
    return (
        say("{hours:.0f} days ago", hours=hours / 24)
        if hours >= 48
        else say("{hours:.0f} hours ago", hours=hours)
    )


def doctor(
    wait: Wait = False,
    terse: Annotated[bool, option("--quiet -q", "only what is wrong")] = False,
) -> None:
    """One line per finding: how it stands, where, what, what to do."""
    found: list[HealthFinding] = []
    for one in checks(home_path(), load_model=wait):
        found.append(one)
        if not out.as_json and not (terse and one.level in ("good", "note")):
            mark, style = _MARKS[one.level]
            out.line(f"{say(mark)}: {one.text()}", style)
    faults = sum(one.level == FAULT for one in found)
    warnings = sum(one.level == "warning" for one in found)
    if out.as_json:
        out.data(
            {"faults": faults, "warnings": warnings, "findings": [asdict(one) for one in found]}
        )
    elif not faults and not warnings:
        out.say("all is well", style="bold green")
    if faults:
        raise typer.Exit(FOUND_FAULTS)
