"""Where recalled text stands among the messages."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.inject.fence import fenced, strip
from rolememory.inject.place import Placement, fill_outlets, insertion, place_all
from rolememory.schema.message import Message
from rolememory.schema.settings import Position
from tests.inject.placing import place

BLOCK = fenced("- The beacon failed.")


def messages(shape: str) -> list[Message]:
    """One letter a message: s(ystem), d(eveloper), u(ser), a(ssistant), t(ool); its text is its letter and place."""
    roles = {"s": "system", "d": "developer", "u": "user", "a": "assistant", "t": "tool"}
    return [
        Message.of({"role": roles[letter], "content": f"{letter}{place}"})
        for place, letter in enumerate(shape)
    ]


def shape(placed: tuple[Message, ...]) -> str:
    return " ".join(
        "*" + message.role[0] if message.content == BLOCK else message.content for message in placed
    )


@pytest.mark.parametrize(
    ("chat", "position", "depth", "expected"),
    [
        pytest.param(
            "ssaua",
            "system",
            1,
            "s0 s1 *s a2 u3 a4",
            id="system: after the leading system messages, before the history",
        ),
        pytest.param(
            "ua", "system", 1, "*s u0 a1", id="system: first when there is no system message"
        ),
        pytest.param("ss", "system", 1, "s0 s1 *s", id="system: no history yet"),
        pytest.param("", "system", 1, "*s", id="system: nothing at all"),
        pytest.param(
            "dsu", "system", 1, "d0 s1 *s u2", id="developer messages are instructions too"
        ),
        pytest.param(
            "sau", "user", 1, "s0 *u a1 u2", id="user: in that voice, a message of its own"
        ),
        pytest.param("sau", "assistant", 1, "s0 *a a1 u2", id="assistant: in that voice"),
        pytest.param(
            "sauau", "depth", 0, "s0 a1 u2 a3 u4 *s", id="depth 0: behind all that was said"
        ),
        pytest.param(
            "sauau", "depth", 1, "s0 a1 u2 a3 *s u4", id="depth 1: before the newest message"
        ),
        pytest.param("sauau", "depth", 2, "s0 a1 u2 *s a3 u4", id="depth 2"),
        pytest.param(
            "sauau", "depth", 9, "s0 *s a1 u2 a3 u4", id="deeper than the chat: at its start"
        ),
        pytest.param(
            "saus",
            "depth",
            0,
            "s0 a1 u2 *s s3",
            id="depth 0 stays before post-history instructions",
        ),
        pytest.param(
            "sauss", "depth", 1, "s0 a1 *s u2 s3 s4", id="post-history instructions do not count"
        ),
        pytest.param("sus", "depth", 1, "s0 *s u1 s2", id="directly before the last user message"),
        pytest.param("s", "depth", 3, "s0 *s", id="depth: nothing was said yet"),
        pytest.param(
            "suatu", "depth", 2, "s0 u1 *s a2 t3 u4", id="a tool's result stays with its call"
        ),
        pytest.param(
            "suattu", "depth", 2, "s0 u1 *s a2 t3 t4 u5", id="two results stay with their call"
        ),
        pytest.param("suat", "depth", 1, "s0 u1 *s a2 t3", id="the newest is a result"),
        pytest.param("suat", "depth", 0, "s0 u1 a2 t3 *s", id="behind a result"),
    ],
)
def test_position(chat: str, position: Position, depth: int, expected: str) -> None:
    assert shape(place(messages(chat), BLOCK, position, depth)) == expected


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_depth_speaks_in_the_voice_asked_for(role: str) -> None:
    assert place(messages("su"), BLOCK, "depth", 1, role)[1] == Message(role=role, content=BLOCK)


@pytest.mark.parametrize(
    ("chat", "position", "description", "expected"),
    [
        pytest.param(
            "sau",
            "after_character",
            "",
            ["s0\n\nB", "a1", "u2"],
            id="after: joined behind a blank line",
        ),
        pytest.param("sau", "before_character", "", ["B\n\ns0", "a1", "u2"], id="before"),
        pytest.param(
            "sssu",
            "after_character",
            "s1",
            ["s0", "s1\n\nB", "s2", "u3"],
            id="the message that tells the character",
        ),
        pytest.param(
            "sssu",
            "after_character",
            "elsewhere",
            ["s0", "s1", "s2\n\nB", "u3"],
            id="unknown description: the last leading one",
        ),
        pytest.param(
            "au", "after_character", "", ["B", "a0", "u1"], id="no system message: becomes one"
        ),
        pytest.param(
            "au",
            "before_character",
            "",
            ["B", "a0", "u1"],
            id="no system message: becomes one, before too",
        ),
        pytest.param("", "after_character", "", ["B"], id="nothing at all"),
    ],
)
def test_character(chat: str, position: Position, description: str, expected: list[str]) -> None:
    placed = place(messages(chat), "B", position, description=description)
    assert [message.content for message in placed] == expected
    assert placed[0].role in ("system", "assistant")


def test_a_description_is_found_whatever_its_white_space() -> None:
    chat = [
        Message.system("x"),
        Message.system("Asha keeps\n  the lighthouse."),
        Message.system("y"),
        Message.user("hi"),
    ]
    assert place(chat, "B", "after_character", description="Asha  keeps the\nlighthouse.")[
        1
    ].content.endswith("B")


@pytest.mark.parametrize("block", ["", " ", "\n"])
@pytest.mark.parametrize("position", get_args(Position))
def test_no_block_leaves_the_messages_as_they_are(block: str, position: Position) -> None:
    chat = tuple(messages("sau"))
    assert place(chat, block, position) is chat


SHAPES = st.text("sduat", max_size=12)


@given(SHAPES, st.sampled_from(get_args(Position)), st.integers(0, 15), st.booleans())
def test_every_message_stays_in_order_and_the_users_words_stay_theirs(
    chat: str, position: Position, depth: int, continuing: bool
) -> None:
    before = messages(chat)
    placed = place(before, BLOCK, position, depth, continuing=continuing)
    kept = [message for message in placed if message.content != BLOCK]
    assert [strip(message.content) for message in kept] == [message.content for message in before]
    assert [message for message in kept if message.role == "user"] == [
        message for message in before if message.role == "user"
    ]
    assert sum(BLOCK in message.content for message in placed) == 1
    for index, message in enumerate(placed):
        if (
            message.content == BLOCK
            and position == "depth"
            and index + 1 < len(placed)
            and placed[index + 1].role == "tool"
        ):
            assert not any(one.role in ("user", "assistant") for one in placed[:index]), (
                "nothing to go back to"
            )


def test_continuing_puts_nothing_behind_the_reply() -> None:
    assert shape(place(messages("sua"), BLOCK, "depth", 0, continuing=True)) == "s0 u1 *s a2"


def test_insertion_needs_only_the_roles() -> None:
    roles = ["system", "assistant", "user", "system"]
    assert insertion(roles, "depth", 1) == 2
    assert insertion(roles, "before_character", character=0) == 0
    assert insertion(roles, "after_character", character=0) == 1


# Several texts


def test_at_one_depth_voices_stand_in_their_order() -> None:
    wanted = [
        Placement("sys", "depth", 1, "system"),
        Placement("use", "depth", 1, "user"),
        Placement("ass", "depth", 1, "assistant"),
        Placement("sys2", "depth", 1, "system"),
        Placement("deep", "depth", 2),
        Placement("", "depth", 1),
    ]
    placed = place_all(messages("sau"), wanted)
    assert [message.content for message in placed] == [
        "s0",
        "deep",
        "a1",
        "ass",
        "use",
        "sys\nsys2",
        "u2",
    ]


def test_lore_stands_beside_the_character_and_memories_join_it() -> None:
    wanted = [
        Placement("lore before", "before_character"),
        Placement("lore after", "after_character"),
        Placement("memories", "after_character", merged=True),
    ]
    placed = place_all(messages("ssu"), wanted, description="s1")
    assert [message.content for message in placed] == [
        "s0",
        "lore before",
        "s1\n\nmemories",
        "lore after",
        "u2",
    ]


def test_outlets_are_filled() -> None:
    chat = [
        Message.system("A {{outlet::one}} B {{ OUTLET::two }} C {{outlet::none}}"),
        Message.user("x"),
    ]
    filled = fill_outlets(chat, {"one": "1", "two": r"\2"})
    assert filled[0].content == r"A 1 B \2 C "
    assert filled[1] is chat[1]
