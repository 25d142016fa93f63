"""What is left of conversations that were lived through: each turn goes through `observe`, then the questions are asked.

    python -m tests.bench.grown FILE.json [--words-only] [--roles N]

No model learns; both speakers are users. Beside it, in the same run, the same turns added by hand. A memory stands for the turns
that its evidence names; `recall@10` counts evidence turns that the first ten memories stand for.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from rolememory import Home, Memory, Message, RoleMemory
from rolememory.cli.bench import APART, fields
from rolememory.cli.measures import mean, measures

DEPTH = 200
NO_MODEL = {"learn.extractor": "rules"}


def lived(role: RoleMemory, memories: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """Observe every session turn by turn; which turn each (chat, version) is."""
    turns: dict[tuple[str, str], str] = {}
    for session, together in groupby(memories, key=lambda raw: raw.get("session")):
        chat, said = f"session-{session}", list[Message]()
        for raw in together:
            said.append(Message.user(raw["text"], name=raw.get("speaker"), sent=_moment(raw)))
            seen = role.observe(said, chat=chat)
            turns |= {(chat, version.version): str(raw["id"]) for version in seen.entered}
    role.learned()
    return turns


def _moment(raw: Mapping[str, Any]) -> datetime | None:
    return datetime.fromisoformat(raw["timestamp"]) if raw.get("timestamp") else None


def stands_for(memory: Memory, turns: Mapping[tuple[str, str], str]) -> list[str]:
    """The turns that a memory rests on."""
    return [turns[one.chat, version] for one in memory.evidence for version in one.version.split("+") if (one.chat, version) in turns]


def ranked(role: RoleMemory, query: Mapping[str, Any], turns: Mapping[tuple[str, str], str] | None) -> list[str]:
    """The ids of turns in the order of the ranking; a turn named again holds its place as a blank."""
    found = role.search(query["text"], limit=DEPTH, now=_asked(query))
    if turns is None:
        return [one.memory.id for one in found]
    return list(_once(stands_for(one.memory, turns) for one in found))


def _asked(query: Mapping[str, Any]) -> datetime | None:
    return datetime.fromisoformat(query["now"]) if query.get("now") else None


def _once(rows: Iterator[list[str]]) -> Iterator[str]:
    seen: set[str] = set()
    for row in rows:
        fresh = [turn for turn in row if turn not in seen]
        seen.update(fresh)
        yield fresh[0] if fresh else ""


def judged(role: RoleMemory, raw: Mapping[str, Any], turns: Mapping[tuple[str, str], str] | None) -> list[dict[str, float]]:
    """The measures of every question of categories that count."""
    asked = [query for query in raw["queries"] if query["gold"] and query.get("category") != APART]
    return [measures(ranked(role, query, turns), set(map(str, query["gold"]))) for query in asked]


def run(file: Path, backend: str, most: int | None) -> dict[str, Any]:
    """Both ways of filling a memory, over all roles of a file."""
    grown, added, counts = list[dict[str, float]](), list[dict[str, float]](), {"turns": 0, "memories": 0, "by_type": {}, "seconds": 0.0}
    roles = orjson.loads(file.read_bytes())["roles"][:most]
    with tempfile.TemporaryDirectory() as scratch, Home.open(scratch, {"embedding.backend": backend, **NO_MODEL}) as home:
        for number, raw in enumerate(roles):
            by_hand = home.create(f"hand {number}")
            by_hand.remember_all([fields(memory) for memory in raw["memories"]])
            role = home.create(f"grown {number}")
            started = time.perf_counter()
            turns = lived(role, raw["memories"])
            counts["seconds"] += time.perf_counter() - started  # type: ignore[operator]
            for one in (by_hand, role):
                one.ready(600.0)
            grown += judged(role, raw, turns)
            added += judged(by_hand, raw, None)
            _count(counts, role, raw)
    return {"file": file.name, **counts, "grown": mean(grown), "by_hand": mean(added)}


def _count(counts: dict[str, Any], role: RoleMemory, raw: Mapping[str, Any]) -> None:
    counts["turns"] += len(raw["memories"])
    counts["memories"] += len(role.memories)
    for memory in role.memories.values():
        counts["by_type"][memory.type.value] = counts["by_type"].get(memory.type.value, 0) + 1


def main() -> None:
    """Print one JSON object per file."""
    parser = argparse.ArgumentParser(description="What is left of conversations that were lived through.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--words-only", action="store_true")
    parser.add_argument("--roles", type=int, help="only so many roles of each file")
    options = parser.parse_args()
    for file in options.files:
        print(json.dumps(run(file, "off" if options.words_only else "auto", options.roles), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
