"""The power fails at any moment: what was acknowledged is there, and the role goes on.

    python -m tests.durability.power --images 20000

Prints one JSON object: images, bad ones, what was wrong with the first of them.
"""

import argparse
import json
import os
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

from rolememory.storage.files.disk import Disk
from rolememory.storage.memories import Edit, RoleStore
from tests.durability.recording import RecordingDisk, Step, image, told
from tests.storage.roles import add, put, store_at, take

IMAGES_PER_TRACE = 100
Said = dict[str, str]  # id -> content
_RAM = Path("/dev/shm")


class NoSyncDisk(Disk):
    """Recovery is looked at right away: it need not be durable."""

    def fsync(self, descriptor: int) -> None:
        """Nothing."""

    def fsync_folder(self, path: Path) -> None:
        """Nothing."""


def run(images: int, seed: int = 0) -> dict[str, Any]:
    """Look at so many states of the disk after a power cut."""
    result: dict[str, Any] = {"images": 0, "bad": 0}
    while result["images"] < images:
        chance = random.Random(f"{seed} {result['images']}")
        steps = traced(chance)
        for _ in range(min(IMAGES_PER_TRACE, images - result["images"])):
            cut = chance.randrange(len(steps) + 1)
            wrong = _wrong(steps[:cut], steps[cut:], chance)
            result["images"] += 1
            if wrong:
                result["bad"] += 1
                result.setdefault("first", wrong)
    return result


def traced(chance: random.Random) -> list[Step]:
    """A workload of commits, folds, restarts and an author's saves; after each it says what must be there."""
    root = _folder()
    disk = RecordingDisk(root, exchanges=chance.random() < 0.5)
    store, said = store_at(root, disk=disk), Said()
    for number in range(chance.randrange(4, 14)):
        act = chance.choice(["add", "add", "set", "remove", "fold", "author", "restart"])
        if act == "restart":
            store = store_at(root, disk=disk)
        elif act == "fold":
            store.checkpoint(force=True)
        elif act == "author":
            _author(root, disk, chance, f"a{number}")
            store.checkpoint()  # takes it over, which makes it durable
            said = {name: memory.content for name, memory in store.snapshot().memories.items()}
            disk.tell(dict(said))
        else:
            _commit(store, disk, said, act, number, chance)
    shutil.rmtree(root)
    return disk.steps


def _commit(
    store: RoleStore, disk: RecordingDisk, said: Said, act: str, number: int, chance: random.Random
) -> None:
    name = chance.choice(list(said)) if said and act != "add" else f"m{number}"
    edits: list[Edit] = [add(name, f"c{number}"), add(name + "x", "pair")]
    if said and act != "add":
        edits = [put(name, content=f"c{number}")] if act == "set" else [take(name)]
    store.commit(edits)
    for edit in edits:
        said.pop(edit.id, None) if edit.op == "remove" else said.update(
            {edit.id: str(edit.fields["content"])}
        )
    disk.tell(dict(said))


def _author(root: Path, disk: RecordingDisk, chance: random.Random, name: str) -> None:
    """An editor saves, in place or by rename, and syncs nothing."""
    path = root / "memory.json"
    document = json.loads(path.read_text("utf-8")) if path.exists() else {"version": 1}
    document.setdefault("episodic", []).append({"id": name, "content": "by hand"})
    target = path if chance.random() < 0.5 else root / "memory.json.swp"
    descriptor = disk.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    disk.write(descriptor, memoryview(json.dumps(document, indent=1).encode()))
    disk.close(descriptor)
    if target != path:
        disk.replace(target, path)


def _wrong(before: list[Step], after: list[Step], chance: random.Random) -> str:
    """What is wrong with one image; empty when nothing is."""
    words, coming = told(before), told(after)
    must, may = (words[-1] if words else {}), (coming[0] if coming else None)
    root = _folder()
    try:
        for name, data in image(before, chance).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
        return _recovered(root, must, may, NoSyncDisk())
    finally:
        shutil.rmtree(root)


def _recovered(root: Path, must: Said, may: Said | None, disk: Disk) -> str:
    path = root / "memory.json"
    if path.exists():
        os.utime(path, (1, 1))  # nobody is in the middle of a save
    store = store_at(root, disk=disk)
    snapshot = store.snapshot()
    found = {name: memory.content for name, memory in snapshot.memories.items()}
    if not _between(found, must, may):
        return f"found {found}, acknowledged {must}, under way {may}"
    if snapshot.writable:
        store.commit([add("after", "the cut")])
        store.checkpoint()
        again = {
            name: memory.content
            for name, memory in store_at(root, disk=disk).snapshot().memories.items()
        }
        if again != {**found, "after": "the cut"}:
            return f"after the cut: {again} instead of {found}"
    elif not all(problem.text() for problem in snapshot.problems):
        return "read-only without a reason"
    return ""


def _between(found: Said, must: Said, may: Said | None) -> bool:
    """Whether everything acknowledged is there, and nothing that nobody asked for."""
    may = (
        {name: content for name, content in found.items() if content == "by hand"} | must
        if may is None
        else may
    )
    return all(found.get(name) in (must.get(name), may.get(name)) for name in {*found, *must, *may})


def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="power-", dir=_RAM if _RAM.is_dir() else None))


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--images", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    print(json.dumps(run(given.images, given.seed), ensure_ascii=False))


if __name__ == "__main__":
    main()
