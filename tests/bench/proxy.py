"""What the proxy adds to a chat: `python -m tests.bench.proxy [--requests 2000] [--compared 150] [--workers 1]` prints one JSON object.

Model, proxy and frontend are three processes on loopback. The model streams chunks that carry the moment they were sent, so the way of each is
known; the same requests go to it directly and through the proxy, in turns, in the same run, one at a time and 32 at once. Then many
requests while the proxy's memory and open files are looked at: with a new reply each, which the chats keep, so memory grows with what was said;
then with replies that were given before, after which nothing new may be held. Meaning is off: what an embedding model takes is measured by
`tests.bench.speed`.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

import httpx

from rolememory import Home
from tests.bench.made_up import memory_file, sentences

MEMORIES, CHUNKS, PARALLEL, CHATS = 1_000, 20, 32, 50
WARM = 10
PACE_S = 0.002  # between chunks
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n"


@dataclass
class Times:
    """Milliseconds, of many requests."""

    first: list[float] = field(default_factory=list)  # from asking to the first chunk
    chunk: list[float] = field(
        default_factory=list
    )  # from the model's hand to the frontend's, of every later one
    cpu: list[float] = field(
        default_factory=list
    )  # of the server, until half of those who asked at once have their first chunk
    pid: int = 0  # of the server
    at_once: int = 1
    _worked: float = 0.0

    def asked(self) -> None:
        """So many ask at once, now."""
        self._worked = cpu_s(self.pid) if self.pid else 0.0

    def begun(self, ms: float) -> None:
        """An answer began so long after it was asked for."""
        self.first.append(ms)
        if self.pid and len(self.first) % self.at_once == self.at_once // 2:
            self.cpu.append(1000 * (cpu_s(self.pid) - self._worked))

    def summary(self) -> dict[str, float]:
        return {
            f"{name}_{kind}_ms": value
            for name, own in (("first", self.first), ("chunk", self.chunk), ("cpu", self.cpu))
            if own
            for kind, value in _middle(own)
        }


def _middle(own: Sequence[float]) -> Iterator[tuple[str, float]]:
    ordered = sorted(own)
    yield "median", round(median(ordered), 3)
    yield "p95", round(ordered[int(0.95 * (len(ordered) - 1))], 3)
    yield "worst", round(ordered[-1], 3)


# ── the model ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def model() -> None:
    """A server that streams chunks with the moment in them; prints its port."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (
                    int(line[15:])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                ),
                0,
            )
            seed = re.search(rb'"seed":(\d+)', (await reader.readexactly(length))[:200])
            writer.write(HEAD)
            for chunk in range(CHUNKS):
                said = int(seed[1]) * CHUNKS + chunk if seed else time.monotonic_ns()
                delta = {"choices": [{"index": 0, "delta": {"content": f"{said} "}}]}
                _chunk(writer, b"data: " + json.dumps(delta).encode() + b"\n\n")
                await writer.drain()
                await asyncio.sleep(PACE_S)
            _chunk(writer, b"data: [DONE]\n\n")
            _chunk(writer, b"")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))


# ── the frontend ─────────────────────────────────────────────────────────────────────────────────────────────────────


def body(number: int, *, seeded: bool = False) -> dict[str, Any]:
    """A request of one of fifty chats, each of twelve messages. `seeded`: the model always gives the same reply in a chat."""
    said = sentences(12, seed=7 + number % CHATS)
    voices = ("user", "assistant")
    messages = [
        {
            "role": "system",
            "content": "Write Cold's next reply in a fictional chat between Cold and Lin.",
        }
    ]
    messages += [{"role": voices[at % 2], "content": text} for at, text in enumerate(said[:11])]
    return {
        "model": "m",
        "stream": True,
        **({"seed": number % CHATS} if seeded else {}),
        "messages": messages,
        "rolememory": {"role": "Cold", "user": "Lin", "chat": f"c{number % CHATS}"},
    }


async def ask(
    client: httpx.AsyncClient, url: str, number: int, times: Times, *, seeded: bool = False
) -> None:
    """One request, its stream read to the end."""
    began = time.monotonic_ns()
    seen, said = 0, body(number, seeded=seeded)
    async with client.stream("POST", f"{url}/chat/completions", json=said) as answer:
        async for line in answer.aiter_lines():
            if not line.startswith("data: {"):
                continue
            now, seen = time.monotonic_ns(), seen + 1
            sent = int(json.loads(line[6:])["choices"][0]["delta"]["content"])
            if seen == 1:
                times.begun((now - began) / 1e6)
            else:
                times.chunk.append((now - sent) / 1e6)
    if seen != CHUNKS:
        raise RuntimeError(f"{seen} chunks of {CHUNKS} came through")


async def compared(
    ways: dict[str, str], count: int, at_once: int, pids: Mapping[str, int] = MappingProxyType({})
) -> dict[str, Any]:
    """The same requests on every way, in turns, so that what else the machine does falls on all alike."""
    found = {name: Times(pid=pids.get(name, 0), at_once=at_once) for name in ways}
    await in_turns(ways, count, at_once, found)
    return added(found)


async def in_turns(ways: dict[str, str], count: int, at_once: int, found: dict[str, Times]) -> None:
    """So many requests on every way, their times added to those found before. Each way keeps its connections, as frontends do."""
    async with AsyncExitStack() as stack:
        clients = {name: await stack.enter_async_context(client(at_once)) for name in ways}
        for start in range(0, count, at_once):
            for name, url in ways.items():
                found[name].asked()
                asked = (
                    ask(clients[name], url, start + one, found[name]) for one in range(at_once)
                )
                await asyncio.gather(*asked)


def client(at_once: int) -> httpx.AsyncClient:
    """A frontend that asks so much at once."""
    limits = httpx.Limits(max_connections=at_once)
    return httpx.AsyncClient(timeout=60, trust_env=False, verify=False, limits=limits)


def added(found: dict[str, Times]) -> dict[str, Any]:
    """What was found on every way, and what each adds to the direct one."""
    out: dict[str, Any] = {name: times.summary() for name, times in found.items()}
    direct = out["direct"]
    for name in found:
        if name != "direct":
            out[name]["added"] = {
                key: round(value - direct[key], 3)
                for key, value in out[name].items()
                if key in direct
            }
    return out


async def endured(url: str, count: int, pid: int) -> dict[str, Any]:
    """Memory and open files of the proxy after a tenth, half and all of so many requests; its own work on each.

    Then half as many requests, with the same reply in each chat: what those after the first tenth add is held for nothing.
    """
    began, worked = time.monotonic(), cpu_s(pid)
    async with client(PARALLEL) as frontend:
        looks = [look async for look in _looked_at(frontend, url, count, pid, (0.1, 0.5, 1.0))]
        took_s, cpu = time.monotonic() - began, cpu_s(pid) - worked
        again = [
            look
            async for look in _looked_at(frontend, url, count // 2, pid, (0.1, 1.0), seeded=True)
        ]
    return {
        "requests": count,
        "cpu_ms_each": round(
            1000 * cpu / count, 1
        ),  # answering and learning; what else the machine does is not in it
        "per_s": round(count / took_s, 1),
        "looks": looks,
        "grown_mb": round(looks[-1]["rss_mb"] - looks[0]["rss_mb"], 1),
        "grown_handles": looks[-1]["handles"] - looks[0]["handles"],
        "grown_by_known_replies_mb": round(again[-1]["rss_mb"] - again[0]["rss_mb"], 1),
    }


async def _looked_at(
    frontend: httpx.AsyncClient,
    url: str,
    count: int,
    pid: int,
    shares: Sequence[float],
    *,
    seeded: bool = False,
) -> AsyncIterator[dict[str, float]]:
    """So many requests, and what the proxy holds after these shares of them."""
    for start in range(0, count, PARALLEL):
        asked = range(start, min(start + PARALLEL, count))
        await asyncio.gather(*(ask(frontend, url, one, Times(), seeded=seeded) for one in asked))
        if any(start < count * share <= asked.stop for share in shares):
            yield {"requests": asked.stop, **held(pid)}


def held(pid: int) -> dict[str, float]:
    """What a process holds now: resident memory, open files."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return {"rss_mb": round(kb / 1024, 1), "handles": len(list(Path(f"/proc/{pid}/fd").iterdir()))}


def cpu_s(pid: int) -> float:
    """Processor time of a process, its threads and its children so far."""
    row = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    fields = row.rpartition(")")[2].split()
    children = (
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text(encoding="ascii").split()
    )
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(cpu_s, children))


# ── the processes ────────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def running(*arguments: str, until: str) -> Iterator[tuple[str, int]]:
    """A process that tells when it is ready: what the first line that fits says, and its id."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout is not None
        try:
            yield (
                next(found[1] for line in process.stdout if (found := re.search(until, line))),
                process.pid,
            )
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@contextmanager
def proxy(folder: Path, upstream: str, memory: bool, workers: int = 1) -> Iterator[tuple[str, int]]:
    """A server as people start it, and its first process."""
    with Home.open(folder, {"embedding.backend": "off"}) as home:
        memory_file(home.create("Cold").folder / "memory.json", sentences(MEMORIES))
    (folder / "rolememory.toml").write_text(
        f'[embedding]\nbackend = "off"\n[serve]\nmemory = {str(memory).lower()}\n', encoding="utf-8"
    )
    command = (
        "rolememory",
        "--home",
        str(folder),
        "--json",
        "serve",
        "--upstream",
        upstream,
        "--port",
        "0",
        "--workers",
        str(workers),
    )
    with running(*command, until=r'"url": "(.+)"') as found:
        yield found


async def measured(
    ways: dict[str, str], pids: Mapping[str, int], single: int, count: int
) -> dict[str, Any]:
    """All of it, after a warm-up."""
    many = -(-single // PARALLEL) * PARALLEL
    await compared(ways, WARM, 1)
    return {
        "one_at_a_time": await compared(ways, single, 1),
        f"{PARALLEL}_at_once": await compared(ways, many, PARALLEL, pids),
        "endurance": await endured(ways["memory"], count, pids["memory"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=2_000)
    parser.add_argument("--compared", type=int, default=150, help="requests on each way")
    parser.add_argument("--workers", type=int, default=1, help="processes of each server")
    parser.add_argument("--model", action="store_true", help="be the model")
    given = parser.parse_args()
    if given.model:
        asyncio.run(model())
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        running("tests.bench.proxy", "--model", until=r"^(\d+)$") as (port, _),
    ):
        upstream = f"http://127.0.0.1:{port}/v1"
        with (
            proxy(Path(folder) / "on", upstream, True, given.workers) as (on, pid),
            proxy(Path(folder) / "off", upstream, False, given.workers) as (off, other),
        ):
            ways = {"direct": upstream, "no memory": off, "memory": on}
            pids = {"no memory": other, "memory": pid}
            figures = asyncio.run(measured(ways, pids, given.compared, given.requests))
            figures["endurance without memory"] = asyncio.run(endured(off, given.requests, other))
    print(
        json.dumps(
            {
                "memories": MEMORIES,
                "chunks": CHUNKS,
                "cores": os.cpu_count(),
                "load": [round(one, 1) for one in os.getloadavg()],
                **figures,
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
