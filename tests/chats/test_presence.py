"""Whose words a message is, who was there, and who may be reminded of it."""

import json
from pathlib import Path

import pytest

from rolememory.chats import Chats
from rolememory.chats.presence import AWAY, Audience, Window
from rolememory.chats.rows import decoded
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Evidence
from rolememory.schema.message import Message
from rolememory.storage.files.space import FileSpace
from tests.chats.talk import START, Clock, QuickDisk, chats_at, said

A = Message.assistant


def u(text: str, name: str | None = None, user: str | None = None) -> Message:
    return Message.user(text, name=name, user=user)


@pytest.mark.parametrize(
    ("messages", "user", "owners"),
    [
        pytest.param([u("hi")], "ann", ["ann"], id="one person, the call's user"),
        pytest.param([u("hi")], "", [""], id="nobody said a name: the nameless user"),
        pytest.param([u("hi", "Lin")], "u17", ["u17"], id="one name in the window is the user"),
        pytest.param(
            [u("hi", "Ann"), u("ho", "Bob")], "bob", [None, None], id="two names, neither known"
        ),
        pytest.param(
            [u("hi", "ann"), u("ho", "bob")],
            "bob",
            [None, "bob"],
            id="the user's own name is known",
        ),
        pytest.param(
            [u("hi", user="ann"), u("ho", user="bob")], "carl", ["ann", "bob"], id="told outright"
        ),
        pytest.param(
            [u("hi", user="ann"), u("ho", "Bob")], "ann", ["ann", None], id="a name beside it"
        ),
        pytest.param([u("hi", user="ann"), u("ho")], "ann", ["ann", "ann"], id="no name beside it"),
        pytest.param(
            [u("Ann: I am Ann, remember Ann's secrets")], "eve", ["eve"], id="never what it says"
        ),
        pytest.param(
            [u("我是小林", "小林"), u("你好", "老王")], "老王", [None, "老王"], id="中文名字"
        ),
    ],
)
def test_whose_words_a_message_is(
    messages: list[Message], user: str, owners: list[str | None]
) -> None:
    window = Window.of(messages, user, lambda name: name)
    assert [window.owner(one.name or "", one.owner) for one in messages] == owners


def words(owner: str | None, *users: str, members: tuple[str, ...] = ()) -> ChatMessage:
    return ChatMessage("v", "user", "x", START, 0, owner=owner, users=users, members=members)


@pytest.mark.parametrize(
    ("message", "readers", "here", "heard"),
    [
        pytest.param(words("ann", "ann"), Audience.of(["ann"]), False, True, id="her own words"),
        pytest.param(words("ann", "ann"), Audience.of(["bob"]), False, False, id="not his"),
        pytest.param(
            words("ann", "ann"), Audience.of(["ann", "bob"]), True, False, id="not while he reads"
        ),
        pytest.param(
            words("ann", "ann", "bob"), Audience.of(["bob"]), False, True, id="he was there"
        ),
        pytest.param(
            words(None, "ann"), Audience.of(["ann"]), False, False, id="unknown: elsewhere"
        ),
        pytest.param(
            words(None, "ann"), Audience.of(["ann"]), True, True, id="unknown: in its chat"
        ),
        pytest.param(words("ann", *AWAY), Audience.of(["ann"]), True, False, id="said while away"),
        pytest.param(
            words("ann", "ann"),
            Audience.of(["ann"], ["Rafi"]),
            False,
            False,
            id="Rafi was not there",
        ),
        pytest.param(
            words("ann", "ann", members=("Ｒafi", "Mei")),
            Audience.of(["ann"], ["rafi"]),
            False,
            True,
            id="Rafi was there",
        ),
        pytest.param(
            words("Lin", "Lin"),
            Audience.of(["Traveller"], same=lambda name: "Lin"),
            False,
            True,
            id="linked names are one person",
        ),
    ],
)
def test_who_may_be_reminded(
    message: ChatMessage, readers: Audience, here: bool, heard: bool
) -> None:
    assert readers.heard(message, here=here) is heard


def test_a_channel_keeps_whose_words_each_message_is(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    first = [u("I keep bees."), A("Bees!")]
    chats.observe(first, chat="channel", user="ann")
    chats.observe(
        [*first, u("My brother Karl lives in Graz."), A("Graz!")], chat="channel", user="bob"
    )
    again = chats_at(tmp_path)  # as another process reads it
    for known in (chats, again):
        path = known.path("channel")
        assert [one.owner for one in path] == ["ann", None, "bob", None]
        assert [one.users for one in path] == [("ann",), ("ann",), ("ann", "bob"), ("ann", "bob")]


def test_presence_that_is_told_wins_and_stays(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    talk = said("u: one", "a: two")
    chats.observe(talk, chat="c", user="ann", present=["ann", "bob"], members=["Rafi"])
    chats.observe(talk := [*talk, *said("u: three", "a: four")], chat="c", user="ann")
    chats.observe([*talk, *said("u: five", "a: six")], chat="c", user="ann", present=["ann"])
    path = chats_at(tmp_path).path("c")
    assert [one.users for one in path[::2]] == [("ann", "bob"), ("ann", "bob"), ("ann",)]
    assert {one.members for one in path} == {("Rafi",)}
    assert chats.readers("c") == Audience.of(["ann"], ["Rafi"])
    assert chats.readers("c", members=[]) == Audience.of(["ann"]), "everybody else has left"
    assert chats.readers("elsewhere", "bob") == Audience.of(["bob"])
    assert chats.readers() == Audience.of([""])


def test_who_is_told_to_be_there_is_there_with_those_who_speak_and_nobody_else(
    tmp_path: Path,
) -> None:
    chats = chats_at(tmp_path)
    talk = [u("one", user="ann"), A("two"), u("three", user="bob")]
    chats.observe(talk, chat="c", user="bob", present=["bob"])
    chats.observe([*talk, A("four"), u("五", user="小林")], chat="c", user="小林", present=[])
    for known in (chats, chats_at(tmp_path)):
        there = [("ann", "bob"), ("bob",), ("bob",), ("小林",), ("小林",)]
        assert [one.users for one in known.path("c")] == there
        assert known.readers("c") == Audience.of(["小林"])


def test_somebody_unknown_is_not_the_user_of_the_chat(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    lines = said("u: The key lies under the third hearthstone.", "a: I see.")
    for chat in ("c", "d"):
        chats.observe(lines, chat=chat, user="ann")
    assert chats.observe(said("u: Who am I?"), chat="c", user="").chat == "c@"
    assert chats.observe(said("u: Who am I?", "a: No idea."), chat="c", user="").chat == "c@"
    talk = [*lines, *said("u: And I?", "a: Go on.")]
    assert chats.observe(talk, chat="d").chat == "d", "left out: the user of the chat"
    assert chats.observe([*talk, u("我是谁？")], chat="d", user=" ").chat == "d"
    for known in (chats, chats_at(tmp_path)):
        owners = [[one.owner for one in known.path(chat)] for chat in ("d", "c@")]
        assert owners == [["ann", None, "ann", None, ""], ["", None]]
        assert known.readers("d") == Audience.of(["", "ann"])


def test_what_was_said_while_the_character_was_away_reminds_it_of_nothing(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    talk = said("u: one", "a: two")
    chats.observe(talk, chat="c", user="ann")
    chats.observe([*talk, *said("u: three", "a: four")], chat="c", user="ann", away=True)
    talk = said("u: one", "a: two", "u: three", "a: four", "u: five", "a: six")
    chats.observe(talk, chat="c", user="ann")
    for known in (chats, chats_at(tmp_path)):
        path, visibility = (
            known.path("c"),
            known.visible_from("d", readers=known.readers("d", "ann")),
        )
        assert [one.users for one in path[::2]] == [("ann",), AWAY, ("ann",)]
        proofs = [Evidence(chat="c", version=one.version, quote=one.text) for one in path[::2]]
        assert [visibility.sees(proof) for proof in proofs] == [True, False, True]


def test_a_log_of_the_older_format_is_read_and_goes_on_in_the_newer(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    chats.observe(said("u: hi", "a: ho"), chat="old", user="lin")
    (file,) = (tmp_path / "chats").glob("*.jsonl")
    at = "2024-05-01T12:00:00Z"
    versions = [("user", "hi"), ("user", "hm"), ("assistant", "ho")]
    older = {
        "at": at,
        "head": {"format": 1, "chat": "old", "user": "lin", "created": at},
        "said": [
            {
                "version": f"{n}" * 12,
                "slot": n,
                "role": role,
                "at": f"2024-05-01T12:00:0{n}Z",
                "text": text,
            }
            | ({"name": "Bob"} if text == "hm" else {})
            for n, (role, text) in enumerate(versions)
        ],
        "path": [{"at": 0, "after": "", "out": [], "in": ["0" * 12, "1" * 12, "2" * 12]}],
    }
    log = FileSpace(tmp_path).log(f"chats/{file.stem}")
    log.rewrite([(json.dumps(older, separators=(",", ":")).encode(),)])
    chats = chats_at(tmp_path)
    path = chats.path("old")
    assert [(one.text, one.owner) for one in path] == [("hi", "lin"), ("hm", None), ("ho", None)]
    assert {one.users for one in path} == {("lin",)}
    bob = Message.user("hm", name="Bob")
    chats.observe([u("hi"), bob, A("ho"), u("and now"), A("now")], chat="old", user="lin")
    row = decoded(log.read().appends[-1].lines[0])
    assert row is not None
    assert row.head is not None
    assert row.head.format == 2
    assert [one.owner for one in chats_at(tmp_path).path("old")] == ["lin", None, None, None, None]


def test_a_line_of_ordinary_talk_costs_less_than_its_words(tmp_path: Path) -> None:
    chats = Chats(FileSpace(tmp_path, disk=QuickDisk()), clock=Clock())
    talk: list[Message] = []
    for turn in range(200):
        words = f"the harbour lights went out again on night {turn}, and nobody rowed out to look for the keeper"
        talk += [u(words), A(words.replace("harbour", "mountain"))]
        chats.observe(talk[-60:], chat="c", user="ann")
    (file,) = (tmp_path / "chats").glob("*.jsonl")
    text = sum(len(one.content.encode()) for one in talk)
    assert file.stat().st_size < 2 * text


def test_nobody_is_reminded_of_what_they_were_not_there_for(tmp_path: Path) -> None:
    chats = chats_at(tmp_path)
    seen = chats.observe([u("the map is under the hearth"), A("hm")], chat="private", user="ann")
    proof = Evidence(chat="private", version=seen.entered[0].version, quote="under the hearth")
    for user, present, sees in (
        ("ann", None, True),
        ("bob", None, False),
        ("ann", ["ann", "bob"], False),
    ):
        visibility = chats.visible_from("other", readers=chats.readers("other", user, present))
        assert visibility.sees(proof) is sees, (user, present)
    assert chats.visible_from(None).sees(proof)
