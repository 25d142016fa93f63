"""users: who is known, under which names, as a person types it."""

import json
from pathlib import Path

import pytest

from rolememory.engine import Home
from rolememory.schema.message import Message
from tests.cli.running import Command
from tests.cli.test_learning import run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    folder = tmp_path / "home"
    with Home.open(folder, {"embedding.backend": "off"}) as opened:
        mira = opened.create("Mira")
        for name in ("Lin", "旅人"):
            mira.observe([Message.user("Good morning.")], "Morning.", chat=f"of {name}", user=name)
            mira.remember(f"{name} was here.", user=name)
    return Command(folder, monkeypatch)


def test_the_list_shows_names_and_asks_about_new_ones(home: Command) -> None:
    told = json.loads(run(home, "users", "list", "--json"))
    assert [(one["user"], one["names"]) for one in told["users"]] == [
        ("Lin", ["Lin"]),
        ("旅人", ["旅人"]),
    ]
    assert told["unasked"] == [{"name": "旅人", "person": "Lin"}]
    shown = home("users", "list")
    assert "users link" in shown.err
    assert "是同一个人吗" in home("users", "list", lang="zh").err


def test_names_are_linked_and_unlinked(home: Command) -> None:
    assert json.loads(run(home, "users", "link", "Lin", "旅人", "--json"))["linked"] == [
        "Lin",
        "旅人",
    ]
    told = json.loads(run(home, "users", "list", "--json"))
    assert [one["names"] for one in told["users"]] == [["Lin", "旅人"]]
    assert told["unasked"] == []
    for user in ("Lin", "旅人"):
        found = json.loads(run(home, "list", "Mira", "--user", user, "--json"))
        assert {one["user"] for one in found} == {"Lin", "旅人"}
    assert "旅人" in run(home, "users", "unlink", "旅人")
    found = json.loads(run(home, "list", "Mira", "--user", "旅人", "--json"))
    assert {one["user"] for one in found} == {"旅人"}
    told = json.loads(run(home, "users", "list", "--json"))
    assert [one["names"] for one in told["users"]] == [["Lin"], ["旅人"]]
    assert told["unasked"] == []


def test_one_name_is_refused_with_an_example(home: Command) -> None:
    assert "two names" in run(home, "users", "link", "Lin", code=1)
