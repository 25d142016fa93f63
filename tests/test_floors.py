"""The floors of the house: a module imports from lower floors and from its own room, never sideways, never up."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rolememory

PACKAGE = Path(rolememory.__file__).parent
FLOORS = {
    "errors": 0,
    "schema": 1,
    "shipped": 1,
    "plugins": 1,
    "breaker": 1,
    "upstream": 1,
    "text": 2,
    "triggers": 3,
    "inject": 3,
    "storage": 3,
    "chats": 3.5,  # `learn` still takes its types by name
    "cards": 3,
    "recall": 4,
    "learn": 4,
    "engine": 5,
    "__init__": 5.5,  # public names, from the engine down
    "author": 6,
    "serve": 7,
    "cli": 8,
    "__main__": 9,
}


def room_of(module: str) -> str:
    """`rolememory.text.fold` -> `text`; the package itself -> `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(source: str) -> Iterator[str]:
    """Every module of ours that a source imports, function-level and typing imports counted."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if alias.name.split(".")[0] == "rolememory"
            )
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module and node.module.split(".")[0] == "rolememory":
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                yield from names if node.module == "rolememory" else [node.module]


def faults(room: str, source: str) -> list[str]:
    """The imports of a source that break the rule."""
    wrong = []
    for target in map(room_of, imports(source)):
        other = target if target in FLOORS else "__init__"
        if other != room and FLOORS[other] >= FLOORS[room]:
            wrong.append(f"{room} (floor {FLOORS[room]}) imports {other} (floor {FLOORS[other]})")
    return wrong


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)


def module_room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def test_every_room_has_a_floor() -> None:
    assert {module_room(path) for path in MODULES} <= set(FLOORS)


def test_imports_point_down() -> None:
    found = {
        str(path.relative_to(PACKAGE)): wrong
        for path in MODULES
        if (wrong := faults(module_room(path), path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("room", "line", "broken"),
    [
        pytest.param("text", "from rolememory.recall.fit import fit", True, id="up is refused"),
        pytest.param(
            "storage", "from rolememory.cards.base import load", True, id="sideways is refused"
        ),
        pytest.param(
            "text",
            "def f():\n    import rolememory.engine",
            True,
            id="inside a function is refused too",
        ),
        pytest.param("recall", "from rolememory.text.fold import fold", False, id="down is fine"),
        pytest.param(
            "text", "from rolememory.text.keys import KeyIndex", False, id="the same room is fine"
        ),
    ],
)
def test_the_rule_can_fail(room: str, line: str, broken: bool) -> None:
    assert bool(faults(room, line)) is broken


def test_import_stays_light() -> None:
    code = "import rolememory, sys; print([name for name in ('torch', 'numpy', 'fastapi', 'starlette', 'pydantic') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
