"""The verbs for lorebooks, as a person types them."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from rolememory.engine import Home
from tests.authoring.books import BEACON, STORM, world
from tests.cli.running import Command

CASES = '[[case]]\nname = "the beacon"\nmessages = ["The beacon!"]\nfires = ["Beacon"]\n'


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book with a sound entry, a bad one and a note, in the folder of the command."""
    path = tmp_path / "harbour.json"
    raw = world(
        {**BEACON, "content": "The beacon failed in the storm."},
        STORM,
        {"comment": "Mute", "key": []},
        {**BEACON, "disable": True},
    ).raw
    path.write_text(json.dumps(raw, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "harbour.test.toml").write_text(CASES, encoding="utf-8")
    return path


# ── scan ──


def test_scan_shows_what_fires_and_why(command: Command, book: Path) -> None:
    ran = command("book", "scan", "harbour.json", "--say", "Why is the beacon dark?")
    assert ran.code == 0
    assert ran.lines[0].split("\t") == [
        "1",
        "Beacon",
        "'beacon' in message 1, character 12: Why is the beacon dark?",
        "before",
        "9",
    ]
    assert ran.lines[1].split("\t")[:3] == ["2", "Storm", "'storm' in the text of 'Beacon'"]
    assert "Mute" not in ran.out.splitlines()[0]
    assert "2 of 4 entries" in ran.lines[-1]


def test_scan_in_chinese(command: Command, book: Path) -> None:
    out = command("book", "scan", "harbour.json", "--say", "the beacon", lang="zh").out
    assert "第1条消息第5字“beacon”" in out
    assert "“Beacon”正文里的“storm”" in out
    assert "激活 2 个条目" in out


def test_scan_knows_the_character_and_takes_its_chances_by_the_seed(
    command: Command, tmp_path: Path
) -> None:
    rows = [{"key": ["{{char}}"], "content": "She.", "comment": "named"}]
    rows += [
        {"key": ["tide"], "content": f"{at}", "comment": f"{at}", "probability": 50}
        for at in range(12)
    ]
    path = tmp_path / "chances.json"
    path.write_text(json.dumps(world(*rows).raw), encoding="utf-8")

    def fired(*options: str) -> list[str]:
        told = command("book", "scan", str(path), "--say", "Mira, the tide!", "--json", *options)
        return [one["title"] for one in told.json["fired"]]

    assert "named" in fired("--char", "Mira")
    assert "named" not in fired("--char", "Asha")
    chances = [fired("--seed", f"{seed}") for seed in (1, 1, 2, 3)]
    assert chances[0] == chances[1]
    assert len({str(one) for one in chances}) > 1
    assert all(0 < len(one) < 13 for one in chances)


def test_scan_for_scripts(command: Command, book: Path) -> None:
    told = command("book", "scan", "harbour.json", "--say", "the beacon", "--json", "--all").json
    first = told["fired"][0]
    assert (first["title"], first["pass"], first["phase"], first["key"], first["target"]) == (
        "Beacon",
        1,
        "initial",
        "beacon",
        "before",
    )
    assert first["place"] == {
        "source": "message",
        "message": 1,
        "offset": 4,
        "match": "beacon",
        "quote": "the beacon",
    }
    assert {row["gate"] for row in told["silent"]} == {"no_keys", "disabled"}
    assert (told["rules"], told["messages"], told["overflowed"]) == ("default", 1, False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("a.json", '[{"role": "user", "content": "the beacon"}]', id="a list"),
        pytest.param(
            "a.jsonl",
            '{"role": "user", "content": "hi"}\n{"role": "user", "content": "the beacon"}',
            id="JSON lines",
        ),
        pytest.param(
            "b.jsonl",
            '{"user_name": "Lin"}\n{"name": "Lin", "is_user": true, "mes": "the beacon"}',
            id="a SillyTavern chat",
        ),
        pytest.param("a.txt", "Mira: Hello.\nLin: the beacon", id="plain text"),
        pytest.param("b.txt", "米拉：晚上好。\n林：the beacon 呢？", id="中文纯文本"),
    ],
)
def test_scan_reads_chats_of_every_kind(
    command: Command, book: Path, tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert "Beacon" in command("book", "scan", "harbour.json", "--chat", name).out


def test_scan_reads_a_chat_from_a_pipe(command: Command, book: Path) -> None:
    assert (
        "Beacon"
        in command("book", "scan", "harbour.json", "--chat", "-", stdin=b"Lin: the beacon").out
    )


def test_scan_by_other_rules(command: Command, book: Path) -> None:
    assert (
        command(
            "book",
            "scan",
            "harbour.json",
            "--say",
            "the beacon",
            "--rules",
            "sillytavern",
            "--json",
        ).json["rules"]
        == "sillytavern"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(
            ["harbour.json"], "no messages; give --say TEXT or --chat FILE", id="nothing is said"
        ),
        pytest.param(["harbor", "--say", "x"], "no worldbook named 'harbor'", id="no such book"),
        pytest.param(
            ["harbour.json", "--say", "x", "--rules", "tavern"],
            "no set of lore rules named 'tavern'",
            id="no such rules",
        ),
        pytest.param(
            ["harbour.json", "--chat", "nowhere.txt"],
            "nowhere.txt: no such file",
            id="no such chat",
        ),
    ],
)
def test_scan_says_what_is_wrong(
    command: Command, book: Path, arguments: list[str], told: str
) -> None:
    ran = command("book", "scan", *arguments)
    assert (ran.code, told in ran.err) == (1, True)


def test_a_broken_book_is_told_with_its_place(command: Command, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text('{"entries": {"0": }}')
    ran = command("book", "scan", "broken.json", "--say", "x")
    assert (ran.code, "broken.json:1:" in ran.err) == (1, True)


def test_books_are_found_by_name(command: Command, book: Path) -> None:
    assert command("book", "show", "lantern-market", "--json").json["name"] == "The Lantern Market"
    (command.home / "worldbooks").mkdir(exist_ok=True)
    (command.home / "worldbooks" / "mine.json").write_bytes(book.read_bytes())
    assert command("book", "show", "mine", "--json").json["name"] == "harbour"


# ── lint ──


def test_lint_ends_with_3_where_there_are_errors(command: Command, book: Path) -> None:
    ran = command("book", "lint", "harbour.json")
    assert ran.code == 3
    assert ran.lines[0].split("\t") == [
        "error", "Mute", "key", "it has no keys, so nothing activates it", "give it a key, or make it constant",
    ]  # fmt: skip
    assert ran.lines[-1].startswith("1 error, ")


def test_lint_in_chinese_and_for_scripts(command: Command, book: Path) -> None:
    assert "没有关键词，什么也唤不起它" in command("book", "lint", "harbour.json", lang="zh").out
    row = command("book", "lint", "harbour.json", "--json").json[0]
    assert (row["severity"], row["code"], row["uid"], row["field"], row["book"]) == (
        "error",
        "no_keys",
        "2",
        "key",
        "harbour.json",
    )


def test_lint_of_a_sound_book(command: Command) -> None:
    ran = command("book", "lint", "lantern-market", "qinglan-town")
    assert (ran.code, ran.lines) == (0, ["no faults found"])


@pytest.mark.parametrize("form", ["risu", "sillytavern", "lorebook_v3"])
def test_folders_of_risuai_are_not_linted_in_any_format(
    command: Command, tmp_path: Path, form: str
) -> None:
    kept = {"comment": "n", "content": "It is dark.", "insertorder": 9, "activationPercent": 100}
    folder = {"key": "\uf000folder:1", "comment": "Places", "content": "", "mode": "folder"}
    entry = {**kept, "key": "lighthouse", "mode": "normal", "folder": folder["key"]}
    book = tmp_path / "risu.json"
    book.write_text(json.dumps({"type": "risu", "ver": 1, "data": [folder, entry]}))
    other = tmp_path / "other.json"
    assert command("book", "export", str(book), "--to", form, "-o", str(other)).code == 0
    ran = command("book", "lint", str(other))
    assert (ran.code, ran.lines) == (0, ["no faults found"])


# ── test ──


def test_test_of_what_holds(command: Command, book: Path) -> None:
    ran = command("book", "test", "harbour.json")
    assert (ran.code, ran.lines) == (0, ["1 of 1 cases hold"])


def test_test_of_what_does_not(command: Command, book: Path) -> None:
    (book.parent / "harbour.test.toml").write_text(
        CASES + 'not_fires = ["Storm"]\n', encoding="utf-8"
    )
    ran = command("book", "test", "harbour.json")
    assert (ran.code, ran.lines) == (
        3,
        ["✗ the beacon", "    'Storm' fired: 'storm'", "0 of 1 cases hold"],
    )
    told = command("book", "test", "harbour.json", "--json").json
    assert told["failures"] == [
        {
            "case": "the beacon",
            "turn": 1,
            "code": "not_fires",
            "name": "Storm",
            "text": "'Storm' fired: 'storm'",
        }
    ]


def test_expectations_that_are_missing(command: Command, book: Path) -> None:
    (book.parent / "harbour.test.toml").unlink()
    ran = command("book", "test", "harbour.json")
    assert (ran.code, "harbour.test.toml: no such file" in ran.err) == (1, True)


# ── show, new, import, export ──


def test_show(command: Command, book: Path) -> None:
    ran = command("book", "show", "harbour.json")
    assert ran.lines[1].split("\t") == ["0", "Beacon", "beacon", "", "before", "100", "9"]
    assert ran.lines[4].split("\t")[3] == "off"
    assert "The great storm" in command("book", "show", "harbour.json", "--texts").out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_new_book_passes_its_own_tests(command: Command, tmp_path: Path, lang: str) -> None:
    assert command("book", "new", "海港.json", lang=lang).code == 0
    assert command("book", "test", "海港.json", lang=lang).code == 0
    assert command("book", "lint", "海港.json", "--json", lang=lang).json == []


@pytest.mark.skipif(os.name != "posix", reason="rights of others are told on POSIX systems")
def test_a_book_outside_a_home_has_the_rights_of_any_other_file(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "plain").touch()
    command("book", "new", "海港.json")
    book = tmp_path / "海港.json"
    assert book.stat().st_mode == (tmp_path / "plain").stat().st_mode
    book.chmod(0o664)
    command("book", "new", "海港.json", "--yes")
    assert book.stat().st_mode & 0o777 == 0o664


def test_a_new_book_of_the_home_and_of_a_role(command: Command) -> None:
    command("book", "new", "tides")
    assert (command.home / "worldbooks" / "tides.json").exists()
    command("book", "new", "tides", "--role", "Mira")
    assert (command.role_folder() / "worldbooks" / "tides.test.toml").exists()


def test_nothing_is_overwritten_unasked(command: Command, book: Path) -> None:
    before = book.read_bytes()
    ran = command("book", "new", "harbour.json")
    assert (ran.code, "--yes replaces it" in ran.err, book.read_bytes()) == (1, True, before)
    assert command("book", "new", "harbour.json", "--yes").code == 0
    assert book.read_bytes() != before


def test_import_keeps_every_byte_and_brings_the_tests(command: Command, book: Path) -> None:
    told = command("book", "import", "harbour.json", "Mira", "--json").json
    folder = command.role_folder() / "worldbooks"
    assert (folder / "harbour.json").read_bytes() == book.read_bytes()
    assert (folder / "harbour.test.toml").read_text(encoding="utf-8") == CASES
    assert (told["name"], told["format"], told["entries"]) == ("harbour", "sillytavern", 4)


def test_an_imported_book_has_its_share_of_the_budget_like_a_cards(
    command: Command, tmp_path: Path
) -> None:
    entry = {"key": ["tide"], "content": "word " * 2000, "ignoreBudget": True, "comment": "Loud"}
    for name in ("loud", "mine"):
        text = json.dumps({"entries": {"0": {"uid": 0, **entry}}})
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    assert command("book", "import", "loud.json", "Mira").code == 0
    shutil.copy(tmp_path / "mine.json", command.role_folder() / "worldbooks")
    with Home.open(command.home, {"embedding.backend": "off"}) as home:
        lore = home.role("Mira").recall("Is the tide out?").lore
    assert lore is not None
    assert ([one.id for one in lore.awake], [*lore.refused]) == (["mine.0"], ["loud.0"])


def test_export_tells_what_is_lost(command: Command, book: Path, tmp_path: Path) -> None:
    ran = command("book", "export", "harbour.json", "--to", "lorebook_v3", "--out", "v3.json")
    made = json.loads((tmp_path / "v3.json").read_text(encoding="utf-8"))
    assert (ran.code, made["spec"], len(made["data"]["entries"])) == (0, "lorebook_v3", 4)
    same = command("book", "export", "harbour.json")
    assert json.loads(same.out) == json.loads(book.read_text(encoding="utf-8"))


def test_export_of_a_role_gives_its_only_book(command: Command, book: Path) -> None:
    none = command("book", "export", "Mira")
    command("book", "import", "harbour.json", "Mira")
    one = command("book", "export", "米拉")
    command("book", "new", "tides", "--role", "Mira")
    two = command("book", "export", "Mira")
    assert (none.code, "Mira has 0 books" in none.err) == (1, True)
    assert json.loads(one.out)["name"] == "harbour"
    assert (two.code, "Mira has 2 books (harbour, tides)" in two.err) == (1, True)


def test_a_home_is_scanned_as_it_is_set(command: Command, book: Path) -> None:
    command("settings", "lore.rules", "sillytavern")
    assert (
        command("book", "scan", "harbour.json", "--say", "the beacon", "--json").json["rules"]
        == "sillytavern"
    )
    assert (
        command("book", "scan", "harbour.json", "--say", "x", "--rules", "default", "--json").json[
            "rules"
        ]
        == "default"
    )


def test_no_such_format(command: Command, book: Path) -> None:
    ran = command("book", "export", "harbour.json", "--to", "tavern")
    assert (ran.code, "no format named 'tavern'" in ran.err) == (1, True)


def test_a_new_book_of_a_role_stands_in_its_folder_whatever_it_is_called(command: Command) -> None:
    told = command("book", "new", "../灯塔: 传说?", "--role", "Mira", "--json").json
    books = command.role_folder() / "worldbooks"
    assert told["book"] == str(books / "灯塔- 传说.json")
    assert sorted(path.name for path in books.iterdir()) == [
        "灯塔- 传说.json",
        "灯塔- 传说.test.toml",
    ]


@contextmanager
def watching(book: Path, verb: str, *options: str) -> Iterator[TextIO]:
    """What the verb says of a book that is watched; a lost change must fail the test, not hold it up."""
    arguments = [sys.executable, "-m", "rolememory", "book", verb, str(book), *options]
    with subprocess.Popen(
        [*arguments, "--watch", "--lang", "en"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    ) as running:
        assert running.stdout is not None
        guard = threading.Timer(300, running.kill)
        guard.start()
        try:
            yield running.stdout
        finally:
            guard.cancel()
            running.terminate()


def test_watching_tells_again_after_each_save(book: Path) -> None:
    with watching(book, "scan", "--say", "the beacon") as told:
        first = _until(told, "entries,")
        book.write_text(
            book.read_text(encoding="utf-8").replace('"beacon"', '"lantern"'), encoding="utf-8"
        )
        second = _until(told, "entries,")
        book.write_text("{", encoding="utf-8")
        third = _until(told, "harbour.json:1:")
    assert (first[0].split("\t")[1], second[1], "closed" in third[-1]) == (
        "Beacon",
        "nothing fires",
        True,
    )


@pytest.mark.parametrize(("verb", "sign"), [("lint", "error"), ("test", "cases hold")])
def test_what_checks_a_book_can_watch_it(book: Path, verb: str, sign: str) -> None:
    with watching(book, verb) as told:
        assert sign in _until(told, sign)[-1]
        book.write_text("{", encoding="utf-8")
        assert "harbour.json:1:" in _until(told, "harbour.json:1:")[-1]


def _until(stream: TextIO, sign: str) -> list[str]:
    """The lines up to the one that has the sign."""
    lines: list[str] = []
    for line in stream:
        lines.append(line.rstrip("\n"))
        if sign in line:
            break
    return lines


def test_a_book_without_expectations_says_where_they_go(command: Command, book: Path) -> None:
    book.with_suffix(".test.toml").unlink()
    ran = command("book", "test", str(book))
    assert ran.code == 1
    assert f"{book.with_suffix('.test.toml')}: no such file" in ran.err
    assert "`rolememory book new`" in ran.err
