"""Backups: whole, checked, rotated with care, restored as an edit (S1.44, S4.35, P2, P3, P5)."""

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rolememory.errors import FileError, InvalidValueError, NotWrittenError, UnsafePathError
from rolememory.schema.settings import StorageSettings
from rolememory.storage.files.backup import backup, due, list_backups, restore, verified
from rolememory.storage.files.space import FileSpace
from rolememory.storage.memories import Edit, RoleStore
from tests.storage.homes import folder_with
from tests.storage.refusing import RefusingDisk, everything

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A role with memories in the file and in the journal, a card and a book."""
    home = folder_with(tmp_path, "Mira")
    folder = home.folder(home.find("Mira").id)
    (folder / "memory.json").write_text(
        '{"x-note": "mine", "episodic": [{"id": "a", "content": "灯塔熄灭了", "x": 1}]}', "utf-8"
    )
    (folder / "card.png").write_bytes(b"\x89PNG card")
    (folder / "worldbooks").mkdir()
    (folder / "worldbooks" / "港口.json").write_text('{"entries": {}}')
    add(folder, "b", "The beacon failed.")
    return folder


def add(folder: Path, memory_id: str, content: str) -> None:
    with RoleStore(FileSpace(folder)) as store:
        store.commit([Edit("add", memory_id, {"content": content})])


def remembered(folder: Path) -> dict[str, str]:
    """What the role remembers, by whatever process."""
    return {
        name: memory.content
        for name, memory in RoleStore(FileSpace(folder)).snapshot().memories.items()
    }


def zipped(path: Path, files: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)


class TestMaking:
    def test_it_holds_what_people_made(self, folder: Path) -> None:
        path = backup(folder, now=NOON)
        contents = verified(path)
        assert path == folder / "backups" / "20260305T120000Z-0001.zip"
        assert {"memory.json", "role.json", "card.png", "worldbooks/港口.json"} <= set(
            contents.files
        )
        assert all(
            name.startswith("journal/") or (folder / name).read_bytes() == data
            for name, data in contents.files.items()
        )

    def test_two_in_one_second_are_two(self, folder: Path) -> None:
        assert [backup(folder, now=NOON).name for _ in range(3)] == [
            f"20260305T120000Z-000{number}.zip" for number in (1, 2, 3)
        ]
        assert [one.path.name for one in list_backups(folder)] == [
            f"20260305T120000Z-000{number}.zip" for number in (3, 2, 1)
        ]

    def test_their_age_is_known(self, folder: Path) -> None:
        backup(folder, now=NOON)
        newest = list_backups(folder)[0]
        assert newest.age(NOON + timedelta(hours=3)) == timedelta(hours=3)
        assert newest.age(NOON - timedelta(hours=3)) == timedelta()

    def test_a_broken_file_is_kept_byte_for_byte(self, folder: Path) -> None:
        (folder / "memory.json").write_bytes(b'{"episodic": [oops')
        contents = verified(backup(folder, now=NOON))
        assert contents.files["memory.json"] == b'{"episodic": [oops'
        assert "memory.json" in contents.problem

    def test_a_role_that_is_not_there_has_none(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidValueError, match="no such role"):
            backup(tmp_path / "nobody")
        assert not (tmp_path / "nobody").exists()

    @pytest.mark.parametrize("forever", [False, True])
    def test_a_disk_that_refuses_leaves_no_half_backup(self, forever: bool, folder: Path) -> None:
        before = remembered(folder)
        backup(folder, now=NOON)
        for at in range(40):
            disk = RefusingDisk(at, forever=forever)
            with contextlib.suppress(NotWrittenError):
                backup(folder, now=NOON + timedelta(hours=at), disk=disk)
            for one in list_backups(folder):
                verified(one.path)
            if disk.made <= at:
                break
        assert at > 4
        assert remembered(folder) == before

    def test_a_short_write_is_written_on(self, folder: Path) -> None:
        for at in range(6):
            verified(
                backup(folder, now=NOON + timedelta(hours=at), disk=RefusingDisk(at, short=True))
            )


class TestRotation:
    def test_the_newest_are_kept(self, folder: Path) -> None:
        for hour in range(8):
            backup(folder, StorageSettings(backups=3), now=NOON + timedelta(hours=hour))
        assert [one.made.hour for one in list_backups(folder)] == [19, 18, 17]

    def test_the_newest_good_one_is_never_removed(self, folder: Path) -> None:
        good = backup(folder, now=NOON)
        (folder / "memory.json").write_bytes(b"\x00" * 100)
        for hour in range(1, 6):
            backup(folder, StorageSettings(backups=2), now=NOON + timedelta(hours=hour))
        assert good.exists()
        assert len(list_backups(folder)) == 3

    def test_damaged_ones_do_not_count_as_good(self, folder: Path) -> None:
        good = backup(folder, now=NOON)
        for hour in (1, 2):
            path = backup(folder, now=NOON + timedelta(hours=hour))
            path.write_bytes(path.read_bytes()[:-40])
        (folder / "memory.json").write_bytes(b"{")
        backup(folder, StorageSettings(backups=1), now=NOON + timedelta(hours=3))
        assert good.exists()

    def test_what_is_no_backup_is_left_alone(self, folder: Path) -> None:
        backup(folder, now=NOON)
        (folder / "backups" / "mine.zip").write_bytes(b"mine")
        backup(folder, StorageSettings(backups=1), now=NOON + timedelta(hours=1))
        assert (folder / "backups" / "mine.zip").read_bytes() == b"mine"

    @pytest.mark.parametrize(
        ("hours", "edited", "backups", "is_due"),
        [
            pytest.param(25, True, 5, True, id="a day later, after an edit"),
            pytest.param(25, False, 5, False, id="a day later, nothing happened"),
            pytest.param(5, True, 5, False, id="the same day"),
            pytest.param(25, True, 0, False, id="switched off"),
        ],
    )
    def test_when_it_is_time(
        self, hours: int, edited: bool, backups: int, is_due: bool, folder: Path
    ) -> None:
        assert due(folder, StorageSettings(), NOON)
        backup(folder, now=NOON)
        if edited:
            (folder / "memory.json").write_text("{}")
        assert (
            due(folder, StorageSettings(backups=backups), NOON + timedelta(hours=hours)) is is_due
        )

    @pytest.mark.parametrize(
        "wrong",
        [
            pytest.param(datetime(2099, 1, 1, tzinfo=UTC), id="far ahead"),
            pytest.param(datetime(1970, 1, 1, tzinfo=UTC), id="at the beginning of time"),
        ],
    )
    def test_a_clock_that_was_wrong_stops_nothing(self, wrong: datetime, folder: Path) -> None:
        backup(folder, now=NOON)
        add(folder, "c", "while the clock was wrong")
        os.utime(folder / "memory.json", (0, 0))
        assert due(folder, StorageSettings(), wrong)
        backup(folder, StorageSettings(backups=2), now=wrong)
        add(folder, "d", "set right again")
        assert due(folder, StorageSettings(), NOON + timedelta(hours=1))
        latest = backup(folder, StorageSettings(backups=2), now=NOON + timedelta(hours=1))
        assert [one.number for one in list_backups(folder)] == [3, 2]
        assert not due(folder, StorageSettings(), NOON + timedelta(hours=2))
        assert restore(folder, now=NOON + timedelta(hours=2)).source == latest

    def test_those_of_older_versions_stand_before_the_numbered(self, folder: Path) -> None:
        made = [backup(folder, now=NOON) for _ in range(3)]
        names = ("20990101T000000Z.zip", "20260305T120000Z.zip", "20260305T120000Z-1.zip")
        for path, name in zip(made, names, strict=True):
            path.rename(path.with_name(name))
        assert due(folder, StorageSettings(), NOON + timedelta(days=2)) is False
        add(folder, "c", "later")
        assert due(folder, StorageSettings(), NOON + timedelta(days=2))
        backup(folder, now=NOON + timedelta(days=2))
        assert [one.path.name for one in list_backups(folder)] == [
            "20260307T120000Z-0001.zip",
            "20260305T120000Z-1.zip",
            "20260305T120000Z.zip",
            "20990101T000000Z.zip",
        ]


class TestRestoring:
    def test_what_was_remembered_is_remembered_again(self, folder: Path) -> None:
        before = remembered(folder)
        path = backup(folder, now=NOON)
        add(folder, "c", "later")
        (folder / "role.json").write_text('{"name": "Somebody else"}')
        (folder / "card.png").unlink()
        done = restore(folder, path.name, now=NOON + timedelta(hours=1))
        assert remembered(folder) == before
        assert json.loads((folder / "role.json").read_text())["name"] == "Mira"
        assert (folder / "card.png").read_bytes() == b"\x89PNG card"
        assert done.files == ("card.png", "memory.json", "role.json", "worldbooks/港口.json")

    def test_what_stood_there_is_backed_up_first(self, folder: Path) -> None:
        path = backup(folder, now=NOON)
        add(folder, "c", "later")
        later = remembered(folder)
        done = restore(folder, path.name, now=NOON + timedelta(hours=1))
        restore(folder, done.saved.name, now=NOON + timedelta(hours=2))
        assert remembered(folder) == later

    def test_unknown_fields_come_back(self, folder: Path) -> None:
        path = backup(folder, now=NOON)
        (folder / "memory.json").write_text("{}")
        restore(folder, path, now=NOON + timedelta(hours=1))
        RoleStore(FileSpace(folder)).checkpoint()
        raw = json.loads((folder / "memory.json").read_text("utf-8"))
        assert raw["x-note"] == "mine"
        assert raw["episodic"][0] == {"id": "a", "content": "灯塔熄灭了", "x": 1}

    def test_lines_that_were_not_folded_yet_come_back_too(self, folder: Path) -> None:
        with RoleStore(FileSpace(folder)) as store:
            store.commit([Edit("add", "c", {"content": "in the journal only"})])
            before = remembered(folder)
            path = backup(folder, now=NOON, disk=RefusingDisk(0))
        assert any(name.startswith("journal/") for name in verified(path).files)
        with RoleStore(FileSpace(folder)) as store:
            store.commit([Edit("remove", "c"), Edit("remove", "a")])
        restore(folder, path, now=NOON + timedelta(hours=1))
        assert remembered(folder) == before

    def test_it_is_an_edit_that_can_be_undone(self, folder: Path) -> None:
        path = backup(folder, now=NOON)
        add(folder, "c", "later")
        later = remembered(folder)
        restore(folder, path.name, now=NOON + timedelta(hours=1))
        with RoleStore(FileSpace(folder)) as store:
            store.checkpoint()
            store.undo()
        assert remembered(folder) == later

    def test_a_store_that_is_open_sees_it(self, folder: Path) -> None:
        path = backup(folder, now=NOON)
        with RoleStore(FileSpace(folder)) as store:
            store.commit([Edit("add", "c", {"content": "later"})])
            restore(folder, path.name, now=NOON + timedelta(hours=1))
            assert "c" not in store.snapshot().memories
            store.commit([Edit("add", "d", {"content": "and on"})])
        assert set(remembered(folder)) == {"a", "b", "d"}

    def test_latest_is_the_newest_good_one(self, folder: Path) -> None:
        good = backup(folder, now=NOON)
        (folder / "memory.json").write_bytes(b"{")
        backup(folder, now=NOON + timedelta(hours=1))
        assert restore(folder, now=NOON + timedelta(hours=2)).source == good

    def test_one_whose_memories_were_broken_is_not_restored(self, folder: Path) -> None:
        (folder / "memory.json").write_bytes(b"{")
        path = backup(folder, now=NOON)
        with pytest.raises(FileError, match=r"its memory\.json cannot be read"):
            restore(folder, path.name)

    @pytest.mark.parametrize(
        "which", ["../x.zip", "/etc/passwd", "", "20260305T120001Z.zip", "..", "mine.zip"]
    )
    def test_only_this_roles_backups(self, which: str, folder: Path) -> None:
        backup(folder, now=NOON)
        with pytest.raises(UnsafePathError, match="no backup"):
            restore(folder, which)

    def test_a_role_without_backups(self, folder: Path) -> None:
        with pytest.raises(InvalidValueError, match="rolememory backup"):
            restore(folder)


HOSTILE = {
    "a path upwards": "../evil.json",
    "a path upwards inside": "worldbooks/../../evil.json",
    "an absolute path": "/evil.json",
    "a Windows path": "worldbooks\\..\\evil.json",
    "a drive": "C:evil.json",
    "a hidden folder name": "worldbooks/..",
    "a folder": "worldbooks/",
    "a chat outside": "chats/../a.jsonl",
    "a chat in a folder": "chats/a/b.jsonl",
    "a state file": "state/timers.json",
    "a template": "templates/x.jinja",
    "a stream": "memory.json:evil",
    "a zero byte": "worldbooks/a\x00.json",
    "another zip": "backups/20260305T120000Z.zip",
    "a lock": ".lock",
}


class TestDamaged:
    @pytest.mark.parametrize(
        "name", [pytest.param(name, id=told) for told, name in HOSTILE.items()]
    )
    def test_members_that_no_backup_has_are_refused(self, name: str, folder: Path) -> None:
        contents = verified(backup(folder, now=NOON)).files
        before = everything(folder.parent.parent)
        path = folder / "backups" / "20270101T000000Z.zip"
        manifest = {
            "files": {
                member: hashlib.sha256(data).hexdigest()
                for member, data in {**contents, name: b"x"}.items()
            }
        }
        zipped(path, {**contents, name: b"x", "manifest.json": json.dumps(manifest).encode()})
        with pytest.raises(FileError):
            restore(folder, path.name)
        path.unlink()
        assert everything(folder.parent.parent) == before

    def test_a_bomb_is_not_unpacked(self, folder: Path) -> None:
        path = folder / "backups" / "20270101T000000Z.zip"
        path.parent.mkdir()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("manifest.json", json.dumps({"files": {"memory.json": "0"}}))
            archive.writestr("memory.json", b"\x00" * 3_000_000)
        with pytest.raises(FileError, match="larger than it may be"):
            verified(path, StorageSettings(max_file_mb=1.0))

    def test_a_list_that_leaves_something_out(self, folder: Path) -> None:
        path = folder / "backups" / "20270101T000000Z.zip"
        path.parent.mkdir()
        for manifest in (
            b'{"files": {}}',
            b"[]",
            b"{",
            b'{"files": {"memory.json": "0"}}',
            b'{"files": {"memory.json": 7}}',
        ):
            zipped(path, {"memory.json": b"{}", "manifest.json": manifest})
            with pytest.raises(FileError, match="damaged"):
                verified(path)
        zipped(path, {"memory.json": b"{}"})
        with pytest.raises(FileError, match="damaged"):
            verified(path)

    def test_no_changed_byte_goes_unnoticed(self, tmp_path: Path) -> None:
        files = {"memory.json": b'{"episodic": ["x"]}', "role.json": b'{"name": "Mira"}'}
        sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        path = tmp_path / "flipped.zip"
        zipped(path, {"manifest.json": json.dumps({"files": sums}).encode(), **files})
        whole = path.read_bytes()
        for at in range(len(whole)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
            with contextlib.suppress(FileError):
                assert verified(path).files == files


def test_chats_go_along_and_going_back_unsays_nothing(tmp_path: Path) -> None:
    from rolememory.chats import Chats
    from rolememory.schema.message import Message

    folder = tmp_path / "00000000-0000-4000-8000-000000000001"
    folder.mkdir()
    with RoleStore(FileSpace(folder)) as store:
        store.commit([Edit("add", "a", {"content": "The beacon is dark."})])
    chats = Chats(FileSpace(folder))
    chats.observe([Message.user("One.")], chat="kept", user="lin")
    chats.observe([Message.user("Two.")], chat="lost", user="lin")
    backup(folder)
    chats.observe([Message.user("One."), Message.assistant("And more.")], chat="kept", user="lin")
    chats.remove("lost")
    restore(folder)
    again = Chats(FileSpace(folder))
    assert [said.text for said in again.path("kept")] == ["One.", "And more."]
    assert [said.text for said in again.path("lost")] == ["Two."]
