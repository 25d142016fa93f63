"""doctor about what goes on behind the chats: who learns, what waits, what is damaged, whether the servers are there."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Command
from tests.endpoint import Endpoint, replies, status

SECRET = "Remember that my api key is sk-abcdef0123456789abcdef0123456789abcd."
CHAT = [
    {"role": "user", "content": f"My sister Anna keeps bees in Riga. {SECRET}"},
    {"role": "assistant", "content": "Tell me more."},
    {"role": "user", "content": "Good night."},
]
DEAD = "http://127.0.0.1:9/v1"


def set_up(command: Command, toml: str) -> None:
    (command.home / "rolememory.toml").write_text(
        f'[embedding]\nbackend = "off"\n{toml}', encoding="utf-8"
    )


def told(command: Command, about: str, *options: str) -> list[tuple[str, str]]:
    """(level, what) of the findings about one thing."""
    found = command("doctor", "--json", *options).json["findings"]
    return [
        (one["level"], f"{one['where']} {one['what']}") for one in found if one["about"] == about
    ]


def observed(command: Command, folder: Path) -> None:
    (folder / "chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
    assert (
        command("observe", "Mira", str(folder / "chat.json"), "--chat", "one", "--user", "lin").code
        == 0
    )


@pytest.mark.parametrize(
    ("toml", "level", "words"),
    [
        pytest.param(
            "", "good", "learned by: commands", id="by commands alone when nothing is set"
        ),
        pytest.param("[learn]\nenabled = false\n", "note", "learned by: off", id="not at all"),
        pytest.param(
            f'[learn]\nendpoint = "{DEAD}"\nmodel = "m"\n',
            "good",
            "learned by: commands and model",
            id="by both",
        ),
        pytest.param(
            f'[learn]\nextractor = "rules"\nendpoint = "{DEAD}"\nmodel = "m"\n',
            "good",
            "learned by: commands",
            id="by commands alone where the model is not wanted",
        ),
        pytest.param(
            f'[learn]\nendpoint = "{DEAD}"\n',
            "warning",
            "learn.model is not",
            id="an endpoint without a model",
        ),
        pytest.param(
            '[learn]\nmodel = "m"\n',
            "warning",
            "learn.endpoint is not",
            id="a model without an endpoint",
        ),
    ],
)
def test_doctor_says_who_learns(command: Command, toml: str, level: str, words: str) -> None:
    set_up(command, toml)
    assert any(found == level and words in what for found, what in told(command, "learning"))


def test_what_waits_is_told_and_nothing_is_written(command: Command, tmp_path: Path) -> None:
    observed(command, tmp_path)
    set_up(command, f'[learn]\nendpoint = "{DEAD}"\nmodel = "m"\n')
    before = {
        path: path.read_bytes()
        for path in command.home.rglob("*")
        if path.is_file() and path.name != ".lock"
    }
    assert any("1 exchange waits for the model" in what for _, what in told(command, "learning"))
    assert told(command, "review") == [("note", "Mira 1 pending review")]
    assert {
        path: path.read_bytes()
        for path in command.home.rglob("*")
        if path.is_file() and path.name != ".lock"
    } == before
    assert SECRET not in command("doctor").out


def test_doctor_in_chinese_has_no_english_colon_behind_its_marks(command: Command) -> None:
    lines = command("doctor", lang="zh").lines
    marks = [line.partition("：")[0] for line in lines if "：" in line]
    assert {"正常", "提示"} <= set(marks)
    assert not any(": " in mark for mark in marks)


@pytest.mark.parametrize(("lang", "words"), [("en", "chats"), ("zh", "会话")])
def test_a_damaged_chat_is_told_with_its_file(
    command: Command, tmp_path: Path, lang: str, words: str
) -> None:
    observed(command, tmp_path)
    (log,) = (command.role_folder() / "chats").glob("*.jsonl")
    log.write_bytes(log.read_bytes() + b"garbage\n")
    assert log.name in command("doctor", lang=lang).out
    assert [level for level, _ in told(command, "chats")] == ["warning"]
    (row,) = command("stats", "Mira", "--json").json["roles"]
    assert (row["problems"], row["chats"], row["messages"]) == (1, 1, 3)
    assert words in command("stats", lang=lang).out


def test_a_server_is_asked_only_when_wanted(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-sesame")
    with Endpoint(replies(b'{"data": []}')) as model:
        url = model.url.replace("//", "//lin:sesame@")
        set_up(command, f'[learn]\nendpoint = "{url}"\nmodel = "m"\napi_key_env = "MY_KEY"\n')
        assert [level for level, _ in told(command, "server")] == ["note"]
        assert model.requests == []
        (found,) = told(command, "server", "--wait")
        assert model.requests[0].path.endswith("/models")
        assert (found[0], model.url in found[1]) == ("good", True)
        assert "answers, key from MY_KEY" in found[1]
        assert "sesame" not in command("doctor", "--wait").out


@pytest.mark.parametrize(
    ("answer", "level", "words"),
    [
        pytest.param(replies(b"<html>"), "good", "answers", id="whatever it says, it is there"),
        pytest.param(
            status(404, "Not found"),
            "good",
            "answers",
            id="a server without a list of models may still reply",
        ),
        pytest.param(
            status(401, "Who?"),
            "warning",
            "put it into ROLEMEMORY_UPSTREAM_KEY",
            id="it wants a key",
        ),
        pytest.param(status(503, "Busy"), "warning", "status 503", id="it is broken"),
        pytest.param(None, "warning", "cannot be reached", id="nobody is there"),
    ],
)
def test_what_a_server_says_when_asked(
    command: Command, answer: Any, level: str, words: str
) -> None:
    with Endpoint(*([answer] if answer else [status(500)])) as model:
        url = model.url if answer else DEAD
        set_up(command, f'[serve]\nupstream = "{url}"\n')
        (found,) = told(command, "server", "--wait")
        assert found[0] == level
        assert words in found[1]
        assert "secret" not in found[1]
    assert command("doctor", "--wait").code == 0, "a server that is away is no fault of the home"


@pytest.mark.parametrize(
    ("toml", "level", "words"),
    [
        pytest.param("", "note", "no model is set behind the proxy", id="no upstream"),
        pytest.param(
            '[serve]\nhost = "0.0.0.0"\n', "note", "other machines", id="open to other machines"
        ),
        pytest.param(
            '[serve]\nrole = "Nobody"\n', "fault", "Nobody", id="a role that is not there"
        ),
        pytest.param(
            '[serve]\ncards = "nowhere"\n',
            "warning",
            "no folder nowhere",
            id="a folder of cards that is not there",
        ),
        pytest.param(
            '[serve]\nport = 9191\nupstream = "http://localhost:9191/v1"\n',
            "warning",
            "this server itself",
            id="a model's address that is the server's own",
        ),
    ],
)
def test_settings_of_the_server(command: Command, toml: str, level: str, words: str) -> None:
    set_up(command, toml)
    assert any(found == level and words in what for found, what in told(command, "serve"))


@pytest.mark.skipif(os.name != "posix", reason="rights of others are told on POSIX systems")
def test_a_home_that_others_can_read_is_told(command: Command) -> None:
    command.home.chmod(0o755)
    assert not any("may read" in what for _, what in told(command, "home")), "its roles are closed"
    command.role_folder().chmod(0o755)
    assert any(level == "warning" and "may read" in what for level, what in told(command, "home"))
    command.home.chmod(0o700)
    assert not any("may read" in what for _, what in told(command, "home"))


@pytest.mark.skipif(os.name != "posix", reason="rights of others are told on POSIX systems")
def test_a_token_that_others_can_read_is_told(command: Command) -> None:
    token = command.home / ".token"
    assert any("no token yet" in what for _, what in told(command, "serve"))
    token.write_text("a-token-of-enough-letters\n", encoding="ascii")
    token.chmod(0o644)
    assert any(level == "warning" and "others" in what for level, what in told(command, "serve"))
    token.chmod(0o600)
    assert any(
        level == "good" and "token is there" in what for level, what in told(command, "serve")
    )
    assert "a-token-of" not in command("doctor").out
