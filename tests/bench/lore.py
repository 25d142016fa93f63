"""How long a scan of lorebooks takes: `python -m tests.bench.lore` prints one JSON object.

Entries with two or three keys, a third of them Chinese; a window of about 8000 characters in four messages. Every round reads a
chat that no cache has seen in its newest message, as a turn does. Times in milliseconds, medians and the 95th percentile; `cpu` is
processor time, which other programs on the machine disturb less. "dense" rows have keys so short that more than a thousand entries
meet one in every window.
"""

import argparse
import json
import os
import random
from collections.abc import Callable, Iterator
from itertools import product
from statistics import median, quantiles
from time import perf_counter, process_time

from rolememory.recall.lore.index import LoreIndex
from rolememory.recall.lore.scan import scan
from rolememory.schema.lorebook import Lorebook, LoreEntry
from rolememory.schema.message import Message
from rolememory.schema.settings import ScanSettings
from tests.bench.keys import han, keys, text, word

ROUNDS = 40


def pattern(chance: random.Random) -> str:
    """A key that is a pattern, as authors write them."""
    kinds = [
        f"/{word(chance)}(s|es)?/i",
        f"/\\b{word(chance)}\\b/",
        f"/(?:{han(chance, 2, 2)}|{han(chance, 2, 2)})/",
        f"/{word(chance)}.{{0,9}}{word(chance)}/i",
    ]
    return chance.choice(kinds)


def long_keys(count: int, chance: random.Random) -> list[str]:
    """Keys as long as names are, which no text contains by accident."""
    makers: list[Callable[[], str]] = [
        lambda: word(chance) + word(chance),
        lambda: f"{word(chance)} {word(chance)}",
        lambda: han(chance, 3, 5),
    ]
    found: dict[str, None] = {}
    while len(found) < count:
        found[makers[len(found) % 3]()] = None
    return list(found)


def book(
    count: int, patterns: float, dense: bool, chance: random.Random
) -> tuple[Lorebook, list[str]]:
    """A book of so many entries, and its keys."""
    known = (keys if dense else long_keys)(count * 5 // 2, chance)
    pool = iter(known)
    entries = []
    for number in range(count):
        mine = [next(pool) for _ in range(2 + number % 2)]
        if chance.random() < patterns:
            mine[0] = pattern(chance)
        told = f"{word(chance).capitalize()} {word(chance)}. {han(chance, 12, 30)}。 {chance.choice(known)}"
        entries.append(
            LoreEntry(
                id=str(number),
                content=told,
                keys=tuple(mine),
                insertion_order=chance.randint(1, 200),
            )
        )
    return Lorebook(name="bench", entries=tuple(entries)), known


def chats(known: list[str], chance: random.Random, window: int = 8000) -> Iterator[list[Message]]:
    """A chat that grows by one message each round; four messages are the window of so many characters."""
    said = [Message.user(text(window // 4, known, chance)) for _ in range(4)]
    while True:
        said = [*said[1:], Message.user(text(window // 4, known, chance))]
        yield said


def measure(
    count: int, patterns: float, dense: bool, settings: ScanSettings, window: int = 8000
) -> dict[str, float | int]:
    """One row."""
    chance = random.Random(7)
    lore, known = book(count, patterns, dense, chance)
    begun = perf_counter()
    index = LoreIndex([lore], settings)
    assert len(index.keys)
    built = (perf_counter() - begun) * 1000
    times, cpu, asked, awake = [], [], [], []
    for _, chat in zip(range(ROUNDS + 5), chats(known, chance, window), strict=False):
        begun, worked = perf_counter(), process_time()
        answer = scan(index, chat)
        times.append((perf_counter() - begun) * 1000)
        cpu.append((process_time() - worked) * 1000)
        asked.append(sum(len(trace.candidates) for trace in answer.passes))
        awake.append(len(answer.awake))
    warm = times[5:]
    return {
        "build_ms": round(built, 1),
        "median_ms": round(median(warm), 2),
        "p95_ms": round(quantiles(warm, n=20)[-1], 2),
        "cpu_ms": round(median(cpu[5:]), 2),
        "candidates": round(median(asked)),
        "awake": round(median(awake)),
    }


def edit(count: int) -> float:
    """Milliseconds to take in the edit of one entry."""
    chance = random.Random(7)
    lore, _ = book(count, 0.0, False, chance)
    index = LoreIndex([lore], ScanSettings())
    assert len(index.keys)
    changed = lore.entries[5].model_copy(update={"keys": ("a new key",)})
    fresh = lore.model_copy(update={"entries": (*lore.entries[:5], changed, *lore.entries[6:])})
    begun = perf_counter()
    assert len(index.updated([fresh]).keys)
    return round((perf_counter() - begun) * 1000, 1)


def main() -> None:
    """All rows: every size and window under the default rules, and the largest window also under the exact ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, nargs="+", default=[10_000])
    parser.add_argument("--windows", type=int, nargs="+", default=[8000], help="characters")
    asked = parser.parse_args()
    plans = (
        ("recursion off", 0.0, False, False),
        ("recursion on", 0.0, False, True),
        ("patterns 5 %, recursion on", 0.05, False, True),
        ("dense, recursion on", 0.0, True, True),
    )
    rows = {}
    for rules, count, window in product(("default", "sillytavern"), asked.entries, asked.windows):
        for name, patterns, dense, recursive in plans:
            settings = ScanSettings.model_validate(
                {"rules": rules, "scan_depth": 4, "recursive": recursive}
            )
            rows[f"{rules}, {count} entries, {window} characters: {name}"] = measure(
                count, patterns, dense, settings, window
            )
    edits = {count: edit(count) for count in asked.entries}
    print(json.dumps({"rows": rows, "edit_ms": edits, "load": os.getloadavg()}, indent=2))


if __name__ == "__main__":
    main()
