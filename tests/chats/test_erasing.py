"""A chat without one person: which words go, which stay, and that a frontend which shows them on brings nothing back."""

import json
from pathlib import Path

import pytest

from rolememory.chats.log_index import log_name
from rolememory.schema.message import Message
from rolememory.storage.files.space import FileSpace
from tests.chats.talk import chats_at, shown, without
from tests.storage.refusing import everything

A = Message.assistant
EN, ZH = "somebody", "某人"


def u(text: str, user: str | None = None, name: str | None = None) -> Message:
    return Message.user(text, name=name, user=user)


TURNS = [
    pytest.param(
        [A("Hi all."), u("my key", "bob"), A("a key"), u("my kite", "ann"), A("a kite")],
        ["a: Hi all.", "u: my kite", "a: a kite"],
        id="their messages go, and the replies to them",
    ),
    pytest.param(
        [u("my key", "bob"), A("a key"), A("and a lock"), u("x", "ann")],
        ["u: x"],
        id="every reply until the next of a user",
    ),
    pytest.param(
        [u("my key", "bob"), u("my kite", "ann"), A("both")],
        ["u: my kite", "a: both"],
        id="a reply to somebody else stays",
    ),
    pytest.param(
        [u("Bob's kite, BOB, not Bobby", "ann"), A("bob?")],
        [f"u: {EN}'s kite, {EN}, not Bobby", f"a: {EN}?"],
        id="the name goes from what stays, as a whole word in any case",
    ),
    pytest.param([u("x", "ann")], ["u: x"], id="a chat without them is as it was"),
    pytest.param(
        [u("我的钥匙", "小林"), A("钥匙"), u("小林的风筝", "安安"), A("风筝，小林")],
        [f"u: {ZH}的风筝", f"a: 风筝，{ZH}"],
        id="中文：他们的话和回复都删去，别人话里的名字换掉",
    ),
    pytest.param(
        [u("my key", name="Bob"), u("my kite", name="Ann")],
        ["u: my kite"],
        id="of an unknown speaker, the words that bear the name",
    ),
]


@pytest.mark.parametrize(("turns", "left"), TURNS)
def test_what_is_left_of_a_channel(tmp_path: Path, turns: list[Message], left: list[str]) -> None:
    chats = chats_at(tmp_path)
    chats.observe(turns, chat="one", user="ann")
    chats.forget(without("bob", "小林"))
    assert shown(chats.path("one")) == left
    assert shown(chats_at(tmp_path).path("one")) == left
    assert chats.info("one").messages == len(left)
    assert {one.text for one in chats.versions("one").values()} == {one[3:] for one in left}
    assert len(chats.chat("one").since(0)[0]) == len(left)
    assert [name for one in chats.path("one") for name in one.users or () if name == "bob"] == []


@pytest.mark.parametrize(("turns", "left"), TURNS)
def test_a_frontend_that_shows_it_all_brings_nothing_back(
    tmp_path: Path, turns: list[Message], left: list[str]
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(turns, chat="one", user="ann")
    chats.forget(without("bob", "小林"))
    files = everything(tmp_path)
    for again in (chats, chats_at(tmp_path)):
        assert again.observe(turns, chat="one", user="ann").entered == ()
    assert everything(tmp_path) == files
    chats.observe([*turns, A("!"), u("more", "ann")], chat="one", user="ann")
    assert shown(chats.path("one")) == [*left, "a: !", "u: more"]
    assert not any(
        b"bob" in data or "小林".encode() in data for data in everything(tmp_path).values()
    )


def test_swipes_of_a_reply_to_them_and_their_edits_go(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    for key, reply in (("silver", "one"), ("silver", "two"), ("golden", "two")):
        look = [u("first", "ann"), u(f"a {key} key", "bob"), A(f"reply {reply}")]
        chats.observe(look, chat="one", user="ann")
    chats.forget(without("bob"))
    text = b"".join(everything(tmp_path).values())
    assert not any(word in text for word in (b"silver", b"golden", b"reply"))
    swiped = [u("first", "ann"), u("a golden key", "bob"), A("reply one")]
    chats.observe(swiped, chat="one", user="ann")
    assert shown(chats.path("one")) == ["u: first"]


def test_who_comes_back_is_heard_again(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    turns = [u("x", "ann"), A("."), u("hello", "bob"), A("hello bob")]
    chats.observe(turns, chat="one", user="ann")
    chats.forget(without("bob"))
    chats.observe([*turns, u("hello", "bob"), A("ah")], chat="one", user="ann")
    assert shown(chats.path("one"))[-2:] == ["u: hello", "a: ah"]
    assert chats.path("one")[-2].owner == "bob"


@pytest.mark.parametrize(
    ("chat", "user", "turns", "ids"),
    [
        pytest.param("plain", "bob", [u("x")], [], id="a chat of theirs alone goes"),
        pytest.param("harbour@bob", "bob", [u("x")], [], id="by whatever name"),
        pytest.param("plain", "bob", [A("Hello.")], [], id="and so does one that only greets them"),
        pytest.param(
            "plain", None, [u("x", "bob")], [], id="a chat of nobody's in which they spoke"
        ),
        pytest.param("Ann & Bob", "ann", [u("x")], ["Ann & somebody"], id="an id without the name"),
        pytest.param("安安和小林", "ann", [u("x")], ["安安和某人"], id="中文会话名"),
        pytest.param("bobbin", "ann", [u("x")], ["bobbin"], id="a longer word is another"),
        pytest.param(
            "plain", "bob", [u("x"), u("y", "ann")], ["plain"], id="begun by them, shared"
        ),
    ],
)
def test_which_chats_are_left(
    tmp_path: Path, chat: str, user: str | None, turns: list[Message], ids: list[str]
) -> None:
    chats = chats_at(tmp_path)
    chats.observe(turns, chat=chat, user=user)
    chats.forget(without("bob", "小林"))
    for each in (chats, chats_at(tmp_path)):
        assert [info.id for info in each.chats()] == ids
    names = "".join(path.name for path in (tmp_path / "chats").iterdir())
    assert "小林" not in names
    assert "-bob-" not in names


def test_an_id_that_is_taken_is_given_to_nobody_else(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    for chat in ("with bob", "with lin", "with somebody"):
        chats.observe([u(f"in {chat}")], chat=chat, user="ann")
    chats.forget(without("bob", "lin", taken=("with bob", "with lin", "with somebody")))
    found = {info.id: chats.path(info.id)[0].text for info in chats.chats()}
    assert found == {
        "with somebody": "in with somebody",
        "with somebody-2": "in with somebody",
        "with somebody-3": "in with somebody",
    }


def test_a_branch_and_its_title_follow(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    turns = [u("Where is the mill?", "ann"), A("There."), u("And the harbour?", "ann"), A("Here.")]
    chats.observe(turns, chat="of bob", user="ann")
    fork = [*turns[:3], A("Gone."), u("Bob told me", "ann")]
    chats.observe(fork, chat="fork", user="ann")
    chats.update("fork", title="Bob, again")
    assert chats.info("fork").branch_of == "of bob"
    chats.forget(without("bob"))
    info = chats.info("fork")
    assert (info.branch_of, info.title) == ("of somebody", "somebody, again")
    assert shown(chats.path("fork"))[-1] == "u: somebody told me"


def test_words_of_a_damaged_line_go_and_the_others_stay(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe([u("mine", "ann")], chat="one", user="ann")
    path = next((tmp_path / "chats").glob("*.jsonl"))
    path.write_bytes(
        path.read_bytes() + b'{"said":[["u","bob told a secret"]],"crc":"00000000"}\ntorn secret'
    )
    chats = chats_at(tmp_path)
    chats.forget(without("bob"))
    assert shown(chats.path("one")) == ["u: mine"]
    assert b"secret" not in path.read_bytes()


def test_a_log_of_the_first_format_is_cleared_too(tmp_path: Path) -> None:
    at = "2024-05-01T12:00:00+00:00"
    words = {"a": "my key", "b": "my kite, Bob", "c": "hm"}
    said = [
        {"version": version * 12, "role": "user", "text": words[version], "at": at, "slot": slot}
        for slot, version in enumerate("abc")
    ]
    said[0]["name"], said[1]["name"] = "Bob", "ann"
    row = {
        "at": at,
        "head": {"format": 1, "chat": "old", "user": "ann", "created": at},
        "said": said,
        "path": [{"at": 0, "after": "", "out": [], "in": [one["version"] for one in said]}],
    }
    FileSpace(tmp_path).log(log_name("old")).append(json.dumps(row).encode())
    chats = chats_at(tmp_path)
    assert len(chats.path("old")) == 3
    chats.forget(without("bob"))
    assert shown(chats.path("old")) == ["u: my kite, somebody", "u: hm"]
    assert [one.owner for one in chats.path("old")] == ["ann", "ann"]
