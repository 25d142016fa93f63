"""Nothing is lost: read and written is the same, changed in one place is changed there alone, there and back is what it was."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory.authoring.convert import convert
from rolememory.cards.base import dump, load
from rolememory.cards.book_files import load_book
from rolememory.cards.json_edit import rewrite, same
from tests.cards.makers import as_bytes, card_picture, charx, dump_book
from tests.cards.strategies import BOOKS, CARDS, JUNK, PROSE, UNKNOWN, Raw

FEW = settings(max_examples=25, deadline=None)
CARD_TARGETS = ("v1", "v2", "v3", "png", "charx")
LAYOUTS: tuple[dict[str, Any], ...] = (
    {"indent": 2}, {"indent": "\t"}, {"indent": 4, "ensure_ascii": True}, {"separators": (",", ":")}, {}, {"indent": 0},
)  # fmt: skip


@FEW
@given(st.dictionaries(st.text(max_size=4), JUNK, max_size=4), st.sampled_from(LAYOUTS))
def test_a_text_that_says_the_same_stays_as_it_is(raw: Raw, layout: dict[str, Any]) -> None:
    text = json.dumps(raw, **layout)
    assert rewrite(text, raw, json.loads(text)) == text


@settings(max_examples=150, deadline=None)
@given(
    UNKNOWN,
    UNKNOWN,
    st.lists(JUNK, max_size=4),
    st.lists(JUNK, max_size=4),
    st.sampled_from(LAYOUTS),
)
def test_a_changed_text_says_the_new(
    kept: Raw, new: Raw, before: list[Any], after: list[Any], layout: dict[str, Any]
) -> None:
    old = {"list": before, **kept, "inner": {"list": [*before, kept], **kept}}
    wanted = {
        "list": after,
        **new,
        "inner": {
            "list": [*after, new],
            **{name: value for name, value in kept.items() if len(name) > 3},
        },
    }
    text = json.dumps(old, **layout)
    assert same(json.loads(rewrite(text, json.loads(text), wanted)), wanted)


@FEW
@given(st.data(), st.sampled_from(sorted(CARDS)), st.sampled_from(LAYOUTS))
def test_an_unchanged_card_is_the_same_bytes(
    data: st.DataObject, form: str, layout: dict[str, Any]
) -> None:
    raw = data.draw(CARDS[form])
    text = json.dumps(raw, **layout).encode()
    files = [
        text,
        card_picture(text),
        card_picture(text, "CCV3"),
        charx(raw, before=b"\xff\xd8\xff some picture"),
    ]
    for file in files:
        card = load(file)
        assert (dump(card), same(card.raw, raw)) == (file, True)


@FEW
@given(st.data(), st.sampled_from(sorted(CARDS)), PROSE)
def test_one_changed_field_changes_nothing_else(data: st.DataObject, form: str, said: str) -> None:
    card = load(as_bytes(data.draw(CARDS[form])))
    changed = load(dump(card.with_fields(scenario=said)))
    assert changed.text("scenario") == said
    back = changed.with_fields(scenario=card.data.get("scenario"))
    assert same(_without_notes(back.hub), _without_notes(card.hub))


@settings(max_examples=40, deadline=None)
@pytest.mark.parametrize("form", sorted(CARDS))
@given(st.data(), st.sampled_from(CARD_TARGETS))
def test_a_card_comes_back_from_every_format(form: str, data: st.DataObject, target: str) -> None:
    raw = data.draw(CARDS[form])
    there = convert(load(as_bytes(raw), "card"), target)
    back = convert(there.result, form)
    assert same(json.loads(back.data), _as_picture(raw) if target == "png" else raw)


@settings(max_examples=40, deadline=None)
@pytest.mark.parametrize("form", sorted(BOOKS))
@given(st.data(), st.sampled_from(sorted(BOOKS)))
def test_a_book_comes_back_from_every_format(form: str, data: st.DataObject, target: str) -> None:
    raw = data.draw(BOOKS[form])
    there = convert(load_book(as_bytes(raw), "book"), target)
    back = convert(load_book(there.data, "book"), form)
    assert same(json.loads(back.data), raw)


@FEW
@given(st.data(), st.sampled_from(sorted(CARDS)), st.sampled_from(sorted(BOOKS)))
def test_a_character_comes_back_from_its_book(data: st.DataObject, form: str, target: str) -> None:
    raw = data.draw(CARDS[form])
    there = convert(load(as_bytes(raw), "card"), target)
    back = json.loads(convert(load_book(there.data, "book"), form).data)
    assert same(back, raw)


@FEW
@given(st.data(), st.sampled_from(sorted(BOOKS)))
def test_a_book_comes_back_from_a_card(data: st.DataObject, form: str) -> None:
    raw = data.draw(BOOKS[form])
    there = convert(load_book(as_bytes(raw), "book"), "png")
    assert same(json.loads(dump_book(load_book(there.data, "book"), form)), raw)


def _without_notes(hub: Raw) -> Raw:
    """What was noted of the file's own spelling differs once a field stood there."""
    data = {name: value for name, value in hub["data"].items() if name != "extensions"}
    return {**hub, "data": data}


def _as_picture(raw: Raw) -> Raw:
    """A picture says V3 of a V2 card; what comes back is a V2 card of version 2.0."""
    return {**raw, "spec_version": "2.0"} if raw.get("spec") == "chara_card_v2" else raw
