"""init, roles, open, clean, backup, restore, export, import, stats, doctor, settings: keeping a home."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home
from rolememory.text.width import cells
from tests.cli.running import Command
from tests.storage.refusing import everything


def test_init_says_what_comes_next(command: Command, tmp_path: Path) -> None:
    ran = command("init", str(tmp_path / "fresh"))
    assert (tmp_path / "fresh" / "rolememory.toml").exists()
    assert "meaning:" in ran.out
    assert "rolememory open Mira --create" in ran.out
    assert "already" in command("init", str(tmp_path / "fresh")).out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_comes_next_may_be_typed_as_it_stands(
    command: Command, tmp_path: Path, lang: str
) -> None:
    place = tmp_path / "my home"
    lines = [line for line in command("init", str(place), lang=lang).lines if "  # " in line]
    assert len({cells(line.partition("  # ")[0]) for line in lines}) == 1
    typed = [shlex.split(line.partition("  # ")[0])[1:] for line in lines[1:]]
    assert [words[-2:] for words in typed] == [["--home", str(place)]] * 3
    assert [command(*words).code for words in typed] == [0, 0, 0]


@pytest.mark.parametrize(("lang", "told"), [("en", "is a file"), ("zh", "是一个文件")])
def test_a_file_is_no_home(command: Command, tmp_path: Path, lang: str, told: str) -> None:
    (tmp_path / "notes.txt").write_text("x", "utf-8")
    ran = command("roles", "--home", str(tmp_path / "notes.txt"), lang=lang)
    assert ran.code == 1
    assert "rolememory init" not in ran.err
    assert told in ran.err


def test_init_in_chinese_writes_chinese_comments_and_tells_of_an_english_model(
    command: Command, tmp_path: Path
) -> None:
    ran = command("init", str(tmp_path / "fresh"), lang="zh")
    assert "rolememory 的设置" in (tmp_path / "fresh" / "rolememory.toml").read_text("utf-8")
    assert "语义：" in ran.out
    assert "rolememory model fetch paraphrase-multilingual-MiniLM-L12-v2" in ran.out


def test_open_makes_a_role_once(command: Command) -> None:
    assert command("open", "巧姨", "--create", "--json").json["made"] is True
    assert command("open", "巧姨", "--create", "--json").json["made"] is False
    assert [row["name"] for row in command("roles", "--json").json] == ["Mira", "巧姨"]


def test_clean_archives_and_says_why(command: Command) -> None:
    command("weight", "Mira", "storm", "0.01")
    before = command("list", "Mira").out
    row = command("clean", "Mira", "--dry-run", "--json").json["archived"][0]
    assert (row["id"], row["code"]) == ("storm", "low_weight")
    assert command("list", "Mira").out == before
    assert "storm" in command("clean", "all").out
    assert "storm" not in command("list", "Mira").out
    assert "storm" in command("list", "Mira", "--archived").out


def test_clean_heeds_the_settings(command: Command) -> None:
    command("settings", "storage.max_memories.episodic", "2")
    command("settings", "memory.archive_threshold", "1.5")
    command("weight", "Mira", "storm", "1.8")
    gone = {row["id"]: row["code"] for row in command("clean", "Mira", "--json").json["archived"]}
    assert gone == {"tea": "low_weight", "灯塔": "low_weight"}
    command("settings", "memory.archive_threshold", "0.1")
    command("settings", "storage.max_memories.episodic", "0")
    gone = {row["id"]: row["code"] for row in command("clean", "Mira", "--json").json["archived"]}
    assert gone == {"storm": "limit"}


def test_backup_and_restore(command: Command) -> None:
    name = Path(command("backup", "Mira", "--json").json[0]["file"]).name
    command("delete", "Mira", "storm", "tea")
    assert command("restore", "Mira", name).code == 0
    assert "storm" in command("list", "Mira").out
    listed = command("restore", "Mira", "--list", "--json").json
    assert name in [row["name"] for row in listed]
    assert all(row["good"] for row in listed)


def test_as_many_backups_are_kept_and_made_as_the_settings_say(command: Command) -> None:
    def count() -> int:
        return len(command("restore", "Mira", "--list", "--json").json)

    for number in range(3):
        command("add", "Mira", f"Ship {number} came.")
    assert count() == 1
    command("settings", "storage.backup_every_h", "0.0000001")
    for number in range(3, 6):
        command("add", "Mira", f"Ship {number} came.")
    assert count() == 4
    command("settings", "storage.backups", "2")
    command("backup", "Mira")
    assert count() == 2


def test_a_card_goes_out_unless_it_is_to_stay(command: Command) -> None:
    (command.role_folder() / "card.json").write_text('{"name": "Mira"}', "utf-8")
    role = command.role_folder() / "role.json"
    role.write_text(
        json.dumps(json.loads(role.read_text("utf-8")) | {"card": "card.json"}), "utf-8"
    )
    told = [command("export", "Mira", option).json for option in ("--card", "--no-card")]
    assert [list(one["card"]) for one in told] == [["card.json"], []]
    assert told[0]["memory"] == told[1]["memory"]


def test_export_and_import_into_another_home(command: Command, tmp_path: Path) -> None:
    exported = command("export", "Mira").out
    (tmp_path / "mira.json").write_text(exported, encoding="utf-8")
    there = ("--home", str(tmp_path / "there"))
    command("init", *there)
    dry = command("import", str(tmp_path / "mira.json"), "--dry-run", "--json", *there).json
    assert (dry["made"], len(dry["added"])) == (True, 5)
    assert command("roles", "--json", *there).json == []
    assert command("import", "-", "--json", *there, stdin=exported.encode()).json["made"] is True
    assert (
        command("list", "Mira", "--all", "--json", *there).json
        == command("list", "Mira", "--all", "--json").json
    )


def test_a_dry_run_lists_every_field_of_a_strangers_role(command: Command, tmp_path: Path) -> None:
    document = {
        "format": "rolememory-role",
        "version": 1,
        "role": {
            "id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            "name": "Asha",
            "aliases": ["Mira"],
            "settings": {"recall.max_items": 3, "inject.heading": "Obey"},
        },
        "memory": {"traits": [{"id": "t", "content": "Asha obeys.", "constant": True}]},
    }
    (tmp_path / "asha.json").write_text(json.dumps(document), encoding="utf-8")
    ran = command("import", str(tmp_path / "asha.json"), "--dry-run")
    told = [line.split("\t") for line in ran.out.splitlines() if "\t" in line]
    assert ["role.json", "settings.recall.max_items", "3"] in told
    assert ["t", "constant", "true"] in told
    assert "aliases: Mira: another role answers to 'Mira'" in ran.err
    assert "settings.inject.heading: does not come with a shared role" in ran.err
    told_in_chinese = command("import", str(tmp_path / "asha.json"), "--dry-run", lang="zh").err
    assert "settings.inject.heading：不随共享的角色导入" in told_in_chinese
    assert [role["name"] for role in command("roles", "--json").json] == ["Mira"]


def test_import_of_a_plain_list_needs_a_role(command: Command, tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text(
        '["The cat is called Brine.", {"text": "雾来了。"}]', encoding="utf-8"
    )
    assert "--role" in command("import", str(tmp_path / "list.json")).err
    assert (
        len(
            command("import", str(tmp_path / "list.json"), "--role", "Mira", "--json").json["added"]
        )
        == 2
    )


@pytest.mark.parametrize(("option", "content"), [((), "theirs"), (("--keep",), "ours")])
def test_import_of_another_version(
    command: Command, tmp_path: Path, option: tuple[str, ...], content: str
) -> None:
    (tmp_path / "list.json").write_text(
        json.dumps({"episodic": [{"id": "storm", "content": "theirs"}]}), encoding="utf-8"
    )
    command("edit", "Mira", "storm", "content=ours")
    command("import", str(tmp_path / "list.json"), "--role", "Mira", *option)
    listed = {row["id"]: row["content"] for row in command("list", "Mira", "--json").json}
    assert listed["storm"] == content


def test_stats_count(command: Command) -> None:
    row = command("stats", "Mira", "--json").json["roles"][0]
    assert (row["total"], row["archived"], row["by_type"]["traits"]) == (5, 1, 1)
    assert "episodic 2" in command("stats").out
    assert "经历 2" in command("stats", lang="zh").out


def test_settings_are_shown_and_set(command: Command) -> None:
    assert "default" in command("settings").err
    assert command("settings", "recall.max_items", "3").out == "recall.max_items = 3\n"
    assert command("settings", "recall.max_items=4").out == "recall.max_items = 4\n"
    assert ": =4: unknown key;" in command("settings", "=4").err
    command("settings", "recall.max_items", "3")
    assert command("settings", "recall.exclude_tags", "secret, draft", "--json").json["value"] == [
        "secret",
        "draft",
    ]
    rows = {row["key"]: row for row in command("settings", "--json").json}
    assert set(rows) == {"recall.max_items", "recall.exclude_tags"}
    assert rows["recall.max_items"]["source"].endswith(
        "rolememory.toml:" + rows["recall.max_items"]["source"].rpartition(":")[2]
    )
    command("settings", "recall.max_items", "--unset")
    assert "max_items" not in command("settings").out
    assert command("settings", "recall.mode", lang="zh").out


@pytest.mark.parametrize(
    ("key", "english", "chinese"),
    [
        ("recall.max_items", 'whole number or "unset"', '整数 或 "unset"'),
        ("recall.tags", "list of texts", "文字列表"),
        ("recall.relevance_threshold", "number", "数字"),
    ],
)
def test_what_a_setting_takes_is_told_in_the_language_of_the_rest(
    command: Command, key: str, english: str, chinese: str
) -> None:
    for lang, told in (("en", english), ("zh", chinese)):
        assert command("settings", key, lang=lang).out.split("\t")[3] == told
        command("init", f"{lang}-home", lang=lang)
        written = (command.home.parent / f"{lang}-home" / "rolememory.toml").read_text("utf-8")
        assert f"({told})\n#{key.rpartition('.')[2]} = " in written


def test_the_word_unset_goes_back_to_the_default_or_empties(command: Command) -> None:
    command("settings", "inject.template", "plain")
    assert "template" in (command.home / "rolememory.toml").read_text("utf-8")
    ran = command("settings", "inject.template", "unset", "--json")
    assert ran.json == {"key": "inject.template", "value": None}
    assert command("settings", "inject.template", "--json").json[0]["source"] == "default"
    command("settings", "recall.enough", "unset")
    (row,) = command("settings", "recall.enough", "--json").json
    assert (row["value"], row["source"] == "default") == (None, False)


# ── doctor ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def findings(command: Command, level: str) -> list[str]:
    return [
        row["about"]
        for row in command("doctor", "--json").json["findings"]
        if row["level"] == level
    ]


def test_doctor_finds_nothing(command: Command) -> None:
    ran = command("doctor")
    assert ran.code == 0
    assert findings(command, "fault") == []


@pytest.mark.parametrize(
    ("file", "text", "about", "told"),
    [
        pytest.param(
            "{role}/memory.json",
            '{"episodic": [{"text": "a"，]}',
            "role",
            "memory.json:1:",
            id="a broken memory.json",
        ),
        pytest.param("{role}/role.json", "{", "role", "role.json:1:", id="a broken role.json"),
        pytest.param("cleaning.json", "{", "home", "cleaning.json:1:", id="broken cleaning rules"),
        pytest.param("personas.json", "{", "home", "personas.json:1:", id="broken personas"),
        pytest.param(
            "lexicons/feeling.en.json", "{", "home", "feeling.en.json", id="broken words of feeling"
        ),
        pytest.param(
            "{role}/role.json",
            '{"name": "Mira", "settings": {"recall": {"max_item": 3}}}',
            "role",
            "max_item",
            id="settings of the role",
        ),
        pytest.param(
            "{role}/role.json",
            '{"name": "Mira", "worldbooks": ["gone.json"]}',
            "worldbook",
            "gone.json",
            id="a worldbook that is not there",
        ),
        pytest.param(
            "rolememory.toml",
            "[recall]\nmax_item = 3\nmode = 'x'\n",
            "settings",
            "rolememory.toml:3:",
            id="settings, every mistake",
        ),
        pytest.param(
            "templates/inject/default.en.jinja",
            "{% for x in %}",
            "template",
            "default.en.jinja:1",
            id="a template",
        ),
        pytest.param(
            "templates/inject/default.en.jinja",
            "{% for one in memories %}\n{{ one }}{% endfor %}",
            "template",
            "default.en.jinja:2",
            id="a template that fails only when it is used",
        ),
        pytest.param(
            "rolememory.toml",
            "[injectionConfig]\ntemplate = 'lines.txt'\n",
            "settings",
            "lines.txt",
            id="a template that the settings name and that is not there",
        ),
        pytest.param(
            "rolememory.toml",
            "[inject]\ntemplate = '{{ memoirs }}'\n",
            "settings",
            "memoirs",
            id="the text of a template that does not work",
        ),
        pytest.param(
            "rolememory.toml",
            "[learn.summary]\ntemplate = 'sumary'\n",
            "settings",
            "sumary",
            id="a template of a step of learning that is not there",
        ),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_doctor_names_the_fault(
    command: Command, file: str, text: str, about: str, told: str, lang: str
) -> None:
    path = command.home / file.format(role=command.role_folder().name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    ran = command("doctor", lang=lang)
    assert ran.code == 3
    assert told in ran.out
    assert about in findings(command, "fault")
    assert ("FAULT:" if lang == "en" else "故障") in ran.out


@pytest.mark.parametrize(
    ("written", "code", "told"),
    [
        pytest.param({"semantics": [{"content": "x"}]}, 3, "semantic", id="a section left out"),
        pytest.param({"episodic": [{"contnt": "x"}]}, 3, "content", id="a memory without content"),
        pytest.param({"episodic": [{"content": "x", "priority": "high"}]}, 3, "50", id="a value"),
        pytest.param({"episodic": [{"content": "x", "kyes": ["a"]}]}, 0, "keys", id="a field"),
        pytest.param({"version": 99, "episodic": ["x"]}, 0, "99", id="a later version"),
        pytest.param({"episodic": [{"content": "x", "keys": ["/(/"]}]}, 0, "/(/", id="a pattern"),
        pytest.param(
            {"episodic": [{"content": "x", "emotions": ["joyy"]}]}, 0, "joyy", id="an emotion"
        ),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_written_by_hand_is_told_and_nothing_is_lost(
    command: Command, written: dict[str, Any], code: int, told: str, lang: str
) -> None:
    memory = command.role_folder() / "memory.json"
    memory.write_text(json.dumps(written, ensure_ascii=False), "utf-8")
    ran = command("doctor", "--quiet", lang=lang)
    assert (ran.code, told in ran.out) == (code, True), ran.out
    assert command("add", "Mira", "The sea is cold.").code == 0
    kept = json.loads(memory.read_text("utf-8"))
    assert "The sea is cold." in json.dumps(kept)
    for name, value in written.items():
        if not isinstance(value, list):
            assert kept[name] == value
            continue
        rows = [one if isinstance(one, dict) else {"content": one} for one in value]
        assert all(row.items() <= kept[name][at].items() for at, row in enumerate(rows))


def test_an_emotion_of_the_homes_own_is_known(command: Command) -> None:
    entry = {"content": "x", "emotions": ["saudade"]}
    (command.role_folder() / "memory.json").write_text(json.dumps({"episodic": [entry]}), "utf-8")
    assert "saudade" in command("doctor").out
    (command.home / "lexicons").mkdir(exist_ok=True)
    own = {"names": {"longing": ["saudade"]}}
    (command.home / "lexicons" / "feeling.own.json").write_text(json.dumps(own), "utf-8")
    assert "saudade" not in command("doctor").out


IRREVOCABLE = [
    pytest.param(("forget", "Mira", "--user", "lin"), id="forget"),
    pytest.param(("sessions", "Mira", "one", "--remove"), id="remove a chat's record"),
    pytest.param(("clean", "Mira", "--journal-days", "0"), id="drop history"),
]


@pytest.mark.parametrize("words", IRREVOCABLE)
def test_what_nothing_takes_back_wants_a_word(words: tuple[str, ...], command: Command) -> None:
    (command.home / "chat.json").write_text('[{"role": "user", "content": "Hi, I am Lin."}]')
    command("observe", "Mira", str(command.home / "chat.json"), "--chat", "one", "--user", "lin")
    before = everything(command.role_folder())
    for lang, word in (("en", "nobody is here to be asked"), ("zh", "没有人可以询问")):
        ran = command(*words, lang=lang)
        assert (ran.code, word in ran.err, "--yes" in ran.err) == (1, True, True)
    assert "nothing was removed" in command(*words, terminal=True, stdin=b"n\n").out
    assert everything(command.role_folder()) == before
    assert command(*words, "--yes").code == 0
    assert everything(command.role_folder()) != before


def test_history_that_is_dropped_is_gone(command: Command) -> None:
    command("add", "Mira", "The cellar holds a secret.", "--id", "secret")
    command("delete", "Mira", "secret")
    assert "secret" in command("history", "Mira").out
    assert "forgot" in command("clean", "Mira", "--journal-days", "0", "--yes").out
    assert "secret" not in command("history", "Mira").out
    files = [one for one in command.role_folder().rglob("*") if one.is_file()]
    assert not [one for one in files if b"secret" in one.read_bytes()]


def test_doctor_without_a_home(command: Command, tmp_path: Path) -> None:
    ran = command("doctor", "--home", str(tmp_path / "nowhere"))
    assert ran.code == 3
    assert "rolememory init" in ran.out


def test_doctor_tells_of_conflicts_and_old_writes(command: Command) -> None:
    (command.role_folder() / "journal").mkdir(exist_ok=True)
    (command.role_folder() / "journal" / "conflicts.jsonl").write_text("{}\n", encoding="utf-8")
    assert "conflicts.jsonl" in command("doctor").out
    assert command("doctor").code == 0


def test_a_broken_file_still_answers_and_is_told(command: Command) -> None:
    (command.role_folder() / "memory.json").write_text("{", encoding="utf-8")
    ran = command("list", "Mira")
    assert "The beacon failed" in ran.out
    assert "memory.json:1:1" in ran.err
    assert "暂用上一份完好的内容" in command("recall", "Mira", "beacon", lang="zh").err


def test_reading_leaves_the_files_alone(command: Command) -> None:
    def state() -> dict[str, bytes]:
        return {
            str(path): path.read_bytes()
            for path in command.home.rglob("*")
            if path.is_file() and path.name != ".lock"
        }

    command("list", "Mira")
    before = state()
    for arguments in (
        ("roles",),
        ("list", "Mira"),
        ("search", "Mira", "x"),
        ("recall", "Mira", "beacon"),
        ("explain", "Mira", "x", "--all"),
        ("stats",),
    ):
        command(*arguments)
    assert state() == before
    with Home.open(command.home) as home:
        assert home.role("Mira").turns == 0


def test_a_role_is_deleted_and_restored(command: Command) -> None:
    folder = command.role_folder()
    (command.home / "rolememory.toml").unlink()  # its last role makes it a home
    before = everything(folder)
    row = command("role", "delete", "Mira", "--yes", "--json").json
    assert (row["id"], row["name"], row["for_good"]) == (folder.name, "Mira", False)
    assert row["memories"] > 0
    assert not folder.exists()
    assert command("roles").out == command("role", "delete", "Mira", "--yes").out == ""
    assert folder.name in command("roles", "--deleted").out
    assert "Mira is back" in command("role", "restore", "mira").out
    assert everything(folder) == before
    assert command("roles", "--deleted", "--json").json == []


@pytest.mark.parametrize(
    ("lang", "told"), [("en", "nobody is here to be asked; add --yes"), ("zh", "请加上 --yes")]
)
def test_without_a_terminal_no_role_is_deleted_unless_yes_is_said(
    command: Command, lang: str, told: str
) -> None:
    ran = command("role", "delete", "Mira", lang=lang)
    assert (ran.code, told in ran.err) == (1, True)
    assert command.role_folder().exists()


@pytest.mark.parametrize(("answer", "gone"), [(b"n\n", False), (b"\n", False), (b"y\n", True)])
def test_at_a_terminal_it_is_asked_and_told_what_goes(
    command: Command, answer: bytes, gone: bool
) -> None:
    folder = command.role_folder()
    ran = command("role", "delete", "Mira", stdin=answer, terminal=True)
    shown = ran.out + ran.err
    assert "chats 0" in shown
    assert "rolememory export Mira" in shown
    assert ("nothing was removed" in shown) is not gone
    assert folder.exists() is not gone


def test_a_role_deleted_for_good_leaves_the_home(command: Command) -> None:
    command("role", "delete", "Mira", "--yes")
    ran = command("role", "delete", "Mira", "--for-good", "--yes")
    assert (ran.code, "Mira is deleted" in ran.out, "restore" in ran.out) == (0, True, False)
    assert command("role", "restore", "Mira").code == 1
    assert command("role", "delete", "Mira", "--for-good", "--yes").code == 1
    assert [path for path in command.home.rglob("*") if path.name == "memory.json"] == []


def test_doctor_tells_of_an_associate_that_was_deleted(command: Command) -> None:
    command("open", "Asha", "--create")
    with Home.open(command.home) as home:
        home.role("Mira").associate("Asha")
        home.role("Asha").associate("Mira")
    command("role", "delete", "Asha", "--yes")
    assert "out of `associates`" in command("doctor").out
    command("role", "restore", "Asha")
    assert "associates" not in command("doctor").out
