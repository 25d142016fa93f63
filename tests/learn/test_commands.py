"""Explicit commands to the memory: two tables of messages, how they are quoted, and what they cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.learn.commands import commands, scopes
from rolememory.learn.commands.patterns import command_patterns
from rolememory.text.language import LANGUAGES
from tests.learn import command_held_out, command_last, command_ooc, command_rows
from tests.text.prose import growth

Row = tuple[list[tuple[str, str]], str]
ROWS: list[Row] = [
    *command_rows.rows(command_rows.ENGLISH),
    *command_rows.rows(command_rows.CHINESE),
]
HELD_OUT: list[Row] = [
    *command_held_out.rows(command_held_out.ENGLISH),
    *command_held_out.rows(command_held_out.CHINESE),
]


FORGETTING: list[Row] = [
    *command_last.rows(command_last.ENGLISH),
    *command_last.rows(command_last.CHINESE),
]
OUTSIDE: list[Row] = [
    *command_ooc.rows(command_ooc.ENGLISH),
    *command_ooc.rows(command_ooc.CHINESE),
]


def told(message: str) -> list[tuple[str, str]]:
    return [(command.kind, command.content) for command in commands(message)]


@pytest.mark.parametrize("rows", [ROWS, FORGETTING, OUTSIDE], ids=["orders", "forget", "outside"])
def test_messages(rows: list[tuple[list[tuple[str, str]], str]]) -> None:
    assert [(told(message), message) for _, message in rows] == [*rows]


def test_messages_written_after_the_rules() -> None:
    right = [told(message) == expected for expected, message in HELD_OUT]
    assert sum(right) / len(right) >= 0.9
    assert [message for expected, message in HELD_OUT if not expected and told(message)] == [], (
        "what orders nothing is obeyed nowhere"
    )


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param("/memory off", "off", id="off"),
        pytest.param("/memory here", "here", id="here"),
        pytest.param("  /Memory: ON", "on", id="on, however it is written"),
        pytest.param("(OOC: memory off)", "off", id="out of character"),
        pytest.param("[OOC: turn memory off, please]", None, id="no free prose"),
        pytest.param("((ooc - turn off the memory))", "off", id="turn off"),
        pytest.param("Hello.\n/memory here\nWhat a day!", "here", id="on a line of its own"),
        pytest.param("/memory off\n/memory on", "on", id="the last word counts"),
        pytest.param("（OOC：记忆关）", "off", id="out of character in Chinese"),
        pytest.param("（场外：关闭记忆）", "off", id="场外"),
        pytest.param("/记忆 此处", "here", id="此处"),
        pytest.param("/記憶 開啟", "on", id="traditional characters"),
        pytest.param("/memroy off", "off", id="with two letters swapped"),
        pytest.param("/menory\n/memories: here", "here", id="after a line without a setting"),
        pytest.param("I turn my memory off.", None, id="said in the play"),
        pytest.param("她的记忆关着门。", None, id="narrated"),
        pytest.param("/memory remember I like tea", None, id="another command"),
        pytest.param("(OOC: memory of the war here)", None, id="another remark"),
    ],
)
def test_how_far_memory_may_go(message: str, expected: str | None) -> None:
    assert [one.scope for one in scopes(message)][-1:] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(
            "Always remember that I'm allergic to nuts.",
            [("pin", "I'm allergic to nuts")],
            id="always",
        ),
        pytest.param(
            "My ship is the Aurora. Pin that.", [("pin", "My ship is the Aurora")], id="pin that"
        ),
        pytest.param(
            "Remember this forever: I was born at sea.",
            [("pin", "I was born at sea")],
            id="forever",
        ),
        pytest.param("永远记住我对花生过敏。", [("pin", "我对花生过敏")], id="永远记住"),
        pytest.param("你要永远记住，我妹妹叫小雪。", [("pin", "我妹妹叫小雪")], id="你要永远记住"),
        pytest.param("我住在杭州。永远记住这一点。", [("pin", "我住在杭州")], id="这一点"),
        pytest.param("我會永遠記住這一天。", [], id="a vow is no order"),
        pytest.param("I'll always remember that summer.", [], id="nor in English"),
        pytest.param("I always remember my mother's songs.", [], id="a habit is none"),
        pytest.param("糟糕，忘了大门的密码。", [], id="who forgot it gives no order"),
        pytest.param("Let's forget that we ever met.", [], id="nor does a proposal"),
    ],
)
def test_what_is_to_be_there_always(message: str, expected: list[tuple[str, str]]) -> None:
    assert told(message) == expected


def test_the_tables_are_large_enough() -> None:
    assert len(ROWS) >= 200
    assert 0.4 <= sum(not expected for expected, _ in ROWS) / len(ROWS) <= 0.6
    assert len(HELD_OUT) >= 60


def test_quotes_and_contents_stand_in_the_message() -> None:
    found = [
        (command, message)
        for _, message in [*ROWS, *HELD_OUT, *OUTSIDE]
        for command in commands(message)
    ]
    assert len(found) >= 250
    for command, message in found:
        assert command.quote
        assert command.quote == message[command.start : command.end].strip()
        assert command.content in message


@pytest.mark.parametrize(
    ("message", "ooc"),
    [
        pytest.param(
            "((OOC: remember the sword is cursed))",
            True,
            id="double brackets stand outside the story",
        ),
        pytest.param("（记一下：我住在杭州）", True, id="so does a note in brackets"),
        pytest.param("/remember I like tea", True, id="and a slash command"),
        pytest.param("ooc: remember that I like tea", True, id="and a marked line"),
        pytest.param("Remember that I like tea.", False, id="plain words do not"),
        pytest.param("记住我喜欢喝茶", False, id="in Chinese neither"),
    ],
)
def test_outside_the_story(message: str, ooc: bool) -> None:
    assert [command.ooc for command in commands(message)] == [ooc]


@pytest.mark.parametrize(
    ("piece", "end"),
    [
        ("好", ""),
        ("请你", ""),
        ("remember ", ""),
        ("(", ""),
        ("ok, ", "remember"),
        ("记住，", ""),
        ('"', ""),
        ("*a", ""),
    ],
)
def test_the_cost_of_a_long_message_grows_with_its_length(piece: str, end: str) -> None:
    assert growth(commands, piece * 8_000 + end, piece * 1_000 + end) < 3


def test_every_shipped_row_is_a_pattern() -> None:
    for table in map(command_patterns, LANGUAGES):
        for row in (*table.rows, *table.ooc_rows):
            assert row.says.pattern
            assert row.unless is None or row.unless.pattern


@given(
    st.text(
        alphabet="记住忘掉别我的了吗，。：？！（）“”*\n aremembrfogt'th.?!:()[]/\"", max_size=120
    )
)
def test_any_text_is_read(text: str) -> None:
    for command in commands(text):
        assert command.content in text
        assert command.quote in text
