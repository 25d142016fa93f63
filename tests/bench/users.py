"""A turn of a role with whom many users talk in turns: `python -m tests.bench.users [--users 40] [--turns 60]` prints one JSON object.

Each user has a chat of so many turns, and what their replies used is noted. Then users chosen at random ask; the first hundred turns
warm up. Milliseconds of processor time; meaning is off.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import thread_time

from rolememory import Home, Message, RoleMemory
from tests.bench.made_up import memory_file, sentences

MEMORIES, HELD = 2_000, 10  # memories of the role, and in each prompt
WARM, ASKED = 100, 100


def talked(role: RoleMemory, users: int, turns: int) -> None:
    """Everybody has said all of it."""
    said, noted = sentences(2 * users * turns, seed=5), role.parts.context.usage.uses
    ids, chance = list(role.memories), random.Random(1)
    for user in range(users):
        own = said[2 * user * turns :][: 2 * turns]
        told = [
            Message(role=("user", "assistant")[at % 2], content=one) for at, one in enumerate(own)
        ]
        chat = role.observe(told, chat=f"c{user}", user=f"u{user}").chat
        for asked in role.chats.path(chat)[::2]:
            held = chance.sample(ids, HELD)
            noted.note(chat, asked.version, held, held[:4], asked.at)
    role.learned()


def asked(role: RoleMemory, users: int) -> Iterator[float]:
    """What each turn takes."""
    chance = random.Random(2)
    for said in sentences(WARM + ASKED, seed=6):
        user = chance.randrange(users)
        began = thread_time()
        role.recall(said, chat=f"c{user}", user=f"u{user}")
        yield 1000 * (thread_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=40)
    parser.add_argument("--turns", type=int, default=60)
    given = parser.parse_args()
    settings = {"embedding.backend": "off", "storage.watch": "off"}
    with tempfile.TemporaryDirectory() as folder, Home.open(folder, settings) as home:
        role = home.create("Cold")
        memory_file(Path(role.folder) / "memory.json", sentences(MEMORIES))
        talked(role, given.users, given.turns)
        took = sorted([*asked(role, given.users)][WARM:])
    found = {"users": given.users, "turns": given.turns, "memories": MEMORIES}
    print(json.dumps({**found, "median_ms": round(median(took), 2), "p95_ms": round(took[94], 2)}))


if __name__ == "__main__":
    main()
