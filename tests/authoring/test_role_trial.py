"""Expectations asked of a role: entries of its books and memories together."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rolememory.authoring.expectation_run import RoleRunner, check
from rolememory.authoring.expectations import read_expectations
from rolememory.engine import Home, RoleMemory
from rolememory.errors import FileError
from tests.authoring.books import BEACON, STORM, world

BOOK = world(BEACON, {**STORM, "key": ["gale"]})
MEMORIES = [
    {"id": "letter", "content": "Lin sent a letter about the beacon.", "keys": ["beacon"]},
    {"id": "灯", "content": "灯塔在雾里灭了三夜。", "keys": ["灯塔"]},
]


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoleMemory]:
    path: Path = tmp_path_factory.mktemp("home")
    with Home.open(path, {"embedding.backend": "off"}) as home:
        role = home.create("Mira")
        role.remember_all(MEMORIES)
        (role.folder / "worldbooks").mkdir(exist_ok=True)
        (role.folder / "worldbooks" / "harbour.json").write_text(
            json.dumps(BOOK.raw), encoding="utf-8"
        )
        yield role


def told(mind: RoleMemory, *lines: str) -> list[str]:
    stage = RoleRunner(mind, BOOK.book, "harbour")
    cases = read_expectations("\n".join(["[[case]]", 'name = "c"', *lines]), "x.toml")
    return [one.text() for _, failures in check(stage, cases, "x.toml") for one in failures]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            ['messages = ["The beacon!"]', 'fires = ["Beacon", "letter"]', 'not_fires = ["灯"]'],
            id="an entry and a memory",
        ),
        pytest.param(
            ['messages = ["The beacon!"]', 'exactly = ["Beacon", "letter"]'],
            id="these and no others",
        ),
        pytest.param(
            ['messages = ["The beacon!"]', 'contains = ["whale oil", "sent a letter"]'],
            id="the words of both",
        ),
        pytest.param(
            ['messages = ["The beacon!"]', 'places = { Beacon = "before", letter = "memory" }'],
            id="each in its place",
        ),
        pytest.param(
            ['messages = ["灯塔呢？"]', 'fires = ["灯"]', "costs_at_most = 300"], id="一条记忆"
        ),
    ],
)
def test_what_a_role_does(mind: RoleMemory, lines: list[str]) -> None:
    assert told(mind, *lines) == []


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        pytest.param(
            ['messages = ["Hm."]', 'fires = ["Beacon"]'],
            "'Beacon' did not fire: none of its keys",
            id="an entry",
        ),
        pytest.param(
            ['messages = ["Hm."]', 'fires = ["letter"]'],
            "'letter' did not fire: nothing in the message points to it",
            id="a memory",
        ),
        pytest.param(
            ['messages = ["beacon"]', 'not_fires = ["letter"]'],
            "'letter' fired: ",
            id="a memory too many",
        ),
        pytest.param(
            ['messages = ["beacon"]', 'exactly = ["letter"]'],
            "'Beacon' fired besides: 'beacon'",
            id="an entry too many",
        ),
    ],
)
def test_what_it_does_not_says_why(mind: RoleMemory, lines: list[str], why: str) -> None:
    assert told(mind, *lines)[0].startswith(why)


def test_what_a_role_does_not_have(mind: RoleMemory) -> None:
    with pytest.raises(FileError, match=r"no entry or memory named 'leter'.*did you mean 'letter'"):
        told(mind, 'messages = ["a"]', 'fires = ["leter"]')
