"""Why an entry came in, and why another did not, with the change that would let it in."""

from typing import Any

import pytest

from rolememory.errors import UnknownNameError
from rolememory.schema.evidence import Change
from rolememory.schema.lorebook import CharacterFilter
from tests.recall.lore.books import lore, told


@pytest.mark.parametrize(
    ("entry", "asked", "code"),
    [
        pytest.param(lore("a", "beacon"), {}, "key", id="a key"),
        pytest.param(lore("a", "/b.acon/"), {}, "key", id="a pattern"),
        pytest.param(lore("a", constant=True), {}, "constant", id="constant"),
        pytest.param(lore("a"), {"outside": ["book.a"]}, "outside", id="from outside"),
        pytest.param(lore("a", content="@@activate\nx"), {}, "activate", id="decorator"),
    ],
)
def test_why_it_came(entry: Any, asked: dict[str, Any], code: str) -> None:
    given = told([entry], "The beacon went dark.", include_names=False, **asked)
    assert given.awake[0].why.code == code
    if code == "key":
        span = given.awake[0].why.span
        assert given.segments[span.segment].text[span.start : span.end] == "beacon"


def change(field: str, value: Any) -> Change:
    return Change("entry", field, value, entry_id="book.a")


@pytest.mark.parametrize(
    ("entry", "asked", "gate", "remedy"),
    [
        pytest.param(
            lore("a", "beacon", enabled=False),
            {},
            "disabled",
            change("enabled", True),
            id="disabled",
        ),
        pytest.param(
            lore("a", "beacon", triggers=("swipe",)),
            {},
            "trigger",
            change("triggers", ("swipe", "normal")),
            id="trigger",
        ),
        pytest.param(
            lore("a", "beacon", character_filter=CharacterFilter(names=("asha",))),
            {},
            "character",
            None,
            id="character",
        ),
        pytest.param(lore("a", "beacon", delay=5), {}, "delay", change("delay", 0), id="delay"),
        pytest.param(
            lore("a", "lamp"),
            {},
            "key",
            Change("message", "content", "lamp", entry_id="book.a"),
            id="no key seen",
        ),
        pytest.param(lore("a"), {}, "no_keys", change("constant", True), id="no keys at all"),
        pytest.param(
            lore("a", "beacon", secondary_keys=("oil",)),
            {},
            "secondary",
            change("selective", False),
            id="secondary keys",
        ),
        pytest.param(
            lore("a", "beacon", probability=10),
            {"chance": [0.9]},
            "chance",
            change("probability", 100),
            id="chance",
        ),
        pytest.param(
            lore("a", "beacon", content="two words"),
            {"budget_percent": 0},
            "budget",
            Change("settings", "lore.budget_percent", 100),
            id="budget",
        ),
        pytest.param(
            lore("a", "beacon", content="@@dont_activate\nx"),
            {},
            "dont_activate",
            None,
            id="dont_activate",
        ),
        pytest.param(
            lore("a", "beacon", content="@@exclude_keys dark\nx"),
            {},
            "exclude_keys",
            None,
            id="an excluded key",
        ),
        pytest.param(
            lore("a", "keeper", exclude_recursion=True),
            {},
            "key",
            Change("message", "content", "keeper", entry_id="book.a"),
            id="excluded",
        ),
    ],
)
def test_why_it_did_not(
    entry: Any, asked: dict[str, Any], gate: str, remedy: Change | None
) -> None:
    others = (
        [lore("keeper", "beacon", content="keeper", constant=True, insertion_order=1)]
        if "exclude_recursion" in entry.model_fields_set
        else []
    )
    refusal = told([entry, *others], "The beacon went dark.", **asked).explain("book.a")
    assert (refusal.gate, refusal.remedy) == (gate, remedy)


def test_a_rival_is_named() -> None:
    entries = [lore("a", "beacon", group="g"), lore("b", "beacon", group="g", group_override=True)]
    refusal = told(entries, "The beacon.").explain("book.a")
    assert (refusal.gate, refusal.because.get("winner"), refusal.remedy) == (
        "group",
        "book.b",
        change("group_override", True),
    )


def test_what_came_in_needs_no_excuse() -> None:
    assert told([lore("a", "beacon")], "The beacon.").explain("book.a") is None


def test_an_unknown_entry_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'book\.lamp'"):
        told([lore("lamp", "beacon")], "x").explain("book.lmap")


def test_a_pattern_that_takes_too_long_is_noted() -> None:
    given = told([lore("a", "/(?=(a+)+$)b/")], "a" * 4000 + "!")
    assert given.explain("book.a").gate == "key"
    assert all("took too long" in note for note in given.notes)
