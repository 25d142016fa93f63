"""What a whole turn of `RoleMemory.observe` costs beside a bare append with fsync, and how long learning takes. Prints one JSON object.

    python -m tests.bench.observe_turn [--sizes 10 1000] [--turns 100] [--exchanges 500]

By rules alone. The history is passed whole each time, an exchange longer than the last. A bare append of the same bytes is timed before
each look, in the same folder; `to_bare` is median by median. `until_learned` runs from the call until `learned()` returns. `throughput`
observes so many exchanges one after another and waits for all that is to be learned of them.
"""

import argparse
import json
import os
import random
import statistics
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from rolememory.engine import Home, RoleMemory
from rolememory.schema.message import Message
from tests.bench.observe import BareAppends, timed
from tests.bench.speed import summary
from tests.learning.sentences import message

SETTINGS = {"embedding.backend": "off"}


def exchange(chance: random.Random) -> list[Message]:
    """What user and character say."""
    return [Message.user(message(chance, "user")), Message.assistant(message(chance, "assistant"))]


def grown(mind: RoleMemory, messages: int, chance: random.Random) -> list[Message]:
    """A chat of so many messages, observed and learned."""
    history = [one for _ in range(messages // 2) for one in exchange(chance)]
    mind.observe(history, chat="bench", user="lin")
    mind.learned()
    return history


def of_size(size: int, turns: int, seed: int = 1) -> dict[str, Any]:
    """Looks at a chat of so many messages."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name, Home.open(Path(name) / "home", SETTINGS) as home:
        mind = home.create("Mira")
        history = grown(mind, size, chance)
        history += exchange(chance)
        mind.observe(history, chat="bench", user="lin")
        mind.learned()
        bare = BareAppends(
            Path(name) / "bare",
            mind.chats.info("bench").file.read_bytes().splitlines(keepends=True)[-1],
        )
        looks, learning = list[float](), list[float]()
        for _ in range(turns):
            bare()
            history += exchange(chance)
            looks.append(timed(partial(mind.observe, history, chat="bench", user="lin")))
            learning.append(looks[-1] + timed(mind.learned))
        memories = len(mind.memories)
    return {
        "messages": size,
        "memories": memories,
        "bare_append_fsync": summary(bare.ms),
        "observe": summary(looks),
        "to_bare": round(statistics.median(looks) / statistics.median(bare.ms), 2),
        "until_learned": summary(learning),
    }


def throughput(exchanges: int, seed: int = 1) -> dict[str, Any]:
    """Exchange after exchange, and then all that was to be learned."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name, Home.open(Path(name) / "home", SETTINGS) as home:
        mind, history = home.create("Mira"), list[Message]()

        def all_of_them() -> None:
            for _ in range(exchanges):
                history.extend(exchange(chance))
                mind.observe(history, chat="bench", user="lin")

        observing = timed(all_of_them)
        waiting = timed(mind.learned)
        memories = len(mind.memories)
    return {
        "exchanges": exchanges,
        "memories": memories,
        "observing_s": round(observing / 1000, 2),
        "then_learning_s": round(waiting / 1000, 2),
        "exchanges_per_s": round(exchanges / (observing + waiting) * 1000, 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 1000])
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--exchanges", type=int, default=500)
    asked = parser.parse_args()
    sizes = [of_size(size, asked.turns) for size in asked.sizes]
    print(
        json.dumps(
            {
                "load_average": os.getloadavg()[0],
                "sizes": sizes,
                "throughput": throughput(asked.exchanges),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
