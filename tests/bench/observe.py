"""What a look at a chat costs, and beside it a bare append with fsync of the same bytes. Prints one JSON object.

    python -m tests.bench.observe [--sizes 10 1000 10000] [--turns 200]

The whole history is passed each time, once as the same `Message` objects with an exchange appended (a program that keeps its chat),
once built again from text (a proxy that reads a request). A bare append is timed before each look; `beyond_fsync_ms` is the median of
what a look takes besides waiting for fsync itself.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rolememory.chats import Chats
from rolememory.schema.message import Message
from rolememory.storage.files.disk import Disk
from rolememory.storage.files.space import FileSpace
from tests.bench.speed import summary

Ask = Callable[[list[Message]], object]


def exchange(number: int) -> list[Message]:
    """What user and character say, about as long as in a real chat."""
    return [
        Message.user(
            f"Exchange {number}: is the beacon still dark, and who climbs the stairs tonight? " * 2
        ),
        Message.assistant(
            f'Reply {number}: *she lights the lamp* "It burns again," she says, and the harbour answers with a horn. '
            * 4
        ),
    ]


def chat_of(messages: int) -> list[Message]:
    """A chat of so many messages."""
    return [message for number in range(messages // 2) for message in exchange(number)]


def anew(messages: list[Message]) -> list[Message]:
    """The same messages as other objects with other strings."""
    return [
        Message(role=message.role, content="".join((message.content[:3], message.content[3:])))
        for message in messages
    ]


class WatchedDisk(Disk):
    """Knows how long it waited for fsync."""

    waited_ms = 0.0

    def fsync(self, descriptor: int) -> None:
        """Timed."""
        self.waited_ms += timed(lambda: Disk.fsync(self, descriptor))


def timed_looks(
    history: list[Message], turns: int, ask: Ask, *, fresh: bool, before: Ask
) -> list[float]:
    """Milliseconds of so many looks, each with one exchange more than the last; `before` is not timed."""
    out = []
    for turn in range(turns):
        history += exchange(10**6 + len(history) + turn)
        shown = anew(history) if fresh else history
        before(shown[:-2])
        out.append(timed(lambda shown=shown: ask(shown)))
    return out


class BareAppends:
    """Appends bytes with one write and one fsync, the file opened and closed each time; and how long that took."""

    def __init__(self, path: Path, line: bytes) -> None:
        self.path, self.line = path, line
        self.ms: list[float] = []

    def __call__(self, shown: object = None) -> None:
        """Once more."""
        self.ms.append(timed(self._append))

    def _append(self) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(descriptor, self.line)
        os.fsync(descriptor)
        os.close(descriptor)


def beyond(disk: WatchedDisk, ask: Ask, out: list[float], cpu: list[float]) -> Ask:
    """The same look, that also writes down what it took besides fsync, and how much of it was work (a busy machine makes one wait)."""

    def watched(shown: list[Message]) -> None:
        disk.waited_ms = 0.0
        began = time.thread_time()
        took = timed(lambda: ask(shown))
        cpu.append((time.thread_time() - began) * 1000)
        out.append(took - disk.waited_ms)

    return watched


def of_size(size: int, turns: int) -> dict[str, Any]:
    """Looks at a chat of so many messages."""
    with tempfile.TemporaryDirectory() as name:
        folder, history, disk = Path(name), chat_of(size), WatchedDisk()
        chats = Chats(FileSpace(folder, disk=disk))

        def observe(shown: list[Message]) -> None:
            chats.observe(shown, chat="bench")

        first = timed(lambda: observe(history))
        observe(history.__iadd__(exchange(0)))
        line = chats.info("bench").file.read_bytes().splitlines(keepends=True)[-1]
        bare, beyond_same, beyond_other, cpu = (
            BareAppends(folder / "bare", line),
            list[float](),
            list[float](),
            list[float](),
        )
        same = timed_looks(
            history, turns, beyond(disk, observe, beyond_same, cpu), fresh=False, before=bare
        )
        timed_looks(
            history,
            max(turns // 4, 10),
            beyond(disk, observe, beyond_other, []),
            fresh=True,
            before=bare,
        )
        observe(history)
        idle = [timed(lambda: observe(history)) for _ in range(turns)]
        glimpses = timed_looks(
            history,
            turns,
            lambda shown: chats.preview(shown, chat="bench"),
            fresh=False,
            before=observe,
        )
        swiped = [
            [*history[:-1], Message.assistant(f"Swipe {number}.")]
            for number in range(max(turns // 10, 5))
        ]
        swipes = [timed(lambda shown=shown: observe(shown)) for shown in swiped]
        reread = timed(lambda: Chats(FileSpace(folder)).path("bench"))
        visibility = [timed(lambda: chats.visible_from("bench")) for _ in range(turns)]
    return {
        "messages": size,
        "line_bytes": len(line),
        "bare_append_fsync": summary(bare.ms),
        "observe_appended": summary(same),
        "observe_to_bare": round(statistics.median(same) / statistics.median(bare.ms), 2),
        "beyond_fsync": summary(beyond_same),
        "observe_cpu": summary(cpu),
        "beyond_fsync_built_anew": summary(beyond_other),
        "observe_nothing_new": summary(idle),
        "glimpse_appended": summary(glimpses),
        "observe_swipe": summary(swipes),
        "visible_from": summary(visibility),
        "first_observe_of_all_ms": round(first, 1),
        "read_again_ms": round(reread, 1),
    }


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one run."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def generations(chats: int) -> dict[str, Any]:
    """What it costs to ask whether any of so many chats changed."""
    with tempfile.TemporaryDirectory() as name:
        room = Chats(FileSpace(Path(name)))
        for number in range(chats):
            room.observe(exchange(number), chat=f"chat {number}")
        seen = room.changed(0)[1]  # takes the last line in
        return {
            "chats": chats,
            "changed": summary([timed(lambda: room.changed(seen)) for _ in range(200)]),
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 1_000, 10_000])
    parser.add_argument("--turns", type=int, default=200)
    asked = parser.parse_args()
    out = {
        "load_average": os.getloadavg()[0],
        "sizes": [of_size(size, asked.turns) for size in asked.sizes],
        "many": generations(200),
    }
    print(json.dumps(out, indent=2))


if __name__ == "__main__":
    main()
