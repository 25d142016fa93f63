"""What was acknowledged is there, whatever happens to processes, disks and files (reliability 1 to 5, 8, 10)."""

import errno
import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rolememory.chats import Chats
from rolememory.errors import FileError, NotWrittenError, UnknownChatError
from rolememory.storage.files import atomic
from rolememory.storage.files.disk import Disk
from rolememory.storage.files.log import framed, lines_of
from rolememory.storage.files.space import FileSpace
from tests.chats import cuts
from tests.chats.talk import chats_at, said, shown, story
from tests.durability.processes import forked
from tests.storage.refusing import RefusingDisk, everything

LINES = story(4)
forks = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="this system has no fork; the other tests cover its roads"
)


def chat_in(folder: Path, lines: list[str] = LINES) -> Path:
    """A chat that was looked at after every exchange; its file."""
    chats = chats_at(folder)
    for end in range(2, len(lines) + 1, 2):
        chats.observe(said(*lines[:end]), chat="harbour", user="lin")
    return chats.info("harbour").file


# 1, 2: a process is killed, the power fails


@forks
@pytest.mark.parametrize("writers", [1, 4])
def test_what_was_acknowledged_survives_a_kill(writers: int) -> None:
    result = cuts.kill(10 * writers, writers)
    assert result["bad"] == 0, result
    assert result["acknowledged"] > 0


@pytest.mark.slow
def test_and_a_power_cut() -> None:
    result = cuts.cut_power(200)
    assert result["bad"] == 0, result


# 2: what may be left of the last line


def test_a_line_that_is_only_there_in_part_never_happened(tmp_path: Path) -> None:
    file = chat_in(tmp_path)
    data = file.read_bytes()
    last = data[:-1].rindex(b"\n") + 1
    for end in range(last + 1, len(data), 23):
        file.write_bytes(data[:end])
        chats = chats_at(tmp_path)
        assert shown(chats.path("harbour")) == LINES[:-2]
        assert chats.observe(said(*LINES), chat="harbour").entered
        assert shown(chats_at(tmp_path).path("harbour")) == LINES
        assert chats_at(tmp_path).problems == []
        assert file.read_bytes().startswith(data[:end])


@pytest.mark.parametrize(
    "rest",
    [bytes(300), b"\xff" * 40, b'{"at":"2024', b'{"at":1,"crc":"00000000"}'],
    ids=["zeros", "noise", "half", "no sum"],
)
def test_what_follows_a_cut_is_sealed_and_the_chat_goes_on(tmp_path: Path, rest: bytes) -> None:
    file = chat_in(tmp_path)
    before = file.read_bytes()
    file.write_bytes(before + rest)
    chats = chats_at(tmp_path)
    assert shown(chats.path("harbour")) == LINES
    chats.observe(said(*LINES, *story(1, 90)), chat="harbour")
    assert shown(chats_at(tmp_path).path("harbour")) == [*LINES, *story(1, 90)]
    assert file.read_bytes().startswith(before + rest)


# 3: calls to the disk fail


@pytest.mark.parametrize("forever", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("short", [False, True], ids=["refused", "short write"])
def test_a_write_that_fails_is_not_acknowledged_and_harms_nothing(
    tmp_path: Path, forever: bool, short: bool
) -> None:
    for at in range(12):
        folder = tmp_path / f"{at}"
        chat_in(folder, LINES[:4])
        chats = chats_at(
            folder,
            RefusingDisk(
                at, forever=forever, short=short, number=errno.EIO if at % 2 else errno.ENOSPC
            ),
        )
        acknowledged = False
        with suppress(NotWrittenError):
            chats.observe(said(*LINES), chat="harbour", user="lin")
            acknowledged = True
        found = shown(chats_at(folder).path("harbour"))
        assert found == LINES if acknowledged else found in (LINES[:4], LINES)
        assert chats_at(folder).problems == []
        chats_at(folder).observe(said(*LINES, "u: After."), chat="harbour", user="lin")
        assert shown(chats_at(folder).path("harbour")) == [*LINES, "u: After."]
        with suppress(NotWrittenError):  # and the very same process goes on as well, once it may
            chats.observe(said(*LINES, "u: After.", "a: All."), chat="harbour", user="lin")
            assert shown(chats_at(folder).path("harbour")) == [*LINES, "u: After.", "a: All."]


def test_a_new_chat_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    for at in range(0, 14, 2):
        chats = chats_at(tmp_path / f"{at}", RefusingDisk(at, forever=True))
        with suppress(NotWrittenError):
            chats.observe(said(*LINES), chat="harbour")
        assert [info.messages for info in chats_at(tmp_path / f"{at}").chats()] in (
            [],
            [len(LINES)],
        )


def test_a_full_disk_is_named_with_the_file_and_the_way_out(tmp_path: Path) -> None:
    chats = chats_at(tmp_path, RefusingDisk(0, forever=True))
    with pytest.raises(
        NotWrittenError, match="not written: no space left on device; what was there still stands"
    ) as refused:
        chats.observe(said(*LINES), chat="harbour")
    assert "没有写入" in refused.value.text("zh")


# 4, 5: a damaged file


@pytest.mark.parametrize(
    "line",
    [1, 2, 3],
    ids=[
        "the first line, which names the chat",
        "a line in the middle",
        "another line in the middle",
    ],
)
def test_a_damaged_line_is_reported_and_passed_over_and_the_next_look_mends_it(
    tmp_path: Path, line: int
) -> None:
    file = chat_in(tmp_path)
    rows = file.read_bytes().splitlines(keepends=True)
    rows[line - 1] = rows[line - 1].replace(b'"said"', b'"sai\x00"', 1)
    file.write_bytes(damaged := b"".join(rows))
    chats = chats_at(tmp_path)
    (problem,) = chats.problems
    assert problem.place == f"chats/{file.name}:{line}"
    assert "damaged line" in problem.text()
    assert "已损坏" in problem.text("zh")
    chats.observe(said(*LINES), chat="harbour", user="lin")
    assert shown(chats_at(tmp_path).path("harbour")) == LINES
    assert chats_at(tmp_path).info("harbour").user == "lin"
    assert file.read_bytes().startswith(damaged)


@pytest.mark.parametrize("lines", [[1, 2, 3, 4], [2, 3], [1, 4]])
def test_whatever_is_damaged_the_rest_is_read(tmp_path: Path, lines: list[int]) -> None:
    file = chat_in(tmp_path)
    rows = file.read_bytes().splitlines(keepends=True)
    for line in lines:
        rows[line - 1] = bytes(len(rows[line - 1]) - 1) + b"\n"
    file.write_bytes(b"".join(rows))
    chats = chats_at(tmp_path)
    assert len(chats.problems) == len(lines)
    with suppress(UnknownChatError):
        assert set(shown(chats.path("harbour"))) <= set(LINES)
    chats.observe(said(*LINES), chat="harbour")
    assert shown(chats.path("harbour")) == LINES


@pytest.mark.parametrize(
    "garbage",
    [
        bytes(4000),
        b"\n" * 50,
        b"not a log at all\n" * 9,
        os.urandom(3000),
        b'{"crc":"00000000"}\n',
        b"[]\n",
        b"",
    ],
    ids=range(7),
)
def test_a_file_of_garbage_is_kept_as_it_is(tmp_path: Path, garbage: bytes) -> None:
    file = chat_in(tmp_path)
    file.write_bytes(garbage)
    chats = chats_at(tmp_path)
    assert chats.chats() == []
    chats.observe(said(*LINES), chat="harbour")
    assert shown(chats_at(tmp_path).path("harbour")) == LINES
    assert file.read_bytes().startswith(garbage)


def test_lines_with_a_right_sum_that_make_no_sense_are_no_lines(tmp_path: Path) -> None:
    import zlib

    file = chat_in(tmp_path)
    for text in (
        b"{}",
        b'{"at":5}',
        b'{"at":"2024-05-01T00:00:00Z","said":[7]}',
        b'{"at":"2024-05-01T00:00:00Z","look":"x","path":{}}',
        b"[1]",
    ):
        with file.open("ab") as log:
            log.write(b'%s,"crc":"%08x"}\n' % (text[:-1], zlib.crc32(text)))
    chats = chats_at(tmp_path)
    assert shown(chats.path("harbour")) == LINES
    assert len(chats.problems) >= 4


class _Unreadable(Disk):
    """Cannot read chats until it is healed."""

    def __init__(self) -> None:
        self.broken = True

    def read(self, path: Path, offset: int = 0) -> bytes:
        """May fail."""
        if self.broken and path.suffix == ".jsonl":
            raise OSError(errno.EIO, "input/output error")
        return super().read(path, offset)


def test_a_chat_that_cannot_be_read_is_never_begun_anew(tmp_path: Path) -> None:
    before = everything(tmp_path) if chat_in(tmp_path) else {}
    disk = _Unreadable()
    chats = chats_at(tmp_path, disk)
    with pytest.raises(
        NotWrittenError, match=r"cannot be read: .*; nothing is written to it before it can"
    ):
        chats.observe(said("u: Hello."), chat="harbour")
    with pytest.raises(
        FileError, match="cannot be read: input/output error; check path, rights and disk"
    ):
        chats.path("harbour")
    assert [problem.code for problem in chats.problems] == ["unreadable"]
    assert {name: data for name, data in everything(tmp_path).items() if name in before} == before
    disk.broken = False
    assert shown(chats.path("harbour")) == LINES
    assert chats.problems == []


def test_what_was_read_before_a_disk_failed_still_answers(tmp_path: Path) -> None:
    chat_in(tmp_path)
    disk = _Unreadable()
    disk.broken = False
    chats = chats_at(tmp_path, disk)
    assert chats.path("harbour")
    chats_at(tmp_path).observe(said(*LINES, "u: More."), chat="harbour")
    disk.broken = True
    assert shown(chats.path("harbour")) == LINES
    disk.broken = False
    assert shown(chats.path("harbour")) == [*LINES, "u: More."]


# 8: many processes


def _writes(folder: Path, chat: str, voice: int, looks: int) -> int:
    chats, lines = Chats(FileSpace(folder)), list[str]()
    for number in range(looks):
        lines += story(1, 1000 * voice + number)
        chats.observe(said(*lines), chat=chat)
    return 0


@forks
@pytest.mark.parametrize("same", [False, True], ids=["each its own chat", "all the same chat"])
def test_four_processes_write_one_role(tmp_path: Path, same: bool) -> None:
    names = ["one"] * 4 if same else [f"chat {voice}" for voice in range(4)]
    children = [
        forked(partial(_writes, tmp_path, name, voice, 12)) for voice, name in enumerate(names)
    ]
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 4
    chats = Chats(FileSpace(tmp_path))
    assert chats.problems == []
    everything_said = [set(story(12, 1000 * voice)) for voice in range(4)]
    for voice, lines in enumerate(everything_said):
        versions: Any = chats.versions("one" if same else f"chat {voice}").values()
        assert lines <= set(shown(versions))


def test_a_reader_sees_what_another_process_wrote_and_never_waits(tmp_path: Path) -> None:
    writer, reader = chats_at(tmp_path), chats_at(tmp_path)
    writer.observe(said(*LINES), chat="harbour")
    seen = reader.changed(0)[1]
    assert reader.changed(seen) == ([], seen)
    writer.observe(said(*LINES, "u: More."), chat="harbour")
    with atomic.locked(tmp_path / "chats"):
        assert reader.changed(seen)[0]
        assert shown(reader.path("harbour")) == [*LINES, "u: More."]
        assert [info.messages for info in reader.chats()] == [len(LINES) + 1]
        assert reader.preview(said(*LINES, "u: More.", "a: Yes."), chat="harbour").entered
        assert not reader.observe(
            said(*LINES, "u: More."), chat="harbour"
        ).entered  # nothing to write: nothing to wait for
    seen = reader.changed(0)[1]
    writer.remove("harbour")
    assert reader.changed(seen)[0]
    assert reader.chats() == []


def test_a_look_at_something_unchanged_costs_a_few_stat_calls(tmp_path: Path) -> None:
    for number in range(30):
        chats_at(tmp_path).observe(said(*LINES), chat=f"chat {number}", user=f"{number}")
    disk = _Counting()
    chats = chats_at(tmp_path, disk)
    seen = chats.changed(0)[1]  # reads everything once
    disk.marks = disk.reads = 0
    for _ in range(3):
        assert chats.changed(seen) == ([], seen)
    assert (disk.marks, disk.reads) == (6, 0)


class _Counting(Disk):
    marks = reads = 0

    def mark(self, path: Path) -> Any:
        """Counted."""
        self.marks += 1
        return super().mark(path)

    def read(self, path: Path, offset: int = 0) -> bytes:
        """Counted."""
        self.reads += 1
        return super().read(path, offset)


# an older program meets the log of a newer one


def test_a_log_of_a_newer_program_is_read_and_not_written(tmp_path: Path) -> None:
    file = chat_in(tmp_path)
    first, *rest = lines_of(file.read_bytes())
    newer = first.replace(b'"format":2', b'"format":3')
    assert newer != first
    file.write_bytes(b"".join(framed([line]) for line in (newer, *rest)))
    before, chats = file.read_bytes(), chats_at(tmp_path)
    assert [one.text for one in chats.path("harbour")] == [
        line.split(": ", 1)[1] for line in LINES[: len(chats.path("harbour"))]
    ]
    with pytest.raises(NotWrittenError, match="newer rolememory") as refused:
        chats.observe(said(*LINES, "u: And then?"), chat="harbour", user="lin")
    assert "请升级" in refused.value.text("zh")
    assert file.read_bytes() == before
