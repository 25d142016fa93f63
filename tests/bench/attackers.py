"""What giant requests cost the others: `python -m tests.bench.attackers [--attackers 100] [--requests 200]` prints one JSON object.

People chat with a role through the proxy, a few at once, in turns alone and beside attackers who send nothing but giant
requests to the same role, as fast as they are answered: many messages, huge texts, texts that patterns are slow on, and lines
that are closed while they are worked on. What the proxy adds to a first chunk is the time through it less the time to the model
itself, measured in turns; `ratio` is how many times the 95th percentile of that grew.
"""

import argparse
import asyncio
import json
import os
import signal
import tempfile
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from tests.bench.proxy import Times, added, compared, cpu_s, in_turns, proxy, running

AT_ONCE, WARM, ROUNDS, PAUSE_S = 4, 3, 4, 0.02
MOST_S = 60  # that a server may take for what it was asked before
HANG_UP_S = 0.3
PATTERN = r"/(?:h+)+x(?=\d)/"


def giants() -> dict[str, bytes]:
    """Bodies that cost more than they look like, by what is giant about them."""

    def body(*texts: str) -> bytes:
        voices = ("user", "assistant")
        messages = [{"role": voices[at % 2], "content": text} for at, text in enumerate(texts)]
        messages.append({"role": "user", "content": "Who keeps the lighthouse?"})
        return json.dumps({"model": "m", "stream": True, "messages": messages}).encode()

    lines = [f"{at}: lantern {at * 7919 % 997} by the harbour went dark." for at in range(50_000)]
    return {
        "many messages": body(*lines[:20_000]),
        "most messages": body(*lines[:49_999]),
        "huge texts": body(*(" ".join(lines[at : at + 20_000]) for at in range(0, 40_000, 20_000))),
        "slow patterns": body(*(f"{at} {'h' * 30} " * 100 for at in range(100))),
    }


async def attack(url: str, attackers: int) -> None:
    """Send giants until somebody ends this."""
    bodies, number, ended = list(giants().values()), count(), Counter[str]()
    host, port = url.removeprefix("http://").partition("/")[0].split(":")

    async def attacker(mine: int) -> None:
        while True:
            body = bodies[(mine + next(number)) % len(bodies)]
            head = _head(len(body), f"attacker{mine}", f"giant{next(number)}")
            try:
                async with asyncio.timeout(HANG_UP_S if mine % 10 == 9 else None):
                    ended[await _asked(host, int(port), head, body)] += 1
            except (OSError, TimeoutError) as error:
                ended[type(error).__name__] += 1
                await asyncio.sleep(PAUSE_S)

    async def noted() -> None:
        while True:
            await asyncio.sleep(1)
            print(json.dumps(ended), flush=True)

    await asyncio.gather(noted(), *map(attacker, range(attackers)))


def _head(length: int, user: str, chat: str) -> bytes:
    lines = (
        "POST /v1/chat/completions HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        "Connection: close",
        "X-Rolememory-Role: Cold",
        f"X-Rolememory-User: {user}",
        f"X-Rolememory-Chat: {chat}",
        f"Content-Length: {length}",
    )
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


async def _asked(host: str, port: int, head: bytes, body: bytes) -> str:
    """The status of the answer, which is read to its end."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(head)
        writer.write(body)
        first = await reader.readline()
        while await reader.read(65_536):
            pass
        return first.split(b" ")[1].decode() if first else "closed"
    finally:
        writer.close()


async def measured(ways: dict[str, str], requests: int, attackers: int, pid: int) -> dict[str, Any]:
    """The same chats alone and beside attackers, round about, so that what else the machine does falls on both."""
    await compared(ways, WARM * AT_ONCE, AT_ONCE)
    alone, beside = ({name: Times() for name in ways} for _ in range(2))
    command = ("tests.bench.attackers", "--attack", ways["memory"], "--attackers", str(attackers))
    with running(*command, until="^({.*})$") as (_, attacking):
        for _ in range(ROUNDS):
            await in_turns(ways, requests // ROUNDS, AT_ONCE, beside)
            os.kill(attacking, signal.SIGSTOP)
            try:
                await quiet(pid)
                await in_turns(ways, requests // ROUNDS, AT_ONCE, alone)
            finally:
                os.kill(attacking, signal.SIGCONT)
    found = {"alone": added(alone), "beside": added(beside)}
    ratios = {
        key: round(
            found["beside"]["memory"]["added"][key] / found["alone"]["memory"]["added"][key], 2
        )
        for key in ("first_median_ms", "first_p95_ms")
    }
    return {**found, "ratio": ratios}


async def quiet(pid: int) -> None:
    """Wait until a server has done what it was asked."""
    for _ in range(MOST_S):
        before = cpu_s(pid)
        await asyncio.sleep(1)
        if cpu_s(pid) - before < 0.05:
            return


def told(url: str) -> None:
    """Give the role a memory with a pattern that is slow on what attackers send."""
    root = url.removesuffix("/v1")
    role = httpx.get(f"{root}/api/roles", timeout=60, trust_env=False, verify=False).json()[
        "items"
    ][0]["id"]
    memory = {"content": "Nobody knows the number of the hut.", "keys": [PATTERN]}
    answer = httpx.post(
        f"{root}/api/roles/{role}/memories", json=memory, timeout=60, trust_env=False, verify=False
    )
    answer.raise_for_status()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=200, help="of the others, on each way")
    parser.add_argument("--attackers", type=int, default=100)
    parser.add_argument("--attack", metavar="URL", help="be the attackers")
    given = parser.parse_args()
    if given.attack:
        os.nice(19)  # they stand for other machines
        asyncio.run(attack(given.attack, given.attackers))
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        running("tests.bench.proxy", "--model", until=r"^(\d+)$") as (port, _),
    ):
        upstream = f"http://127.0.0.1:{port}/v1"
        with proxy(Path(folder) / "on", upstream, True) as (on, pid):
            told(on)
            figures = asyncio.run(
                measured({"direct": upstream, "memory": on}, given.requests, given.attackers, pid)
            )
    print(
        json.dumps(
            {
                "attackers": given.attackers,
                "cores": os.cpu_count(),
                "load": [round(one, 1) for one in os.getloadavg()],
                **figures,
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
