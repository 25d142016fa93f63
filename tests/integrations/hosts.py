"""Stand-ins for programs that load our files: they call as their documentation says, and talk to a real server."""

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.paths import ROOT

INTEGRATIONS = ROOT / "examples" / "integrations"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node here")


def loaded(file: str) -> ModuleType:
    """A file as a program loads a plugin: by its path."""
    found = importlib.util.spec_from_file_location(Path(file).stem + "_loaded", INTEGRATIONS / file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def run_node(file: str, host: str, folder: Path, given: Mapping[str, Any]) -> Any:
    """What a stand-in in JavaScript prints about one of our files, which it finds as ./plugin.mjs, unchanged."""
    shutil.copy(INTEGRATIONS / file, folder / "plugin.mjs")
    (folder / "host.mjs").write_text(host, encoding="utf-8")
    environment = {**os.environ, "GIVEN": json.dumps(given)}
    done = subprocess.run(
        ["node", "host.mjs"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
