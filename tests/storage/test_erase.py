"""Forgetting one person: no trace of the user's words is left in any file of the role; everybody else's stay."""

from pathlib import Path

import pytest

from rolememory.errors import ReadOnlyRoleError
from rolememory.schema.memory import MemoryType
from rolememory.storage.erase import Erased, Ids, PersonTraces, RemainingLog, erase
from rolememory.storage.files.backup import backup, list_backups, restore, verified
from rolememory.storage.files.space import FileSpace
from rolememory.storage.memories import Edit, RoleStore
from rolememory.text.names import PersonNames

LIN, MEI = "Lin keeps a silver key", "Mei keeps a copper bell"


def role(tmp_path: Path) -> Path:
    """A role with memories of two users, an edit, a deletion, two backups and a conflict copy."""
    folder = tmp_path / "00000000-0000-4000-8000-000000000001"
    folder.mkdir()
    with RoleStore(FileSpace(folder)) as store:
        store.commit(
            [
                _add("lin-1", LIN, "lin"),
                _add("mei-1", MEI, "mei"),
                _add("all-1", "The beacon is dark.", None),
            ]
        )
        store.commit([_add("lin-2", f"{LIN} and a red boat", "lin")])
        store.checkpoint(force=True)
        backup(folder)
        store.commit(
            [Edit("set", "lin-1", {"content": f"{LIN} no more"}), Edit("remove", "lin-2", {})]
        )
        store.checkpoint(force=True)
        backup(folder)
    (folder / "memory.conflict-20250101-120000.json").write_bytes(
        (folder / "memory.json").read_bytes()
    )
    return folder


def forget(folder: Path) -> Erased:
    """Lin is forgotten; there are no chats."""
    names = PersonNames(["lin"])
    return erase(
        FileSpace(folder), PersonTraces(names, Ids(names, ()), lambda lines: RemainingLog("", {}))
    )


def _add(memory_id: str, content: str, user: str | None) -> Edit:
    return Edit("add", memory_id, {"content": content, "user": user}, MemoryType.SEMANTIC)


def everything(folder: Path) -> str:
    """Every text in the folder, those inside backups too."""
    plain = [
        path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".zip"
    ]
    packed = [data for one in list_backups(folder) for data in verified(one.path).files.values()]
    return b"\n".join([*plain, *packed]).decode("utf-8", "replace")


def test_a_forgotten_user_leaves_no_trace_and_the_others_stay(tmp_path: Path) -> None:
    folder = role(tmp_path)
    assert "silver key" in everything(folder)
    erased = forget(folder)
    left = everything(folder)
    assert "silver" not in left
    assert '"lin"' not in left
    assert erased.memories == 1
    assert erased.backups == 2
    assert erased.left == ()
    assert {
        memory.content for memory in RoleStore(FileSpace(folder)).snapshot().memories.values()
    } == {
        MEI,
        "The beacon is dark.",
    }


def test_what_is_left_works_on(tmp_path: Path) -> None:
    folder = role(tmp_path)
    forget(folder)
    restore(folder, "latest")
    with RoleStore(FileSpace(folder)) as store:
        store.commit([_add("mei-2", "Mei went home.", "mei")])
        assert "mei-2" in store.snapshot().memories
        assert not store.snapshot().problems
        assert {line.id for line in store.history()} >= {"mei-2"}
        assert all(not line.id.startswith("lin") for line in store.history())
    standing = RoleStore(FileSpace(folder)).snapshot().memories.values()
    assert [one for one in standing if one.user == "lin"] == []


def test_history_of_the_others_survives(tmp_path: Path) -> None:
    folder = role(tmp_path)
    forget(folder)
    with RoleStore(FileSpace(folder)) as store:
        assert [line.op for line in store.history("mei-1")] == ["add"]


def test_forgetting_twice_is_forgetting_once(tmp_path: Path) -> None:
    folder = role(tmp_path)
    forget(folder)
    again = forget(folder)
    assert (again.memories, again.lines) == (0, 0)


def test_an_open_store_sees_it(tmp_path: Path) -> None:
    folder = role(tmp_path)
    with RoleStore(FileSpace(folder)) as store:
        assert "lin-1" in store.snapshot().memories
        forget(folder)
        assert "lin-1" not in store.snapshot().memories
        store.commit([_add("mei-2", "Mei went home.", "mei")])
        assert not store.snapshot().problems


def test_a_damaged_backup_is_removed_since_nobody_can_search_it(tmp_path: Path) -> None:
    folder = role(tmp_path)
    newest = list_backups(folder)[0].path
    newest.write_bytes(newest.read_bytes()[:200])
    forget(folder)
    assert not newest.exists()


def test_a_copy_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = role(tmp_path)
    (folder / "memory.conflict-20250101-120000.json").write_text("{", encoding="utf-8")
    assert forget(folder).left == ("memory.conflict-20250101-120000.json",)


def test_a_broken_file_is_not_searched(tmp_path: Path) -> None:
    folder = role(tmp_path)
    (folder / "memory.json").write_text("{", encoding="utf-8")
    with pytest.raises(ReadOnlyRoleError, match=r"memory\.json"):
        forget(folder)
    assert (folder / "memory.json").read_text(encoding="utf-8") == "{"
