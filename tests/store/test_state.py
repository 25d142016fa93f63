"""Small state: a damaged file counts as empty and is kept, writing behind loses nothing on close (P3, P5)."""

import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.errors import NotWrittenError
from rolememory.store.state import StateFile
from tests.store.refusing import RefusingDisk


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    StateFile(tmp_path / "state" / "timers.json").save({"港口": {"sticky": 3}})
    assert StateFile(tmp_path / "state" / "timers.json").load() == {"港口": {"sticky": 3}}


def test_none_yet_is_empty_without_a_note(tmp_path: Path) -> None:
    state = StateFile(tmp_path / "state" / "timers.json")
    assert (state.load(), state.note) == ({}, "")
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\x00" * 50, b'{"a": 1}}', b"\xff\xfe", b"null", b'"x"'])
def test_a_damaged_one_counts_as_empty_and_is_kept(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "timers.json"
    path.write_bytes(raw)
    state = StateFile(path)
    assert state.load() == {}
    assert str(path) in state.note
    state.save({"a": 1})
    assert (path.with_name("timers.json.damaged").read_bytes(), state.load()) == (raw, {"a": 1})


def test_another_process_is_seen(tmp_path: Path) -> None:
    one, other = StateFile(tmp_path / "x.json"), StateFile(tmp_path / "x.json")
    one.save({"a": 1})
    assert other.load() == {"a": 1}
    one.save({"a": 22})
    assert other.load() == {"a": 22}


def test_writing_behind_is_seen_at_once_and_on_disk_at_the_end(tmp_path: Path) -> None:
    state = StateFile(tmp_path / "x.json", rest_s=60)
    state.later({"a": 1})
    state.later({"a": 2})
    assert state.load() == {"a": 2}
    assert not (tmp_path / "x.json").exists()
    state.close()
    assert StateFile(tmp_path / "x.json").load() == {"a": 2}


@pytest.mark.parametrize("forever", [False, True])
def test_a_disk_that_refuses_leaves_the_old_value(forever: bool, tmp_path: Path) -> None:
    StateFile(tmp_path / "x.json").save({"a": 1})
    for at in range(20):
        disk = RefusingDisk(at, forever=forever)
        try:
            StateFile(tmp_path / "x.json", disk=disk).save({"a": 2})
        except NotWrittenError:
            assert StateFile(tmp_path / "x.json").load() in ({"a": 1}, {"a": 2})
        if disk.made <= at:
            break
    assert at > 3
    assert StateFile(tmp_path / "x.json").load() == {"a": 2}


def test_what_could_not_be_written_behind_is_told_once_and_written_when_it_can_be(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    state = StateFile(tmp_path / "x.json", rest_s=60, disk=RefusingDisk(1))
    with caplog.at_level(logging.WARNING):
        state.later({"a": 1})
        state.close()
    assert len(caplog.records) == 1
    assert "x.json" in state.note
    state.close()
    assert (StateFile(tmp_path / "x.json").load(), state.note) == ({"a": 1}, "")


@given(st.binary(max_size=200))
def test_any_bytes_give_an_object(raw: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.json").write_bytes(raw)
        logging.disable()
        try:
            assert isinstance(StateFile(Path(folder) / "x.json").load(), dict)
        finally:
            logging.disable(logging.NOTSET)
