"""keys: who may ask a service, as a person types it."""

import json
from pathlib import Path

import pytest

from rolememory.engine import Home
from rolememory.serve.keys import ApiKeys
from rolememory.serve.token import token_of
from tests.cli.running import Command
from tests.cli.test_learning import run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    folder = tmp_path / "home"
    with Home.open(folder, {"embedding.backend": "off"}) as opened:
        opened.create("Mira")
    return Command(folder, monkeypatch)


def test_a_key_is_made_shown_once_and_taken_away(home: Command) -> None:
    told = ("--role", "Mira", "--user", "lin", "--rights", "read", "--json")
    made = json.loads(run(home, "keys", "add", "lin", *told))["key"]
    (row,) = json.loads(run(home, "keys", "list", "--json"))
    with Home.open(home.home, {"embedding.backend": "off"}) as opened:
        mira = opened.role("Mira").id
    assert row == {"name": "lin", "user": "lin", "roles": mira, "rights": "read"}
    assert made not in run(home, "keys", "list")
    caller = ApiKeys(home.home, token_of(home.home)[0]).caller(made)
    assert caller
    assert (caller.user, caller.roles, caller.rights) == ("lin", (mira,), ("read",))
    run(home, "keys", "remove", "lin")
    assert json.loads(run(home, "keys", "list", "--json")) == []


@pytest.mark.parametrize(
    ("line", "en", "zh"),
    [
        pytest.param(("add", "lin"), "there is a key of this name", "已有同名的密钥", id="twice"),
        pytest.param(
            ("add", "x", "--role", "Mira", "--rights", "admin"),
            "cannot administer the home",
            "不能管理整个主目录",
            id="an administrator of one role",
        ),
        pytest.param(
            ("add", "x", "--rights", "reed"), "did you mean 'read'", "read", id="a typing mistake"
        ),
        pytest.param(("remove", "nobody"), "nobody", "nobody", id="taken away, never made"),
    ],
)
def test_what_cannot_be_is_said_in_both_languages(
    home: Command, line: tuple[str, ...], en: str, zh: str
) -> None:
    run(home, "keys", "add", "lin")
    assert en in run(home, "keys", *line, code=1)
    assert zh in run(home, "keys", *line, language="zh", code=1)
