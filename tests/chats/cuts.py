"""The power fails while chats are written, or the process dies: what was acknowledged is there, and the chat goes on.

    python -m tests.chats.cuts --images 20000 --kills 2000

Prints one JSON object: images and kills, bad ones, what was wrong with the first of them.
"""

import argparse
import json
import os
import random
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

from rolememory.chats import Chats
from rolememory.storage.files.space import FileSpace
from tests.chats.talk import chats_at, said, shown, story
from tests.durability.processes import forked
from tests.durability.recording import RecordingDisk, Step, image, told

Shown = dict[str, list[str]]  # chat -> its lines
_RAM = Path("/dev/shm")
_PER_TRACE = 100


def cut_power(images: int, seed: int = 0) -> dict[str, Any]:
    """Look at so many states of the disk after a power cut."""
    result: dict[str, Any] = {"images": 0, "bad": 0}
    while result["images"] < images:
        chance = random.Random(f"{seed} {result['images']}")
        steps = _traced(chance)
        for _ in range(min(_PER_TRACE, images - result["images"])):
            cut = chance.randrange(len(steps) + 1)
            _count(result, "images", _wrong(steps[:cut], steps[cut:], chance))
    return result


def kill(times: int, writers: int = 1, seed: int = 0) -> dict[str, Any]:
    """Kill so many processes, `writers` of them at once, each writing two chats, at random moments."""
    result: dict[str, Any] = {"kills": 0, "bad": 0, "acknowledged": 0}
    chance = random.Random(seed)
    while result["kills"] < times:
        root = _folder()
        for number in range(10):
            must = _killed(root, [f"{number} {who}" for who in range(writers)], chance)
            result["acknowledged"] += sum(len(lines) for lines in must.values()) // 2
            result["kills"] += writers - 1
            _count(result, "kills", _recovered(root, must, None, number))
        shutil.rmtree(root)
    return result


def _count(result: dict[str, Any], what: str, wrong: str) -> None:
    result[what] += 1
    if wrong:
        result["bad"] += 1
        result.setdefault("first", wrong)


def _traced(chance: random.Random) -> list[Step]:
    """A workload of looks, swipes and restarts; after each look it says what must be there."""
    root = _folder()
    disk, lines = RecordingDisk(root), {"one": list[str](), "two": list[str]()}
    chats = chats_at(root, disk)
    for number in range(chance.randrange(4, 12)):
        name = chance.choice(list(lines))
        if lines[name] and chance.random() < 0.3:
            lines[name][-1] = f"a: Swiped {number}."
        else:
            lines[name] += story(1, number)
        chats.observe(said(*lines[name]), chat=name)
        disk.tell({chat: list(told) for chat, told in lines.items() if told})
        if chance.random() < 0.2:
            chats = chats_at(root, disk)
    shutil.rmtree(root)
    return disk.steps


def _wrong(before: list[Step], after: list[Step], chance: random.Random) -> str:
    """What is wrong with one image; empty when nothing is."""
    words, coming = told(before), told(after)
    root = _folder()
    try:
        for name, data in image(before, chance).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
        return _recovered(root, words[-1] if words else {}, coming[0] if coming else {}, 0)
    finally:
        shutil.rmtree(root)


def _recovered(root: Path, must: Shown, may: Shown | None, number: int) -> str:
    """What is wrong with what a new process finds: it must hold what was acknowledged, and go on."""
    chats = chats_at(root)
    found = {info.id: shown(chats.path(info.id)) for info in chats.chats()}
    for name in {*found, *must}:
        lines = found.get(name, [])
        beyond = may is None and lines[: len(must.get(name, []))] == must.get(name, [])
        if not beyond and lines not in (must.get(name, []), (may or {}).get(name, [])):
            return f"{name}: found {lines}, acknowledged {must.get(name)}, under way {(may or {}).get(name)}"
    for name, lines in must.items():
        chats.observe(said(*lines, f"u: After {number}."), chat=name)
        if shown(chats_at(root).path(name)) != [*lines, f"u: After {number}."]:
            return f"{name} does not go on"
    return ""


def _killed(root: Path, names: list[str], chance: random.Random) -> Shown:
    """What was acknowledged to processes that were killed, once the first of them had told so many looks."""
    players = [_spawned(root, name) for name in names]
    looks, heard = chance.randint(1, 6), b""
    while heard.count(b"\n") < looks:
        more = os.read(players[0][1], 4096)
        assert more, "a process ended by itself"
        heard += more
    for _ in range(chance.randrange(2000)):
        pass  # a moment, without sleeping
    for pid, _ in players:
        os.kill(pid, signal.SIGKILL)
    must: Shown = {}
    for pid, pipe in players:
        os.waitpid(pid, 0)
        with os.fdopen(pipe, "rb") as rest:
            heard = heard + rest.read() if pipe == players[0][1] else rest.read()
        for word in heard[: heard.rfind(b"\n") + 1].splitlines():
            must.update(json.loads(word))
    return must


def _spawned(root: Path, name: str) -> tuple[int, int]:
    reads, writes = os.pipe()
    pid = forked(lambda: _plays(root, name, writes))
    os.close(writes)
    return pid, reads


def _plays(root: Path, name: str, pipe: int) -> int:
    """Play two chats; tell what was acknowledged after every look."""
    chats, lines = Chats(FileSpace(root)), {f"one {name}": list[str](), f"two {name}": list[str]()}
    for more in range(40):
        for chat, shown_lines in lines.items():
            shown_lines.extend(story_of(chat, more))
            chats.observe(said(*shown_lines), chat=chat)
            os.write(pipe, json.dumps({chat: shown_lines}).encode() + b"\n")
    return 0


def story_of(chat: str, number: int) -> list[str]:
    """An exchange that no other chat has."""
    return [f"{line} In {chat}." for line in story(1, number)]


def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="cuts-", dir=_RAM if _RAM.is_dir() else None))


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--images", type=int, default=20_000)
    options.add_argument("--kills", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    print(
        json.dumps(
            {
                "power": cut_power(given.images, given.seed),
                "kill": kill(given.kills, 4, given.seed),
            },
            ensure_ascii=False,
        )
    )


if __name__ == "__main__":
    main()
