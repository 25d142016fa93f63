"""Layers: a module imports from lower layers and from its own package."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rolememory
from tests.parsing import parsed

PACKAGE = Path(rolememory.__file__).parent
LAYERS = {
    "locales": 0,
    "errors": 0.5,
    "schema": 1,
    "shipped": 1,
    "plugins": 1,
    "jsregex": 1,
    "circuit_breaker": 1,
    "upstream": 1,
    "text": 2,
    "triggers": 3,
    "inject": 3,
    "storage": 3,
    "llm": 3.5,  # `learn` takes their types by name
    "chats": 3.5,
    "usage": 3.7,
    "cards": 3,
    "recall": 4,
    "learn": 4,
    "engine": 5,
    "__init__": 5.5,  # public names, from the engine down
    "authoring": 6,
    "serve": 7,
    "cli": 8,
    "__main__": 9,
}


def package_of(module: str) -> str:
    """`rolememory.text.fold` -> `text`; the package itself -> `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(source: str) -> Iterator[str]:
    """Every module of ours that a source imports, function-level and typing imports counted."""
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if alias.name.split(".")[0] == "rolememory"
            )
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if node.module and node.module.split(".")[0] == "rolememory":
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                yield from names if node.module == "rolememory" else [node.module]


def faults(package: str, source: str) -> list[str]:
    """The imports of a source that break the rule."""
    wrong = []
    for target in map(package_of, imports(source)):
        other = target if target in LAYERS else "__init__"
        if other != package and LAYERS[other] >= LAYERS[package]:
            wrong.append(
                f"{package} (layer {LAYERS[package]}) imports {other} (layer {LAYERS[other]})"
            )
    return wrong


PRIVATE = re.compile(
    "_(?!replace$|asdict$|fields$|make$)[a-z]"
)  # those are public: of named tuples
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)


def module_package(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def test_every_package_has_a_layer() -> None:
    assert {module_package(path) for path in MODULES} <= set(LAYERS)


def test_imports_point_down() -> None:
    found = {
        str(path.relative_to(PACKAGE)): wrong
        for path in MODULES
        if (wrong := faults(module_package(path), path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("package", "line", "broken"),
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
            "text",
            "from rolememory.text.keys import KeyIndex",
            False,
            id="the same package is fine",
        ),
    ],
)
def test_the_rule_can_fail(package: str, line: str, broken: bool) -> None:
    assert bool(faults(package, line)) is broken


def private_names(source: str) -> tuple[set[str], set[str]]:
    """The private names that a source defines, and those that it uses."""
    defined, used = set[str](), set[str]()
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.add(node.id)
        elif isinstance(node, ast.Attribute):
            own = isinstance(node.ctx, ast.Store)
            (defined if own else used).add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            used |= {alias.name for alias in node.names}
    return tuple({one for one in names if PRIVATE.match(one)} for names in (defined, used))  # type: ignore[return-value]


def test_nobody_uses_the_private_names_of_another_package() -> None:
    defined: dict[str, set[str]] = {}
    used: dict[Path, set[str]] = {}
    for path in MODULES:
        own, used[path] = private_names(path.read_text(encoding="utf-8"))
        defined.setdefault(module_package(path), set()).update(own)
    every = set[str]().union(*defined.values())
    found = {
        str(path.relative_to(PACKAGE)): sorted(foreign)
        for path, names in used.items()
        if (foreign := (names & every) - defined[module_package(path)])
    }
    assert found == {}


def test_private_names_are_seen() -> None:
    source = "from a import _b\nclass C:\n    _d: int\n    def _e(self):\n        self._f = x._g"
    assert private_names(source) == ({"_d", "_e", "_f"}, {"_b", "_g"})


def test_import_stays_light() -> None:
    code = "import rolememory, sys; print([name for name in ('torch', 'numpy', 'fastapi', 'starlette', 'pydantic') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
