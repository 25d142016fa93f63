"""Timers beside what the random worlds and the cases cover: edits, JSON, previews."""

import json

import pytest

from rolememory.schema.lorebook import TimedState
from tests.recall.lore.books import awake, lore, told

CHAT = ["the oath", "so", "so", "so"]


@pytest.mark.parametrize(
    ("rules", "still"),
    [
        pytest.param("default", ["a"], id="default: an edit does not end it"),
        pytest.param("sillytavern", [], id="sillytavern: an edit ends it"),
    ],
)
def test_an_edit_of_a_sticky_entry(rules: str, still: list[str]) -> None:
    first = told([lore("a", "oath", sticky=9)], "the oath", rules=rules)
    later = told(
        [lore("a", "oath", sticky=9, content="edited")],
        "the oath",
        *["so"] * 5,
        rules=rules,
        state=first.state,
    )
    assert awake(later) == still
    assert [effect.end for effect in later.state.sticky] == [
        10
    ]  # an orphan blocks a new one until its end


def test_the_state_is_plain_json() -> None:
    first = told([lore("a", "oath", sticky=4, cooldown=2)], "the oath")
    state = json.loads(json.dumps(first.state.model_dump(mode="json")))
    assert TimedState.of(state) == first.state
    assert awake(
        told([lore("a", "oath", sticky=4, cooldown=2)], "the oath", "so", "so", state=state)
    ) == ["a"]


def test_a_preview_changes_nothing() -> None:
    entry = lore("a", "oath", sticky=4)
    assert told([entry], "the oath", dry_run=True).state == TimedState()
    running = told([entry], "the oath").state
    preview = told([entry], "the oath", "so", *["so"] * 5, state=running, dry_run=True)
    assert (awake(preview), preview.state) == ([], running)


def test_an_entry_that_lost_its_timer_field_is_free() -> None:
    running = told([lore("a", "oath", cooldown=9)], "the oath").state
    assert awake(told([lore("a", "oath")], "so", "the oath", state=running)) == ["a"]


def test_state_in_is_left_as_it_is() -> None:
    state = told([lore("a", "oath", sticky=4)], "the oath").state
    before = state.model_dump()
    told([lore("a", "oath", sticky=4)], "x", "y", state=state)
    assert state.model_dump() == before
