"""import sillytavern: a whole life on the command line."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rolememory.chats import Chats
from rolememory.engine import Home
from rolememory.storage.files.space import FileSpace
from tests.authoring.importer.recording import ledger_file
from tests.cards.tavern.folders import NEW, head, life, said, write_lines
from tests.cli.running import ENVIRONMENT, Command


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return life(tmp_path / "SillyTavern")


def chats(home: Path, name: str) -> dict[str, int]:
    """Messages of each chat of a role, by title."""
    with Home.open(home, {"embedding.backend": "off"}) as opened:
        kept = Chats(FileSpace(opened.folder.folder(opened.folder.find(name).id)))
        return {info.title: len(kept.path(info.id)) for info in kept.chats()}


def test_a_dry_run_tells_what_would_come_and_changes_nothing(command: Command, user: Path) -> None:
    before = sorted(path for path in command.home.rglob("*"))
    ran = command("import", "sillytavern", str(user), "--dry-run")
    assert ran.code == 0, ran.err
    assert "4 new" in ran.out
    assert NEW in ran.out
    listed = command("import", "sillytavern", str(user), "--dry-run", "--json").json["chats"]
    assert ("Asha", NEW, "new") in [(one["folder"], one["name"], one["state"]) for one in listed]
    assert "nothing was changed" in ran.out
    assert sorted(path for path in command.home.rglob("*")) == before


def test_it_is_brought_and_the_second_time_all_is_here(command: Command, user: Path) -> None:
    ran = command("import", "sillytavern", str(user.parent.parent), "--yes")
    assert (ran.code, "brought: chats 5" in ran.out) == (0, True), ran.err
    assert chats(command.home, "明月") == {"明月 - 2024-08-01@20h00m00s": 4, "1720000000000": 5}
    ran = command("import", "sillytavern", str(user.parent.parent), "--yes")
    assert (ran.code, "everything is here already" in ran.out) == (0, True), ran.err


def test_again_reads_what_did_not_change(command: Command, user: Path) -> None:
    line = ("import", "sillytavern", str(user.parent.parent), "--yes", "--json")
    first = command(*line).json["chats"]
    assert first
    assert command(*line).json["chats"] == []
    again = command(*line, "--again").json["chats"]
    assert {one["chat"] for one in again} == {one["chat"] for one in first}


def test_in_chinese_it_speaks_chinese(command: Command, user: Path) -> None:
    (user / "characters" / "broken.png").write_bytes(b"")
    ran = command("import", "sillytavern", str(user), "--dry-run", lang="zh")
    assert "新增" in ran.out
    assert "没有改动任何东西" in ran.out
    assert "是空文件" in ran.err
    ran = command("import", "sillytavern", str(user), lang="zh")
    assert "导入了 5 段聊天" in ran.out
    assert "隐藏的消息" in ran.err


def test_json_gives_one_value_and_a_line_for_every_chat_on_the_way(
    command: Command, user: Path
) -> None:
    ran = command("import", "sillytavern", str(user), "--json")
    result, lines = ran.json, [json.loads(line) for line in ran.err.splitlines()]
    assert lines == result["chats"]
    assert {one["chat"] for one in lines} >= {
        f"chats/Asha/{NEW}.jsonl",
        "group chats/1720000000000.jsonl",
    }
    assert sum(one["summaries"] for one in lines) == 3
    assert {one["name"] for one in result["roles"]} == {"Asha", "明月", "Bo"}
    assert all(one["role"] for one in result["roles"])
    looked = command("import", "sillytavern", str(user), "--json", "--dry-run").json
    assert (looked["dry_run"], looked["chats"], {one["state"] for one in looked["roles"]}) == (
        True,
        [],
        {"same"},
    )


def test_at_a_terminal_it_asks_first(command: Command, user: Path) -> None:
    ran = command("import", "sillytavern", str(user), stdin=b"n\n", terminal=True)
    assert "bring it?" in ran.err
    assert command("import", "sillytavern", str(user), "--dry-run", "--json").json["chats"] != []
    ran = command("import", "sillytavern", str(user), stdin=b"y\n", terminal=True)
    assert "brought: chats 5" in ran.out


def stories(home: Path, name: str) -> set[str]:
    """The stories of a role's chats."""
    with Home.open(home, {"embedding.backend": "off"}) as opened:
        return {info.story for info in opened.role(name).chats.chats()}


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "明月 has 2 chats. Is each a story of its own"),
        ("zh", "明月有 2 段聊天。各成一个故事"),
    ],
)
def test_at_a_terminal_it_asks_once_for_a_role_with_many_chats(
    command: Command, user: Path, language: str, question: str
) -> None:
    said = b"y\none\n\n"  # it is brought; the first role shares one life, a blank line takes what is proposed
    ran = command("import", "sillytavern", str(user), stdin=said, terminal=True, lang=language)
    assert ran.err.count(question) == 1
    assert ran.err.count("[each]") == 2
    with Home.open(command.home, {"embedding.backend": "off"}) as opened:
        (asha,) = [one for one in opened.roles() if one.card_from == "Asha.png"]
    assert stories(command.home, asha.id) == {""}
    assert stories(command.home, "明月") == {"own"}
    again = command("import", "sillytavern", str(user), "--again", stdin=b"y\n", terminal=True)
    assert "[each]" not in again.err


def test_without_a_terminal_each_chat_is_its_own_and_that_is_told(
    command: Command, user: Path
) -> None:
    ran = command("import", "sillytavern", str(user))
    assert "明月: each of 2 chats is a story of its own" in ran.err
    assert stories(command.home, "明月") == {"own"}


def test_how_stories_are_may_be_said_beforehand(command: Command, user: Path) -> None:
    assert command("import", "sillytavern", str(user), "--stories", "many").code == 1
    ran = command("import", "sillytavern", str(user), "--stories", "one", "--json")
    assert ran.json["stories"] == {"Asha.png": "one", "明月.png": "one"}
    assert stories(command.home, "明月") == {""}


def test_of_several_users_one_is_taken_or_named(command: Command, user: Path) -> None:
    life(user.parent.parent / "more")
    (user.parent.parent / "more" / "data" / "default-user").rename(user.parent / "wren")
    folder = str(user.parent.parent)
    ran = command("import", "sillytavern", folder, "--dry-run", "--json")
    assert ran.json["source"] == str(user)
    assert "--profile" in ran.err
    assert command(
        "import", "sillytavern", folder, "--dry-run", "--json", "--profile", "wren"
    ).json["source"] == str(user.parent / "wren")
    ran = command("import", "sillytavern", folder, "--dry-run", "--profile", "wrem")
    assert (ran.code, "did you mean 'wren'?" in ran.err) == (1, True)


def test_several_users_and_none_of_them_the_default_must_be_told_apart(
    command: Command, user: Path
) -> None:
    life(user.parent.parent / "more")
    (user.parent.parent / "more" / "data" / "default-user").rename(user.parent / "wren")
    user.rename(user.parent / "lin")
    ran = command("import", "sillytavern", str(user.parent), "--dry-run")
    assert (ran.code, "lin, wren" in ran.err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(
            ["sillytavern", "nowhere"], "there is no such folder", id="a folder that is not there"
        ),
        pytest.param(
            ["sillytavern", "."],
            "is no data folder of SillyTavern",
            id="a folder of something else",
        ),
        pytest.param(["risuai", "."], "no program named 'risuai'", id="a program we do not know"),
        pytest.param(["sillytavern"], "sillytavern", id="no folder: a file of that name, as ever"),
        pytest.param(
            ["sillytavern", "chats", "--role", "nobody"], "nobody", id="a role that is not there"
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    command: Command, tmp_path: Path, arguments: list[str], told: str
) -> None:
    write_lines(tmp_path / "chats" / "one.jsonl", [head()])
    ran = command("import", *arguments)
    assert ran.code == 1
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1


def test_one_characters_chats_go_into_the_role_that_is_named(
    command: Command, tmp_path: Path
) -> None:
    write_lines(
        tmp_path / "old" / "one.jsonl",
        [
            head(),
            said("Keeper", "Good evening.", "2024-01-01T20:00:00Z"),
            said("Lin", "Hi.", user=True),
        ],
    )
    ran = command("import", "sillytavern", str(tmp_path / "old"), "--role", "Mira", "--json")
    assert [one["name"] for one in ran.json["roles"]] == ["Mira"]
    assert chats(command.home, "Mira") == {"one": 2}


def test_hidden_messages_come_when_asked_for(command: Command, user: Path) -> None:
    command("import", "sillytavern", str(user))
    command("import", "sillytavern", str(user), "--hidden")
    assert chats(command.home, "明月")["明月 - 2024-08-01@20h00m00s"] == 5


def test_a_chat_that_cannot_be_written_is_told_and_the_exit_code_says_so(
    command: Command, user: Path
) -> None:
    (user / "chats" / "Asha" / "bad.jsonl").write_text("no chat at all")
    ran = command("import", "sillytavern", str(user))
    assert ran.code == 1
    assert "bad.jsonl" in ran.err
    assert "brought" in ran.out


def nights(user: Path, count: int) -> None:
    """So many more chats of 明月, four messages each."""
    for number in range(count):
        lines = [
            said("明月", f"第 {number} 夜。", 1700000000000 + number * 10**8),
            said("林", "嗯。", user=True),
            said("明月", "睡吧。"),
            said("林", "晚安。", user=True),
        ]
        write_lines(
            user / "chats" / "明月" / f"{number}.jsonl", [head(integrity=f"night-{number}"), *lines]
        )


def importing(home: Path, user: Path) -> "subprocess.Popen[bytes]":
    """The command as a process, with a line on its standard error for every chat that is here."""
    command = [
        sys.executable,
        "-m",
        "rolememory",
        "--home",
        str(home),
        "import",
        "sillytavern",
        str(user),
        "--json",
    ]
    return subprocess.Popen(
        command,
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def test_killed_at_any_moment_the_next_run_goes_on(command: Command, user: Path) -> None:
    home = command.home
    nights(user, 10)
    running = importing(home, user)
    assert running.stderr is not None
    for _ in range(3):
        running.stderr.readline()
    running.kill()
    running.wait(30)
    running.stderr.close()
    noted = ledger_file(home, user).read_text("utf-8").count('"kind":"chat"')
    assert 3 <= noted < 15
    ran = command("import", "sillytavern", str(user), "--json")
    assert ran.code == 0, ran.err
    assert len(ran.json["chats"]) <= 15 - noted + 1
    kept = chats(home, "明月")
    assert len(kept) == 12
    assert {kept[str(number)] for number in range(10)} == {4}


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise there")
def test_ctrl_c_says_how_to_go_on(command: Command, user: Path) -> None:
    nights(user, 30)
    running = importing(command.home, user)
    assert running.stderr is not None
    running.stderr.readline()
    running.send_signal(signal.SIGINT)
    told = running.stderr.read().decode()
    running.stderr.close()
    assert running.wait(30) == 130
    assert "the same command continues" in told
