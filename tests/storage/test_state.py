"""Small state: a damaged file counts as empty and is kept, writing behind loses nothing on close (P3, P5)."""

import logging
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.errors import BusyError, NotWrittenError
from rolememory.learn.cursor import Cursors
from rolememory.storage.files.space import FileSpace
from rolememory.storage.state import SHORT_BYTES, StateFile, StateLog
from tests.storage.refusing import RefusingDisk


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    StateFile(FileSpace(tmp_path), "timers").save({"港口": {"sticky": 3}})
    assert StateFile(FileSpace(tmp_path), "timers").load() == {"港口": {"sticky": 3}}


def test_none_yet_is_empty_without_a_note(tmp_path: Path) -> None:
    state = StateFile(FileSpace(tmp_path), "timers")
    assert (state.load(), state.note) == ({}, "")
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"\x00" * 50, b'{"a": 1}}', b"\xff\xfe", b"null", b'"x"']
)
def test_a_damaged_one_counts_as_empty_and_is_kept(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "state" / "timers.json"
    path.parent.mkdir()
    path.write_bytes(raw)
    state = StateFile(FileSpace(tmp_path), "timers")
    assert state.load() == {}
    assert str(path) in state.note
    state.save({"a": 1})
    assert (path.with_name("timers.json.damaged").read_bytes(), state.load()) == (raw, {"a": 1})


def test_every_damaged_one_is_kept_whoever_looked_at_it_before(tmp_path: Path) -> None:
    path = tmp_path / "state" / "timers.json"
    never_loaded, other = (StateFile(FileSpace(tmp_path), "timers") for _ in range(2))
    other.save({"a": 1})
    for raw, state in ((b"{first", never_loaded), (b"{second", other), (b"{second", other)):
        path.write_bytes(raw)
        state.save({"a": 2})
        assert other.load() == {"a": 2}
    kept = {one.name: one.read_bytes() for one in path.parent.glob("*.damaged")}
    assert kept == {"timers.json.damaged": b"{first", "timers.json.2.damaged": b"{second"}


def test_another_process_is_seen(tmp_path: Path) -> None:
    one, other = StateFile(FileSpace(tmp_path), "x"), StateFile(FileSpace(tmp_path), "x")
    one.save({"a": 1})
    assert other.load() == {"a": 1}
    one.save({"a": 22})
    assert other.load() == {"a": 22}


@pytest.mark.parametrize("forever", [False, True])
def test_a_disk_that_refuses_leaves_the_old_value(forever: bool, tmp_path: Path) -> None:
    StateFile(FileSpace(tmp_path), "x").save({"a": 1})
    for at in range(20):
        disk = RefusingDisk(at, forever=forever)
        try:
            StateFile(FileSpace(tmp_path, disk=disk), "x").save({"a": 2})
        except NotWrittenError:
            assert StateFile(FileSpace(tmp_path), "x").load() in ({"a": 1}, {"a": 2})
        if disk.made <= at:
            break
    assert at > 3
    assert StateFile(FileSpace(tmp_path), "x").load() == {"a": 2}


def test_nobody_else_changes_a_value_while_it_is_being_changed(tmp_path: Path) -> None:
    one, other = StateFile(FileSpace(tmp_path), "x"), StateFile(FileSpace(tmp_path), "x")
    other.save({"a": 1})
    with one.changing() as value:
        value["b"] = 2
        with pytest.raises(BusyError), FileSpace(tmp_path).lock("state", 0.0):
            pass
    with other.changing() as value:
        value["c"] = 3
    assert one.load() == {"a": 1, "b": 2, "c": 3}


def test_a_change_that_the_disk_refuses_did_not_happen(tmp_path: Path) -> None:
    StateFile(FileSpace(tmp_path), "x").save({"a": 1})
    state = StateFile(FileSpace(tmp_path, disk=RefusingDisk(0, forever=True)), "x")
    with pytest.raises(NotWrittenError), state.changing() as value:
        value["a"] = 2
    assert state.load() == {"a": 1}


@given(st.binary(max_size=200))
def test_any_bytes_give_an_object(raw: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "state").mkdir()
        (Path(folder) / "state" / "x.json").write_bytes(raw)
        logging.disable()
        try:
            assert isinstance(StateFile(FileSpace(Path(folder)), "x").load(), dict)
        finally:
            logging.disable(logging.NOTSET)


# a log of values


def logs(folder: Path, disk: RefusingDisk | None = None) -> StateLog:
    return StateLog(FileSpace(folder, disk=disk) if disk else FileSpace(folder), "turns", rest_s=60)


def test_values_are_kept_by_key_and_name_the_last_changed_key_last(tmp_path: Path) -> None:
    state = logs(tmp_path)
    state.put("港口", {"a": 1, "b": [2]})
    state.put("tavern", {"a": {"x": None}})
    state.put("港口", {"b": None, "c": 3})
    wanted = {"tavern": {"a": {"x": None}}, "港口": {"a": 1, "c": 3}}
    assert state.load() == wanted
    assert list(state.load()) == ["tavern", "港口"]
    state.close()
    assert logs(tmp_path).load() == wanted
    assert list(logs(tmp_path).load()) == ["tavern", "港口"]


def test_values_that_come_without_a_pause_are_written_all_the_same(tmp_path: Path) -> None:
    rest_s = 0.2
    state, log = (
        StateLog(FileSpace(tmp_path), "turns", rest_s=rest_s),
        tmp_path / "state/turns.jsonl",
    )
    written, pause_s, last = 0, 0.0, monotonic()
    for number in range(300_000):  # far more than fit into that time
        state.put("a", {"x": number})
        now = monotonic()
        pause_s, last = max(pause_s, now - last), now
        if log.exists() and (size := log.stat().st_size) != written:
            if pause_s < rest_s:  # else the machine itself made a pause
                break
            written, pause_s = size, 0.0
    else:
        pytest.fail("nothing was written")
    state.close()


def test_writing_behind_is_seen_at_once_and_on_disk_at_the_end(tmp_path: Path) -> None:
    state = logs(tmp_path)
    state.put("a", {"x": 1})
    state.put("a", {"x": 2})
    assert state.load() == {"a": {"x": 2}}
    assert not (tmp_path / "state" / "turns.jsonl").exists()
    state.close()
    assert logs(tmp_path).load() == {"a": {"x": 2}}


def test_what_could_not_be_written_behind_is_told_once_and_written_when_it_can_be(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    state = logs(tmp_path, RefusingDisk(1))
    with caplog.at_level(logging.WARNING):
        state.put("a", {"x": 1})
        state.close()
    assert [one for one in caplog.messages if "turns.jsonl" in one] == caplog.messages[:1]
    state.close()
    assert logs(tmp_path).load() == {"a": {"x": 1}}


def test_what_somebody_holds_of_it_stays_as_it_was(tmp_path: Path) -> None:
    state = logs(tmp_path)
    state.put("a", {"x": 1})
    held, whole = state.of("a"), state.load()
    state.put("a", {"x": 2, "y": 3})
    state.put("b", {"x": 1})
    assert (held, whole) == ({"x": 1}, {"a": {"x": 1}})
    assert (state.of("a"), state.of("c")) == ({"x": 2, "y": 3}, {})


def test_what_another_process_changed_is_told_once(tmp_path: Path) -> None:
    one, other = logs(tmp_path), logs(tmp_path)
    other.put("a", {"x": 1})
    other.flush()
    news = one.news(0)
    assert news
    assert (news[1], one.news(news[0])) == ({"a": {"x": 1}}, None)
    other.put("a", {"x": 2})
    other.flush()
    assert one.news(news[0]) == (one.revision, {"a": {"x": 2}})


def test_a_key_without_values_is_gone(tmp_path: Path) -> None:
    state = logs(tmp_path)
    state.put("a", {"x": 1})
    state.put("a", {"x": None})
    assert state.load() == {}


def test_what_two_processes_change_is_merged(tmp_path: Path) -> None:
    one, other = logs(tmp_path), logs(tmp_path)
    one.put("a", {"x": 1, "y": 1})
    one.close()
    other.put("a", {"y": 2})
    seen = one.revision
    one.put("b", {"x": 1})
    other.close()
    one.close()
    assert (
        one.load()
        == other.load()
        == logs(tmp_path).load()
        == {"a": {"x": 1, "y": 2}, "b": {"x": 1}}
    )
    assert one.revision > seen


def test_what_is_dropped_leaves_no_byte(tmp_path: Path) -> None:
    state = logs(tmp_path)
    state.put("lin", {"secret": "Miso"})
    state.put("ann", {"x": 1})
    state.close()
    state.drop(["lin"])
    assert (state.load(), logs(tmp_path).load()) == ({"ann": {"x": 1}}, {"ann": {"x": 1}})
    assert b"Miso" not in (tmp_path / "state" / "turns.jsonl").read_bytes()


@pytest.mark.parametrize("begun", [False, True])
def test_what_is_dropped_is_not_written_by_another_process(tmp_path: Path, begun: bool) -> None:
    one, other = logs(tmp_path), logs(tmp_path)
    if begun:
        one.put("ann", {"x": 1})
        one.flush()
    other.put("lin", {"secret": "Miso"})
    one.drop(["lin"])
    one.put("bo", {"x": 2})
    one.flush()
    other.put("lin", {"x": 3})  # anew, after it was dropped
    other.close()
    wanted = {**({"ann": {"x": 1}} if begun else {}), "bo": {"x": 2}, "lin": {"x": 3}}
    assert one.load() == other.load() == logs(tmp_path).load() == wanted
    assert b"Miso" not in (tmp_path / "state" / "turns.jsonl").read_bytes()


def test_what_is_not_written_yet_stays_when_another_process_makes_the_log_short(
    tmp_path: Path,
) -> None:
    one, other = logs(tmp_path), logs(tmp_path)
    one.drop(["nobody"])
    other.put("lin", {"x": 1})
    for number in range(600):
        one.put("ann", {"text": "x" * 100, "number": number})
        one.flush()
    other.close()
    assert logs(tmp_path).load()["lin"] == {"x": 1}


def test_a_log_that_grew_long_is_made_short(tmp_path: Path) -> None:
    state = logs(tmp_path)
    for number in range(600):
        state.put("a", {"x": "y" * 200, "n": number})
        state._written()
    assert (tmp_path / "state" / "turns.jsonl").stat().st_size <= SHORT_BYTES + 1000
    assert logs(tmp_path).load() == {"a": {"x": "y" * 200, "n": 599}}


def test_a_damaged_log_is_kept_before_it_is_made_short(tmp_path: Path) -> None:
    path, state = tmp_path / "state" / "turns.jsonl", logs(tmp_path)
    state.put("a", {"x": "before"})
    state.close()
    damaged = path.read_bytes().replace(b"before", b"beyond") + b"\x00" * SHORT_BYTES + b"\n"
    path.write_bytes(damaged)
    state = logs(tmp_path)
    state.put("a", {"x": "after"})
    state.close()
    assert logs(tmp_path).load() == {"a": {"x": "after"}}
    assert path.stat().st_size < 1000
    assert path.with_name("turns.jsonl.damaged").read_bytes().startswith(damaged)


def test_a_disk_that_refuses_is_tried_again(tmp_path: Path) -> None:
    for at in range(12):
        folder = tmp_path / f"{at}"
        first = logs(folder)
        first.put("a", {"x": 1})
        first.close()
        state = logs(folder, RefusingDisk(at))
        state.put("a", {"y": 2})
        state.close()
        assert state.load() == {"a": {"x": 1, "y": 2}}
        state.close()
        assert logs(folder).load() == {"a": {"x": 1, "y": 2}}


def test_what_an_older_program_kept_is_taken_over(tmp_path: Path) -> None:
    """How far a chat was read: an order of long ago must not be obeyed again."""
    StateFile(FileSpace(tmp_path), "learning").save({"harbour": {"mark": 7}})
    cursors = Cursors(FileSpace(tmp_path))
    assert cursors.of("harbour") == 7
    cursors.move("tavern", 2)
    cursors.close()
    again = Cursors(FileSpace(tmp_path))
    assert (again.of("harbour"), again.of("tavern")) == (7, 2)
    assert not (tmp_path / "state" / "learning.json").exists()
