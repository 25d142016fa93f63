"""What bad servers cost a chat: `python -m tests.bench.upstreams` prints one JSON object.

A role recalls and is touched twenty times over, as an engine does every turn, while the model behind it does what a row of
`tests.learn.model.behaviours` says; the breaker's clock moves on by half a minute a turn. Then the server gets well.
"""

import json
import logging
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from rolememory.engine import Home, RoleMemory
from rolememory.schema.message import Message
from tests.endpoint import Endpoint, answers
from tests.learn.model.behaviours import CHAT, GOOD, ROWS, Row
from tests.learn.model.house import House

TURNS = 20
PACE_S = 31.0
TIMEOUT_S = 0.2
ALLOWED_S = TIMEOUT_S + 0.5


@dataclass
class Cost:
    """Of one behaviour, over twenty turns."""

    row: str
    worst_ms: float
    median_ms: float
    longest_look_s: float  # in the background, which nobody waits for
    requests: int
    at_once: int
    raised: int
    lost: int  # exchanges that neither wait nor were read with the facts that were to be kept
    recovered: bool


def measured(row: Row, role: RoleMemory, folder: Path) -> Cost:
    """Twenty turns with one behaviour."""
    messages = [Message.user(line.partition(": ")[2]) for line in CHAT]
    times, looks, raised = [], [], 0
    script = row.script() or [answers(GOOD)]
    with (
        Endpoint(*script) as server,
        House(
            folder, row.url or server.url, *CHAT, timeout_s=TIMEOUT_S if row.hangs else 5.0
        ) as house,
    ):
        for _ in range(TURNS):
            began = perf_counter()
            try:
                role.recall(messages, dry_run=True)
                house.behind.touch("harbour")
            except Exception:
                raised += 1
            times.append(perf_counter() - began)
            house.behind.settle(30.0)
            looks.append(perf_counter() - began)
            house.seconds += PACE_S
        told = house.behind.status()
        requests, waits = max(len(server.requests), told["requests"]), bool(told["queue"])
        kept = len(house.kept)
        recovered = not waits or _recovers(house, server)
    lost = int(waits == (row.kept is not None) or (row.kept is not None and kept != row.kept))
    return Cost(
        row.name,
        max(times) * 1000,
        median(times) * 1000,
        max(looks),
        requests,
        server.most_at_once,
        raised,
        lost,
        recovered,
    )


def _recovers(house: House, server: Endpoint) -> bool:
    server.now(answers(GOOD))
    house.set(endpoint=server.url, timeout_s=5.0)
    house.seconds += 3601.0
    return house.behind.run().drafts == len(GOOD["facts"])


def main() -> int:
    """Measure every row; 1 when a promise is broken."""
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as place:
        home = Home.open(Path(place) / "home", settings={"embedding.backend": "off"})
        role = home.create("Mira")
        role.remember("Lin came from Rome to the harbour.", keys=["Rome", "harbour"])
        role.recall(
            [Message.user("Hello.")]
        )  # the first turn of a process loads what all others use
        costs = [
            measured(row, role, Path(place) / f"row {number}") for number, row in enumerate(ROWS)
        ]
    worst = max(costs, key=lambda cost: cost.worst_ms)
    told = {
        "behaviours": len(costs),
        "turns_each": TURNS,
        "worst_turn_ms": round(worst.worst_ms, 1),
        "worst_behaviour": worst.row,
        "median_turn_ms": round(median(cost.median_ms for cost in costs), 2),
        "allowed_turn_ms": ALLOWED_S * 1000,
        "longest_look_s": round(max(cost.longest_look_s for cost in costs), 2),
        "most_requests_in_20_turns": max(cost.requests for cost in costs),
        "most_requests_at_once": max(cost.at_once for cost in costs),
        "raised": sum(cost.raised for cost in costs),
        "lost": sum(cost.lost for cost in costs),
        "recovered": f"{sum(cost.recovered for cost in costs)} of {len(costs)}",
        "costs": [asdict(cost) for cost in costs] if "--all" in sys.argv else [],
    }
    kept = (
        told["most_requests_in_20_turns"] <= 8
        and not told["raised"]
        and not told["lost"]
        and all(cost.recovered for cost in costs)
    )
    print(json.dumps(told, ensure_ascii=False, indent=2))
    return 0 if kept and worst.worst_ms <= ALLOWED_S * 1000 else 1


if __name__ == "__main__":
    sys.exit(main())
