"""A home to bring a life to, and the life."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from rolememory.engine import Home, RoleMemory
from tests.authoring.importer.recording import Recorder, bring
from tests.cards.tavern.folders import life


@dataclass(frozen=True)
class Brought:
    """A life that was brought once, to be looked at by many."""

    home: Home
    user: Path
    recorder: Recorder

    def role(self, avatar: str) -> RoleMemory:
        """The role that was made of this card."""
        (found,) = [one for one in self.home.roles() if one.card_from == avatar]
        return self.home.role(found.id)

    def texts(self, avatar: str, chat: str) -> list[str]:
        """What a role heard of a chat."""
        return [one.content for one in self.recorder.given[avatar, chat]]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with Home.open(tmp_path / "home", {"embedding.backend": "off"}) as opened:
        yield opened


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return life(tmp_path / "SillyTavern")


@pytest.fixture(scope="session")
def brought(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brought]:
    """The life as it came, for tests that change nothing."""
    folder = tmp_path_factory.mktemp("brought")
    recorder = Recorder()
    with Home.open(folder / "home", {"embedding.backend": "off"}) as home:
        bring(home, user := life(folder / "SillyTavern"), recorder)
        yield Brought(home, user, recorder)
