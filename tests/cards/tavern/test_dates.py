"""The times SillyTavern wrote over the years."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from rolememory.cards.tavern.dates import named_at, sent_at

EAST = timezone(timedelta(hours=8))


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        pytest.param(
            "2024-07-12T01:31:40.000Z", "2024-07-12T01:31:40+00:00", id="ISO as it is written now"
        ),
        pytest.param(
            "2024-07-12T09:31:40.000+08:00", "2024-07-12T01:31:40+00:00", id="ISO with another zone"
        ),
        pytest.param(
            "2024-07-12 09:31:40",
            "2024-07-12T01:31:40+00:00",
            id="ISO without a zone: the player's clock",
        ),
        pytest.param("June 19, 2023 2:20pm", "2023-06-19T06:20:00+00:00", id="words and am or pm"),
        pytest.param(
            "June 19, 2023 12:20am", "2023-06-18T16:20:00+00:00", id="twelve at night is hour zero"
        ),
        pytest.param(
            "Jun 9, 2023 02:20 PM",
            "2023-06-09T06:20:00+00:00",
            id="a short month, a space before PM",
        ),
        pytest.param("June 19, 2023", "2023-06-18T16:00:00+00:00", id="a day alone"),
        pytest.param(
            "2023-6-19 @14h 20m 33s 123ms",
            "2023-06-19T06:20:33.123000+00:00",
            id="the old spelling with spaces",
        ),
        pytest.param(
            "2023-06-19@14h20m33s", "2023-06-19T06:20:33+00:00", id="the spelling of file names"
        ),
        pytest.param(
            "2023-06-19@14h20m33s5ms",
            "2023-06-19T06:20:33.005000+00:00",
            id="and with milliseconds",
        ),
        pytest.param(
            "2023年6月19日 下午2:20", "2023-06-19T06:20:00+00:00", id="Chinese, in the afternoon"
        ),
        pytest.param(
            "2023年6月19日 14点20分33秒", "2023-06-19T06:20:33+00:00", id="Chinese, by 24 hours"
        ),
        pytest.param("2023年6月19日", "2023-06-18T16:00:00+00:00", id="a Chinese day alone"),
        pytest.param(
            1687184433123, "2023-06-19T14:20:33.123000+00:00", id="milliseconds since 1970"
        ),
        pytest.param("1687184433123", "2023-06-19T14:20:33.123000+00:00", id="the same as text"),
        pytest.param(1687184433, "2023-06-19T14:20:33+00:00", id="seconds since 1970"),
    ],
)
def test_a_time_is_read_however_it_was_written(value: Any, meant: str) -> None:
    assert sent_at(value, EAST) == datetime.fromisoformat(meant)


@pytest.mark.parametrize(
    "value",
    [None, "", "yesterday", "June 99, 2023 2:20pm", "Foo 19, 2023 2:20pm", "2023-13-19@14h20m33s", True, {}, 0, 10**30, float("nan"), float("inf"), "9" * 400, "0001-01-01", -5],
    ids=str,
)  # fmt: skip
def test_what_is_no_time_is_none(value: Any) -> None:
    assert sent_at(value, EAST) is None


def test_without_a_zone_the_clock_of_this_machine_counts() -> None:
    assert sent_at("2023-06-19 14:20:33") == datetime(2023, 6, 19, 14, 20, 33).astimezone(
        UTC
    )  # naive on purpose


def test_the_name_of_a_file_says_when_its_chat_began() -> None:
    assert named_at("明月 - 2024-08-01@20h00m00s", UTC) == datetime(2024, 8, 1, 20, tzinfo=UTC)
    assert named_at("Branch #1") is None
