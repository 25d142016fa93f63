"""Several processes write to one role at once: nothing is lost, nobody sees half of a transaction.

    python -m tests.durability.crowd --processes 8 --writes 200

Prints one JSON object: writes, lost, torn, seconds.
"""

import argparse
import json
import os
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from tests.durability.processes import forked
from tests.storage.roles import add, store_at


def run(processes: int, writes: int) -> dict[str, Any]:
    """`processes` x `writes` transactions of two memories each."""
    folder, began = Path(tempfile.mkdtemp(prefix="crowd-")), time.monotonic()
    children = [forked(partial(_work, folder, who, writes)) for who in range(processes)]
    failed = sum(os.waitpid(pid, 0)[1] != 0 for pid in children)
    store = store_at(folder)
    wanted = {
        f"{side}{who}-{number}"
        for side in "lr"
        for who in range(processes)
        for number in range(writes)
    }
    lost = len(wanted - set(store.snapshot().memories))
    seqs = [line.seq for line in store.history()]
    result = {
        "writes": processes * writes,
        "lost": lost,
        "torn_readers": failed,
        "seqs_in_order": seqs == sorted(set(seqs), reverse=True),
    }
    shutil.rmtree(folder)
    return {**result, "seconds": round(time.monotonic() - began, 2)}


def _work(folder: Path, who: int, writes: int) -> int:
    """Write pairs and look: 1 if ever one side of a pair stands alone, or an own write is missing."""
    store, torn = store_at(folder, fold_lines=64, fold_idle_s=0.05), 0
    for number in range(writes):
        names = set(store.commit([add(f"l{who}-{number}"), add(f"r{who}-{number}")]).memories)
        torn |= {name[1:] for name in names if name[0] == "l"} != {
            name[1:] for name in names if name[0] == "r"
        }
        torn |= f"l{who}-{number}" not in names
    store.close()
    return int(torn)


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--processes", type=int, default=8)
    options.add_argument("--writes", type=int, default=200)
    given = options.parse_args()
    print(json.dumps(run(given.processes, given.writes)))


if __name__ == "__main__":
    main()
