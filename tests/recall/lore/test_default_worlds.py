"""What must hold in every world under the default rules."""

from collections import Counter
from math import ceil
from typing import Any

import pytest

from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.groups import group_names
from rolememory.schema.lorebook import TimedState
from tests.recall.lore.test_reference import answer, asked
from tests.recall.lore.worlds import world

SEEDS = range(240)


def scans(seed: int) -> list[tuple[dict[str, Any], TimedState, list[Any], Activation]]:
    """Every turn of a world: the case, the state and chat it was asked with, and the answer."""
    case, state, found = world(seed), TimedState(), []
    for chat in case["chats"]:
        given = asked(case, chat, state, rules="default")
        found.append((case, state, chat, given))
        state = given.state
    return found


@pytest.mark.parametrize("block", range(4))
def test_what_always_holds(block: int) -> None:
    for seed in SEEDS[block::4]:
        for case, state, chat, given in scans(seed):
            within_budget(given)
            one_of_each_group(given)
            everything_has_a_reason(given)
            assert answer(asked(case, chat, state, rules="default")) == answer(given), (
                f"world {seed}: same input, same output"
            )


def within_budget(given: Activation) -> None:
    paid = sum(
        ceil(len(one.content.encode()) / 3.35) for one in given.awake if not one.entry.ignore_budget
    )
    assert paid <= given.budget


def one_of_each_group(given: Activation) -> None:
    winners = Counter(
        name
        for one in given.awake
        if one.why.code != "sticky"
        for name in group_names(one.entry.group, exact=False)
    )
    held = {
        name
        for one in given.awake
        if one.why.code == "sticky"
        for name in group_names(one.entry.group, exact=False)
    }
    assert all(count == 1 for name, count in winners.items() if name not in held)


def everything_has_a_reason(given: Activation) -> None:
    ids = {one.id for one in given.awake}
    assert len(ids) == len(given.awake)
    assert not ids & set(given.refused)
    placed = [
        *given.placement.before,
        *given.placement.after,
        *(text for group in given.placement.depth for text in group.entries),
    ]
    assert set(placed) <= {one.content for one in given.awake}
    for trace in given.passes:
        assert set(trace.admitted) <= set(trace.candidates)
