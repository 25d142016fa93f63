"""Writers are killed at random points; what they were told is written must be there, and the file readable.

    python -m tests.durability.kill --times 10000 --writers 4

Prints one JSON object: kills, acknowledged writes, lost, unreadable.
"""

import argparse
import json
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.durability.processes import forked
from tests.storage.roles import add, put, store_at, take

ROUNDS_PER_FOLDER = 25
Expected = dict[str, set[str | None]]  # id -> what may stand there; None = nothing


def run(times: int, writers: int, seed: int = 0) -> dict[str, Any]:
    """Kill `writers` processes at once until `times` of them died."""
    chance = random.Random(seed)
    result: dict[str, Any] = {
        "kills": 0,
        "acknowledged": 0,
        "lost": 0,
        "unreadable": 0,
        "gave_up": 0,
        "writers": writers,
    }
    while result["kills"] < times:
        folder = Path(tempfile.mkdtemp(prefix="kill-"))
        expected: Expected = {}
        for number in range(ROUNDS_PER_FOLDER):
            if result["kills"] >= times:
                break
            _round(folder, writers, chance, number, expected, result)
        shutil.rmtree(folder)
    return result


def _round(
    folder: Path,
    writers: int,
    chance: random.Random,
    number: int,
    expected: Expected,
    result: dict[str, Any],
) -> None:
    children = [_spawn(folder, f"{number}-{who}", chance.random()) for who in range(writers)]
    time.sleep(chance.uniform(0.0, chance.choice([0.02, 0.05, 0.15])) * writers**0.5)
    for pid, _ in children:
        os.kill(pid, signal.SIGKILL)
    for pid, pipe in children:
        if os.WIFEXITED(os.waitpid(pid, 0)[1]):
            result["gave_up"] += 1  # a writer ended by itself: an exception
        result["kills"] += 1
        result["acknowledged"] += _told(pipe, expected)
    _check(folder, expected, result)


def _spawn(folder: Path, name: str, seed: float) -> tuple[int, int]:
    reads, writes = os.pipe()

    def work() -> int:
        os.close(reads)
        return _write(folder, name, seed, writes)

    pid = forked(work)
    os.close(writes)
    return pid, reads


def _write(folder: Path, name: str, seed: float, pipe: int) -> int:
    """Commit until killed; tell before and after each commit what it is."""
    chance = random.Random(seed)
    store = store_at(folder, fold_lines=chance.choice([2, 5, 50]), fold_idle_s=0.002)
    mine: list[str] = []
    for number in range(10_000):
        kind = chance.choice(["add", "add", "set", "remove"]) if mine else "add"
        target = f"m{name}-{number}" if kind == "add" else chance.choice(mine)
        value = None if kind == "remove" else f"v{number}"
        word = json.dumps([target, value]).encode() + b"\n"
        os.write(pipe, b"?" + word)
        store.commit(
            [
                {
                    "add": add(target, value or ""),
                    "set": put(target, content=value),
                    "remove": take(target),
                }[kind]
            ]
        )
        os.write(pipe, b"!" + word)
        if kind == "add":
            mine.append(target)
        elif kind == "remove":
            mine.remove(target)
        if chance.random() < 0.1:
            store.checkpoint()
    return 0


def _told(pipe: int, expected: Expected) -> int:
    """Read what a writer told; a write that was only announced may have happened or not."""
    acknowledged = 0
    for row in _rows(pipe):
        target, value = json.loads(row[1:])
        if row.startswith("!"):
            expected[target] = {value}
            acknowledged += 1
        else:
            expected.setdefault(target, {None}).add(value)
    return acknowledged


def _rows(pipe: int) -> Iterator[str]:
    with os.fdopen(pipe, encoding="utf-8") as told:
        for row in told:
            if row.endswith("\n"):
                yield row


def _check(folder: Path, expected: Expected, result: dict[str, Any]) -> None:
    snapshot = store_at(folder).snapshot()
    if not snapshot.writable or any(problem.code == "bad_line" for problem in snapshot.problems):
        result["unreadable"] += 1
        result.setdefault("problems", []).extend(problem.text() for problem in snapshot.problems)
    for name, allowed in expected.items():
        memory = snapshot.memories.get(name)
        found = memory.content if memory else None
        if found not in allowed:
            result["lost"] += 1
        expected[name] = {found}
    result["lost"] += sum(name not in expected for name in snapshot.memories)


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=10_000)
    options.add_argument("--writers", type=int, default=4)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    print(json.dumps(run(given.times, given.writers, given.seed)))


if __name__ == "__main__":
    main()
