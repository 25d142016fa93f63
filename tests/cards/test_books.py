"""Lorebooks of all formats: known by themselves, read generously, and back into a card."""

from typing import Any

import pytest

from rolememory.cards import character_book
from rolememory.cards.book import read_book
from rolememory.cards.sillytavern import read_world
from rolememory.errors import FileError
from rolememory.schema.lorebook import LorePosition, MatchSource
from tests.conformance.worldinfo import card_book_to_world
from tests.paths import shared

CARD_BOOK = {"name": "Harbour", "scan_depth": 3, "token_budget": 99, "recursive_scanning": False, "entries": [
    {"id": 7, "keys": ["beacon"], "content": "Oil.", "extensions": {}, "enabled": True, "insertion_order": 5, "priority": 3,
     "case_sensitive": True, "use_regex": True, "position": "before_char"},
]}  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "form", "keys"),
    [
        pytest.param(
            {"entries": {"0": {"uid": 0, "key": ["a"]}}}, "sillytavern", ("a",), id="world file"
        ),
        pytest.param(
            {"lorebookVersion": 5, "entries": [{"keys": ["a"], "text": "t", "enabled": True}]},
            "novelai",
            ("a",),
            id="NovelAI",
        ),
        pytest.param(
            {"kind": "memory", "entries": [{"keywords": ["a"], "entry": "t", "enabled": True}]},
            "agnai",
            ("a",),
            id="Agnai",
        ),
        pytest.param(
            {"type": "risu", "data": [{"key": "a, b", "content": "t"}]},
            "risu",
            ("a", "b"),
            id="Risu",
        ),
        pytest.param(
            {"entries": [{"keys": ["a"], "content": "t", "enabled": True}]},
            "character_book",
            ("a",),
            id="book of a card",
        ),
        pytest.param(
            {"spec": "lorebook_v3", "data": {"entries": [{"keys": ["a"]}]}},
            "character_book",
            ("a",),
            id="stand-alone V3",
        ),
        pytest.param(
            {"spec": "chara_card_v2", "data": {"character_book": {"entries": [{"keys": ["a"]}]}}},
            "character_book",
            ("a",),
            id="card",
        ),
        pytest.param(
            {"entries": [{"keys": "a, b", "content": "t"}]},
            "character_book",
            ("a", "b"),
            id="keys as a comma list",
        ),
    ],
)
def test_the_format_is_found_out(raw: dict[str, Any], form: str, keys: tuple[str, ...]) -> None:
    book = read_book(raw)
    assert (book.format, book.entries[0].keys) == (form, keys)
    assert book.raw


def test_what_is_no_book_is_refused() -> None:
    with pytest.raises(FileError, match="no lorebook of a known format"):
        read_book({"name": "Mira"}, "mira.json")


def test_one_bad_entry_does_not_hide_the_others() -> None:
    book = read_world(
        {
            "entries": {
                "0": {"key": ["a"]},
                "1": "nonsense",
                "2": {"order": "later"},
                "3": {"uid": 0, "key": ["b"]},
            }
        }
    )
    assert [entry.id for entry in book.entries] == ["0", "0+"]
    assert [str(problem) for problem in book.problems] == [
        "entry '1': expected an object, got 'nonsense'",
        "entry '2': order: expected a number, got 'later'; write digits, such as 100",
    ]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(
            {"type": "risu", "data": [{"key": "\uf000folder:1", "mode": "folder"}, {"key": "a"}]},
            id="a lorebook of RisuAI",
        ),
        pytest.param(
            {"entries": [{"keys": ["\uf000folder:1"], "mode": "folder"}, {"keys": ["a"]}]},
            id="the book of a card",
        ),
    ],
)
def test_a_folder_is_no_entry(raw: dict[str, Any]) -> None:
    book = read_book(raw)
    assert [entry.keys for entry in book.entries] == [("a",)]
    assert book.problems == ()
    assert book.raw == raw


def test_what_only_cards_say_is_kept_beside() -> None:
    book = read_book(CARD_BOOK)
    entry = book.entries[0]
    assert (book.name, book.scan_depth, book.token_budget, book.recursive_scanning) == (
        "Harbour",
        3,
        99,
        False,
    )
    assert (
        entry.id,
        entry.priority,
        entry.use_regex,
        entry.card_case_sensitive,
        entry.case_sensitive,
    ) == ("7", 3, True, True, None)
    assert entry.position is LorePosition.BEFORE


def test_use_regex_of_sillytavern_s_own_exports_says_nothing() -> None:
    entry = {
        **CARD_BOOK["entries"][0],
        "extensions": {"selectiveLogic": 0, "position": 4, "match_scenario": True},
    }  # type: ignore[index]
    read = read_book({"entries": [entry]}).entries[0]
    assert (read.use_regex, read.position, read.match_sources) == (
        None,
        LorePosition.DEPTH,
        (MatchSource.SCENARIO,),
    )


@pytest.mark.parametrize(
    ("field", "value", "read"),
    [
        pytest.param("selective", None, False, id="selective missing: secondary keys are ignored"),
        pytest.param("useProbability", None, False, id="switch missing: no roll"),
        pytest.param("position", None, None, id="position missing: nowhere"),
        pytest.param("depth", None, None, id="depth missing"),
        pytest.param("delayUntilRecursion", True, 1, id="true is level 1"),
        pytest.param("scanDepth", "3", 3, id="a number as text"),
        pytest.param("probability", None, 0, id="probability null: 0"),
        pytest.param("groupWeight", None, 100, id="weight missing: 100"),
    ],
)
def test_missing_is_not_the_default(field: str, value: Any, read: Any) -> None:
    names = {
        "useProbability": "use_probability",
        "delayUntilRecursion": "delay_until_recursion",
        "scanDepth": "scan_depth",
        "groupWeight": "group_weight",
    }
    entry = read_world(
        {
            "entries": {
                "0": {
                    "key": ["a"],
                    **({} if value is None and field != "probability" else {field: value}),
                }
            }
        }
    ).entries[0]
    assert getattr(entry, names.get(field, field)) == read


def test_a_card_s_book_survives_the_way_to_a_world_file_and_back() -> None:
    world = card_book_to_world(CARD_BOOK)
    back = character_book.card_entry(world["entries"]["7"])
    given: Any = CARD_BOOK["entries"][0]  # type: ignore[index]
    assert {
        name: back[name]
        for name in ("id", "keys", "content", "enabled", "insertion_order", "position", "use_regex")
    } == {
        name: given[name]
        for name in ("id", "keys", "content", "enabled", "insertion_order", "position", "use_regex")
    }
    assert card_book_to_world({"entries": [back]})["entries"] == {
        "7": {**world["entries"]["7"], "extensions": back["extensions"], "useGroupScoring": False}
    }


def test_every_import_case_reads_without_a_problem() -> None:
    import json

    cases = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in shared("conformance", "worldinfo").glob("import_*.json")
    ]
    assert all(not read_book(case["source"]).problems for case in cases)
