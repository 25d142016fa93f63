"""The extension's hint among body parameters that people wrote themselves: one mistake there would lose all of them."""

import json
import shutil
import subprocess
from typing import Any

import pytest
import yaml

from rolememory.cli.sillytavern import extension, hint

NODE = shutil.which("node")
SAID = {
    "role": 'Dr. "Bones": #2 - {x}\\',
    "user": "林\u2028'y' & *z\u0085",
    "chat": "1",
    "type": "normal",
    "last": 3,
}
ASK = "const { withHint } = await import(process.argv[1]); const [rows, said] = JSON.parse(process.argv[2]); console.log(JSON.stringify(rows.map((row) => withHint(row, said))));"

ROWS = {
    "nothing was written": ("", {}),
    "a field": ("top_k: 40", {"top_k": 40}),
    "fields, nested ones among them, and blank lines": (
        "a:\n  b: 1\n\nc: [1, 2]\n\n",
        {"a": {"b": 1}, "c": [1, 2]},
    ),
    "the pasted hint alone": (hint(), {}),
    "the pasted hint between others": (f"a: 1\n{hint()}b: 2\n", {"a": 1, "b": 2}),
    "a list": ("- a: 1\n- b: 2", [{"a": 1}, {"b": 2}]),
    "a list that is indented": ("  - a: 1\n  - b: 2", [{"a": 1}, {"b": 2}]),
    "a list with a hint": ("- a: 1\n- rolememory:\n    role: x\n- b: 2", [{"a": 1}, {"b": 2}]),
    "JSON": ('{"a": 1, "rolememory": {"role": "x"}}', {"a": 1}),
    "JSON on several lines": ('{\n  "a": [1],\n  "b": "林"\n}', {"a": [1], "b": "林"}),
    "a JSON list": ('[{"a": 1}]', [{"a": 1}]),
}


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The extension's module under a name that says what it is to every node."""
    copy = tmp_path_factory.mktemp("hint") / "hint.mjs"
    shutil.copy(extension() / "hint.js", copy)
    return copy.as_uri()


def with_hint(module: str, *written: str) -> list[str]:
    """What the extension makes of these."""
    if NODE is None:
        pytest.skip("node is not installed")
    line = [NODE, "--input-type=module", "-e", ASK, module, json.dumps([written, SAID])]
    done = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60)
    found: list[str] = json.loads(done.stdout)
    return found


def test_the_hint_stands_among_the_others(module: str) -> None:
    filled = with_hint(module, *(written for written, _ in ROWS.values()))
    for row, text in zip(ROWS, filled, strict=True):
        own: Any = ROWS[row][1]
        assert yaml.safe_load(text) == (
            [*own, {"rolememory": SAID}] if isinstance(own, list) else {**own, "rolememory": SAID}
        ), row


def test_flow_yaml_that_is_no_json_stays_as_it_was_written(module: str) -> None:
    assert with_hint(module, "{a: 1}") == ["{a: 1}"]
