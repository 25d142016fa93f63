"""A home to bring a life to, and the life."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rolememory.engine import Home
from tests.cards.tavern.folders import life


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with Home.open(tmp_path / "home", {"embedding.backend": "off"}) as opened:
        yield opened


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return life(tmp_path / "SillyTavern")
