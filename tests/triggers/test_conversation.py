"""What stands beside what in a chat, followed as passages come and go."""

import gc
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory import Home, Message
from rolememory.schema.passage import Passage, passage
from rolememory.triggers.conversation import Conversations
from rolememory.triggers.table import Table

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def told(message: int, place: int = 0, hours: int = 0) -> Passage:
    """A passage of a message, so many hours after noon."""
    return passage(
        chat="harbour",
        version=f"{message:012x}",
        role="user",
        text="It rains. " * (place + 1),
        span=(10 * place, 10 * place + 9),
        speaker="Lin",
        owner="lin",
        created=NOON + timedelta(hours=hours),
    )


class Followed:
    """Conversations that are told of every change of a table."""

    def __init__(self, *entries: Passage) -> None:
        self.table = Table()
        self.conversations = Conversations(self.table)
        self.table.follow(self)
        self.table.change(entries)

    def add(self, rows: Any) -> None:
        for row in rows:
            self.conversations.add(row, self.table.entry(row))

    def remove(self, rows: Any) -> None:
        for row in rows:
            self.conversations.remove(row, self.table.entry(row))

    def lent(self) -> dict[str, list[float]]:
        """What each passage gets where one alone is to the point, for every one; by id."""
        found: dict[str, list[float]] = {one: [] for one in sorted(self.table.row_of)}
        for alone in found:
            evidence = np.zeros(self.table.n_rows, dtype=np.float32)
            evidence[self.table.row_of[alone]] = 1.0
            lent = self.conversations.lent(evidence, 0.5)
            for one, gained in found.items():
                gained.append(round(float(lent[self.table.row_of[one]]), 5))
        return found


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 20), st.booleans()),
        min_size=1,
        max_size=20,
    )
)
def test_what_was_changed_step_by_step_stands_as_if_it_were_read_at_once(
    steps: list[tuple[int, int, int, bool]],
) -> None:
    followed, standing = Followed(), dict[str, Passage]()
    for message, place, hours, stays in steps:
        one = told(message, place, hours)
        if stays:
            standing[one.id] = one
            followed.table.change([one])
        elif standing.pop(one.id, None):
            followed.table.change([], [one.id])
    came = sorted(standing, key=lambda one: int(followed.table.came[followed.table.row_of[one]]))
    assert followed.lent() == Followed(*(standing[one] for one in came)).lent()


def calls(work: Callable[[], None]) -> int:
    """How many calls and steps of generators a piece of work takes, without those of a garbage collection."""
    count = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    gc.disable()  # hypothesis measures each collection, in calls of its own
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count


@pytest.mark.parametrize("place", [0, 1_000], ids=["its first passage", "its last passage"])
def test_a_passage_costs_the_same_however_long_its_message_is(place: int) -> None:
    costs = []
    for size in (4, 400):
        followed = Followed(*(told(1, one) for one in range(1, size)), told(2))
        followed.table.change([told(3)])  # the columns have grown
        followed.table.change([], [told(3).id])
        one = told(1, place, hours=-1 if place == 0 else 1)
        came = calls(lambda: followed.table.change([one]))  # noqa: B023  # called at once
        went = calls(lambda: followed.table.change([], [one.id]))  # noqa: B023
        costs.append((came, went))
    assert costs[0] == costs[1]


def test_each_part_of_a_long_message_gains_less_than_a_short_one() -> None:
    """What stands beside a message speaks for one of its parts, and nobody knows for which."""
    short, long = [told(0)], [told(2, place) for place in range(8)]
    followed = Followed(*short, told(1), *long)
    rows = followed.table.row_of
    evidence = np.zeros(followed.table.n_rows, dtype=np.float32)
    evidence[rows[told(1).id]] = 4.0
    evidence[[rows[one.id] for one in (*short, *long[:2])]] = 1.0, 1.0, 0.5
    lent = followed.conversations.lent(evidence, 0.5)
    whole, best, second, *others = (float(lent[rows[one.id]]) for one in (*short, *long))
    assert 0.0 < best < 0.7 * whole
    assert second == pytest.approx(best / 2)
    assert set(others) == {0.0}


def test_versions_of_one_moment_stand_alike_in_whatever_order_they_came() -> None:
    versions = [told(number) for number in range(5)]
    found = []
    for order in (versions, versions[::-1], [*versions[2:], *versions[:2]]):
        followed = Followed(*order)
        speaks = np.array([float(one.id == versions[0].id) for one in order], dtype=np.float32)
        lent = followed.conversations.lent(speaks, 0.5)
        found.append({one.id: float(share) for one, share in zip(order, lent, strict=True)})
    assert found[0] == found[1] == found[2]
    assert len(set(found[0].values())) > 1


THINGS = "kettle gate thimble clock otter letter goose telescope horse harp lantern map".split()
THINGS_ZH = "铜壶 大门 顶针 座钟 水獭 旧信 白鹅 望远镜 木马 竖琴 灯笼 地图".split()


@pytest.mark.parametrize(
    ("told", "phrase", "question"),
    [
        pytest.param(
            [f"The miller sold a {one}." for one in THINGS],
            "*she smiles softly*",
            "Why do you smile so softly?",
            id="en",
        ),
        pytest.param(
            [f"磨坊主卖掉了{one}。" for one in THINGS_ZH],
            "*她轻轻地笑了*",
            "你怎么笑得这么轻？",
            id="zh",
        ),
    ],
)
@pytest.mark.parametrize("often", [1, 12])
def test_what_stands_beside_a_repeated_phrase_does_not_come_with_it(
    tmp_path: Path, told: list[str], phrase: str, question: str, often: int
) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        role = home.create("Mira")
        for number, text in enumerate(told):
            reply = phrase if number < often else f"{number}."
            role.observe([Message.user(text)], reply, chat=f"day {number}", user="lin")
        found = role.recall(question, chat="today", user="lin", dry_run=True).recalled
    beside = [one for one in found if one.memory.content in told]
    assert bool(beside) == (often == 1)
