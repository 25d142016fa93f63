"""A card becomes a role and goes out again with the role's books."""

import json
import uuid

import pytest

from rolememory.cards.base import dump, load
from rolememory.cards.book_file import Book
from rolememory.cards.book_files import load_book
from rolememory.cards.book_forms import WORLD_BOOK
from rolememory.cards.card import Card
from rolememory.cards.role_parts import display_name, file_name, role_from_card, with_books
from rolememory.schema.lorebook import LorePosition
from tests.cards import makers
from tests.cards.makers import as_bytes

ID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
V3 = makers.v3(makers.card_book())
FILES = {
    "png": makers.card_picture(V3, "ccv3"),
    "json": as_bytes(V3),
    "charx": makers.charx(V3, **{"assets/a.png": b"x"}),
}


def books_of(card: Card) -> list[Book]:
    return [
        load_book(data, name)
        for name, data in role_from_card(card).files.items()
        if name.startswith("worldbooks/")
    ]


@pytest.mark.parametrize("kind", sorted(FILES))
def test_the_card_is_kept_byte_for_byte_and_its_book_beside(kind: str) -> None:
    parts = role_from_card(load(FILES[kind], "mira"))
    assert set(parts.files) == {f"card.{kind}", "worldbooks/Harbour.json"}
    assert parts.files[f"card.{kind}"] == FILES[kind]
    assert (parts.role.name, parts.role.aliases, parts.role.card) == (
        "Mira",
        ("Mi",),
        f"card.{kind}",
    )
    assert str(uuid.UUID(parts.role.id)) == parts.role.id


def test_the_book_says_in_the_folder_what_it_said_in_the_card() -> None:
    card = load(as_bytes(V3))
    in_card, [beside] = card.book, books_of(card)
    assert in_card is not None
    read = beside.lorebook("Harbour")
    assert (read.format, read.token_budget, read.scan_depth, read.recursive_scanning) == (
        "sillytavern",
        512,
        4,
        True,
    )
    told = [
        (
            one.id,
            one.keys,
            one.content,
            one.enabled,
            one.priority,
            one.position,
            one.depth,
            one.sticky,
            one.card_case_sensitive,
        )
        for one in in_card.entries
    ]
    assert told[0][4:6] == (7, LorePosition.BEFORE)
    assert [
        (
            one.content,
            one.enabled,
            one.priority,
            one.position,
            one.depth,
            one.sticky,
            one.card_case_sensitive,
        )
        for one in read.entries
    ] == [row[2:] for row in told]
    assert [one.keys for one in read.entries] == [("beacon",), ("/st[o0]rm/",), ("风暴", "海")]


@pytest.mark.parametrize(
    ("kept", "given", "is_it"),
    [
        pytest.param(ID.upper(), None, ID, id="an id the card keeps"),
        pytest.param(
            ID,
            "11111111-2222-3333-4444-555555555555",
            "11111111-2222-3333-4444-555555555555",
            id="a given id wins",
        ),
        pytest.param("../../etc", None, None, id="a path is no id"),
        pytest.param(7, None, None, id="a number is no id"),
        pytest.param(f"{ID}/..", None, None, id="an id and a path"),
    ],
)
def test_whose_id_it_is(kept: object, given: str | None, is_it: str | None) -> None:
    found = role_from_card(
        load(as_bytes(makers.v2(extensions={"rolememory": {"role_uuid": kept}}))), given
    ).role.id
    assert found == is_it if is_it else (found != kept and str(uuid.UUID(found)) == found)


def test_a_card_that_is_only_read_is_kept_as_v3() -> None:
    parts = role_from_card(load(makers.byaf(), "mira.byaf"))
    assert set(parts.files) == {"card.json", "worldbooks/Mira.json"}
    assert list(map(str, parts.problems)) == ["byaf is only read; the card is kept as V3 JSON"]
    assert load(parts.files["card.json"]).text("scenario") == "At sea."


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Eldoria", "Eldoria"), ("艾尔多利亚", "艾尔多利亚"), ("a/b\\c", "a-b-c"), ("../../x", "x"), ("..", "book"), ("", "book"), ("nul", "book-nul"),
        ("COM1.txt", "book-COM1.txt"), ("x\0y", "xy"), (".hidden", "hidden"), ("trailing. ", "trailing"), ("a" * 300, "a" * 80), ("灯" * 300, "灯" * 60), ("C:", "C"),
    ],
)  # fmt: skip
def test_names_become_safe_file_names(name: str, safe: str) -> None:
    assert file_name(name) == safe
    assert len(file_name(name).encode()) <= 200


def test_names_are_one_line() -> None:
    assert display_name("A\u2028B\tC\ud800" + "x" * 300) == "A B C" + "x" * 195


@pytest.mark.parametrize("kind", sorted(FILES))
def test_out_again_unchanged_is_the_same_bytes(kind: str) -> None:
    card = load(FILES[kind], "mira")
    assert dump(with_books(card, books_of(card))) == FILES[kind]


@pytest.mark.parametrize("odd", [None, 7, [], "x", True, {"sticky": []}])
def test_books_that_are_half_broken_go_out_as_they_came(odd: object) -> None:
    entries = [
        makers.entry(extensions=odd, keys=7),
        1,
        None,
        makers.entry(extensions=odd, id=None),
        makers.entry(id=2, enabled="no"),
        makers.entry(id=1),
    ]
    data = as_bytes(makers.v2(makers.card_book(extensions=odd, entries=entries)))
    card = load(data, "mira")
    assert dump(with_books(card, books_of(card))) == data


@pytest.mark.parametrize("kind", sorted(FILES))
def test_an_edited_book_goes_back_into_its_place(kind: str) -> None:
    card = load(FILES[kind], "mira")
    [book] = books_of(card)
    raw = json.loads(book.write())
    raw["entries"]["3"]["content"] = "It is dark."
    del raw["entries"]["5"]
    out = load(dump(with_books(card, [book.with_raw(raw)], ID)))
    ours, theirs = (one.raw["data"]["character_book"] for one in (out, card))
    assert ours == {
        **theirs,
        "entries": [{**theirs["entries"][0], "content": "It is dark."}, theirs["entries"][1]],
    }
    assert role_from_card(out).role.id == ID
    assert {**out.raw["data"], "character_book": 0, "extensions": 0} == {
        **card.raw["data"],
        "character_book": 0,
        "extensions": 0,
    }


def test_other_books_follow_with_fresh_ids() -> None:
    card = load(as_bytes(V3))
    other = Book.new(
        {
            "entries": {
                "3": {"uid": 3, "key": ["gull"], "content": "Gulls.", "order": 1, "disable": False}
            }
        },
        WORLD_BOOK,
        "birds",
    )
    out = with_books(card, [other, *books_of(card)])
    entries = load(dump(out)).raw["data"]["character_book"]["entries"]
    assert [one.get("id") for one in entries] == [3, "storm", None, 4]
    assert (entries[3]["keys"], entries[3]["extensions"]["rolememory"]["book"]) == (
        ["gull"],
        "birds",
    )


def test_a_card_without_a_book_gets_the_role_s() -> None:
    out = with_books(
        load(as_bytes(makers.v1())), [Book.new(makers.world(name="Sea"), WORLD_BOOK)], ID
    )
    again = load(dump(out))
    assert again.book is not None
    assert (
        again.format,
        again.book.name,
        len(again.book.entries),
        role_from_card(again).role.id,
    ) == ("v1", "Mira", 3, ID)
    assert with_books(load(as_bytes(makers.v1())), []).raw == makers.v1()
