"""recall and explain: one turn from the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Command


def recalled(command: Command, *arguments: str) -> list[str]:
    return [
        row["memory"]["id"]
        for row in command("recall", "Mira", *arguments, "--json").json["recalled"]
    ]


def test_recall_gives_the_words_for_the_prompt(command: Command) -> None:
    out = command("recall", "Mira", "Why is the beacon dark?").out
    assert "The beacon failed in the storm of 1887." in out
    assert out.lstrip().startswith("<")


def test_recall_in_chinese(command: Command) -> None:
    assert "灯塔在雾里灭了三夜。" in command("recall", "米拉", "灯塔怎么了？").out


def test_prompt_shows_every_message(command: Command) -> None:
    out = command("recall", "Mira", "Why is the beacon dark?", "--prompt").out
    assert "[system]" in out
    assert out.rstrip().endswith("Why is the beacon dark?")


def test_a_chat_before_may_be_lines_of_text(command: Command, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text("Mira: Good evening.\nLin: Look at the sea.\n", "utf-8")
    told = command("recall", "Mira", "And now?", "--chat", "chat.txt", "--json").json["messages"]
    said = [(one["role"], one["content"]) for one in told if one["role"] != "system"]
    assert said == [
        ("assistant", "Good evening."),
        ("user", "Look at the sea."),
        ("user", "And now?"),
    ]


def test_recall_counts_a_turn_only_when_told_to(command: Command) -> None:
    command("recall", "Mira", "Why is the beacon dark?")
    assert command("stats", "Mira", "--json").json["roles"][0]["turns"] == 0
    command("recall", "Mira", "Why is the beacon dark?", "--count")
    assert command("stats", "Mira", "--json").json["roles"][0]["turns"] == 1


def test_what_belongs_to_one_user_stays_with_him(command: Command) -> None:
    assert "tea" in recalled(command, "Some tea?", "--user", "lin")
    assert "tea" not in recalled(command, "Some tea?", "--user", "tom")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(
            "chat.json",
            json.dumps([{"role": "user", "content": "The beacon is dark."}]),
            id="a list of messages",
        ),
        pytest.param(
            "request.json",
            json.dumps({"messages": [{"role": "user", "content": "The beacon is dark."}]}),
            id="a request",
        ),
        pytest.param(
            "chat.jsonl",
            '{"role": "user", "content": "The beacon is dark."}\n{"role": "assistant", "content": "So?"}\n',
            id="JSON lines",
        ),
        pytest.param(
            "tavern.jsonl",
            '{"user_name": "Lin", "character_name": "Mira", "chat_metadata": {}}\n{"name": "Lin", "is_user": true, "mes": "The beacon is dark."}\n',
            id="a SillyTavern chat",
        ),
        pytest.param(
            "parts.json",
            json.dumps(
                [{"role": "user", "content": [{"type": "text", "text": "The beacon is dark."}]}]
            ),
            id="text parts",
        ),
    ],
)
def test_the_messages_before_come_from_a_file(
    command: Command, tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert "storm" not in recalled(command, "And then?")
    assert "storm" in recalled(command, "And then?", "--chat", str(tmp_path / name))


def test_a_message_from_standard_input(command: Command) -> None:
    assert "1887" in command("recall", "Mira", "-", stdin=b"Why is the beacon dark?\n").out


def test_explain_says_why_in_both_languages(command: Command) -> None:
    assert "'beacon' in message 1" in command("explain", "Mira", "Why is the beacon dark?").out
    assert "“beacon”" in command("explain", "Mira", "Why is the beacon dark?", lang="zh").out


def test_explain_names_what_would_let_a_memory_in(command: Command) -> None:
    rows = command("explain", "Mira", "Where is the boat?", "old", "--json").json
    row = next(row for row in rows if row["id"] == "old")
    assert (row["in"], row["gate"]) == (False, "archived")
    assert row["remedy"]["field"] == "archived"


def test_explain_all_tells_of_every_memory(command: Command) -> None:
    rows = command("explain", "Mira", "Why is the beacon dark?", "--all", "--json").json
    assert {row["id"] for row in rows} == {"storm", "tea", "plain", "灯塔", "old"}


def test_now_is_a_value(command: Command) -> None:
    command("edit", "Mira", "storm", "expires=1900-01-01")
    assert "storm" in recalled(command, "the beacon", "--now", "1899-01-01")
    assert "storm" not in recalled(command, "the beacon", "--now", "1901-01-01")


@pytest.mark.parametrize(
    ("lang", "text"),
    [("zh", "师父把玉佩交给了她。"), ("en", "Cléo's café has a blue door.")],
)
def test_explain_shows_the_text_where_the_id_does_not_say_it(
    command: Command, lang: str, text: str
) -> None:
    command("add", "Mira", text)
    told = command("explain", "Mira", text, lang=lang).lines
    at = next(number for number, line in enumerate(told) if "  m-" in line)
    assert told[at + 1] == f"      {text}"
    assert sum(line.startswith("      ") for line in told) == 1


def test_explain_shows_what_was_said_in_chats(command: Command, tmp_path: Path) -> None:
    said = "My sister Anna keeps bees in Riga."
    chat = [{"role": "user", "content": said}, {"role": "assistant", "content": "Good company."}]
    (tmp_path / "chat.json").write_text(json.dumps(chat), "utf-8")
    command("observe", "Mira", "chat.json", "--user", "lin")
    asked = ("explain", "Mira", "What does my sister keep in Riga?", "--user", "lin")
    told = command(*asked).lines
    (at,) = [number for number, line in enumerate(told) if line.strip() == said]
    assert told[at - 1].split()[1].startswith("p-")
    assert said not in json.dumps(command(*asked, "--json").json)
