"""Mutated memory.json, journals and state: whatever stands there, nothing but our own errors comes out, and soon.

    python -m tests.durability.mutated --files 100000

Prints one JSON object: files, uncaught, slowest in seconds, highest memory in MB.
"""

import argparse
import json
import os
import random
import shutil
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from rolememory.errors import RoleMemoryError
from rolememory.storage.files.log import parsed
from rolememory.storage.journal_records import decoded
from rolememory.storage.memory_file import BrokenFileError, read
from tests.durability.malformed import GOOD
from tests.peak import peak_mb
from tests.storage.roles import add, put, store_at

TOKENS = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"\\",
    b"null",
    b"1e999",
    b"-0",
    b"99999999999999999999",
    b'"id"',
    b'"type"',
    b'"tag"',
]
TOKENS += [
    '"，'.encode(),
    b"\x00",
    b"\xff",
    b"\\ud800",
    b'"created"',
    b"true",
    b'""',
    b'{"content":"x"}',
    b'"through":-1',
    b"[[[[[[",
]
WHOLE = 0.02  # share of files that go through a whole store, with commits and folds; the others are only read


def run(files: int, seed: int = 0) -> dict[str, Any]:
    """Read so many mutated files."""
    chance, parts = random.Random(seed), _parts()
    result: dict[str, Any] = {"files": 0, "uncaught": 0, "slowest_s": 0.0}
    for _ in range(files):
        name = chance.choice(list(parts))
        data, began = mutated(parts[name], chance), time.monotonic()
        try:
            _try(name, data, parts, chance.random() < WHOLE)
        except Exception:
            result["uncaught"] += 1
            result.setdefault("first", traceback.format_exc()[-1500:] + repr(data[:300]))
        result["files"] += 1
        result["slowest_s"] = max(result["slowest_s"], round(time.monotonic() - began, 3))
    return {**result, "memory_mb": round(peak_mb())}


def _parts() -> dict[str, bytes]:
    """The files of a role that has lived a little."""
    folder = Path(tempfile.mkdtemp(prefix="mutated-"))
    (folder / "memory.json").write_text(GOOD, "utf-8")
    store = store_at(folder)
    store.commit([add("c", "learned", type="goal"), put("a", weight=0.5)])
    store.checkpoint()
    store.commit([put("b", mood={"deep": 2}), add("d")])
    names = ["memory.json", "journal/1.jsonl", "state/last-good.json"]
    found = {name: (folder / name).read_bytes() for name in names}
    shutil.rmtree(folder)
    return found


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes with a few changes: flips, cuts, doublings, tokens put in or written over."""
    for _ in range(chance.choice([1, 1, 2, 3, 8])):
        at, end = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
        end = min(end, at + 40)
        new = chance.choice(
            [
                b"",
                data[at:end] * 2,
                chance.choice(TOKENS),
                bytes([chance.randrange(256)]),
                data[at:end][::-1],
            ]
        )
        data = data[:at] + new + data[chance.choice([at, end, min(at + len(new), len(data))]) :]
    return data


def _try(name: str, data: bytes, parts: dict[str, bytes], whole: bool) -> None:
    if whole:
        _live({**parts, name: data})
    elif name.startswith("journal"):
        for append in parsed(data)[0]:
            for line in append.lines:
                decoded(line)
    else:
        try:
            read(data)
        except BrokenFileError as error:
            for problem in error.problems:
                problem.text("zh")


def _live(parts: dict[str, bytes]) -> None:
    """Open a role made of these files, write, fold, look again."""
    folder = Path(
        tempfile.mkdtemp(prefix="mutated-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
    )
    try:
        for name, data in parts.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(data)
        os.utime(folder / "memory.json", (1, 1))
        store = store_at(folder)
        before = set(store.snapshot().memories)
        try:
            store.commit([add("fresh")])
            store.checkpoint(force=True)
        except RoleMemoryError:
            before.discard("fresh")
        else:
            before.add("fresh")
        after = set(store_at(folder).snapshot().memories)
        assert after == before, f"{sorted(before)} became {sorted(after)}"
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    print(json.dumps(run(given.files, given.seed), ensure_ascii=False))


if __name__ == "__main__":
    main()
