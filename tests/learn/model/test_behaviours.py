"""Whatever a model's server does: the turn does not feel it, nothing is raised, nothing is lost, and when it works again, so do we.

Promise 11 of learning, promise 20, S0.25-S0.28, S4.28.
"""

import logging
from pathlib import Path
from time import monotonic

import pytest

from rolememory.circuit_breaker import State
from tests.endpoint import Endpoint, answers, status, then_hangs
from tests.learn.model.behaviours import CHAT, GOOD, ROWS, SHORT_S, Row
from tests.learn.model.house import House

SECRET = "sk-secret-4711"
LONG_S = 60.0  # time-out of a server that is never waited for so long, however busy this machine is


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLEMEMORY_LEARN_KEY", SECRET)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_p11_a_server_that(row: Row, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "rolememory")
    timeout_s = SHORT_S if row.hangs else LONG_S
    with (
        Endpoint(*(row.script() or [answers(GOOD)])) as server,
        House(tmp_path, row.url or server.url, *CHAT, timeout_s=timeout_s) as house,
    ):
        house.behind.touch("harbour")
        assert house.behind.settle(LONG_S)  # what drips or streams for ever ends by the time-out
        if row.kept is None:
            assert (house.queue, house.kept) == ({"harbour": 1}, [])
            assert row.told in house.behind.status()["last_error"]
            _comes_back(house, server)
        else:
            assert (house.queue, len(house.kept)) == ({}, row.kept)
            fresh = (house.version(2), house.version(3))
            assert all(one.evidence[0].version in fresh for one in house.kept)
        told = caplog.text + repr(house.behind.status()) + repr(house.kept)
    assert SECRET not in told
    assert "sk-secret" not in told
    assert "Rome" not in caplog.text


def _comes_back(house: House, server: Endpoint) -> None:
    """The server is well again, and its rest is over: the exchange is read, once."""
    server.now(answers(GOOD))
    house.set(endpoint=server.url, timeout_s=LONG_S)
    house.seconds += 3601.0
    report = house.behind.run()
    assert (report.read, report.drafts, report.left, report.notes) == (1, 2, 0, ())
    assert house.contents == [one["content"] for one in GOOD["facts"]]
    assert house.behind.run().requests == 0


DEAD = (
    "closes without a word",
    "answers 500",
    "answers 400 to everything",
    "answers 429",
    "answers a page",
    "says nothing",
)


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in DEAD], ids=lambda row: row.name)
@pytest.mark.parametrize(
    "pace_s", [0.0, 31.0, 4000.0], ids=["at once", "twice a minute", "once an hour"]
)
def test_p11_a_dead_server_is_asked_eight_times_in_twenty_turns_at_most(
    row: Row, pace_s: float, tmp_path: Path
) -> None:
    with Endpoint(*row.script()) as server, House(tmp_path, server.url, *CHAT) as house:
        for _ in range(20):
            house.touch()
            house.seconds += pace_s
        assert 3 <= len(server.requests) <= 8
        assert house.queue == {"harbour": 1}


def test_p11_a_server_that_hangs_is_asked_eight_times_in_twenty_turns_at_most(
    tmp_path: Path,
) -> None:
    with (
        Endpoint(then_hangs()) as server,
        House(tmp_path, server.url, *CHAT, timeout_s=0.2) as house,
    ):
        for _ in range(20):
            house.touch()
            house.seconds += 31.0
        assert 3 <= len(server.requests) <= 8
        assert server.most_at_once == 1


def test_a_state_is_logged_when_it_changes_and_not_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "rolememory")
    with Endpoint(status(500)) as server, House(tmp_path, server.url, *CHAT) as house:
        for _ in range(20):
            house.touch()
            house.seconds += 31.0
        server.now(answers(GOOD))
        house.behind.run()
        lines = [record.getMessage() for record in caplog.records]
    assert [line.split(": ", 1)[1] for line in lines] == [
        "answered status 500; it is left alone for a while, what is to be learned waits",
        "answers again",
    ]


def test_a_server_that_rests_is_not_asked_even_by_force(tmp_path: Path) -> None:
    with (
        Endpoint(status(503, retry_after="120")) as server,
        House(tmp_path, server.url, *CHAT) as house,
    ):
        house.touch()
        for seconds in (0.0, 60.0, 119.0):
            house.seconds = seconds
            report = house.behind.run(force=True)
            assert "left alone" in report.notes[0].text()
        assert len(server.requests) == 1
        server.now(answers(GOOD))
        house.seconds = 121.0
        assert house.behind.run().read == 1


def test_a_probe_that_fails_opens_the_breaker_again(tmp_path: Path) -> None:
    with Endpoint(status(500)) as server, House(tmp_path, server.url, *CHAT) as house:
        house.touch(3)
        for count in (4, 5):
            house.seconds += 31.0
            assert house.behind.run().requests == 1
            assert len(server.requests) == count
            assert [one["state"] for one in house.behind.status()["upstreams"].values()] == [
                State.FAILED
            ]


def test_neither_a_turn_nor_closing_waits_for_what_is_being_asked(tmp_path: Path) -> None:
    with (
        Endpoint(then_hangs()) as server,
        House(tmp_path, server.url, *CHAT, timeout_s=LONG_S) as house,
    ):
        began = monotonic()
        house.behind.touch("harbour")
        assert server.wait_for(1)
        house.behind.touch("harbour")
        house.behind.close()
        assert monotonic() - began < LONG_S / 2
        assert house.kept == []


def test_a_run_ends_at_its_deadline(tmp_path: Path) -> None:
    with (
        Endpoint(then_hangs()) as server,
        House(tmp_path, server.url, *CHAT, timeout_s=LONG_S) as house,
    ):
        began = monotonic()
        report = house.behind.run(force=True, deadline_s=0.2)
        assert monotonic() - began < LONG_S / 2
        assert (report.read, report.left) == (0, 1)


def test_a_redirect_is_not_followed_and_takes_no_key_elsewhere(tmp_path: Path) -> None:
    with (
        Endpoint(answers(GOOD)) as elsewhere,
        Endpoint(status(307, "Moved", location=elsewhere.url + "/chat/completions")) as server,
    ):
        with House(tmp_path, server.url, *CHAT) as house:
            house.touch()
        assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
        assert elsewhere.requests == []


def test_a_password_in_the_url_is_sent_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.delenv("ROLEMEMORY_LEARN_KEY")
    with Endpoint(status(401, "Unauthorized")) as server:
        with House(tmp_path, server.url.replace("//", "//lin:hunter2@"), *CHAT) as house:
            house.touch()
            told = caplog.text + repr(house.behind.status())
        assert server.requests[0].headers["authorization"].startswith("Basic ")
    assert "hunter2" not in told


def test_a_run_waits_for_another_one_no_longer_than_its_deadline(tmp_path: Path) -> None:
    with (
        Endpoint(then_hangs()) as server,
        House(tmp_path, server.url, *CHAT, timeout_s=30.0) as house,
    ):
        house.behind.touch("harbour")
        assert server.wait_for(1)
        report = house.behind.run(deadline_s=0.05)
        assert (report.finished, [note.text("zh") for note in report.notes]) == (
            False,
            ["正在读取这个角色的对话"],
        )


def test_what_went_wrong_is_told_in_both_languages(tmp_path: Path) -> None:
    with Endpoint(status(429)) as server, House(tmp_path, server.url, *CHAT) as house:
        house.touch()
        assert (
            house.behind.status()["last_error"] == f"{server.url}: is asked too often (status 429)"
        )
        assert house.behind.status("zh")["last_error"] == f"{server.url}：询问过于频繁（状态 429）"


def test_a_server_that_never_shakes_hands_costs_its_time_out(tmp_path: Path) -> None:
    with (
        Endpoint(then_hangs()) as server,
        House(tmp_path, server.url.replace("http:", "https:"), *CHAT, timeout_s=SHORT_S) as house,
    ):
        assert house.touch()
        assert house.queue == {"harbour": 1}
        house.behind.close()
        assert server.requests == []
