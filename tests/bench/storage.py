"""What ordinary talk costs on disk, counted rather than timed. Prints one JSON object.

    python -m tests.bench.storage [--turns 1000] [--rests 10] [--talk FILE.json | --facts]

Every turn recalls before the reply and observes it, with a window of sixty messages, in chats of forty turns, words alone. Of each turn:
the bytes by which files grew, the bytes of files that came again under their name (rewritten whole), and what the process wrote
altogether. Work that waits for a pause is not part of a turn, so the home is closed and opened again after so many of them
(`--rests`): what that writes is what one pause writes. `disk_to_text` counts everything but backups and vectors.
"""

import argparse
import json
import os
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from rolememory import Home, Message
from tests.bench.prose import ordinary, turns
from tests.bench.soak import WINDOW, WORDS_ALONE, inside, kind, on_disk, ratio

CHAT = 40  # turns of one chat
SAMPLES = 10
State = dict[Path, tuple[int, int]]
"""Inode and size of every file, by its path inside the home."""


def look(home: Path) -> State:
    """The files as they are now."""
    found: State = {}
    for path in home.rglob("*"):
        try:
            if path.is_file():
                at = path.stat()
                found[inside(home, path)] = (at.st_ino, at.st_size)
        except FileNotFoundError:  # replaced while we looked
            continue
    return found


@dataclass(frozen=True, slots=True)
class Written:
    """What came between two looks."""

    grown: Mapping[str, int]  # bytes by kind that were added to files, or made a new one
    whole: Mapping[str, int]  # bytes of files that stand again under their name
    out: int = 0  # bytes that the process wrote, to whatever

    @classmethod
    def between(cls, before: State, after: State, out: int = 0) -> "Written":
        """Tell appended bytes from files written whole.

        >>> before = {Path("chats/a"): (1, 100), Path("memory.json"): (2, 50)}
        >>> Written.between(before, {Path("chats/a"): (1, 130), Path("memory.json"): (3, 55)})
        Written(grown={'chats': 30}, whole={'memory.json': 55}, out=0)
        """
        grown, whole = Counter[str](), Counter[str]()
        for path, (inode, size) in after.items():
            was = before.get(path)
            if was is None or (was[0] == inode and size > was[1]):
                grown[kind(path)] += size - (was[1] if was else 0)
            elif was[0] != inode:
                whole[kind(path)] += size
        return cls(dict(grown), dict(whole), out)


def written_out() -> int:
    """Bytes that this process has written so far; 0 where the system does not tell."""
    try:
        rows = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next(int(row.split()[1]) for row in rows if row.startswith("wchar"))


@dataclass(slots=True)
class Talker:
    """Plays turns in one home, chat by chat."""

    folder: Path
    number: int = 0
    text: int = 0
    window: list[Message] = field(default_factory=list)
    home: Home = field(init=False)

    def __post_init__(self) -> None:
        self.open()
        self.home.create("Mira")

    def open(self) -> None:
        """The home as it stands."""
        self.home = Home.open(self.folder, WORDS_ALONE)

    def turn(self, said: str, reply: str) -> Written:
        """One exchange, and what it wrote."""
        if self.number % CHAT == 0:
            self.window = []
        chat, role = f"chat-{self.number // CHAT}", self.home.role("Mira")
        before, out = look(self.folder), written_out()
        self.window.append(Message.user(said))
        role.recall(self.window, chat=chat, user="Lin")
        role.observe(self.window, reply, chat=chat, user="Lin")
        role.learned()
        self.window = [*self.window, Message.assistant(reply)][-WINDOW:]
        self.number, self.text = self.number + 1, self.text + _bytes(said) + _bytes(reply)
        return Written.between(before, look(self.folder), written_out() - out)

    def rest(self) -> Written:
        """What a pause writes."""
        before, out = look(self.folder), written_out()
        self.home.close()
        found = Written.between(before, look(self.folder), written_out() - out)
        self.open()
        return found


def _bytes(text: str) -> int:
    return len(text.encode())


def measured(source: Iterator[tuple[str, str]], count: int, rests: int) -> dict[str, Any]:
    """The figures of so many turns."""
    parts, pauses, disk = list[Written](), list[dict[str, Any]](), list[dict[str, Any]]()
    resting = {count * (at + 1) // rests for at in range(rests)} if rests else set[int]()
    with tempfile.TemporaryDirectory() as name:
        talker = Talker(Path(name))
        for said, reply in islice(source, count):
            parts.append(talker.turn(said, reply))
            if talker.number in resting:
                pauses.append({"turns": talker.number, **_shown(talker.rest())})
            if talker.number % max(count // SAMPLES, 1) == 0:
                disk.append(_held(talker))
        talker.home.close()
        end = _held(talker)
    return {
        "turns": talker.number,
        **{key: end[key] for key in ("text_kb", "disk_kb", "disk_to_text", "log_to_text")},
        "turn": turn_figures(parts),
        "pauses": pauses,
        "grown": disk,
    }


def _held(talker: Talker) -> dict[str, Any]:
    sizes = on_disk(talker.folder)
    return {
        "turns": talker.number,
        "text_kb": _kb(talker.text),
        "disk_kb": {name: _kb(size) for name, size in sizes.most_common()},
        "disk_to_text": ratio(sizes, talker.text),
        "log_to_text": round(sizes["chats"] / talker.text, 2),
    }


def _shown(written: Written) -> dict[str, Any]:
    return {
        "files_rewritten_whole": {name: _kb(size) for name, size in written.whole.items()},
        "grown_kb": {name: _kb(size) for name, size in written.grown.items()},
        "written_kb": _kb(written.out),
    }


def turn_figures(parts: Sequence[Written]) -> dict[str, Any]:
    """What one turn writes: over all turns, over the first tenth, over the last."""
    tenth = max(len(parts) // SAMPLES, 1)
    return {
        "all": _means(parts),
        "first_tenth": _means(parts[:tenth]),
        "last_tenth": _means(parts[-tenth:]),
    }


def _means(parts: Sequence[Written]) -> dict[str, Any]:
    grown, whole = Counter[str](), Counter[str]()
    for one in parts:
        grown.update(one.grown)
        whole.update(one.whole)
    return {
        "grown_bytes": {name: round(size / len(parts)) for name, size in grown.most_common()},
        "rewritten_bytes": {name: round(size / len(parts)) for name, size in whole.most_common()},
        "files_rewritten_whole": round(sum(len(one.whole) for one in parts) / len(parts), 2),
        "written_bytes_median": round(statistics.median(one.out for one in parts)),
        "written_bytes_mean": round(statistics.mean(one.out for one in parts)),
    }


def _kb(size: int) -> float:
    return round(size / 1000, 1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--rests", type=int, default=10)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--talk", type=Path, help="the data set of the talk")
    what.add_argument("--facts", action="store_true", help="a made-up fact in every turn")
    given = parser.parse_args()
    source = turns(1, told=True) if given.facts else ordinary(1, given.talk)
    found = measured(source, given.turns, given.rests)
    print(json.dumps({**found, "load": round(os.getloadavg()[0], 1)}, indent=1))


if __name__ == "__main__":
    main()
