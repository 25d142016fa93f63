"""A hundred things a person may get wrong: each is one line that says where, what, and what instead. Never a traceback."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rolememory.engine import Home
from tests.cli.running import Command

FILES: dict[str, bytes] = {
    "empty.json": b"",
    "broken.json": b'{"episodic": [',
    "fullwidth.json": '{"episodic"：[]}'.encode(),
    "wide_card.json": '{"spec": "chara_card_v2", "data": {"name": “米拉”}}'.encode(),
    "wide_book.json": '{"entries": {"0": {"key": ["灯塔"，"灯"], "content": "黑"}}}'.encode(),
    "wide_chat.json": '[{"role"："user", "content": "hi"}]'.encode(),
    "number.json": b"42",
    "text.json": b'"only a text"',
    "gbk.json": '["灯塔灭了三夜，雾里什么也看不见"]'.encode("gbk"),
    "binary.json": bytes(range(256)),
    "deep.json": b"[" * 100_000,
    "nan.json": b'[{"content": "a", "weight": NaN}]',
    "newer.json": b'{"format": "rolememory-role", "version": 99, "role": {}}',
    "no_uuid.json": b'{"format": "rolememory-role", "version": 1, "role": {"id": "../../x", "name": "X"}}',
    "no_role.json": b'{"format": "rolememory-role", "version": 1}',
    "escaping.json": b'{"format": "rolememory-role", "version": 1, "role": {"id": "7c1e5a0e-3f7b-4c52-9a6d-2b8f4e91d0a4", "name": "X"}, "worldbooks": {"../x": {}}}',
    "chat_number.json": b"[1, 2]",
    "chat_nobody.json": b'[{"content": "who says this?"}]',
    "chat_role.json": b'[{"role": "narrator", "content": "x"}]',
    "chat_object.json": b'{"hello": "world"}',
    "empty_chat.txt": b"\n",
    "chat_line.jsonl": b'{"role": "user", "content": "a"}\n{"role": broken}\n',
}

#: (command line, exit code, what the one line must hold); {x} = the folder of FILES
ROWS: list[tuple[str, int, str]] = [
    # the line itself
    ("frobnicate", 2, "frobnicate"),
    ("lst Mira", 2, "`list`"),
    ("serach Mira x", 2, "`search`"),
    ("--nope roles", 2, "--nope"),
    ("roles --nope", 2, "--nope"),
    ("list Mira --typ trait", 2, "--type"),
    ("list Mira --limt 3", 2, "--limit"),
    ("list", 2, "ROLE"),
    ("list Mira tea extra", 2, "tea"),
    ("search Mira", 2, "QUERY"),
    ("add", 2, "ROLE"),
    ("add Mira", 2, "TEXT"),
    ("edit Mira", 2, "ID"),
    ("weight Mira storm", 2, "VALUE"),
    ("delete Mira", 2, "ID"),
    ("recall Mira", 2, "MESSAGE"),
    ("explain", 2, "ROLE"),
    ("export", 2, "ROLE"),
    ("import", 1, "FILE"),
    ("restore", 2, "ROLE"),
    ("open", 2, "ROLE"),
    ("model", 2, "rolememory model --help"),
    ("model lst", 2, "`list`"),
    ("model fetch", 2, "NAME"),
    ("list Mira --type feeling", 2, "feeling"),
    ("list Mira --source nowhere", 2, "nowhere"),
    ("list Mira --limit zero", 2, "zero"),
    ("list Mira --limit 0", 2, "--limit"),
    ("list Mira --type", 2, "--type"),
    ("history Mira --limit -3", 2, "--limit"),
    ("book scan {x}/none.json --say Hi --seed one", 2, "--seed"),
    ("clean --journal-days x", 2, "x"),
    ("roles --lang fr", 2, "--lang"),
    ("roles --lang", 2, "--lang"),
    ("roles --home", 2, "--home"),
    ("roles --home --json", 2, "--home"),
    ("roles --json=no --yes", 2, "--yes"),
    # names
    ("list Mria", 1, "Mira"),
    ("list 米啦", 1, "米拉"),
    ("list ''", 1, "--create"),
    ("list ../../etc", 1, "../../etc"),
    ("mcp --user ''", 1, "--user"),
    ("mcp --user ' '", 1, "--user"),
    ("list 7c1e5a0e-3f7b-4c52-9a6d-2b8f4e91d0ff", 1, "7c1e5a0e"),
    ("list C:\\Windows", 1, "Windows"),
    ("open Nobody", 1, "--create"),
    ("open '' --create", 1, "1"),
    ("open 'a\nb' --create", 1, "1"),
    ("open Twin", 1, "Twin"),
    ("edit Mira strom weight=1", 1, "storm"),
    ("weight Mira nothing 1", 1, "nothing"),
    ("delete Mira storm nothing", 1, "nothing"),
    ("delete Mira ../../x", 1, "../../x"),
    ("explain Mira hello nothing", 1, "nothing"),
    ("undo Mira no-such-change", 1, "no-such-change"),
    ("undo Twin", 1, "Twin"),
    ("restore Mira 20200101T000000Z.zip", 1, "20200101T000000Z"),
    ("restore Mira ../../x.zip", 1, "x.zip"),
    ("restore 7c1e5a0e-3f7b-4c52-9a6d-2b8f4e91d0a3", 1, "rolememory backup"),
    ("backup", 1, "--all"),
    ("backup Nobody", 1, "Nobody"),
    ("stats Nobody", 1, "Nobody"),
    ("clean Nobody", 1, "Nobody"),
    ("demo Nobody --words", 1, "Nobody"),
    # values
    ("add Mira ''", 1, "content"),
    ("add Mira x --salience 2", 1, "salience"),
    ("add Mira x --salience much", 1, "salience"),
    ("add Mira x --weight -1", 1, "weight"),
    ("add Mira x --weight nan", 1, "weight"),
    ("add Mira x --weight inf", 1, "weight"),
    ("add Mira x --priority 101", 1, "priority"),
    ("add Mira x --priority 1.5", 1, "priority"),
    ("add Mira x --created yesterday", 1, "created"),
    ("add Mira x --created 2024-13-01", 1, "created"),
    ("add Mira x --expires soon", 1, "expires"),
    ("add Mira x --type feeling", 2, "feeling"),
    ("add Mira x --id storm", 1, "storm"),
    ("edit Mira storm weight", 1, "weight"),
    ("edit Mira storm weight=heavy", 1, "weight"),
    ("edit Mira storm weight=9", 1, "weight"),
    ("edit Mira storm keyz=a", 1, "keys"),
    ("edit Mira storm =a", 1, ""),
    ("edit Mira storm constant=maybe", 1, "constant"),
    ("edit Mira storm weight+=1", 1, "weight"),
    ("edit Mira storm content=", 1, "content"),
    ("edit Mira storm type=feeling", 1, "type"),
    ("edit Mira storm selective_logic=xor", 1, "selective_logic"),
    ("weight Mira storm heavy", 1, "weight"),
    ("weight Mira storm 3", 1, "weight"),
    ("recall Mira hello --now tomorrow", 1, "--now"),
    ("settings recall.max_item 3", 1, "recall.max_items"),
    ("serve --workers 0", 2, "--workers"),
    ("serve --upstream localhost:5001/v1", 2, '"http://localhost:5001/v1"'),
    ("serve --upstream http://localhost:9191/v1 --port 9191", 1, "serve.upstream"),
    ("settings serve.upstream http://127.0.0.1:8787/v1", 1, "serve.upstream"),
    ("chat Mira --upstream localhost:5001", 2, '"http://localhost:5001"'),
    ("settings serve.upstream 127.0.0.1:5001", 1, 'upstream = "http://127.0.0.1:5001"'),
    ("settings embedding.endpoint http://[::1", 1, "http://127.0.0.1:5001/v1"),
    ("settings learn.endpoint upstreem", 1, "learn.endpoint"),
    ("settings recal", 1, "recal"),
    ("settings recall.mode sideways", 1, "recall.mode"),
    ("settings recall.relevance_threshold 7", 1, "relevance_threshold"),
    ("settings recall.max_items many", 1, "max_items"),
    ("settings recall.mode inject --unset", 1, "--unset"),
    # files
    ("import {x}/none.json", 1, "none.json"),
    ("import {x}", 1, "files"),
    ("import {x}/empty.json --role Mira", 1, "empty.json"),
    ("import {x}/broken.json --role Mira", 1, "broken.json:1:"),
    ("import {x}/fullwidth.json --role Mira", 1, "fullwidth.json:1:12"),
    ("card show {x}/wide_card.json", 1, "wide_card.json:1:44"),
    ("import {x}/number.json --role Mira", 1, "number.json"),
    ("import {x}/text.json --role Mira", 1, "text.json"),
    ("import {x}/gbk.json --role Mira", 1, "gbk.json:1"),
    ("import {x}/binary.json --role Mira", 1, "binary.json"),
    ("import {x}/deep.json --role Mira", 1, "deep.json"),
    ("import {x}/nan.json --role Mira", 1, "nan.json"),
    ("import {x}/newer.json", 1, "99"),
    ("import {x}/no_uuid.json", 1, "no_uuid.json"),
    ("import {x}/no_role.json", 1, "no_role.json"),
    ("import {x}/escaping.json", 1, "../x"),
    ("import {x}/nan.json", 1, "--role"),
    ("import - --role Mira", 1, "FILE"),
    ("import {x}/none.json --role Nobody", 1, "none.json"),
    ("recall Mira x --chat {x}/none.json", 1, "none.json"),
    ("recall Mira x --chat {x}", 1, "files"),
    ("recall Mira x --chat {x}/empty.json", 1, "empty.json"),
    ("recall Mira x --chat {x}/broken.json", 1, "broken.json:1:"),
    ("recall Mira x --chat {x}/chat_number.json", 1, "chat_number.json"),
    ("recall Mira x --chat {x}/chat_nobody.json", 1, "chat_nobody.json"),
    ("recall Mira x --chat {x}/chat_role.json", 1, "narrator"),
    ("recall Mira x --chat {x}/chat_object.json", 1, "chat_object.json"),
    ("recall Mira x --chat {x}/chat_line.jsonl", 1, "chat_line.jsonl:2"),
    ("recall Mira x --chat {x}/binary.json", 1, "binary.json"),
    ("recall Mira x --chat {x}/deep.json", 1, "deep.json"),
    # models
    ("model fetch nothing/at/all", 1, "nothing/at/all"),
    ("model fetch 'a b'", 1, "a b"),
    ("model fetch {x}", 1, "safetensors"),
    ("model fetch some/model --mirror ftp://x", 1, "ftp://x"),
    ("model fetch some/model", 1, "HF_HUB_OFFLINE"),
    # places
    ("roles --home {x}/nowhere", 1, "rolememory init"),
    ("list Mira --home {x}", 1, "rolememory init"),
    ("add Mira x --home {x}/number.json", 1, "--home"),
    ("settings --home {x}/nowhere", 1, "rolememory init"),
    ("model fetch bge-m3 --home {x}/nowhere", 1, "rolememory init"),
    ("init {x}/number.json", 1, "number.json"),
    ("init {x}/number.json/inside", 1, "number.json"),
]


def words(line: str, folder: Path) -> list[str]:
    """A command line in words; quotes hold what has spaces, backslashes are what they are."""
    out, quoted = [], False
    for part in line.split("'"):
        out += [part] if quoted else part.split()
        quoted = not quoted
    return [word.replace("{x}", str(folder)) for word in out]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of bad files."""
    folder = tmp_path_factory.mktemp("bad") / "files"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def crowded(furnished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two roles of one name, shared by all rows: a refused command changes nothing."""
    home = tmp_path_factory.mktemp("crowded") / "home"
    shutil.copytree(furnished, home)
    with Home.open(home) as opened:
        opened.create("Twin", aliases=["twin one"])
        opened.create("Twin", id="7c1e5a0e-3f7b-4c52-9a6d-2b8f4e91d0a3")
    return home


@pytest.mark.parametrize(
    ("line", "code", "told"), ROWS, ids=[row[0].replace("\n", " ") or "nothing" for row in ROWS]
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_one_line_tells(
    crowded: Path,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    code: int,
    told: str,
    lang: str,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    ran = Command(crowded, monkeypatch)(*words(line, files), lang=lang)
    assert ran.err.count("\n") == 1, ran.err
    assert ran.err.startswith("error: " if lang == "en" else "错误：")
    assert told in ran.err
    assert "fault of rolememory" not in ran.err
    assert "自身的问题" not in ran.err
    assert (ran.code, ran.out) == (code, "")
    assert lang == "en" or any(
        "\u4e00" <= letter <= "\u9fff" for letter in ran.err.removeprefix("错误：")
    )


def test_a_refused_command_changed_nothing(crowded: Path, furnished: Path) -> None:
    for file in furnished.rglob("*.json*"):
        assert (crowded / file.relative_to(furnished)).read_bytes() == file.read_bytes()


def test_there_are_a_hundred() -> None:
    assert len(ROWS) >= 100


def broken_memory(home: Path, role: Path) -> None:
    (role / "memory.json").write_text('{"episodic": [{"content": "a"，}]}', encoding="utf-8")


def not_utf8(home: Path, role: Path) -> None:
    (role / "memory.json").write_bytes('{"episodic": ["灯塔"]}'.encode("gbk"))


def memory_is_a_folder(home: Path, role: Path) -> None:
    (role / "memory.json").unlink()
    (role / "memory.json").mkdir()


def broken_settings(home: Path, role: Path) -> None:
    (home / "rolememory.toml").write_text("[recall\nmode = “inject”", encoding="utf-8")


def settings_not_utf8(home: Path, role: Path) -> None:
    (home / "rolememory.toml").write_bytes("# 设置\n[recall]\n".encode("gbk"))


def unreadable_journal(home: Path, role: Path) -> None:
    (role / "journal").mkdir(exist_ok=True)
    for file in (role / "journal").glob("*.jsonl"):
        file.write_bytes(os.urandom(300))


DAMAGES: list[tuple[Callable[[Path, Path], None], str, str]] = [
    (broken_memory, "add Mira x", "memory.json:1:"),
    (broken_memory, "weight Mira storm 1.5", "memory.json:1:"),
    (broken_memory, "delete Mira storm", "memory.json:1:"),
    (not_utf8, "add Mira x", "memory.json"),
    (memory_is_a_folder, "add Mira x", "memory.json"),
    (broken_settings, "roles", "rolememory.toml:1"),
    (broken_settings, "recall Mira beacon", "rolememory.toml:1"),
    (broken_settings, "settings", "rolememory.toml:1"),
    (broken_settings, "settings recall.max_items 3", "rolememory.toml:1"),
    (settings_not_utf8, "list Mira", "rolememory.toml"),
]


@pytest.mark.parametrize(
    ("damage", "line", "told"), DAMAGES, ids=[f"{row[0].__name__}: {row[1]}" for row in DAMAGES]
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_damaged_home_is_told_on_one_line(
    command: Command, damage: Callable[[Path, Path], None], line: str, told: str, lang: str
) -> None:
    folder = command.role_folder()
    damage(command.home, folder)
    os.utime(folder / "memory.json", (1, 1))  # nobody is in the middle of a save
    ran = command(*line.split(), lang=lang)
    assert (ran.code, ran.err.count("\n")) == (1, 1), ran.err
    assert told in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "damage",
    [broken_memory, not_utf8, memory_is_a_folder, unreadable_journal],
    ids=lambda damage: damage.__name__,
)
@pytest.mark.parametrize(
    "line",
    [
        "roles",
        "list Mira",
        "recall Mira beacon",
        "explain Mira beacon",
        "stats",
        "export Mira",
        "history Mira",
        "open Mira",
    ],
)
def test_a_damaged_role_is_read_as_far_as_it_goes(
    command: Command, damage: Callable[[Path, Path], None], line: str
) -> None:
    damage(command.home, command.role_folder())
    ran = command(*line.split())
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    assert "fault of rolememory" not in ran.err


@pytest.mark.parametrize(
    ("line", "english", "chinese"),
    [
        pytest.param(
            "add Mira x --type foo",
            "error: --type: expected one of episodic, semantic, trait, goal, got 'foo'; see `rolememory add --help`",
            "错误：--type：应为 episodic、semantic、trait、goal 之一，却是“foo”；用法见 `rolememory add --help`",
            id="a value that is none of the choices",
        ),
        pytest.param(
            "card export Mira out.png",
            "error: too many arguments: out.png; see `rolememory card export --help`",
            "错误：多余的参数：out.png；用法见 `rolememory card export --help`",
            id="one argument too many",
        ),
        pytest.param(
            "serve --port 99999",
            "error: --port: expected a whole number up to 65535, got '99999'; see `rolememory serve --help`",
            "错误：--port：应为不大于 65535 的整数，却是“99999”；用法见 `rolememory serve --help`",
            id="a port that is too large",
        ),
        pytest.param(
            "stats Mira beacon.x (b)",
            "error: too many arguments: beacon.x (b); see `rolememory stats --help`",
            "错误：多余的参数：beacon.x (b)；用法见 `rolememory stats --help`",
            id="several, with points and brackets",
        ),
        pytest.param(
            "remember Mira x",
            "error: no verb 'remember'; did you mean `add`?",
            "错误：没有命令“remember”；是不是 `add`？",
            id="a verb by another word",
        ),
        pytest.param(
            "versoin",
            "error: no verb 'versoin'; did you mean `--version`?",
            "错误：没有命令“versoin”；是不是 `--version`？",
            id="a misspelled word that is an option",
        ),
        pytest.param(
            "list Mira --limt 3",
            "error: no option --limt here; did you mean `--limit`?",
            "错误：没有选项 --limt；是不是 `--limit`？",
            id="a slip in an option",
        ),
        pytest.param(
            "open 　 --create",
            "error: expected a name of 1 to 200 characters without line breaks, got ' '",
            "错误：名字应为 1 到 200 个字符，不含换行，却是“ ”",
            id="a name that is a wide space",
        ),
        pytest.param(
            r"open C:\new\tom",
            r"error: no role named 'C:\new\tom' (known: Mira, 米拉); make one with `rolememory open NAME --create`",
            r"错误：没有名为“C:\new\tom”的角色（已有：Mira、米拉）；可用 `rolememory open 名字 --create` 新建",
            id="a name with backslashes",
        ),
        pytest.param(
            "add Mira \t",
            "error: content: there is nothing to remember; write a sentence",
            "错误：content：没有可记的内容；请写一句话",
            id="a memory of blanks",
        ),
        pytest.param(
            "add Mira \t --each-line",
            "error: content: there is nothing to remember; write a sentence",
            "错误：content：没有可记的内容；请写一句话",
            id="no line to remember",
        ),
        pytest.param(
            "settings a.b=",
            "error: rolememory.toml: a.b: unknown key; see `rolememory settings --all`",
            "错误：rolememory.toml：a.b：没有这个设置项；见 `rolememory settings --all`",
            id="a setting that is like none",
        ),
        pytest.param(
            "settings recal",
            "error: rolememory.toml: recal: unknown key; did you mean 'recall'?",
            "错误：rolememory.toml：recal：没有这个设置项；是不是想写“recall”？",
            id="a slip in a table of settings",
        ),
        pytest.param(
            "settings recall.limit 5",
            "error: rolememory.toml: recall.limit: unknown key; see `rolememory settings recall`",
            "错误：rolememory.toml：recall.limit：没有这个设置项；见 `rolememory settings recall`",
            id="a setting that its table does not have",
        ),
        pytest.param(
            "role rename Mira Wren",
            "error: no verb 'rename'; see `rolememory role --help`",
            "错误：没有命令“rename”；用法见 `rolememory role --help`",
            id="a verb that a group does not have",
        ),
        pytest.param(
            "import sillytavern",
            "error: say where it is: `import sillytavern FOLDER`",
            "错误：请写明它在哪里：`import sillytavern 文件夹`",
            id="a program without its folder",
        ),
        pytest.param(
            "card show wide_card.json",
            'error: wide_card.json:1:44: full-width quotes “米拉”; write plain quotes: "..."',
            '错误：wide_card.json:1:44：全角引号 “米拉”；请改成半角双引号 "..."',
            id="full-width quotes in a card",
        ),
        pytest.param(
            "book lint wide_book.json",
            "error: wide_book.json:1:32: full-width comma ，; write ,",
            "错误：wide_book.json:1:32：全角逗号 ，；请改成 ,",
            id="a full-width comma in a lorebook",
        ),
        pytest.param(
            "card import wide_book.json",
            "error: wide_book.json:1:32: full-width comma ，; write ,",
            "错误：wide_book.json:1:32：全角逗号 ，；请改成 ,",
            id="the same in a lorebook that is imported",
        ),
        pytest.param(
            "observe Mira empty_chat.txt",
            "error: empty_chat.txt: the file is empty; give a chat as JSON, JSON lines, or lines `Name: text`",
            "错误：empty_chat.txt：文件是空的；聊天记录应为 JSON、JSON Lines，或“名字：话”的文本",
            id="a chat that is empty",
        ),
        pytest.param(
            "recall Mira hi --chat wide_chat.json",
            "error: wide_chat.json:1:9: not JSON: full-width colon ：; give a chat as JSON, JSON lines, or lines `Name: text`",
            "错误：wide_chat.json:1:9：不是 JSON（全角冒号 ：）；聊天记录应为 JSON、JSON Lines，或“名字：话”的文本",
            id="a full-width colon in a chat",
        ),
    ],
)
def test_a_mistake_is_told_in_words_of_the_language_alone(
    command: Command,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    english: str,
    chinese: str,
) -> None:
    monkeypatch.chdir(files)
    told = [command(*line.split(" "), lang=lang).err.strip() for lang in ("en", "zh")]
    assert told == [english, chinese]


def test_words_that_are_no_characters(command: Command) -> None:
    """A byte of the command line that is no UTF-8 arrives as half a character."""
    for arguments in (
        ("list", "\udcff"),
        ("add", "Mira", "\udcff"),
        ("recall", "Mira", "\udcff\x1b[31m"),
        ("open", "\udcff", "--create"),
    ):
        ran = command(*arguments)
        assert ran.code in (0, 1)
        assert "fault of rolememory" not in ran.err
        assert ran.err.count("\n") <= 1
