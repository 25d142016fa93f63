"""The demo: the first thing a stranger sees."""

import json
import re
import shlex
from pathlib import Path

import pytest

from rolememory.shipped import shipped
from tests.cli.running import Command

SCENES = len(json.loads(shipped("examples", "home", "demo.json").read_text("utf-8")))


def shipped_files() -> dict[str, bytes]:
    home = shipped("examples", "home")
    return {
        str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_scene_recalls_something_and_says_why(
    command: Command, tmp_path: Path, lang: str
) -> None:
    before = shipped_files()
    scenes = command("demo", "--words", "--json", lang=lang, encoding="utf-8").json
    assert len(scenes) == SCENES
    for scene in scenes:
        assert scene["say"]
        assert scene["why"]
        assert scene["embedder"] == "absent"
        sent = "\n".join(message["content"] for message in scene["messages"])
        blocks = scene["text"].split(
            "\n\n<rolememory>"
        )  # what is always there stands apart from what was woken
        assert all(block in sent for block in blocks)
    assert shipped_files() == before
    assert list(tmp_path.glob("memories")) == []


def test_in_a_pipe_it_is_plain_text(command: Command) -> None:
    out = command("demo", "mira", "--words").out
    assert "\x1b" not in out
    assert "lin: Why is the beacon dark?" in out
    assert "keyword 'beacon' in message 1" in out
    assert "[system]" in out


@pytest.mark.parametrize(("lang", "first"), [("en", "Mira"), ("zh", "巧姨")])
def test_who_speaks_the_persons_language_comes_first(
    command: Command, lang: str, first: str
) -> None:
    titles = [
        line for line in command("demo", "--words", lang=lang).lines if line.startswith("== ")
    ]
    assert titles[0].split()[2] == first


def test_at_a_terminal_it_waits_between_scenes_and_q_ends_it(command: Command) -> None:
    out = command("demo", "mira", "--words", terminal=True, stdin=b"\nq\n").out
    assert len(re.findall(r"\d+/\d+  Mira", out)) == 2
    assert "lin: Why is the beacon dark?" in out
    assert "What the model is sent:" in out
    line = ("demo", "mira", "--words", "--no-pause")
    assert len(re.findall(r"\d+/\d+  Mira", command(*line, terminal=True, stdin=b"q\n").out)) > 2


def test_at_a_gbk_terminal(command: Command) -> None:
    ran = command("demo", "巧姨", "--words", "--no-pause", terminal=True, encoding="gbk", lang="zh")
    assert ran.code == 0
    assert "发给模型的内容" in ran.out


def test_tables_at_a_terminal_have_titles(command: Command) -> None:
    out = command("list", "Mira", terminal=True).out
    assert "content" in out
    assert "The beacon failed" in out
    assert "beacon failed" in command("search", "Mira", "beacon", terminal=True, lang="zh").out


@pytest.mark.parametrize("terminal", [True, False])
def test_what_a_memory_holds_controls_no_terminal(command: Command, terminal: bool) -> None:
    evil = "\x1b]0;owned\x07 \x1b[31mred \u202eback lantern"
    told = command("add", "Mira", evil, "--id", "evil", "--key", "lantern", terminal=terminal)
    ran = [told] + [
        command(*words, terminal=terminal)
        for words in (
            ("list", "Mira"),
            ("search", "Mira", "lantern"),
            ("recall", "Mira", "Where is the lantern?"),
            ("explain", "Mira", "Where is the lantern?"),
            ("history", "Mira"),
            ("delete", "Mira", "evil", "--yes"),
        )
    ]
    for one in ran:
        assert one.code == 0
        said = one.out + one.err
        assert [code for code in ("\x1b]", "\x1b[31mred", "\x07", "\u202e") if code in said] == []


def test_delete_asks_at_a_terminal(command: Command) -> None:
    for answer in (b"n\n", b"\n", b"yess\n", b""):
        ran = command("delete", "Mira", "storm", terminal=True, stdin=answer)
        assert "nothing was deleted" in ran.out, answer
    assert "deleted storm" in command("delete", "Mira", "storm", terminal=True, stdin=b"y\n").out
    assert "已删除" in command("delete", "Mira", "tea", "--yes", terminal=True, lang="zh").out


@pytest.mark.parametrize("name", ["Old Tom", "Tom's", "老 汤", "$HOME"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_command_to_copy_works_as_it_stands(command: Command, name: str, lang: str) -> None:
    command("open", name, "--create")
    command("add", name, "Keeps the lamp.", "--id", "lamp")
    told = command("delete", name, "lamp", lang=lang).out
    (copied,) = re.findall(r"`rolememory (.+)`", told)
    assert command(*shlex.split(copied)).code == 0
    assert "lamp" in command("list", name).out


@pytest.mark.parametrize("columns", ["40", "60", "80", "100", "140"])
def test_a_table_shows_every_value_however_narrow_the_terminal(
    command: Command, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    command("settings", "recall.max_items", "7")
    command("settings", "serve.port", "9137")
    told = command("settings", terminal=True).out
    assert all(one in told for one in ("recall.max_items", "7", "serve.port", "9137"))
    row_id = command("roles", "--json").json[0]["id"]
    assert row_id in command("roles", terminal=True).out
    told = command("list", "Mira", terminal=True).out
    assert all(one in told for one in ("storm", "plain", "灯塔", "constant"))
    assert all(len(line) <= int(columns) for line in told.splitlines() if "─" in line)
