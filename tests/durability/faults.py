"""The n-th call to the disk fails, for growing n: out of space, I/O error, short write; once, and from then on.

    python -m tests.durability.faults --scripts 50

Prints one JSON object: runs, bad ones, what was wrong with the first of them.
"""

import argparse
import contextlib
import errno
import json
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rolememory.errors import NotWrittenError, UnknownMemoryError
from rolememory.storage.memories import Edit
from tests.storage.roles import FailingDisk, add, put, save, saved, store_at, take

KINDS = (
    ("ENOSPC", errno.ENOSPC, False),
    ("EIO", errno.EIO, False),
    ("short write", errno.ENOSPC, True),
)
Said = dict[str, str]


def run(scripts: int, seed: int = 0) -> dict[str, Any]:
    """Every kind of failure at every call of so many workloads."""
    result: dict[str, Any] = {"runs": 0, "bad": 0}
    for number in range(scripts):
        for kind, code, short in KINDS:
            for lasting in (False, True):
                for exchanges in (True, False):
                    for wrong in _grown(f"{seed} {number}", code, short, lasting, exchanges):
                        result["runs"] += 1
                        if wrong:
                            result["bad"] += 1
                            result.setdefault(
                                "first", f"{kind}, {'lasting' if lasting else 'once'}: {wrong}"
                            )
    return result


def _grown(seed: str, code: int, short: bool, lasting: bool, exchanges: bool) -> Iterator[str]:
    """Fail the first call, the second, ... until the workload ends before it comes to failing."""
    at = 1
    while True:
        disk = FailingDisk(at, code, lasting=lasting, short=short, exchanges=exchanges)
        yield _wrong(disk, random.Random(seed))
        if disk.count < at:
            return
        at += 1


def _wrong(disk: FailingDisk, chance: random.Random) -> str:
    root = Path(tempfile.mkdtemp(prefix="faults-"))
    try:
        return _played(root, disk, chance)
    finally:
        shutil.rmtree(root)


def _played(root: Path, disk: FailingDisk, chance: random.Random) -> str:
    """The workload: what was acknowledged must stand, what was refused must not (or, if all fails from then on, may)."""
    store, said, open_ends = store_at(root, disk=disk), Said(), dict[str, set[str | None]]()
    for number in range(8):
        act = chance.choice(["add", "add", "set", "remove", "fold", "author"])
        if act == "author":
            _author(root, said, f"a{number}")
        elif act == "fold":
            with contextlib.suppress(NotWrittenError):
                store.checkpoint(force=True)
        else:
            _commit(store, said, open_ends, act, number, chance, disk.lasting)
    for healed in (False, True):
        reader = store_at(root)
        if not reader.snapshot().writable:
            return f"not writable: {[problem.text() for problem in reader.snapshot().problems]}"
        found = {name: memory.content for name, memory in reader.snapshot().memories.items()}
        if any(
            found.get(name) not in {said.get(name), *open_ends.get(name, ())}
            for name in {*found, *said}
        ):
            return f"found {found}, acknowledged {said}, open {open_ends}"
        if not healed:
            disk.heal()
            store.commit([add("after", "the fault")])  # it goes on by itself
            store.checkpoint()
            said["after"] = "the fault"
    return ""


def _commit(
    store: Any,
    said: Said,
    open_ends: Any,
    act: str,
    number: int,
    chance: random.Random,
    lasting: bool,
) -> None:
    name = chance.choice(list(said)) if said and act != "add" else f"m{number}"
    edit: Edit = add(name, f"c{number}")
    if said and act != "add":
        edit = put(name, content=f"c{number}") if act == "set" else take(name)
    content = None if edit.op == "remove" else f"c{number}"
    try:
        store.commit([edit])
    except (NotWrittenError, UnknownMemoryError):
        if lasting:
            open_ends.setdefault(name, set()).update({said.get(name), content})
        return
    open_ends.pop(name, None)
    said.pop(name, None) if content is None else said.update({name: content})


def _author(root: Path, said: Said, name: str) -> None:
    if not (root / "memory.json").exists() and said:
        return  # a fault took the file away; it comes back with the next fold
    document = saved(root) if (root / "memory.json").exists() else {"through": 0, "episodic": []}
    document["episodic"].append({"id": name, "content": "by hand"})
    save(root, document)
    said[name] = "by hand"


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--scripts", type=int, default=50)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    print(json.dumps(run(given.scripts, given.seed), ensure_ascii=False))


if __name__ == "__main__":
    main()
