"""The endurance run: its arithmetic on samples made by hand, and a few turns through the real parts."""

import pytest

from tests.bench.prose import ordinary, turns
from tests.bench.soak import Sample, soaked, summary


def sample(turns: int, rss_mb: float, cpu_ms: float, ratio: float, handles: int) -> Sample:
    return Sample(turns, rss_mb, cpu_ms, handles, 10.0, {"chats": 20.0}, ratio)


def test_the_end_is_compared_with_turn_500_and_the_work_of_500_turns_with_that_of_500() -> None:
    samples = [
        sample(250, 50.0, 10.0, 2.0, 9),
        sample(500, 100.0, 20.0, 3.0, 10),
        sample(750, 200.0, 30.0, 4.0, 11),
        sample(1000, 150.0, 60.0, 5.0, 12),
    ]
    found = summary(samples)
    assert found["memory_to_turn_500"] == 1.5
    assert found["cpu_last_to_first_500"] == 3.0
    assert (found["disk_to_text"], found["handles_grown"]) == (5.0, 2)


@pytest.mark.parametrize("through", ["library", "proxy"])
def test_a_few_turns_leave_samples_and_the_run_ends(through: str) -> None:
    found = soaked(6, through, turns(1, told=True), every=3)
    first, last = found["samples"]
    assert [first["turns"], last["turns"]] == [3, 6]
    assert last["text_kb"] > first["text_kb"] > 0.0
    assert last["disk_kb"]["chats"] > last["text_kb"] > 0.0, "what was said reached the log"
    assert last["rss_mb"] > 10.0
    assert last["handles"] > 3
    assert last["disk_to_text"] > 1.0


def test_a_run_stops_when_its_time_is_up() -> None:
    assert soaked(50, "library", ordinary(1), minutes=0.0, every=2)["turns"] == 2
