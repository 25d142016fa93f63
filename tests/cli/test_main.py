"""The command as a whole: help, languages, options for every verb, exit codes, consoles and pipes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from rolememory.cli.command_line import read
from tests.cli.running import ENVIRONMENT, Command, process

VERBS = (
    "init demo roles open list search add edit weight delete recall explain history undo clean backup restore export import settings "
    "stats doctor model"
).split()
READING: list[tuple[str, ...]] = [
    ("roles",), ("open", "Mira"), ("list", "Mira"), ("search", "Mira", "beacon"), ("recall", "Mira", "beacon"), ("explain", "Mira", "beacon"),
    ("history", "Mira"), ("clean", "--dry-run"), ("restore", "Mira", "--list"), ("export", "Mira"), ("settings",), ("settings", "--all"), ("stats",),
    ("doctor",), ("model", "list"), ("backup", "--all"), ("init",), ("undo", "Mira"), ("add", "Mira", "雨停了。"), ("weight", "Mira", "storm", "2"),
    ("delete", "Mira", "storm"), ("settings", "recall.max_items", "3"),
]  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help_shows_every_verb(command: Command, lang: str) -> None:
    out = command("--help", lang=lang).out
    shown = {line.split()[0] for line in out.splitlines() if line.startswith("  ") and line.split()}
    assert set(VERBS) <= shown


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_in_both_languages(command: Command, verb: str) -> None:
    english, chinese = command(verb, "--help").out, command(verb, "--help", lang="zh").out
    assert english.isascii(), "English help is plain"
    assert not chinese.isascii()
    for line in chinese.splitlines():
        words = line.strip().split("  ")[-1]
        assert not words.isascii() or len(words.split()) < 6 or "rolememory" in words, (
            f"not translated: {line}"
        )


RECALL = ("numpy", "asyncio", "httpx", "torch")


@pytest.mark.parametrize(
    ("arguments", "idle", "told"),
    [
        pytest.param(("--help",), ("rich", "pydantic", "numpy", "torch", "httpx"), "", id="help"),
        pytest.param(("roles",), ("rolememory.cli.book", "rolememory.serve"), "Mira", id="roles"),
        pytest.param(("list", "Mira"), RECALL, "The lamp is dark.", id="a list"),
        pytest.param(("add", "Mira", "The pier is old."), RECALL, "pier", id="a new memory"),
    ],
)
def test_a_verb_loads_only_what_it_needs(
    command: Command, arguments: tuple[str, ...], idle: tuple[str, ...], told: str
) -> None:
    command("add", "Mira", "The lamp is dark.")
    code = (
        "import sys; from rolememory.cli.app import run; run(sys.argv[3:] + ['--home', sys.argv[1]] * (sys.argv[3] != '--help')); "
        "print([name for name in sys.modules if name.startswith(tuple(sys.argv[2].split()))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(command.home), " ".join(idle), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **ENVIRONMENT},
        check=True,
    )
    assert told in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "ascii"])
def test_json_is_valid_on_every_console(
    command: Command, arguments: tuple[str, ...], encoding: str
) -> None:
    ran = command(*arguments, "--json", encoding=encoding)
    assert ran.code == 0, ran.err
    assert ran.json is not None
    assert "Traceback" not in ran.err


@pytest.fixture
def in_shanghai(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock of a person eight hours ahead."""
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_shanghai")
def test_times_are_shown_by_the_clock_of_the_person(command: Command) -> None:
    command("observe", "Mira", "-", stdin=b"Lin: The pier was sold.")
    command("story", "begin", "Mira", "war", "--of", "", "--at", "2024-05-01T20:00:00Z")
    (chat,) = command("sessions", "Mira", "--json").json
    there = datetime.fromisoformat(chat["latest"]).astimezone(ZoneInfo("Asia/Shanghai"))
    assert command("sessions", "Mira").out.startswith(f"{there:%Y-%m-%d %H:%M}\t")
    assert "\t2024-05-02 04:00\t" in command("story", "list", "Mira").out


def test_imported_chats_stand_at_the_time_of_their_last_message(command: Command) -> None:
    for chat, year in (("old", 2021), ("older", 2019), ("new", 2023)):
        said = [
            {"role": "user", "content": f"The pier of {year}.", "sent": f"{year}-05-01T08:00:00Z"},
            {"role": "assistant", "content": "It stands.", "sent": f"{year}-05-02T08:00:00Z"},
        ]
        command("observe", "Mira", "-", "--chat", chat, stdin=json.dumps(said).encode())
    rows = command("sessions", "Mira", "--json").json
    assert [(row["id"], row["latest"][:10]) for row in rows] == [
        ("new", "2023-05-02"),
        ("old", "2021-05-02"),
        ("older", "2019-05-02"),
    ]
    assert command("sessions", "Mira").out.startswith("2023-05-02")


def test_verbs_that_change_things_give_json_too(command: Command, tmp_path: Path) -> None:
    assert command("observe", "Mira", "-", stdin=b"Lin: The pier was sold.").code == 0
    book, goal = str(tmp_path / "harbour.json"), str(tmp_path / "v3.json")
    assert command("book", "new", book).code == 0
    (chat,) = command("sessions", "Mira", "--json").json
    for arguments, value in (
        (("story", "begin", "Mira", "war"), {"name": "war"}),
        (("story", "merge", "Mira", "war"), {"name": "war", "into": ""}),
        (("sessions", "Mira", chat["id"], "--remove", "--yes"), {"chat": chat["id"]}),
        (("book", "export", book, "--to", "lorebook_v3", "--out", goal), {"file": goal}),
        (("keys", "add", "lin"), {"name": "lin"}),
        (("keys", "remove", "lin"), {"name": "lin"}),
    ):
        ran = command(*arguments, "--json")
        assert ran.code == 0, ran.err
        assert value.items() <= ran.json.items(), arguments


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
@pytest.mark.parametrize(("encoding", "lang"), [("gbk", "zh"), ("ascii", "zh"), ("ascii", "en")])
def test_people_are_spoken_to_on_every_console(
    command: Command, arguments: tuple[str, ...], encoding: str, lang: str
) -> None:
    ran = command(*arguments, encoding=encoding, lang=lang)
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("place", [0, 1, 2], ids=["before the verb", "after it", "at the end"])
def test_options_of_every_verb_stand_anywhere(command: Command, place: int) -> None:
    words = ["list", "Mira"]
    words[place:place] = ["--json", "--lang=zh"]
    assert len(command(*words).json) == 4


def test_after_two_dashes_everything_is_text(command: Command) -> None:
    assert (
        command("add", "Mira", "--json", "--", "--json is an option").json["content"]
        == "--json is an option"
    )


def test_the_home_comes_from_the_environment(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(["roles"], {"ROLEMEMORY_HOME": str(command.home)}).home == command.home
    assert str(read(["roles"], {}).home) == "memories"


def test_the_home_may_settle_the_language(command: Command) -> None:
    command("settings", "language", "zh")
    place = ("--home", str(command.home))
    assert "经历" in process("list", "Mira", *place, environment={"ROLEMEMORY_LANG": ""}).out
    assert "episodic" in process("list", "Mira", *place, environment={"ROLEMEMORY_LANG": "en"}).out


def test_version(command: Command) -> None:
    assert command("--version").out.startswith("rolememory 0.")


# ── as a process ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("encoding", ["gbk", "utf-8"])
def test_a_chinese_console(command: Command, encoding: str) -> None:
    ran = process(
        "list",
        "米拉",
        "--home",
        str(command.home),
        "--lang",
        "zh",
        environment={"PYTHONIOENCODING": encoding},
    )
    assert (ran.code, ran.err) == (0, "")
    assert "灯塔在雾里灭了三夜。" in ran.out


def test_a_person_may_type_in_gbk(command: Command) -> None:
    ran = process(
        "add",
        "Mira",
        "-",
        "--home",
        str(command.home),
        stdin="雨停了。".encode("gbk"),
        environment={"PYTHONIOENCODING": "gbk"},
    )
    assert "雨停了。" in ran.out


def test_nobody_reads_the_rest(command: Command) -> None:
    command(
        "add",
        "Mira",
        "-",
        "--each-line",
        stdin=b"".join(b"%d " % number + b"x" * 2000 + b"\n" for number in range(60)),
    )
    pipe = subprocess.Popen(
        [sys.executable, "-m", "rolememory", "list", "Mira", "--home", str(command.home)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **ENVIRONMENT},
    )  # fmt: skip
    assert pipe.stdout is not None
    assert pipe.stderr is not None
    pipe.stdout.read(10)
    pipe.stdout.close()
    assert pipe.stderr.read() == b""
    assert pipe.wait(30) == 0
    pipe.stderr.close()


def test_a_fault_of_code_is_one_line_too(command: Command, tmp_path: Path) -> None:
    package = tmp_path / "package"
    told = package / "broken-1.0.dist-info"
    told.mkdir(parents=True)
    (package / "broken.py").write_text("1 / 0", "utf-8")
    (told / "METADATA").write_text("Name: broken\nVersion: 1.0\n", "utf-8")
    (told / "entry_points.txt").write_text("[rolememory.triggers]\nbroken = broken:X\n", "utf-8")
    path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH", "")]))
    place = {"ROLEMEMORY_HOME": str(command.home), "PYTHONPATH": path}
    ran = process("recall", "Mira", "Why is the beacon dark?", environment=place)
    assert (ran.code, ran.err.count("\n")) == (1, 1), ran
    assert "ZeroDivisionError" in ran.err
