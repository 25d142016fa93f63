"""list, search, add, edit, weight, delete, history, undo: what a role remembers, changed by hand."""

import json

import pytest

from tests.cli.running import Command


def ids(command: Command, *arguments: str) -> list[str]:
    return [row["id"] for row in command("list", "Mira", "--json", *arguments).json]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(
            (),
            ["storm", "灯塔", "tea", "plain"],
            id="what is not archived, in the order of the file",
        ),
        pytest.param(("--type", "trait"), ["plain"], id="of one type"),
        pytest.param(("--archived",), ["old"], id="the archive alone"),
        pytest.param(("--all",), ["storm", "灯塔", "old", "tea", "plain"], id="everything"),
        pytest.param(
            ("--user", "tom"), ["storm", "灯塔", "plain"], id="what another user may hear"
        ),
        pytest.param(("--tag", "scene"), ["灯塔"], id="by tag"),
        pytest.param(("--source", "summary"), [], id="of a source nothing comes from"),
        pytest.param(("--limit", "2"), ["storm", "灯塔"], id="the first two"),
    ],
)
def test_list(command: Command, arguments: tuple[str, ...], expected: list[str]) -> None:
    assert ids(command, *arguments) == expected


def test_list_in_a_pipe_is_one_line_per_memory_with_tabs(command: Command) -> None:
    rows = [line.split("\t") for line in command("list", "Mira").lines]
    assert [row[0] for row in rows] == ["storm", "灯塔", "tea", "plain"]
    assert {len(row) for row in rows} == {6}


def test_search_finds_by_words(command: Command) -> None:
    rows = command("search", "Mira", "sugar in her tea", "--json", "--user", "lin").json
    assert [row["memory"]["id"] for row in rows] == ["tea"], (
        "what is always there was not looked for"
    )
    assert any("tea" in why for why in rows[0]["why"])


def test_add_takes_every_field(command: Command) -> None:
    ran = command(
        "add", "Mira", "The lens came from Paris.", "--type", "semantic", "-k", "lens", "-k", "Paris", "--tag", "light", "--emotion", "joy",
        "--topic", "lighthouse", "--user", "lin", "--subject", "lens", "--created", "1880-05-01", "--salience", "0.8", "--weight", "1.5",
        "--priority", "70", "--id", "lens", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.json == {
        "id": "lens", "type": "semantic", "content": "The lens came from Paris.", "keys": ["lens", "Paris"], "priority": 70, "weight": 1.5,
        "salience": 0.8, "topics": ["lighthouse"], "emotions": ["joy"], "tags": ["light"], "subject": "lens", "user": "lin",
        "created": "1880-05-01T00:00:00Z",
    }  # fmt: skip
    assert "lens" in (command.role_folder() / "memory.json").read_text(
        "utf-8"
    )  # folded at the end, for the author to see


@pytest.mark.parametrize(
    ("lang", "first", "again"),
    [("en", "Mira remembers", "Mira already remembers"), ("zh", "Mira记住了", "Mira早已记着")],
)
def test_add_says_what_is_remembered_already(
    command: Command, lang: str, first: str, again: str
) -> None:
    for told in (first, again):
        ran = command("add", "Mira", "Old Tom rows well.", "--type", "semantic", lang=lang)
        assert ran.out.startswith(told)
    contents = [row["content"] for row in command("list", "Mira", "--json").json]
    assert contents.count("Old Tom rows well.") == 1


def test_add_reads_standard_input_line_by_line(command: Command) -> None:
    ran = command(
        "add", "Mira", "-", "--each-line", "--json", stdin="雨停了。\n\n船靠岸了。\n".encode()
    )
    assert [row["content"] for row in ran.json] == ["雨停了。", "船靠岸了。"]


@pytest.mark.parametrize(
    ("change", "field", "expected"),
    [
        pytest.param("keys=beacon，fog", "keys", ["beacon", "fog"], id="a list, Chinese comma"),
        pytest.param("keys+=fog", "keys", ["beacon", "storm", "fog"], id="one more"),
        pytest.param("keys-=storm", "keys", ["beacon"], id="one less"),
        pytest.param("keys=", "keys", None, id="none"),
        pytest.param("keys=/fog{1,2}/", "keys", ["/fog{1,2}/"], id="a pattern with a comma"),
        pytest.param("constant=开", "constant", True, id="a switch in Chinese"),
        pytest.param("weight=1.5", "weight", 1.5, id="a number"),
        pytest.param("constant=yes", "constant", True, id="a switch"),
        pytest.param("user=lin", "user", "lin", id="a text"),
        pytest.param("expires=2030-01-01", "expires", "2030-01-01T00:00:00Z", id="a time"),
        pytest.param("type=semantic", "type", "semantic", id="another type"),
        pytest.param("text=Dark.", "content", "Dark.", id="by a foreign name"),
    ],
)
def test_edit(command: Command, change: str, field: str, expected: object) -> None:
    ran = command("edit", "Mira", "storm", change, "--json")
    assert ran.code == 0, ran.err
    assert ran.json.get(field) == expected


def test_weight_is_set_by_hand(command: Command) -> None:
    assert command("weight", "Mira", "storm", "0.5", "--json").json["weight"] == 0.5


def test_delete_and_the_way_back(command: Command) -> None:
    ran = command("delete", "Mira", "storm", "tea")
    assert "undo" in ran.out
    assert ids(command) == ["灯塔", "plain"]
    assert [row["did"] for row in command("undo", "Mira", "--json").json] == ["added", "added"]
    assert set(ids(command)) == {"storm", "灯塔", "tea", "plain"}


def test_delete_takes_all_or_none(command: Command) -> None:
    assert command("delete", "Mira", "storm", "no-such").code == 1
    assert "storm" in ids(command)


def test_history_tells_before_and_after(command: Command) -> None:
    command("edit", "Mira", "storm", "weight=1.5")
    line = command("history", "Mira", "storm", "--json").json[0]
    assert (line["op"], line["fields"]) == ("set", {"weight": [1.0, 1.5]})
    shown = command("history", "Mira", "storm").lines[0].split("\t")
    assert shown[2:5] == ["set", "storm", "weight: 1.0 → 1.5"]


def test_undo_of_one_change_by_its_name(command: Command) -> None:
    command("edit", "Mira", "storm", "weight=1.5")
    command("edit", "Mira", "tea", "weight=0.5")
    txn = command("history", "Mira", "storm", "--json").json[0]["txn"]
    assert command("undo", "Mira", txn).out.startswith("~ storm.weight: 1.5 → 1.0")


def test_chinese_is_spoken_throughout(command: Command) -> None:
    assert "记住了" in command("add", "米拉", "雾散了。", lang="zh").out
    assert "已删除" in command("delete", "米拉", "storm", lang="zh").out
    assert "经历" in command("list", "米拉", lang="zh").out


def test_json_of_a_memory_is_what_the_file_has(command: Command) -> None:
    file = json.loads((command.role_folder() / "memory.json").read_text("utf-8"))
    listed = {row.pop("id"): row for row in command("list", "Mira", "--json", "--all").json}
    for row in file["episodic"]:
        assert listed[row.pop("id")] == {"type": "episodic", **row}
