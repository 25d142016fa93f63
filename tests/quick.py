"""What a change touches, in under a minute: `python -m tests.quick [--since COMMIT] [PATH ...]`.

Changed files are those that differ from where the branch left `main`, or from the commit before where nothing does. Tests are
run nearest first: changed ones, those that import what changed or hold its promises (`tests.mutants`), then those that import
what imports it. When the time is up, the rest is left to `make test`, and that is told.
"""

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from tests.mutants.table import ROOT, mutants

WITHIN_S = 40.0  # from where on no further test is begun
ALWAYS = ("tests/test_layers.py", "tests/mutants")
BESIDE = {
    "docs/": "tests/docs",
    "templates/": "tests/inject",
    "examples/": "tests/test_examples.py",
}


def git(*words: str) -> list[str]:
    """The lines that git answers; none where it refuses."""
    line = ["git", *words]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def changed(since: str = "") -> list[str]:
    """The files that differ, below the root."""
    base = since or next(iter(git("merge-base", "HEAD", "main")), "HEAD")
    new = git("ls-files", "--others", "--exclude-standard")
    return [*git("diff", "--name-only", base), *new] or git("diff", "--name-only", "HEAD~1")


def module_of(file: str) -> str:
    """The name under which a file is imported.

    >>> module_of("rolememory/recall/gates.py"), module_of("tests/cli/__init__.py")
    ('rolememory.recall.gates', 'tests.cli')
    """
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def imports() -> dict[str, frozenset[str]]:
    """By file: every module that it imports, names in them included, for they may be modules too."""
    files = (path for top in ("rolememory", "tests") for path in (ROOT / top).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): frozenset(_imported(path)) for path in files}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def importers(file: str) -> list[str]:
    """The files that import this one."""
    module = module_of(file)
    return sorted(other for other, named in imports().items() if module in named)


def is_test(file: str) -> bool:
    """Whether pytest runs it."""
    return Path(file).name.startswith("test_") and file.endswith(".py")


def picked(files: Iterable[str]) -> list[str]:
    """What to run for these changed files, the nearest first."""
    files = sorted(files)
    ring, seen, found = files, set[str](), list[str]()
    found += [test for file in ring for top, test in BESIDE.items() if file.startswith(top)]
    for _ in range(3):
        promises = (test for one in mutants() if one.file in ring for test in one.tests)
        near = chain.from_iterable(importers(file) for file in ring if file.endswith(".py"))
        near = sorted({*near} - seen)
        found += [*filter(is_test, ring), *promises, *filter(is_test, near)]
        seen |= {*ring}
        ring = near
    found += (folder for file in files if (folder := _package(file)))
    whole = dict.fromkeys(one for one in found if "::" not in one and (ROOT / one).exists())
    kept = (one for one in found if one in whole or one.partition("::")[0] not in whole)
    return list(dict.fromkeys((*ALWAYS, *kept)))


def _package(file: str) -> str:
    """The tests of the package that a file is in; "" where there are none by its name."""
    folder = "/".join(["tests", *Path(file).parts[1:2]])
    return folder if file.startswith("rolememory/") and (ROOT / folder).is_dir() else ""


def main(words: Sequence[str] | None = None) -> int:
    """Run what the change touches; what pytest exits with."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="as if these had changed")
    parser.add_argument("--since", default="", metavar="COMMIT")
    asked = parser.parse_args(words)
    tests = picked(asked.paths or changed(asked.since))
    print(f"{len(tests)} files or tests are near what changed", flush=True)
    line = ["-n", "2", "--dist", "load", "-q", "-rfE", f"--within={WITHIN_S}"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *line, *tests], cwd=ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
