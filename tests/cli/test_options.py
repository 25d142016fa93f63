"""Options by what they change: the same command without one, and with it."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home
from tests.cli.running import Command
from tests.endpoint import Endpoint
from tests.serve.proxy.upstreams import streams

BOOK = {
    "entries": {
        "0": {"uid": 0, "comment": "Tide", "key": [" "], "content": "It is out."},
        "1": {"uid": 1, "comment": "Name", "key": ["{{user}} waits"], "content": "A sailor."},
    }
}
CHAT = [{"role": "user", "content": "Tell me of the storm."}, {"role": "assistant", "content": "?"}]
CASE = '[[case]]\nname = "tide"\nmessages = ["hello"]\nfires = ["Tide"]\n'
ENTRY = {"keys": [" "], "content": "It is out.", "enabled": True, "insertion_order": 1}
CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Asha", "character_book": {"entries": [ENTRY], "extensions": {}}},
}


@pytest.fixture
def written(command: Command, tmp_path: Path) -> Command:
    """The command beside a chat, a book with expectations and a card, in a home where two people have talked."""
    texts = {
        "chat.json": json.dumps(CHAT),
        "tide.json": json.dumps(BOOK),
        "tide.test.toml": CASE,
        "other.toml": CASE.replace("fires", "not_fires"),
        "card.json": json.dumps(CARD),
        "there.json": "{}",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (command.role_folder() / "worldbooks").mkdir()
    (command.role_folder() / "worldbooks" / "tide.json").write_text(
        json.dumps(BOOK | {"name": "Tides"}), encoding="utf-8"
    )
    with Home.open(command.home, {"embedding.backend": "off"}) as home:
        for user in ("lin", "tom"):
            home.role("Mira").observe("The sea is calm.", "It is.", chat=f"{user}'s", user=user)
    return command


def ids(rows: Any) -> list[str]:
    return [row.get("id") or row["memory"]["id"] for row in rows]


def blank(rows: Any) -> bool:
    """Whether a key of blanks is said to find nothing."""
    return "idle_blank_key" in [row["code"] for row in rows]


def awake(scan: Any) -> list[str]:
    return [row["title"] for row in scan["fired"]]


@pytest.mark.parametrize(
    ("line", "option", "seen", "without", "with_it"),
    [
        ("search Mira 'storm 灯塔'", "--limit 1", ids, ["灯塔", "storm"], ["灯塔"]),
        ("history Mira", "--limit 1", len, 5, 1),
        ("sessions Mira", "--user tom", ids, ["tom's", "lin's"], ["tom's"]),
        ("explain Mira 'And then?'", "--chat chat.json", ids, ["plain"], ["plain", "storm"]),
        (
            "explain Mira 'What happened yesterday?'",
            "--now 1887-10-28",
            ids,
            ["plain"],
            ["plain", "storm"],
        ),
        ("settings", "--all", lambda rows: len(rows) > 100, False, True),
        ("book scan tide.json -s hello", "--rules sillytavern", awake, [], ["Tide"]),
        ("book scan tide.json -s 'Lin waits.'", "--user Lin", awake, [], ["Name"]),
        ("book lint tide.json", "--rules sillytavern", blank, True, False),
        ("card lint card.json", "--rules sillytavern", blank, True, False),
    ],
)
def test_it_changes_what_comes(
    written: Command,
    line: str,
    option: str,
    seen: Callable[[Any], object],
    without: object,
    with_it: object,
) -> None:
    got = [
        seen(written(*shlex.split(words), "--json").json) for words in (line, f"{line} {option}")
    ]
    assert got == [without, with_it]


@pytest.mark.parametrize(
    ("line", "option", "codes"),
    [
        ("book test tide.json", "--tests other.toml", (3, 0)),
        ("book import tide.json Mira", "--yes", (1, 0)),
        ("book export tide.json --to lorebook_v3 --out there.json", "--yes", (1, 0)),
        ("card export Mira --out there.json", "--yes", (1, 0)),
        ("card convert card.json --to v3 --out there.json", "--yes", (1, 0)),
        ("sessions Mira tom's --remove", "--yes", (1, 0)),
    ],
)
def test_it_decides_whether_it_is_done(
    written: Command, line: str, option: str, codes: tuple[int, int]
) -> None:
    line = line.replace("'", "\\'")
    got = [written(*shlex.split(words)) for words in (line, f"{line} {option}")]
    assert tuple(one.code for one in got) == codes, [one.err for one in got]


def test_what_add_is_told_is_kept(command: Command) -> None:
    command(
        "add", "Mira", "The fair ends.", "--id", "fair", "--constant", "--expires", "2031-01-02"
    )
    (row,) = (row for row in command("list", "Mira", "--json").json if row["id"] == "fair")
    assert (row["constant"], row["expires"]) == (True, "2031-01-02T00:00:00Z")


def test_a_story_is_begun_at_a_time_and_told_in_another(command: Command) -> None:
    command("story", "begin", "Mira", "sea", "--of", "", "--at", "2024-05-01")
    command("story", "begin", "Mira", "land")
    command("story", "merge", "Mira", "sea", "--into", "land")
    rows = {row["name"]: row for row in command("story", "list", "Mira", "--json").json}
    assert rows["sea"]["at"].startswith("2024-05-01")
    assert (rows["land"]["merged"], rows[""]["merged"]) == (["sea"], [])


def test_the_model_that_is_named_writes_the_reply(command: Command) -> None:
    with Endpoint(streams("Hm.")) as model:
        command("chat", "Mira", "--upstream", model.url, "--model", "big", stdin=b"Hello.\n")
    assert model.requests[0].json["model"] == "big"


def test_a_quiet_doctor_tells_only_what_is_wrong(command: Command) -> None:
    told, quiet = (command("doctor", *option).lines for option in ((), ("--quiet",)))
    assert (len(told) > 3, quiet) == (True, [])
