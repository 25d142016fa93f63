"""The bench of the disk: what it takes for grown and for rewritten, and some turns through the real parts."""

from pathlib import Path

from tests.bench.prose import turns
from tests.bench.storage import Written, look, measured, turn_figures


def test_a_look_tells_files_that_grew_from_files_that_were_replaced(tmp_path: Path) -> None:
    role = tmp_path / "role"
    (role / "chats").mkdir(parents=True)
    (role / "state").mkdir()
    log, state = role / "chats" / "a.jsonl", role / "state" / "uses.json"
    log.write_bytes(b"one\n")
    state.write_bytes(b"{}")
    before = look(tmp_path)
    with log.open("ab") as file:
        file.write(b"two\n")
    fresh = state.with_suffix(".tmp")
    fresh.write_bytes(b'{"a": 1}')
    fresh.replace(state)
    (role / "memory.json").write_bytes(b"{ }")
    found = Written.between(before, look(tmp_path))
    assert found.grown == {"chats": 4, "memory.json": 3}
    assert found.whole == {"state/uses.json": 8}


def test_the_means_of_a_turn() -> None:
    parts = [
        Written({"chats": 100}, {}, 120),
        *[Written({"chats": 200}, {"memory.json": 1000}, 1300)] * 9,
        *[Written({"chats": 300}, {}, 400)] * 10,
    ]
    found = turn_figures(parts)
    assert found["all"]["grown_bytes"] == {"chats": 245}
    assert found["all"]["rewritten_bytes"] == {"memory.json": 450}
    assert found["all"]["files_rewritten_whole"] == 0.45
    assert found["first_tenth"]["written_bytes_mean"] == 710
    assert found["last_tenth"]["rewritten_bytes"] == {}


def test_turns_are_counted_and_what_a_pause_writes_apart() -> None:
    found = measured(turns(1, told=True), 6, rests=2)
    assert found["turns"] == 6
    assert found["turn"]["all"]["grown_bytes"]["chats"] * 6 > 1000 * found["text_kb"] > 0
    assert [pause["turns"] for pause in found["pauses"]] == [3, 6]
    assert found["log_to_text"] > 1.0
    assert found["disk_to_text"] >= found["log_to_text"]
    assert [one["turns"] for one in found["grown"]] == [1, 2, 3, 4, 5, 6]
