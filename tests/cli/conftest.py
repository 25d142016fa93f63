"""A home with one role for commands to work on."""

import shutil
from pathlib import Path

import pytest

from rolememory.engine import Home
from rolememory.storage.home import init
from tests.cli.running import Command

MEMORIES = [
    {
        "id": "storm",
        "content": "The beacon failed in the storm of 1887.",
        "keys": ["beacon", "storm"],
        "created": "1887-10-27",
    },
    {
        "id": "tea",
        "content": "Lin takes her tea without sugar.",
        "type": "semantic",
        "keys": ["tea"],
        "user": "lin",
    },
    {"id": "plain", "content": "I speak plainly.", "type": "trait", "constant": True},
    {"id": "灯塔", "content": "灯塔在雾里灭了三夜。", "keys": ["灯塔", "雾"], "tags": ["scene"]},
    {"id": "old", "content": "The old boat was sold.", "keys": ["boat"], "archived": True},
]


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home that every test gets a copy of."""
    home = tmp_path_factory.mktemp("furnished") / "home"
    init(home, "en")
    with Home.open(home, {"embedding.backend": "off"}) as opened:
        opened.create("Mira", aliases=["米拉"]).remember_all(MEMORIES)
    return home


@pytest.fixture
def command(furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command, at home in a fresh copy."""
    home = tmp_path / "home"
    shutil.copytree(furnished, home)
    monkeypatch.delenv("ROLEMEMORY_HOME", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return Command(home, monkeypatch)
