"""Files that are not JSON in hundreds of ways: the last good set answers, writes are refused with file and place, the bytes stay.

    python -m tests.durability.malformed --files 600

Prints one JSON object: files, bad ones, what was wrong with the first of them.
"""

import argparse
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from rolememory.errors import ReadOnlyRoleError
from tests.storage.roles import add, store_at

DOCUMENT = {
    "$schema": "../memory.schema.json",
    "version": 1,
    "through": 0,
    "episodic": [
        {
            "id": "a",
            "content": "The beacon failed in the storm of 1887.",
            "keys": ["beacon", "storm"],
            "weight": 1.5,
        },
        {
            "id": "b",
            "content": "灯塔在暴风雨里熄灭了。",
            "keys": ["灯塔"],
            "created": "2024-05-01T18:00:00Z",
            "mood": {"deep": [1, {}]},
        },
    ],
    "traits": ["She keeps her promises."],
    "later": {"unknown": True},
}
GOOD = json.dumps(DOCUMENT, ensure_ascii=False, indent=2)
Break = Callable[[bytes, random.Random], bytes]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _zeros(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes(len(data) - at)


def _all_zeros(data: bytes, chance: random.Random) -> bytes:
    return bytes(chance.randrange(4096))


def _without_a_mark(data: bytes, chance: random.Random) -> bytes:
    at = chance.choice([place for place, byte in enumerate(data) if byte in b'{}[],:"'])
    return data[:at] + data[at + 1 :]


def _with_a_mark(data: bytes, chance: random.Random) -> bytes:
    at = chance.choice([place for place, byte in enumerate(data) if byte in b"{}[],:"])
    return data[:at] + chance.choice([b",", b":", b"}", b"]", b"//", b"'"]) + data[at:]


def _full_width(data: bytes, chance: random.Random) -> bytes:
    old, new = chance.choice(
        [(",", "，"), (":", "："), ('"', "“"), ('"', "”"), ("{", "｛"), ("[", "【")]
    )
    text = data.decode()
    at = chance.choice([place for place, mark in enumerate(text) if mark == old])
    return (text[:at] + new + text[at + 1 :]).encode()


def _other_encoding(data: bytes, chance: random.Random) -> bytes:
    return data.decode().encode(chance.choice(["gbk", "utf-16", "utf-16-le"]))


def _bad_word(data: bytes, chance: random.Random) -> bytes:
    return data.replace(
        b"1.5",
        chance.choice(
            [b"NaN", b"Infinity", b"True", b"None", b"1,5", b".5", b"0x1", b"1.5.2", b"+1"]
        ),
    )


def _bad_text(data: bytes, chance: random.Random) -> bytes:
    return data.replace(
        b"storm of",
        chance.choice(
            [b"storm\nof", b"storm\\qof", b"\\ud83d", b"\\u12", b"\xff\xfe", b'"', b"\x01"]
        ),
    )


def _bad_top(data: bytes, chance: random.Random) -> bytes:
    return chance.choice(
        [
            b"null",
            b"3",
            b'"x"',
            b"true",
            data + data,
            data + b"}",
            b"{}{}",
            b'{"episodic": {}}',
            b'{"traits": "x"}',
        ]
    )


def _too_deep(data: bytes, chance: random.Random) -> bytes:
    levels = chance.choice([200, 2000])
    return data.replace(b"true", b"[" * levels + b"]" * levels)


def _merge_marks(data: bytes, chance: random.Random) -> bytes:
    return b"<<<<<<< HEAD\n" + data + b"=======\n" + data + b">>>>>>> theirs\n"


def _html(data: bytes, chance: random.Random) -> bytes:
    return b"<html><body>503 Service Unavailable</body></html>"


BREAKS: list[Break] = [
    _cut,
    _zeros,
    _all_zeros,
    _without_a_mark,
    _with_a_mark,
    _full_width,
    _other_encoding,
    _bad_word,
    _bad_text,
    _bad_top,
    _too_deep,
    _merge_marks,
    _html,
]


def run(files: int, seed: int = 0) -> dict[str, Any]:
    """So many broken files, every way in turn."""
    result: dict[str, Any] = {"files": 0, "bad": 0}
    chance = random.Random(seed)
    while result["files"] < files:
        broken = BREAKS[result["files"] % len(BREAKS)](GOOD.encode(), chance)
        if _is_fine(broken):
            continue
        result["files"] += 1
        wrong = _wrong(broken, restart=chance.random() < 0.5)
        if wrong:
            result["bad"] += 1
            result.setdefault("first", f"{wrong}: {broken[:200]!r}")
    return result


def _is_fine(data: bytes) -> bool:
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    lists = isinstance(found, list) or (
        isinstance(found, dict)
        and not any(isinstance(found.get(k), dict | str) for k in ("episodic", "traits"))
    )
    return lists and b"[" * 150 not in data


def _wrong(broken: bytes, restart: bool) -> str:
    folder = Path(tempfile.mkdtemp(prefix="malformed-"))
    try:
        return _looked_at(folder, broken, restart)
    finally:
        shutil.rmtree(folder)


def _looked_at(folder: Path, broken: bytes, restart: bool) -> str:
    path = folder / "memory.json"
    path.write_text(GOOD, "utf-8")
    store = store_at(folder)
    store.commit([add("c", "learned")])
    names = set(store.snapshot().memories)
    path.write_bytes(broken)
    os.utime(path, (1, 1))
    store = store_at(folder) if restart else store
    snapshot = store.snapshot()
    if set(snapshot.memories) != names or snapshot.writable:
        return f"answers with {set(snapshot.memories)}"
    try:
        store.commit([add("d")])
    except ReadOnlyRoleError as error:
        if "memory.json" not in str(error).partition("mended:")[2]:
            return f"does not name the file: {error}"
    else:
        return "a write was accepted"
    if not all(
        problem.place.startswith("memory.json:") and problem.text("zh")
        for problem in snapshot.problems
    ):
        return "a problem without a place"
    store.checkpoint(force=True)
    store.close()
    return "" if path.read_bytes() == broken else "the bytes are not the author's any more"


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=600)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    print(json.dumps(run(given.files, given.seed), ensure_ascii=False))


if __name__ == "__main__":
    main()
