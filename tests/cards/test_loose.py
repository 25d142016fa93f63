"""Fields of other types than the editor gives them: as they are meant, and under exact rules as the frontend's program takes them."""

from typing import Any

import pytest

from rolememory.cards.book import read_book
from rolememory.recall.lore.scan import scan
from rolememory.schema.message import Message

CHAT = [Message.user("the lamp burns")]


def fires(rules: str, **fields: Any) -> bool:
    """Whether an entry with these fields comes into the prompt."""
    entry = {
        "uid": 0,
        "key": ["lamp"],
        "order": 100,
        "position": 0,
        "selective": True,
        "content": "x",
        **fields,
    }
    given = scan({"entries": {"0": entry}}, CHAT, rules=rules)
    return given.placement.before_text == "x"


@pytest.mark.parametrize(
    ("fields", "meant", "taken"),
    [
        pytest.param({"disable": "false"}, True, True, id="disable: 'false'"),
        pytest.param({"disable": "true"}, False, True, id="disable: 'true' equals nothing"),
        pytest.param({"disable": "1"}, False, False, id="disable: '1' equals true"),
        pytest.param(
            {"constant": "false", "key": []}, False, True, id="constant: 'false' is a text"
        ),
        pytest.param({"order": None}, True, True, id="order: null"),
        pytest.param(
            {"probability": "100", "useProbability": True}, True, True, id="probability: '100'"
        ),
        pytest.param(
            {"probability": "0", "useProbability": True}, False, False, id="probability: '0'"
        ),
        pytest.param({"position": "0"}, True, False, id="position: '0' is no place"),
        pytest.param({"position": True}, True, False, id="position: true is no place"),
        pytest.param(
            {"keysecondary": ["sea"], "selectiveLogic": "2"},
            True,
            False,
            id="selectiveLogic: '2' never decides",
        ),
        pytest.param(
            {"keysecondary": ["sea"], "selectiveLogic": 2}, True, True, id="selectiveLogic: 2"
        ),
        pytest.param(
            {"selective": "false", "keysecondary": ["sea"]},
            True,
            False,
            id="selective: 'false' is a text",
        ),
        pytest.param(
            {"caseSensitive": "false", "key": ["Lamp"]},
            True,
            False,
            id="caseSensitive: 'false' is a text",
        ),
        pytest.param({"key": [None, 5, "lamp"]}, True, True, id="keys that are no texts"),
    ],
)
def test_loosely_typed_fields(fields: dict[str, Any], meant: bool, taken: bool) -> None:
    assert (fires("default", **fields), fires("sillytavern", **fields)) == (meant, taken)


def test_a_roll_is_taken_for_a_percentage_in_quotes() -> None:
    entry = {
        "uid": 0,
        "key": ["lamp"],
        "content": "x",
        "useProbability": True,
        "probability": "100",
        "position": 0,
    }
    assert scan({"entries": {"0": entry}}, CHAT, rules="sillytavern", chance=[0.999]).rolls == 1


def test_native_entries_may_stand_in_a_list() -> None:
    book = read_book(
        {
            "entries": [
                {"uid": 7, "key": ["lamp"], "content": "x", "position": 0},
                {"uid": 9, "key": ["sea"], "content": "y"},
            ]
        }
    )
    assert (book.format, [entry.id for entry in book.entries]) == ("sillytavern", ["7", "9"])
    assert book.entries[0].keys == ("lamp",)
    card = read_book(
        {"entries": [{"keys": ["lamp"], "content": "x", "insertion_order": 1, "enabled": True}]}
    )
    assert card.format == "character_book"
