"""What a turn costs as the log of a chat grows. Prints one JSON object.

    python -m tests.bench.look [--sizes 100 1000 10000 100000] [--turns 60] [--profile]

A frontend shows the newest messages only: the same number at each size, parsed again each time, with the cleaner on. CPU
time of this thread, medians in microseconds: `look` is a glimpse and whether a few memories count there, `observe` writes the
reply, `swipe` another reply in its place, `edit` another text three messages before the end, `again` the same once more.
`ratios` compares each size with the first.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rolememory.chats import Chats
from rolememory.schema.memory import Evidence
from rolememory.schema.message import Message
from rolememory.schema.settings import CleanSettings
from rolememory.storage.files.space import FileSpace
from rolememory.text.clean import cleaner_for
from tests.bench.observe import anew, exchange
from tests.chats.talk import QuickDisk

WINDOW = 60
CHAT = "bench"


def history_of(messages: int) -> list[Message]:
    """A chat of so many messages, now and then one that is said all the time."""
    found: list[Message] = []
    for number in range(messages // 2):
        asked, told = exchange(number)
        found += [Message.user("*nods* Go on.") if number % 7 == 3 else asked, told]
    return found


class Frontend:
    """Shows the newest messages of a chat and times what that costs."""

    def __init__(self, folder: Path, messages: int) -> None:
        cleaner = cleaner_for(CleanSettings())
        assert cleaner is not None
        self.chats, self.clean = Chats(FileSpace(folder, disk=QuickDisk())), cleaner.clean
        self.history = history_of(messages)
        self.micros: dict[str, list[float]] = defaultdict(list)
        self.observe(self.history)
        early, late = self.chats.path(CHAT)[4:6], self.chats.path(CHAT)[messages // 2 :][:2]
        self.supports = [
            Evidence(chat=CHAT, version=f"{one.version}+{other.version}", adjoining=True)
            for one, other in (early, late)
        ]

    def turn(self, number: int) -> None:
        """An exchange with a swipe, and an edit further up."""
        asked, told = exchange(10**6 + number)
        self.history.append(asked)
        self.timed("look", self.look)
        self.history.append(told)
        self.timed("observe", self.observe)
        self.history[-1] = Message.assistant(f"Swiped {number}: {told.content}")
        self.timed("swipe", self.observe)
        self.history[-4] = Message.user(f"Edited {number}: {asked.content}")
        self.timed("edit", self.observe)
        self.timed("again", self.observe)

    def timed(self, name: str, work: Callable[[list[Message]], object]) -> None:
        """Do it with freshly parsed messages."""
        shown = anew(self.history[-WINDOW:])
        began = time.thread_time_ns()
        work(shown)
        self.micros[name].append((time.thread_time_ns() - began) / 1000)

    def look(self, shown: list[Message]) -> None:
        """What comes before a prompt."""
        preview = self.chats.preview(shown, chat=CHAT, clean=self.clean)
        visibility = self.chats.visible_from(CHAT, preview)
        assert all(map(visibility.sees, self.supports))

    def observe(self, shown: list[Message]) -> None:
        """What comes behind a reply."""
        self.chats.observe(shown, chat=CHAT, clean=self.clean)


def of_sizes(sizes: Sequence[int], turns: int) -> list[dict[str, Any]]:
    """The medians at each size; their turns alternate, so that what else the machine does slows all alike."""
    with ExitStack() as stack:
        folders = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in sizes]
        frontends = [Frontend(Path(name), size) for name, size in zip(folders, sizes, strict=True)]
        for number in range(-5, turns):
            for frontend in frontends:
                if number == 0:
                    frontend.micros.clear()
                frontend.turn(number)
        medians = [
            {name: round(statistics.median(each)) for name, each in frontend.micros.items()}
            for frontend in frontends
        ]
        return [{"messages": size, **each} for size, each in zip(sizes, medians, strict=True)]


def profiled(messages: int, turns: int) -> None:
    """Where the time goes."""
    import cProfile
    import pstats

    with tempfile.TemporaryDirectory() as name:
        frontend = Frontend(Path(name), messages)
        frontend.turn(-1)
        profile = cProfile.Profile()
        profile.enable()
        for number in range(turns):
            frontend.turn(number)
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--profile", action="store_true", help="of the last size")
    asked = parser.parse_args()
    if asked.profile:
        profiled(asked.sizes[-1], asked.turns)
        return
    sizes = of_sizes(asked.sizes, asked.turns)
    ratios = [
        {name: round(value / sizes[0][name], 2) for name, value in size.items()} for size in sizes
    ]
    print(
        json.dumps({"load_average": os.getloadavg()[0], "sizes": sizes, "ratios": ratios}, indent=2)
    )


if __name__ == "__main__":
    main()
