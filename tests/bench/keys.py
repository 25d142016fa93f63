"""How long it takes to find keys in a text: `python -m tests.bench.keys` prints one JSON object.

Keys: a third Latin words, a third two Latin words, a third Chinese of two to four characters. Texts: both languages mixed,
each a fresh one, so nothing comes from a cache. Times in milliseconds, medians.
"""

import json
import random
from collections.abc import Callable
from statistics import median
from time import perf_counter

from rolememory.schema.scene import Segment
from rolememory.text.keys import KeyIndex, KeyScan, KeySpec

SYLLABLES = [
    "ba",
    "ke",
    "lo",
    "mi",
    "nu",
    "ra",
    "se",
    "ti",
    "vo",
    "zu",
    "har",
    "bor",
    "dra",
    "gon",
    "lan",
    "tern",
    "wick",
    "storm",
]
HAN = "灯塔风暴海港船长龙山河星月夜雨雪火剑王城门桥林花鸟鱼石金银铁木水土云雾光影声"


def word(chance: random.Random) -> str:
    """An invented Latin word."""
    return "".join(chance.choices(SYLLABLES, k=chance.randint(2, 4)))


def han(chance: random.Random, low: int, high: int) -> str:
    """Some Han characters."""
    return "".join(chance.choices(HAN, k=chance.randint(low, high)))


def keys(count: int, chance: random.Random) -> list[str]:
    """So many different keys."""
    makers: list[Callable[[], str]] = [
        lambda: word(chance),
        lambda: f"{word(chance)} {word(chance)}",
        lambda: han(chance, 2, 4),
    ]
    found: dict[str, None] = {}
    while len(found) < count:
        found[makers[len(found) % 3]()] = None
    return list(found)


def text(length: int, known: list[str], chance: random.Random) -> str:
    """A text of about that length, half of each language, with some of the keys in it."""
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        parts.append(" ".join(word(chance).capitalize() for _ in range(8)) + ". ")
        parts.append(han(chance, 30, 50) + "，" + chance.choice(known) + "。")
    return "".join(parts)[:length]


def milliseconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    begun = perf_counter()
    work()
    return (perf_counter() - begun) * 1000


def measure(count: int, length: int, chance: random.Random) -> dict[str, float | int]:
    """One row: so many keys over texts of that length."""
    known = keys(count, chance)
    specs = [KeySpec(key) for key in known]
    built: list[KeyIndex] = []
    build = milliseconds(lambda: built.append(KeyIndex(specs)))
    index = built[0]
    texts = [text(length, known, chance) for _ in range(15)]
    update = median(
        milliseconds(
            lambda number=number: index.updated([KeySpec(f"new key {number}")], [specs[number]])
        )
        for number in range(15)
    )
    first = median(milliseconds(lambda one=one: index.read(one)) for one in texts)
    again = median(
        milliseconds(lambda one=one: KeyScan(index, [Segment(one)]).keys_seen()) for one in texts
    )
    row = {"build_ms": build, "update_ms": update, "read_ms": first, "read_again_ms": again}
    return {
        "keys": count,
        "characters": length,
        "seen": len(index.read(texts[0])),
        **{name: round(value, 3) for name, value in row.items()},
    }


def main() -> None:
    """Print the table."""
    chance = random.Random(7)
    sizes = [(100, 2_000), (1_000, 2_000), (1_000, 8_000), (10_000, 2_000), (10_000, 8_000)]
    print(
        json.dumps({"rows": [measure(count, length, chance) for count, length in sizes]}, indent=1)
    )


if __name__ == "__main__":
    main()
