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
        pytest.param({"position": "before_char"}, True, False, id="position: a name is no number"),
        pytest.param({"position": "Before"}, True, False, id="position: our name"),
        pytest.param(
            {"keysecondary": ["sea"], "selectiveLogic": "NOT ANY"},
            True,
            False,
            id="selectiveLogic: its name never decides",
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


@pytest.mark.parametrize("card", [False, True], ids=["a world file", "a card's book"])
def test_named_places_and_roles_are_read(card: bool) -> None:
    fields = {"position": "at_depth", "role": "assistant", "depth": 2, "content": "x"}
    book = read_book(_entries(fields, card))
    (entry,) = book.entries
    assert (entry.position, entry.role, entry.depth) == ("depth", "assistant", 2)
    assert book.problems == ()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        pytest.param(
            {"position": "left"},
            "entry 'Lamp': position: 'left' is not known; write one of before_char, after_char, an_top, an_bottom, at_depth, em_top, em_bottom, outlet",
            id="no place",
        ),
        pytest.param({"position": 9}, "position: 9 is not known", id="a number too high"),
        pytest.param({"role": "narrator"}, "role: 'narrator' is not known; write one of system, user, assistant", id="no role"),
        pytest.param({"selectiveLogic": "xor"}, "selectiveLogic: 'xor' is not known; write one of and_any, not_all, not_any, and_all", id="no logic"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("card", [False, True], ids=["a world file", "a card's book"])
def test_unknown_places_and_roles_are_told_and_the_entry_stays(
    fields: dict[str, Any], told: str, card: bool
) -> None:
    book = read_book(_entries({"content": "x", **fields}, card))
    assert len(book.entries) == 1
    where = "extensions." if card and "position" not in fields else ""
    assert [
        told.replace("role:", f"{where}role:").replace("selectiveLogic:", f"{where}selectiveLogic:")
        in one.text()
        for one in book.problems
    ] == [True]
    assert "不认识" in book.problems[0].text("zh")


def _entries(fields: dict[str, Any], card: bool) -> dict[str, Any]:
    """A book of one entry; a card has all but the position in its extensions."""
    if not card:
        return {"entries": {"0": {"uid": 0, "key": ["lamp"], "comment": "Lamp", **fields}}}
    own = {name: fields[name] for name in ("content", "position") if name in fields}
    extended = {name: value for name, value in fields.items() if name not in own}
    return {
        "entries": [
            {"keys": ["lamp"], "comment": "Lamp", "enabled": True, **own, "extensions": extended}
        ]
    }


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
