"""Whether anything grows with the length of a chat that should not. Prints one JSON object.

    python -m tests.bench.soak [--turns 1000] [--through proxy|library] [--facts | --ordinary] [--talk FILE.json] [--minutes 60]

One user talks with one character, in both languages, in one chat that shows its newest sixty messages, with a fact in every turn
(`--ordinary`: the lines of a data set, or small talk). Through the proxy, three parts play: a scripted model and a frontend here, and the server as people start it
in a process of its own, which is what is measured. Through the library it is this process. Words alone: no embedding model.

A sample every 250 turns: resident memory, processor time per turn since the last one, bytes on disk by kind, bytes said, open handles.
`disk_to_text` counts everything but backups and vectors.
"""

import argparse
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from rolememory import Home, Message
from tests.bench.prose import ordinary, turns
from tests.bench.proxy import cpu_s, held, running
from tests.endpoint import Endpoint
from tests.serve.proxy.upstreams import streams

EVERY = 250  # turns between two samples
WINDOW = 60  # messages that the frontend shows
ENDS = 500  # turns at either end that are compared
WORDS_ALONE = {"embedding.backend": "off"}
CARD = "Write Mira's next reply in a fictional chat between Mira and Lin."
Turn = Callable[[str, str], None]
"""Plays one exchange: what the user says, and what the model answers."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What is held after so many turns."""

    turns: int
    rss_mb: float
    cpu_ms_each: float  # of the turns since the sample before
    handles: float
    text_kb: float  # said so far by both
    disk_kb: Mapping[str, float]  # by kind
    disk_to_text: float


def kind(path: Path) -> str:
    """What a file of a home is for, from its path inside the role's folder.

    >>> kind(Path("chats/harbour-1f.jsonl")), kind(Path(".cache/x.vec")), kind(Path("state/uses.json"))
    ('chats', 'vectors', 'state/uses.json')
    """
    if path.parts[0] == ".cache":
        return "vectors"
    return path.as_posix() if path.parts[0] == "state" else path.parts[0]


def inside(home: Path, path: Path) -> Path:
    """Where a file stands inside its role's folder; of a file of the home itself, inside the home."""
    found = path.relative_to(home)
    return Path(*found.parts[1:]) if len(found.parts) > 1 else found


def on_disk(home: Path) -> Counter[str]:
    """Bytes by kind."""
    sizes: Counter[str] = Counter()
    for path in home.rglob("*"):
        try:
            if path.is_file():
                sizes[kind(inside(home, path))] += path.stat().st_size
        except FileNotFoundError:  # replaced while we looked
            continue
    return sizes


def ratio(sizes: Mapping[str, int], text: int) -> float:
    """How many bytes stand on disk for one that was said, backups and vectors apart.

    >>> ratio({"chats": 300, "backups": 1000, "vectors": 1000}, 100)
    3.0
    """
    counted = sum(size for name, size in sizes.items() if name not in ("backups", "vectors"))
    return round(counted / text, 2)


@contextmanager
def through_proxy(folder: Path) -> Iterator[tuple[int, Turn]]:
    """The server in its own process, a scripted model behind it, a frontend before it."""
    with Home.open(folder, WORDS_ALONE) as home:
        home.create("Mira")
    (folder / "rolememory.toml").write_text('[embedding]\nbackend = "off"\n', encoding="utf-8")
    messages: list[dict[str, str]] = []
    with (
        Endpoint(streams("")) as model,
        httpx.Client(timeout=60, trust_env=False, verify=False) as frontend,
    ):
        serve = ("--home", str(folder), "--json", "serve", "--upstream", model.url, "--port", "0")
        with running("rolememory", *serve, until=r'"url": "(.+)"') as (url, pid):

            def turn(said: str, reply: str) -> None:
                messages.append({"role": "user", "content": said})
                model.now(streams(reply))
                model.requests.clear()
                frontend.post(f"{url}/chat/completions", json=_body(messages)).raise_for_status()
                messages.append({"role": "assistant", "content": reply})
                del messages[:-WINDOW]

            yield pid, turn


def _body(messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    hint = {"role": "Mira", "user": "Lin", "chat": "long", "type": "normal"}
    head = {"role": "system", "content": CARD}
    return {"model": "m", "stream": True, "messages": [head, *messages], "rolememory": hint}


@contextmanager
def through_library(folder: Path) -> Iterator[tuple[int, Turn]]:
    """Recall before the reply and observe after it, in this process."""
    messages: list[Message] = []
    with Home.open(folder, WORDS_ALONE) as home:
        role = home.create("Mira")

        def turn(said: str, reply: str) -> None:
            messages.append(Message.user(said))
            role.recall(messages, chat="long", user="Lin")
            role.observe(messages, reply, chat="long", user="Lin")
            messages.append(Message.assistant(reply))
            del messages[:-WINDOW]

        yield os.getpid(), turn


THROUGH = {"proxy": through_proxy, "library": through_library}


def soaked(
    count: int,
    through: str,
    source: Iterator[tuple[str, str]],
    *,
    minutes: float = 60.0,
    every: int = EVERY,
) -> dict[str, Any]:
    """The samples and what they come to; fewer turns where the time is up."""
    samples, text = list[Sample](), 0
    ends = time.monotonic() + 60.0 * minutes
    with tempfile.TemporaryDirectory() as name, THROUGH[through](Path(name)) as (pid, turn):
        worked = cpu_s(pid)
        for number in range(1, count + 1):
            said, reply = next(source)
            turn(said, reply)
            text += len(said.encode()) + len(reply.encode())
            if number % every == 0:
                now = cpu_s(pid)
                samples.append(_sample(Path(name), pid, number, text, (now - worked) / every))
                worked = now
                if time.monotonic() > ends:
                    break
    return {"turns": number, "through": through, **summary(samples, every)}


def _sample(home: Path, pid: int, number: int, text: int, cpu_each_s: float) -> Sample:
    sizes, holds = on_disk(home), held(pid)
    return Sample(
        number,
        holds["rss_mb"],
        round(1000 * cpu_each_s, 1),
        holds["handles"],
        round(text / 1000, 1),
        {name: round(size / 1000, 1) for name, size in sizes.most_common()},
        ratio(sizes, text),
    )


def summary(samples: Sequence[Sample], every: int = EVERY) -> dict[str, Any]:
    """The end beside the beginning: memory against turn 500, work of the last 500 turns against that of the first."""
    if not samples:
        return {"samples": []}
    many = max(ENDS // every, 1)
    early, last = samples[min(many, len(samples)) - 1], samples[-1]
    first, end = ([one.cpu_ms_each for one in part] for part in (samples[:many], samples[-many:]))
    return {
        "memory_to_turn_500": round(last.rss_mb / early.rss_mb, 2),
        "cpu_last_to_first_500": round(sum(end) / max(sum(first), 0.1), 2),
        "disk_to_text": last.disk_to_text,
        "handles_grown": last.handles - early.handles,
        "samples": [asdict(one) for one in samples],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--through", choices=tuple(THROUGH), default="proxy")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--facts", action="store_true", help="a fact in every turn (the default)")
    how.add_argument("--ordinary", action="store_true", help="talk as people lead it")
    parser.add_argument("--talk", type=Path, help="the data set of the ordinary talk")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after so many")
    given = parser.parse_args()
    began = time.monotonic()
    source = ordinary(1, given.talk) if given.ordinary or given.talk else turns(1, told=True)
    found = soaked(given.turns, given.through, source, minutes=given.minutes)
    found |= {"facts": not (given.ordinary or given.talk)}
    found |= {"seconds": round(time.monotonic() - began), "load": round(os.getloadavg()[0], 1)}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
