"""A role's folder is deleted while others write, and with a process that is killed on the way."""

import threading
from pathlib import Path

import pytest

from rolememory.errors import DeletedRoleError
from rolememory.storage.files import atomic
from rolememory.storage.files.disk import DISK, Disk
from rolememory.storage.files.space import DELETED, FileStorage
from rolememory.storage.port import Revision
from rolememory.storage.state import StateLog
from tests.storage.conformance.places import ROLE, on_thread
from tests.storage.test_interleavings import Killed, KillingDisk

FILES = {"role.json": b'{"name":"Mira"}', "memory.json": b"[]"}


class _MovingDisk(Disk):
    """Another process moves the folder away right after this one saw it."""

    def mark(self, path: Path) -> Revision | None:
        """Seen, then moved."""
        seen = super().mark(path)
        if path.name == ROLE and seen:
            self.replace(path, path.with_name("elsewhere"))
        return seen


def _filled(path: Path) -> FileStorage:
    storage = FileStorage(path)
    storage.create(ROLE, FILES)
    return storage


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != atomic.LOCK}


@pytest.mark.parametrize("for_good", [False, True], ids=["to be restored", "for good"])
@pytest.mark.parametrize("before", [False, True], ids=["first", "again"])
def test_of_a_kill_on_the_way_no_half_role_remains(
    tmp_path: Path, for_good: bool, before: bool
) -> None:
    states, survived = list[tuple[int, int]](), False
    while not survived:
        at = len(states) + 1
        home = tmp_path / str(at)
        storage = _filled(home)
        if before:
            storage.delete(ROLE)
            storage.create(ROLE, FILES)
        try:
            dying = FileStorage(home, KillingDisk(at, lasting=True))
            dying.delete(ROLE)
            if for_good:
                dying.purge(ROLE)
            survived = True
        except Killed:
            pass
        after = FileStorage(home)
        found = [*map(after.role, after.roles()), *after.deleted()]
        assert all(_files(space.folder) == FILES for space in found)
        states.append((len(after.roles()), len(after.deleted())))
        after.delete(ROLE)
        after.purge(ROLE)
        assert list((home / DELETED).iterdir()) == []
        assert not (home / ROLE).exists()
    assert states[0][0] == 1
    assert states[-1] == (0, int(not for_good))


def test_who_waits_for_the_lock_of_a_role_is_told_that_it_was_deleted(tmp_path: Path) -> None:
    space, told = _filled(tmp_path).role(ROLE), list[DeletedRoleError]()

    def wait() -> None:
        with pytest.raises(DeletedRoleError) as error, space.lock():
            pass
        told.append(error.value)

    with atomic.locked(space.folder):
        waiting = on_thread(wait)
        DISK.replace(space.folder, tmp_path / "elsewhere")
        waiting.join(60)
    assert told
    assert not space.exists()


def test_a_lock_makes_no_folder_that_was_moved_just_now(tmp_path: Path) -> None:
    _filled(tmp_path)
    space = FileStorage(tmp_path, _MovingDisk()).role(ROLE)
    with pytest.raises(DeletedRoleError), space.lock():
        pass
    assert not space.exists()


def test_what_waits_to_be_written_is_given_up_once_the_role_is_deleted(tmp_path: Path) -> None:
    storage = _filled(tmp_path)
    state = StateLog(storage.role(ROLE), "clock", rest_s=0.05)
    state.put("turn", {"number": 1})
    writing = [one for one in threading.enumerate() if one.name == "state clock"]
    storage.delete(ROLE)
    for thread in writing:
        thread.join(60)
    assert not any(thread.is_alive() for thread in writing)
    state.close()
    assert storage.roles() == []
