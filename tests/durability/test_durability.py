"""The harnesses at a size fit for every run; their long runs are commands (see each module)."""

import os

import pytest

from tests.durability import (
    crowd,
    editors,
    faults,
    full_disk,
    kill,
    malformed,
    mutated,
    power,
    rewritten,
)

pytestmark = pytest.mark.slow


forks = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="this system has no fork; the other tests cover its roads"
)


@forks
@pytest.mark.parametrize("writers", [1, 4])
def test_p1_what_was_acknowledged_survives_a_kill(writers: int) -> None:
    result = kill.run(40 * writers, writers, seed=writers)
    assert (result["lost"], result["unreadable"], result["gave_up"]) == (0, 0, 0), result
    assert result["acknowledged"] > 0


def test_p2_and_a_power_cut() -> None:
    assert power.run(800)["bad"] == 0


def test_p3_a_failing_disk_corrupts_nothing() -> None:
    result = faults.run(1)
    assert result["bad"] == 0, result
    assert result["runs"] > 300


def test_p4_a_full_disk_is_still_readable_and_goes_on_when_there_is_room() -> None:
    with full_disk.small_disk(700) as folder:
        if folder is None:
            pytest.skip("mounting is not allowed here; the same is shown by failing calls")
        result = full_disk.full(folder)
    assert (result["lost"], result["readable"], result["goes_on"]) == (0, True, True)
    assert "No space left" in result["refused"]


def test_p4_a_read_only_disk_is_still_readable_and_goes_on_when_it_is_writable() -> None:
    with full_disk.small_disk(700) as folder:
        if folder is None:
            pytest.skip("mounting is not allowed here; the same is shown by failing calls")
        result = full_disk.read_only(folder)
    assert (result["readable"], result["goes_on"]) == (True, True)
    assert "Read-only file system" in result["refused"]


def test_p5_p6_a_damaged_file_keeps_its_bytes_and_is_named() -> None:
    assert malformed.run(13 * 10)["bad"] == 0


@forks
def test_p8_many_processes_share_a_role() -> None:
    result = crowd.run(processes=8, writes=40)
    assert (result["lost"], result["torn_readers"], result["seqs_in_order"]) == (0, 0, True)


def test_p9_however_an_editor_saves_nothing_is_lost() -> None:
    result = editors.run(rounds=3)
    assert (result["ways"], result["empty"], result["lost"]) == (16, 0, 0), result


def test_whatever_an_author_wrote_stands_beside_what_we_write() -> None:
    result = rewritten.run(1500)
    assert result["lost"] == 0, result["first"]
    assert result["written"] > 100


def test_p10_garbage_in_no_crash() -> None:
    result = mutated.run(3000)
    assert result["uncaught"] == 0, result["first"]
