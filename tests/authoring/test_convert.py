"""From one format into another: what the other cannot hold is told field by field, and comes back."""

import json
from typing import Any

import pytest

from rolememory.authoring.convert import convert
from rolememory.cards.base import load
from rolememory.cards.book_files import load_book
from rolememory.cards.json_edit import same
from rolememory.errors import UnknownNameError
from tests.cards import makers
from tests.cards.makers import as_bytes

WORLD_ONLY = (
    "scanDepth",
    "selectiveLogic",
    "position",
    "depth",
    "role",
    "sticky",
    "group",
    "groupWeight",
    "probability",
    "characterFilter",
    "strange",
)


def lost(source: dict[str, Any], to: str) -> dict[str, str]:
    what = (
        load(as_bytes(source))
        if ("data" in source and source.get("type") != "risu") or "first_mes" in source
        else load_book(as_bytes(source))
    )
    return {loss.field: loss.text() for loss in convert(what, to).losses}


@pytest.mark.parametrize(
    ("source", "to", "field", "why"),
    [
        pytest.param(makers.v3(), "v2", "data.nickname", "v2 has no place for it", id="V2 has no nickname"),
        pytest.param(makers.v3(), "v2", "data.assets", "v2 has no place for it", id="V2 has no assets"),
        pytest.param(makers.v3(makers.card_book()), "v2", "data.character_book.entries[1].content", "v2 holds it as 'It raged in 1887.'", id="V2 has no decorators"),
        pytest.param(makers.v3(makers.card_book()), "v2", "data.character_book.entries[1].id", "v2 has no place for it", id="V2 has no texts as ids"),
        pytest.param(makers.v2(), "v1", "data.alternate_greetings", "v1 has no place for it", id="V1 has one greeting"),
        pytest.param(makers.v2(makers.card_book()), "v1", "data.character_book", "v1 has no place for it", id="V1 has no book"),
        pytest.param(makers.v2(), "sillytavern", "data.description", "sillytavern has no place for it", id="a world file has no character"),
        pytest.param(makers.world(), "lorebook_v3", "entries.0.characterFilter", "lorebook_v3 has no place for it", id="cards have no character filter"),
        pytest.param(makers.card_book(), "sillytavern", "entries[0].priority", "sillytavern has no place for it", id="a world file has no priority"),
        pytest.param(makers.card_book(), "sillytavern", "token_budget", "sillytavern has no place for it", id="a world file has no budget"),
    ],
)  # fmt: skip
def test_a_loss_is_named_with_its_reason(
    source: dict[str, Any], to: str, field: str, why: str
) -> None:
    assert lost(source, to).get(field) == why


@pytest.mark.parametrize(
    ("source", "to"),
    [
        pytest.param(makers.v2(makers.card_book(entries=[makers.entry()])), "v3", id="V3 holds all of V2"),
        pytest.param(makers.v2(), "png", id="a picture holds a card"),
        pytest.param(makers.v3(makers.card_book()), "charx", id="a CHARX holds a card"),
        pytest.param(makers.card_book(), "lorebook_v3", id="a book alone holds the book of a card"),
        pytest.param({"entries": {"0": {**makers.world()["entries"]["0"], "characterFilter": {}, "strange": None}}}, "character_book", id="a card holds SillyTavern's entries"),
    ],
)  # fmt: skip
def test_nothing_is_lost_where_all_fits(source: dict[str, Any], to: str) -> None:
    assert lost(source, to) == {}


@pytest.mark.parametrize("to", ["v1", "v2", "v3", "png", "charx"])
@pytest.mark.parametrize("form", sorted(makers.CARDS))
def test_a_card_comes_back(form: str, to: str) -> None:
    there = convert(load(as_bytes(makers.CARDS[form]), "mira"), to)
    assert same(json.loads(convert(load(there.data, "mira"), form).data), makers.CARDS[form])


@pytest.mark.parametrize("to", sorted(makers.BOOKS))
@pytest.mark.parametrize("form", sorted(makers.BOOKS))
def test_a_book_comes_back(form: str, to: str) -> None:
    there = convert(load_book(as_bytes(makers.BOOKS[form]), "harbour"), to)
    assert same(
        json.loads(convert(load_book(there.data, "harbour"), form).data), makers.BOOKS[form]
    )


def test_a_chain_of_formats_loses_nothing() -> None:
    what = load(as_bytes(makers.CARDS["v3"]), "mira")
    for to in ("v1", "png", "v2", "charx", "v3"):
        what = load(convert(what, to).data, "mira")
    assert same(what.raw, makers.CARDS["v3"])


def test_an_edit_made_in_between_stands() -> None:
    there = convert(load_book(as_bytes(makers.world()), "w"), "lorebook_v3")
    edited = json.loads(there.data)
    edited["data"]["entries"][0] |= {"insertion_order": 5, "content": "New.", "keys": ["oil"]}
    back = json.loads(convert(load_book(as_bytes(edited), "w"), "sillytavern").data)["entries"]["0"]
    assert (
        back["order"],
        back["content"],
        back["key"],
        back["sticky"],
        back["characterFilter"]["names"],
    ) == (
        5,
        "New.",
        ["oil"],
        4,
        ["mira"],
    )


@pytest.mark.parametrize("to", sorted(makers.BOOKS))
def test_an_entry_that_is_off_wakes_nowhere(to: str) -> None:
    book = load_book(convert(load_book(as_bytes(makers.world())), to).data, "b").lorebook()
    entry = book.entries[1]
    assert not entry.enabled or entry.content.startswith("@@dont_activate")


def test_a_pattern_becomes_a_key_in_slashes() -> None:
    made = convert(load_book(as_bytes(makers.card_book())), "sillytavern")
    assert load_book(made.data).lorebook().entries[1].keys == ("/st[o0]rm/",)


def test_what_is_kept_says_where() -> None:
    losses = {
        loss.field: loss.kept
        for loss in convert(load(as_bytes(makers.v3(makers.card_book()))), "v2").losses
    }
    assert losses["data.nickname"] == "data.extensions.rolememory"
    assert (
        losses["data.character_book.entries[1].id"]
        == "data.character_book.entries[1].extensions.rolememory"
    )


def test_pictures_are_told_too() -> None:
    picture = load(makers.card_picture(makers.v2()))
    assert [loss.field for loss in convert(picture, "v2").losses] == ["(picture)"]
    archive = load(makers.charx(makers.v3(), **{"assets/a.png": b"x", "module.risum": b"y"}))
    assert {loss.field for loss in convert(archive, "v3").losses} == {
        "(assets/a.png)",
        "(module.risum)",
    }
    assert [loss.text("zh") for loss in convert(picture, "v2").losses] == ["v2 没有地方放它"]


def test_a_book_becomes_a_card_and_comes_out_again() -> None:
    made = convert(load_book(as_bytes(makers.novelai()), "harbour"), "v3")
    assert made.result.name == "harbour"  # NovelAI's books have no name: the file's
    assert json.loads(convert(load_book(made.data), "sillytavern").data)["originalData"] == (
        makers.novelai()
    )


def test_the_ending_of_a_file() -> None:
    card = load(as_bytes(makers.v2(makers.card_book())))
    assert [convert(card, to).suffix for to in ("png", "charx", "v3", "sillytavern")] == [
        ".png",
        ".charx",
        ".json",
        ".json",
    ]


def test_targets_that_are_none_are_refused() -> None:
    card = load(as_bytes(makers.v2()))
    with pytest.raises(UnknownNameError, match="did you mean 'sillytavern'"):
        convert(card, "silytavern")
    with pytest.raises(UnknownNameError, match="no format named 'byaf'"):
        convert(card, "byaf")
