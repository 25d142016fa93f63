"""Lorebook files of every kind: read, written, changed in one place."""

import json
from typing import Any

import pytest

from rolememory.cards.book_files import book_formats, load_book
from rolememory.errors import FileError
from tests.cards import makers
from tests.cards.makers import as_bytes, card_picture, dump_book, picture, text_chunk


@pytest.mark.parametrize("form", sorted(makers.BOOKS))
@pytest.mark.parametrize("indent", [None, 2, 4])
def test_read_and_written_it_is_the_same_bytes(form: str, indent: int | None) -> None:
    data = as_bytes(makers.BOOKS[form], indent)
    book = load_book(data)
    assert (book.format, dump_book(book)) == (form, data)


@pytest.mark.parametrize("form", sorted(makers.BOOKS))
def test_every_format_is_written_and_known_again(form: str) -> None:
    book = load_book(as_bytes(makers.BOOKS[form]), "Harbour")
    for other in book_formats():
        again = load_book(dump_book(book, other))
        assert again.format == other
        assert len(again.lorebook().entries) == len(book.lorebook().entries)


def test_a_changed_entry_changes_its_line_alone() -> None:
    data = as_bytes(makers.world())
    raw: dict[str, Any] = json.loads(data)
    raw["entries"]["5"]["order"] = 7
    assert dump_book(load_book(data).with_raw(raw)) == data.replace(
        b'"order": 90', b'"order": 7'
    ).replace(b'"order": 7', b'"order": 90', 1)


@pytest.mark.parametrize("name", sorted(makers.OTHER_BOOKS))
def test_a_book_of_another_program_stays_until_it_is_changed(name: str) -> None:
    data = as_bytes(makers.OTHER_BOOKS[name])
    book = load_book(data)
    assert (book.format, dump_book(book), book.raw["originalData"]) == (
        name,
        data,
        makers.OTHER_BOOKS[name],
    )
    changed = load_book(dump_book(book.with_raw({**book.raw, "name": "Sea"})))
    assert (changed.format, changed.name) == ("sillytavern", "Sea")
    assert changed.lorebook().entries == book.lorebook().entries


def test_a_novelai_picture_holds_a_book() -> None:
    data = picture(
        text_chunk("naidata", makers.packed(makers.novelai())), text_chunk("Software", b"x")
    )
    book = load_book(data)
    assert (book.format, dump_book(book), book.lorebook().entries[0].keys) == (
        "novelai_png",
        data,
        ("beacon", "oil"),
    )


@pytest.mark.parametrize(
    "data",
    [
        as_bytes(makers.v2(makers.card_book())),
        card_picture(makers.v3(makers.card_book())),
        makers.charx(makers.v3(makers.card_book())),
        makers.byaf(),
    ],
    ids=["json", "png", "charx", "byaf"],
)
def test_the_book_of_a_card_is_read_out_of_it(data: bytes) -> None:
    book = load_book(data)
    assert book.lorebook("x").entries
    assert load_book(dump_book(book, "sillytavern")).format == "sillytavern"


def test_what_has_no_book_says_so() -> None:
    with pytest.raises(FileError, match="character card without a lorebook"):
        load_book(as_bytes(makers.v2()), "mira.json")


def test_nonsense_among_entries_is_told_not_fatal() -> None:
    for raw in (
        {"entries": [1, None, {"keys": ["a"], "content": "t", "enabled": True}]},
        {"lorebookVersion": 5, "entries": [1, None, {"keys": ["a"], "text": "t", "enabled": True}]},
        {
            "kind": "memory",
            "entries": ["x", [], {"keywords": ["a"], "entry": "t", "enabled": True}],
        },
        {"type": "risu", "data": [False, 7, {"key": "a", "content": "t"}]},
        {"entries": {"0": 1, "1": None, "2": {"key": ["a"], "content": "t"}}},
    ):
        book = load_book(as_bytes(raw))
        assert (len(book.lorebook().problems), [one.keys for one in book.lorebook().entries]) == (
            2,
            [("a",)],
        )
        assert load_book(dump_book(book, "lorebook_v3")).lorebook().entries[0].keys == ("a",)
