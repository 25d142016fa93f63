"""Entries changed one by one, in every format a book may have."""

import json
from typing import Any

import pytest

from rolememory.authoring.entries import FIELDS, added, changed, placed, removed
from rolememory.authoring.starter_book import new_book
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import book_formats, load_book
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.schema.lorebook import LoreEntry
from tests.cards.makers import dump_book
from tests.recall.test_cost import Steps

FORMATS = [name for name in book_formats() if name != "character_book_v2"]
CHANGES: dict[str, Any] = {
    "content": "It is lit again.", "comment": "The lamp", "keys": ["lamp", "light"], "secondary_keys": ["storm"], "selective_logic": "and_all",
    "constant": False, "enabled": False, "insertion_order": 7, "position": "depth", "depth": 2, "role": "assistant", "probability": 40,
    "group": "weather", "group_weight": 30, "sticky": 2, "cooldown": 3, "delay": 1, "scan_depth": 9, "case_sensitive": True,
    "match_whole_words": False, "exclude_recursion": True, "prevent_recursion": True, "by_meaning": True, "ignore_budget": True,
    "outlet": "sky", "triggers": ["swipe"], "match_sources": ["scenario"], "selective": True, "use_probability": True,
    "group_override": True, "delay_until_recursion": 2, "use_group_scoring": True,
}  # fmt: skip


def book(format_: str) -> Book:
    world = load_book(new_book("harbour").encode(), "harbour.json")
    return load_book(dump_book(world, format_), "harbour")


def names(of: Book) -> list[str]:
    return [one.entry.comment if one.entry else "?" for one in placed(of)]


@pytest.mark.parametrize("format_", FORMATS)
def test_an_entry_is_changed_and_the_rest_stays(format_: str) -> None:
    before = book(format_)
    second = placed(before)[1]
    after = load_book(
        changed(before, second.uid, {"content": "It is lit again.", "keys": ["lamp"]}).write(),
        "harbour",
    )
    entry = placed(after)[1].entry
    assert entry is not None
    assert (entry.content, entry.keys, after.format) == (
        "It is lit again.",
        ("lamp",),
        before.format,
    )
    assert [dict(one.raw) for one in placed(after)[::2]] == [
        dict(one.raw) for one in placed(before)[::2]
    ]
    unchanged = {name for name in LoreEntry.model_fields if name not in ("content", "keys", "raw")}
    assert second.entry is not None
    assert {name: getattr(entry, name) for name in unchanged} == {
        name: getattr(second.entry, name) for name in unchanged
    }


@pytest.mark.parametrize("format_", ["sillytavern", "lorebook_v3", "character_book"])
@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_read_back_as_it_was_set(format_: str, field: str) -> None:
    before = book(format_)
    after = load_book(
        changed(before, placed(before)[1].uid, {field: CHANGES[field]}).write(), "harbour"
    )
    entry = placed(after)[1].entry
    assert entry is not None
    found = entry.model_dump(mode="json")[field]
    assert (list(found) if isinstance(found, tuple) else found) == CHANGES[field]


def test_nothing_changed_is_the_same_bytes() -> None:
    for format_ in FORMATS:
        before = book(format_)
        entry = placed(before)[1].entry
        assert entry is not None
        assert (
            changed(before, placed(before)[1].uid, {"content": entry.content}).write()
            == before.write()
        )


def test_a_change_of_an_entry_that_was_found_reads_no_entry_again() -> None:
    entries = {str(uid): {"uid": uid, "key": ["a"], "content": "x"} for uid in range(50)}
    book = load_book(json.dumps({"entries": entries}).encode(), "b.json")
    found, told = placed(book)[7], {"content": "y"}
    wanted = changed(book, found.uid, told).write()
    changes: list[bytes] = []
    steps = Steps().count(lambda: changes.append(changed(book, found, told).write()))
    assert changes == [wanted]
    assert not steps[("entries.py", "placed")]


def test_the_author_s_own_layout_survives() -> None:
    text = '{\n    "name": "x",  "mine": [1,2],\n    "entries": {"0": {"uid":0, "key":["a"], "content":"\\u00e9", "note": 1.50}}\n}\n'
    before = load_book(text.encode(), "x")
    assert changed(before, "0", {"keys": ["a", "b"]}).write().decode() == text.replace(
        '["a"]', '["a","b"]'
    )


@pytest.mark.parametrize("format_", FORMATS)
def test_an_entry_is_added_at_the_end_and_taken_away(format_: str) -> None:
    before = book(format_)
    grown, uid = added(before, {"comment": "New", "content": "A new thing.", "keys": ["new"]})
    again = load_book(grown.write(), "harbour")
    assert names(again) == [*names(before), "New"]
    new = placed(again)[-1]
    assert new.entry is not None
    assert (new.uid, new.entry.content, new.entry.enabled) == (uid, "A new thing.", True)
    assert len({one.uid for one in placed(again)}) == 4
    assert names(removed(again, uid)) == names(before)
    less = load_book(removed(again, placed(again)[0].uid).write(), "harbour")
    assert names(less) == [*names(before)[1:], "New"]


def test_entries_that_cannot_be_read_keep_their_place() -> None:
    entries = {
        "0": {"uid": 0, "order": "many"},
        "1": {"uid": 1, "content": "x"},
        "2": "no object",
        "3": {"uid": 1, "content": "y"},
    }
    found = load_book(json.dumps({"entries": entries}).encode(), "x")
    assert [one.uid for one in placed(found)] == ["[0]", "1", "1+"]
    assert placed(changed(found, "1+", {"content": "z"}))[2].raw["content"] == "z"
    assert list(removed(found, "[0]").raw["entries"]) == ["1", "2", "3"]
    assert added(found, {})[1] == "4"


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({"colour": "red"}, UnknownNameError, id="a field that is none"),
        pytest.param({"position": "sky"}, InvalidValueError, id="a place that is none"),
        pytest.param({"role": "ghost"}, InvalidValueError, id="a voice that is none"),
    ],
)
def test_what_cannot_be_said_is_refused(fields: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        changed(book("sillytavern"), "1", fields)


def test_an_entry_that_is_not_there_is_told() -> None:
    with pytest.raises(UnknownNameError, match="no entry named '9'"):
        removed(book("sillytavern"), "9")
