"""Break promises one by one in a copy of the tree and see a test notice each: `python -m tests.mutants [--jobs 2] [WORD ...]`.

With words, only promises or files that hold one of them. Prints one line per promise; exits with 1 where one was broken
and no test failed, or where a row no longer fits the tree.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from time import monotonic

from tests.mutants.table import ROOT, Mutant, StaleRowError, mutants

_FAILED, _PASSED = 1, 0  # what pytest exits with
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "dist", "build", "node_modules")


def copied(folder: Path) -> Path:
    """The tree in a folder, without what tools made."""
    return Path(shutil.copytree(ROOT, folder / "tree", ignore=_LEFT_OUT))


def tested(tree: Path, tests: Sequence[str]) -> tuple[int, str]:
    """Run these tests on the tree: what pytest exited with, and the end of what it said."""
    inside = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "-p", "no:cacheprovider", *tests],
        cwd=tree,
        env={**os.environ, **inside},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout[-1500:] + done.stderr[-500:]


def noticed(trees: "SimpleQueue[Path]", one: Mutant) -> str:
    """Break the promise in a free tree: "" when a test fails, else what is wrong."""
    tree = trees.get()
    file = tree / one.file
    whole = file.read_bytes()
    began = monotonic()
    try:
        file.write_bytes(one.broken(whole.decode()).encode())
        code, said = tested(tree, one.tests)
    except (StaleRowError, OSError) as error:
        code, said = -1, str(error)
    finally:
        file.write_bytes(whole)
        trees.put(tree)
    faults = {_FAILED: "", _PASSED: "no test noticed"}
    fault = faults.get(code, f"the tests could not be run:\n{said}")
    print(f"{'FAIL' if fault else 'ok  '} {one.promise} ({monotonic() - began:.1f} s)", flush=True)
    return f"{one.promise}\n    {one.file}: {fault}" if fault else ""


def broken(words: Sequence[str], jobs: int) -> int:
    """Break what the words name, or everything, so many at once; what to exit with."""
    wanted = [
        one
        for one in mutants()
        if not words or any(word in one.promise or word in one.file for word in words)
    ]
    with TemporaryDirectory(prefix="mutants-") as folder:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            trees.put(copied(Path(folder) / str(number)))
        tests = sorted({test for one in wanted for test in one.tests})
        code, said = tested(Path(folder) / "0" / "tree", tests)
        if code != _PASSED:
            print(f"the tests do not pass before anything is broken:\n{said}")
            return 1
        with ThreadPoolExecutor(jobs) as pool:
            faults = [fault for fault in pool.map(partial(noticed, trees), wanted) if fault]
    print(f"{len(wanted)} promises broken, {len(wanted) - len(faults)} noticed")
    print("\n".join(faults))
    return 1 if faults else 0


def main() -> None:
    """Read the command line, break, exit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    sys.exit(broken(asked.words, asked.jobs))


if __name__ == "__main__":
    main()
