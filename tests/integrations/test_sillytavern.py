"""The SillyTavern extension as files: they parse, belong together, and the manifest names what is there."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT

FOLDER = ROOT / "examples" / "integrations" / "sillytavern"
SCRIPTS = sorted(FOLDER.glob("*.js"))
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_every_script_parses(tmp_path: Path) -> None:
    copies = [Path(shutil.copy(script, tmp_path / f"{script.stem}.mjs")) for script in SCRIPTS]
    found = {copy.stem: subprocess.run([str(NODE), "--check", copy], capture_output=True, text=True, check=False) for copy in copies}
    assert {name: done.stderr for name, done in found.items() if done.returncode} == {}
    assert len(found) > 5


def exported(script: Path) -> set[str]:
    return set(re.findall(r"^export (?:async )?(?:const|let|function\*?|class) (\w+)", script.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_what_is_imported_is_exported(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    for names, source in re.findall(r"^import \{ ([^}]+) \} from '\./([\w.]+)';", text, re.MULTILINE):
        wanted = {name.split(" as ")[0].strip() for name in names.split(",")}
        assert wanted <= exported(FOLDER / source), source
    for module, source in re.findall(r"^import \* as (\w+) from '\./([\w.]+)';", text, re.MULTILINE):
        assert set(re.findall(rf"\b{module}\.(\w+)\(", text)) <= exported(FOLDER / source), source


def test_the_manifest_names_what_is_there() -> None:
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    files = [manifest["js"], manifest["css"], *manifest["i18n"].values()]
    assert [name for name in files if not (FOLDER / name).is_file()] == []
    assert set(manifest["hooks"].values()) <= exported(FOLDER / manifest["js"])
    assert f"globalThis.{manifest['generate_interceptor']} =" in (FOLDER / manifest["js"]).read_text(encoding="utf-8")


def test_nothing_is_asked_of_anybody_but_the_server() -> None:
    asked = [line.strip() for script in SCRIPTS for line in script.read_text(encoding="utf-8").splitlines() if "fetch(" in line]
    assert asked
    assert [line for line in asked if "fetch(`${server()}/" not in line] == []
