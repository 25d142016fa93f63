"""Chat files of every vintage, whole and damaged."""

from pathlib import Path
from typing import Any

import pytest

from rolememory.cards.tavern import files
from rolememory.cards.tavern.chat import TavernMessage, read_chat, read_head
from rolememory.errors import FileError
from tests.cards.tavern.folders import INTEGRITY, NEW, OLD, head, life, said, write_lines


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return life(tmp_path_factory.mktemp("tavern"))


def read(tmp_path: Path, *lines: Any) -> tuple[TavernMessage, ...]:
    return read_chat(write_lines(tmp_path / "chat.jsonl", lines)).messages


def test_an_old_chat_is_read_with_its_times(user: Path) -> None:
    chat = read_chat(user / "chats" / "Asha" / f"{OLD}.jsonl")
    assert (chat.head.user, chat.head.character, chat.head.integrity, chat.problems) == (
        "Wren",
        "Asha",
        "",
        (),
    )
    assert [one.text for one in chat.messages] == [
        "You are soaked through.",
        "My boat broke on the rocks.",
        "Then stay the night.",
        "Thank you.",
    ]
    assert [one.speaker for one in chat.messages] == ["assistant", "user", "assistant", "user"]
    assert all(one.sent and one.sent.year == 2023 for one in chat.messages)


def test_a_new_chat_tells_its_id_its_lorebook_and_what_was_left_in_it(user: Path) -> None:
    chat = read_chat(user / "chats" / "Asha" / f"{NEW}.jsonl")
    assert (chat.head.integrity, chat.head.books, chat.head.user) == (
        INTEGRITY,
        ("Asha memories",),
        "",
    )
    assert [(one.by, one.through, one.lasting) for one in chat.summaries] == [
        ("summarize", 2, False),
        ("qvink", 2, True),
        ("summarize", 4, False),
    ]
    assert chat.messages[5].program


def test_a_branch_names_the_chat_it_left(user: Path) -> None:
    found = read_head(user / "chats" / "Asha" / "Branch #1.jsonl")
    assert (found.main_chat, found.integrity) == (NEW, INTEGRITY)


@pytest.mark.parametrize(
    ("lines", "begun"),
    [
        pytest.param(
            [head(created="2023-06-19T14:20:33Z"), said("A", "x", "2024-01-01T00:00:00Z")],
            "2023-06-19",
            id="the first line says it",
        ),
        pytest.param(
            [head(), said("A", "x", "2024-01-01T00:00:00Z")],
            "2024-01-01",
            id="else the first message",
        ),
        pytest.param(
            [said("A", "x", "2024-01-01T00:00:00Z"), said("A", "y", "2024-02-01T00:00:00Z")],
            "2024-01-01",
            id="which may be the first line",
        ),
        pytest.param([head(), said("A", "x")], "None", id="or nobody"),
        pytest.param(["{broken", "also broken"], "None", id="broken lines say nothing"),
    ],
)
def test_when_a_chat_was_begun(tmp_path: Path, lines: list[Any], begun: str) -> None:
    assert str(read_head(write_lines(tmp_path / "chat.jsonl", lines)).created).startswith(begun)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        pytest.param(
            said("A", "shown", swipes=["shown", "other"], swipe_id=0),
            "shown",
            id="the words that are shown",
        ),
        pytest.param(
            said("A", "", swipes=["one", "two"], swipe_id=1),
            "two",
            id="the chosen swipe where the words are missing",
        ),
        pytest.param(said("A", "", swipes=["one"], swipe_id=7), "", id="a swipe that is not there"),
        pytest.param(
            {"name": "A", "mes": {"message": "inside"}},
            "inside",
            id="words in an object, as another program wrote them",
        ),
        pytest.param(said("A", "半个\ud83d"), "半个\ufffd", id="half an emoji"),
    ],
)
def test_the_words_of_a_message(tmp_path: Path, line: Any, text: str) -> None:
    assert [one.text for one in read(tmp_path, head(), line)] == [text]


@pytest.mark.parametrize(
    ("line", "speaker", "hidden", "program"),
    [
        pytest.param(said("Lin", "x", user=True), "user", False, False, id="the user"),
        pytest.param(said("A", "x"), "assistant", False, False, id="the character"),
        pytest.param({**said("A", "x"), "is_system": ""}, "assistant", False, False, id="the character, by a slash command"),
        pytest.param(said("System", "x", extra={"type": "narrator"}), "system", False, False, id="the narrator"),
        pytest.param({**said("Lin", "x", user=True), "is_system": True}, "user", True, False, id="a message that was hidden"),
        pytest.param({**said("A", "x"), "is_system": True, "extra": {"type": "comment"}}, "assistant", True, True, id="a comment"),
        pytest.param({**said("SillyTavern System", "x"), "is_system": True}, "assistant", True, True, id="a word of the program"),
        pytest.param({**said("A", ""), "is_system": True, "extra": {"tool_invocations": []}}, "assistant", True, True, id="a tool call"),
    ],
)  # fmt: skip
def test_who_speaks_and_who_is_hidden(
    tmp_path: Path, line: Any, speaker: str, hidden: bool, program: bool
) -> None:
    (found,) = read(tmp_path, head(), line)
    assert (found.speaker, found.hidden, found.program) == (speaker, hidden, program)


def test_a_group_chat_of_old_begins_with_a_message(tmp_path: Path) -> None:
    assert [
        one.text for one in read(tmp_path, said("Asha", "Hi."), said("林", "嗨。", user=True))
    ] == ["Hi.", "嗨。"]


@pytest.mark.parametrize(
    ("lines", "texts", "problem"),
    [
        pytest.param([head(), said("A", "one"), '{"mes": "cut', said("A", "two")], ["one", "two"], ":3: is not JSON", id="a broken line in the middle"),
        pytest.param([head(), said("A", "one"), '{"name": "A", "is_us'], ["one"], ":3: is not JSON", id="a file that was cut off"),
        pytest.param([head(), said("A", "one"), {"name": "A"}], ["one"], ":3: is no message", id="a message without words"),
        pytest.param([head(), said("A", "one"), '["a"]'], ["one"], ":3: is no message", id="a list among the messages"),
        pytest.param([head(), said("A", "one"), {"name": "A", "mes": 7}], ["one"], ":3: is no message", id="a number for words"),
        pytest.param(['{"user_name": "L', said("A", "one")], ["one"], ":1: is not JSON", id="a broken head"),
    ],
)  # fmt: skip
def test_a_damaged_line_is_told_and_the_others_are_read(
    tmp_path: Path, lines: list[Any], texts: list[str], problem: str
) -> None:
    chat = read_chat(write_lines(tmp_path / "chat.jsonl", lines))
    assert [one.text for one in chat.messages] == texts
    assert [one.place for one in chat.messages] == list(range(len(texts)))
    assert len(chat.problems) == 1
    assert problem in str(chat.problems[0])
    assert chat.problems[0].text("zh") != str(chat.problems[0])


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        pytest.param(b"not a chat", "holds no message", id="a text"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\xff", "holds no message", id="a picture"),
        pytest.param(b"[" * 100_000, "holds no message", id="a hundred thousand brackets"),
        pytest.param(b"\x00" * 5000, "holds no message", id="zeros, as a crashed disk leaves them"),
    ],
)
def test_what_is_no_chat_is_refused_by_name(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(data)
    with pytest.raises(FileError, match=problem) as error:
        read_chat(path)
    assert "bad.jsonl" in str(error.value)
    assert "backups" in error.value.text("zh")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b'{"user_name": "a", "character_name": "b", "chat_metadata": {}}',
        b"\xef\xbb\xbf",
    ],
)
def test_a_chat_in_which_nothing_was_said_is_empty(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(data)
    assert read_chat(path).messages == ()


def test_windows_line_ends_and_a_mark_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf"
        + b'{"user_name": "Lin", "character_name": "A"}\r\n{"name": "A", "mes": "hi"}\r\n'
    )
    assert read_head(path).user == "Lin"
    assert [one.text for one in read_chat(path).messages] == ["hi"]


def test_a_line_that_is_too_long_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LINE", 2000)
    chat = read_chat(
        write_lines(tmp_path / "chat.jsonl", [head(), said("A", "x" * 9000), said("A", "short")])
    )
    assert [one.text for one in chat.messages] == ["short"]
    assert ":2: a message of more than" in str(chat.problems[0])


def test_a_chat_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "CHAT", 100)
    with pytest.raises(FileError, match="has more than 100 bytes"):
        read_chat(write_lines(tmp_path / "chat.jsonl", [head(), said("A", "x" * 900)]))


def test_of_more_messages_than_are_read_the_rest_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MESSAGES", 3)
    chat = read_chat(
        write_lines(tmp_path / "chat.jsonl", [head(), *(said("A", str(at)) for at in range(9))])
    )
    assert [one.text for one in chat.messages] == ["0", "1", "2"]
    assert "more than 3 messages" in str(chat.problems[0])
