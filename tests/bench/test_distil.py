"""The measurement of distilling: what it promises in small, and that its labels are what they say."""

import json
from pathlib import Path

from tests.bench.distil import (
    chapters_in_trouble,
    costs,
    judged,
    labelled,
    met,
    on_the_path,
    trouble,
)
from tests.bench.exchanges import ROWS
from tests.endpoint import Endpoint, Line, answers


def test_there_are_sixty_labelled_exchanges_half_of_them_chinese() -> None:
    assert [sum(row.language == one for row in ROWS) for one in ("en", "zh")] == [30, 30]
    assert 20 <= sum(not row.facts for row in ROWS) <= 30, (
        "what is not to be remembered is measured too"
    )


def test_no_turn_waits_for_a_model() -> None:
    found = on_the_path(turns=10)
    assert (found["waited_for_a_model"], found["requests_open"]) == (0, 1)


def test_a_server_that_hangs_dies_and_answers_garbage_loses_and_doubles_nothing() -> None:
    found = trouble(turns=60)
    assert (found["lost"], found["doubled"], found["unasked"], found["left"]) == (0, 0, 0, 0)
    assert found["requests_in_trouble"] > 10


def test_costs_are_counted() -> None:
    found = costs(turns=20)
    assert (found["calls_per_100_turns"], found["facts"]) == (20.0, 20)
    assert 5_000 < found["prompt_tokens_per_100_turns"] < 100_000


def test_precision_and_recall() -> None:
    place = next(at for at, row in enumerate(ROWS) if row.facts)
    assert met(ROWS[place].facts[0], "Lin moved from LISBON to Ghent.")
    found = judged({place: ["Lin moved from Lisbon to Ghent.", "Lin likes fog."]})
    assert (found["stored"], found["precision"], found["wrong"]) == (2, 0.5, ["Lin likes fog."])


def test_a_model_that_repeats_what_users_say_is_measured_through_a_real_home() -> None:
    def parrot(line: Line) -> None:
        rows = line.request.said.rpartition("<chat>\n")[2].splitlines()
        said = next((one for one in rows if one.startswith("[1]")), "")
        name, _, words = said.removeprefix("[1] ").replace("：", ": ", 1).partition(": ")
        answers({"facts": [{"line": 1, "content": f"{name} — {words}", "about": "user"}]})(line)

    with Endpoint(parrot) as server:
        found = labelled(server.url, "parrot")
    assert found["calls"] == len(ROWS)
    assert found["recall"] > 0.8, found["missed"]
    assert found["precision"] < 0.8, "small talk is no fact"
    assert json.dumps(found)
    assert not Path("row 1").exists()


def test_chapters_of_a_server_in_trouble_tell_every_message_once() -> None:
    found = chapters_in_trouble(turns=60)
    assert (found["told_twice"], found["left_out"], found["refused"]) == (0, 0, 0)
    assert found["newest_told"] > 100, "all but the last few messages"
    assert found["requests_in_trouble"] > found["chapters"] > 3
