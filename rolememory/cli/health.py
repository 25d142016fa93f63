"""stats, doctor: figures of a home, and what is wrong with it."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rolememory.cli.behind import BY, servers, standing
from rolememory.cli.checks import checks
from rolememory.cli.desk import desk
from rolememory.cli.finding import FAULT, Finding
from rolememory.cli.meaning import look
from rolememory.cli.options import MaybeRole, Wait, option
from rolememory.cli.upkeep import chosen, size
from rolememory.cli.verbs import TUNE, verb
from rolememory.cli.words import both, say

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory

FOUND_FAULTS = 3
_MARKS = {
    "good": ("ok", "正常", "green"),
    "note": ("note", "提示", "cyan"),
    "warning": ("warning", "注意", "yellow"),
    FAULT: ("FAULT", "故障", "bold red"),
}
_STATES = {"uninitialised": "还没有问", "ready": "有应答", "failed": "没有应答"}
_TYPES = {"episodic": "经历", "semantic": "知识", "traits": "特质", "goals": "目标"}


@verb(
    "stats",
    TUNE,
    both(
        "figures: memories by type and source, sizes, vectors, backups",
        "数字：各类记忆、大小、向量、备份",
    ),
)
def stats(role: MaybeRole = None, wait: Wait = False) -> None:
    """One block per role."""
    from rolememory.cli.waiting import ready

    here = desk()
    rows = []
    with here.home(meaning=wait) as home:
        for role_id in chosen(home, role):
            mind = home.role(role_id)
            if wait:
                ready(here, mind)
            rows.append(_figures(mind))
        meaning = look(home.path)
        asked = [asdict(one) for one in servers(home.settings, ask=wait)]
        state = home.loader.state if wait else "not asked"
    if here.out.as_json:
        here.out.data(
            {"roles": rows, "meaning": {**meaning.as_json(), "state": state}, "servers": asked}
        )
        return
    for row in rows:
        here.out.say(f"{row['name']}  ({row['id']})", "bold")
        here.out.pairs([(f"  {name}", value) for name, value in _told(row)])
        here.out.say()
    here.out.say(meaning.text())
    for one in asked:
        here.out.say(
            f"{one['url']}: {say(one['state'], _STATES[one['state']])}{_why(one['reason'])}"
        )


def _why(reason: str) -> str:
    return say(f" ({reason})", f"（{reason}）") if reason else ""


def _figures(mind: "RoleMemory") -> dict[str, Any]:
    from rolememory.storage.files.backup import list_backups

    newest = next(iter(list_backups(mind.folder)), None)
    behind = standing(mind.space, mind.settings, mind.chats)
    kinds = {
        name: sum(path.stat().st_size for path in (mind.folder / name).rglob("*") if path.is_file())
        for name in ("journal", "chats", ".cache", "backups")
    }
    return {
        "id": mind.id,
        "name": mind.role.name,
        **asdict(mind.stats()),
        "turns": mind.turns,
        "vectors": mind.embedded,
        "bytes": kinds,
        "last_backup": newest and newest.made,
        "problems": len(mind.store.snapshot().problems) + len(behind.problems),
        "learning": asdict(behind),
        "query_cache": {"hits": mind.home.queries.hits, "misses": mind.home.queries.misses},
    }


def _told(row: Mapping[str, Any]) -> list[tuple[str, Any]]:
    types = [
        f"{say(name, _TYPES.get(name, name))} {count}"
        for name, count in row["by_type"].items()
        if count
    ]
    sources = [f"{name} {count}" for name, count in row["by_source"].items()]
    users = [f"{name or say('shared', '共享')} {count}" for name, count in row["by_user"].items()]
    backup = row["last_backup"]
    return [
        (
            say("memories", "记忆"),
            say(
                f"{row['total']}, archived {row['archived']}",
                f"{row['total']} 条，其中 {row['archived']} 条已归档",
            ),
        ),
        (say("by type", "类型"), types),
        (say("by source", "来源"), sources),
        (say("by user", "用户"), users),
        (say("turns", "轮次"), row["turns"]),
        *_told_learning(row["learning"]),
        (say("vectors", "向量"), row["vectors"] or "-"),
        (
            say("on disk", "占用"),
            " ".join(
                [
                    size(row["bytes_on_disk"]),
                    *(f"{name} {size(count)}" for name, count in row["bytes"].items() if count),
                ]
            ),
        ),
        (say("last backup", "最近备份"), _age(backup) if backup else say("none", "无")),
        (say("problems", "问题"), row["problems"] or "-"),
    ]


def _told_learning(row: Mapping[str, Any]) -> list[tuple[str, Any]]:
    queued = sum(row["queue"].values())
    waits = [
        say(f"{row['unread']} chats to read for commands", f"{row['unread']} 个会话待查口令")
        if row["unread"]
        else "",
        say(f"{queued} exchanges for the model", f"{queued} 轮对话等模型来读") if queued else "",
        say(f"{row['waiting']} for your word", f"{row['waiting']} 条等你过目")
        if row["waiting"]
        else "",
    ]
    return [
        (
            say("chats", "会话"),
            say(f"{row['chats']}, archived {row['archived']}; {row['messages']} messages", f"{row['chats']} 个，其中 {row['archived']} 个已归档；{row['messages']} 条消息"),
        ),
        (say("learned by", "学习靠"), say(row["by"], BY[row["by"]])),
        (say("waits", "等待中"), [one for one in waits if one] or "-"),
    ]  # fmt: skip


def _age(moment: datetime) -> str:
    hours = max((datetime.now(UTC) - moment).total_seconds(), 0.0) / 3600
    return (
        say(f"{hours / 24:.0f} days ago", f"{hours / 24:.0f} 天前")
        if hours >= 48
        else say(f"{hours:.0f} hours ago", f"{hours:.0f} 小时前")
    )


@verb(
    "doctor",
    TUNE,
    both("check everything; exit code 3 when something is broken", "全面检查；有故障时退出码为 3"),
)
def doctor(
    wait: Wait = False,
    terse: Annotated[bool, option("--quiet -q", "only what is wrong", "只显示有问题的")] = False,
) -> None:
    """One line per finding: how it stands, where, what, what to do."""
    here = desk()
    found: list[Finding] = []
    for one in checks(here.path, load_model=wait):
        found.append(one)
        if not here.out.as_json and not (terse and one.level in ("good", "note")):
            en, zh, style = _MARKS[one.level]
            here.out.say(f"{say(en, zh)}: {one.text()}", style)
    faults = sum(one.level == FAULT for one in found)
    warnings = sum(one.level == "warning" for one in found)
    if here.out.as_json:
        here.out.data(
            {"faults": faults, "warnings": warnings, "findings": [asdict(one) for one in found]}
        )
    elif not faults and not warnings:
        here.out.say(say("all is well", "一切正常"), "bold green")
    if faults:
        raise typer.Exit(FOUND_FAULTS)
