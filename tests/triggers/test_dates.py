"""Memories woken by a named time: which, how strongly, and why."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.schema.evidence import Hit
from rolememory.schema.memory import Memory
from rolememory.schema.scene import TimeSpan
from rolememory.text.dates import times
from rolememory.triggers.base import Parts
from rolememory.triggers.dates import DatesTrigger
from tests.builders import memory, on_day, scene

THRESHOLD = 0.30  # the usual relevance threshold
NOW = on_day(0)  # noon of 2025-03-01, a Saturday


def hits(memories: list[Memory], query: str) -> dict[str, Hit]:
    """What the message wakes, by memory."""
    turn = scene(query, times=times(query, NOW))
    found = list(DatesTrigger(memories, Parts()).fire(turn, frozenset(one.id for one in memories)))
    assert len({hit.entry_id for hit in found}) == len(found)
    return {hit.entry_id: hit for hit in found}


@pytest.mark.parametrize(
    ("query", "day", "wakes"),
    [
        pytest.param("What did we do yesterday?", -1, True, id="a day"),
        pytest.param("What did we do yesterday?", -2, False, id="the day before is another"),
        pytest.param("昨天我们做了什么？", -1, True, id="昨天"),
        pytest.param("三天前你在哪儿？", -3, True, id="三天前"),
        pytest.param("last night", -0.6, True, id="a part of a day"),
        pytest.param("Remember last week?", -7, True, id="a week"),
        pytest.param("上周三", -10, True, id="上周三"),
        pytest.param("in January", -40, True, id="a month"),
        pytest.param("last spring", -330, False, id="a season says too little alone"),
        pytest.param("last year", -200, False, id="a year says too little alone"),
        pytest.param("去年", -200, False, id="去年"),
        pytest.param("recently", -3, False, id="recently says too little alone"),
        pytest.param("How are you today?", -0.1, False, id="today is more often small talk"),
        pytest.param("Tell me about the lamp.", -1, False, id="no time named"),
    ],
)
def test_when_a_memory_was_made(query: str, day: float, wakes: bool) -> None:
    strength = {one.strength for one in hits([memory("it", day=day)], query).values()}
    assert (max(strength, default=0.0) >= THRESHOLD) is wakes


@pytest.mark.parametrize(
    ("query", "content", "wakes"),
    [
        pytest.param(
            "What happened in 1887?", "The storm of 1887 took the mole.", True, id="the very year"
        ),
        pytest.param("一八八七年发生了什么？", "1887年的暴风雨毁了码头。", True, id="同一年"),
        pytest.param(
            "What happened in 1888?", "The storm of 1887 took the mole.", False, id="another year"
        ),
        pytest.param(
            "the summer of 1887", "In the summer of 1887 the mole fell.", True, id="the very season"
        ),
        pytest.param(
            "What did we do on May 5th, 2023?",
            "We married on 2023-05-05.",
            True,
            id="the very day, written otherwise",
        ),
        pytest.param(
            "in the 19th century",
            "The mole fell on 5 May 1887.",
            False,
            id="a day somewhere in a century",
        ),
        pytest.param("1887年", "那年我才三岁。", False, id="no time in the text"),
    ],
)
def test_a_time_in_the_text_of_a_memory_without_a_date(
    query: str, content: str, wakes: bool
) -> None:
    strength = {one.strength for one in hits([memory("it", content)], query).values()}
    assert (max(strength, default=0.0) >= THRESHOLD) is wakes


def test_what_a_memory_calls_yesterday_is_the_day_before_it_was_made() -> None:
    assert "it" in hits([memory("it", "Yesterday the lamp broke.", day=-10)], "February 18")


def test_the_narrower_the_stronger() -> None:
    one = [memory("it", day=-10)]
    strengths = [
        hits(one, query)["it"].strength
        for query in (
            "on February 19th, 2025",
            "last week",
            "last month",
            "last winter",
            "this year",
        )
    ]
    assert strengths == sorted(strengths, reverse=True)
    assert 0.5 <= strengths[0] <= 0.6


def test_a_crowd_says_little_about_each() -> None:
    few = hits([memory(f"m{number}", day=-1) for number in range(5)], "yesterday")
    many = hits([memory(f"m{number}", day=-1) for number in range(300)], "yesterday")
    assert few["m0"].strength > THRESHOLD > many["m0"].strength > 0


def test_of_two_times_the_one_that_says_more_counts() -> None:
    found = hits([memory("it", day=-1)], "In February, no, yesterday!")
    assert found["it"].because.get("text") == "yesterday"


def test_the_reason_names_the_words_and_the_time() -> None:
    reason = hits([memory("it", day=-1)], "What did we do yesterday?")["it"].because
    assert (reason.code, reason.values) == (
        "date",
        (
            ("text", "yesterday"),
            ("from", "2025-02-28T00:00:00+00:00"),
            ("to", "2025-03-01T00:00:00+00:00"),
        ),
    )


def test_a_memory_that_wants_other_strategies_stays_asleep() -> None:
    assert not hits([memory("it", day=-1, triggers=["keyword"])], "yesterday")


def test_only_memories_asked_about_wake_or_crowd() -> None:
    memories = [memory(f"m{number}", day=-1) for number in range(300)]
    turn = scene("yesterday", times=times("yesterday", NOW))
    (only,) = DatesTrigger(memories, Parts()).fire(turn, {"m7"})
    assert (only.entry_id, only.strength) == ("m7", 0.6)


@given(
    days=st.lists(st.integers(-30, 0), max_size=30),
    first=st.integers(-30, 0),
    length=st.integers(1, 10),
)
def test_those_of_the_time_wake_and_no_others(days: list[int], first: int, length: int) -> None:
    memories = [memory(f"m{number}", day=day) for number, day in enumerate(days)]
    asked = TimeSpan(
        on_day(first) - timedelta(hours=12), on_day(first + length) - timedelta(hours=12), "then", 0
    )
    found = DatesTrigger(memories, Parts()).fire(
        scene("then", times=(asked,)), frozenset(one.id for one in memories)
    )
    assert {hit.entry_id for hit in found} == {
        f"m{number}" for number, day in enumerate(days) if first <= day < first + length
    }


def test_zones_are_compared_as_moments() -> None:
    query = "yesterday"
    late = datetime.fromisoformat("2025-03-02T01:00:00+08:00")  # the evening of March 1st in UTC
    turn = scene(query, times=times(query, late))
    made = Memory(
        id="it", content="x", created=datetime(2025, 2, 28, 17, 0, tzinfo=UTC)
    )  # after midnight there
    assert [hit.entry_id for hit in DatesTrigger([made], Parts()).fire(turn, {"it"})] == ["it"]
