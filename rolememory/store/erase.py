"""Forgetting one person for good: the memories of a user leave the file, the journal, every backup and every copy of a role.

What cannot be searched (a damaged backup, a copy nobody can read) is removed where it is ours and told where it is not.
Chats, usage, review and vectors have their own files; `engine` asks their owners.
"""

import json
import zipfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from rolememory.errors import FileError, ReadOnlyRoleError
from rolememory.schema.memory import Memory
from rolememory.schema.settings import StorageSettings
from rolememory.store import atomic
from rolememory.store.backup import MEMORY, list_backups, packed, verified, whole
from rolememory.store.disk import DISK, Disk
from rolememory.store.document import BrokenFileError
from rolememory.store.lines import Line, closed, committed, encoded
from rolememory.store.memories import Edit, RoleStore

_COPIES = "memory.conflict-*.json"


@dataclass(frozen=True, slots=True)
class Erased:
    """What went: how many memories, journal lines and backups were touched, and files that could not be read and are left."""

    memories: int = 0
    lines: int = 0
    backups: int = 0
    left: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()  # ids
    waiting: int = 0  # drafts that waited for a person
    ids: tuple[str, ...] = ()  # of memories that were ever the user's


def erase(folder: Path, user: str, settings: StorageSettings | None = None, *, disk: Disk = DISK) -> Erased:
    """Remove everything that is this user's from the memories of a role, their history and their backups.

    Raises:
        ReadOnlyRoleError: memory.json is broken, so nobody can tell what is whose; nothing was changed.
        NotWrittenError: the disk refused; do it again, what is gone stays gone.
    """
    settings = settings or StorageSettings()
    ids = _ids_ever(folder, user, disk)
    with RoleStore(folder, settings, disk=disk) as store:
        gone = _remove(store, user)
        ids |= gone
    with atomic.locked(folder):
        lines = sum(_strip_segment(path, ids, disk) for path in sorted((folder / "journal").glob("*.jsonl")))
        atomic.drop(folder / "memory.json.prev", disk)
        left = tuple(path.name for path in sorted(folder.glob(_COPIES)) if not _strip_copy(path, user, ids, disk))
    backups = sum(_strip_backup(one.path, user, settings, disk) for one in list_backups(folder))
    return Erased(len(gone), lines, backups, left, ids=tuple(sorted(ids)))


def _ids_ever(folder: Path, user: str, disk: Disk) -> set[str]:
    """Ids of memories that were this user's at any time the journal knows of."""
    return {line.id for path in (folder / "journal").glob("*.jsonl") for line in _lines(path, disk) if user in line.fields.get("user", ())}


def _lines(path: Path, disk: Disk) -> list[Line]:
    return [] if path.name == "conflicts.jsonl" else committed(disk.read(path)).lines


def _remove(store: RoleStore, user: str) -> set[str]:
    snapshot = store.snapshot()
    if not snapshot.writable:
        told = snapshot.problems[0] if snapshot.problems else None
        raise ReadOnlyRoleError(
            f"{store.folder}: nobody can be forgotten until memory.json is mended: {told.text() if told else ''}",
            zh=f"{store.folder}：改好 memory.json 之前无法删除任何人的数据：{told.text('zh') if told else ''}",
        )
    gone = {memory.id for memory in snapshot.memories.values() if memory.user == user}
    store.commit([Edit("remove", one, {}, reason="forget") for one in gone], actor="forget")
    store.fold(force=True)
    return gone


def _strip_segment(path: Path, ids: Collection[str], disk: Disk) -> int:
    """Take the lines about these memories out of a journal file; how many went."""
    if path.name == "conflicts.jsonl":
        data = disk.read(path)
        kept = b"".join(row for row in data.splitlines(keepends=True) if not any(f'"{one}"'.encode() in row for one in ids))
        if kept != data:
            atomic.write(path, kept, disk)
        return 0
    lines = _lines(path, disk)
    kept_lines = [line for line in lines if line.id not in ids]
    if len(kept_lines) != len(lines):
        atomic.write(path, b"".join(map(encoded, _transactions(kept_lines))), disk)
    return len(lines) - len(kept_lines)


def _transactions(lines: list[Line]) -> Iterator[Line]:
    """The lines with every transaction closed again."""
    for _, together in groupby(lines, key=lambda line: line.txn):
        yield from closed([replace(line, commit=0) for line in together])


def _strip_copy(path: Path, user: str, ids: Collection[str], disk: Disk) -> bool:
    """Take the user's memories out of a conflict copy; false when it cannot be read."""
    with TemporaryDirectory(prefix="rolememory-") as name:
        try:
            data = _stripped({MEMORY: disk.read(path)}, user, Path(name))
        except (OSError, BrokenFileError, FileError, ReadOnlyRoleError):
            return False
    atomic.write(path, data, disk)
    return True


def _strip_backup(path: Path, user: str, settings: StorageSettings, disk: Disk) -> bool:
    """Write a backup anew without the user's memories; one that cannot be searched is removed. True when it was touched."""
    try:
        contents = verified(path, settings)
        if not _holds(contents.files, user):
            return False
        with TemporaryDirectory(prefix="rolememory-") as name:
            memory = _stripped(contents.files, user, Path(name))
    except (FileError, BrokenFileError, ReadOnlyRoleError, OSError, zipfile.BadZipFile):
        atomic.drop(path, disk)
        return True
    kept = {member: data for member, data in contents.files.items() if not _is_of(member, data, user)}
    rest = {member: data for member, data in kept.items() if not member.startswith("journal/")}
    atomic.write(path, packed(rest | {MEMORY: memory}, contents.made), disk)
    return True


def _is_of(member: str, data: bytes, user: str) -> bool:
    """Whether a member is a chat of this user's; one whose first line cannot be read may be, and goes."""
    if not member.startswith("chats/"):
        return False
    try:
        return bool(json.loads(data.partition(b"\n")[0])["head"].get("user") == user)
    except (ValueError, KeyError, AttributeError, TypeError):
        return True


def _holds(files: Mapping[str, bytes], user: str) -> bool:
    """Whether a backup may hold something of this user's; decided by its text, so that it is never missed."""
    spelt = {user, json.dumps(user)[1:-1]}
    return any(
        one.encode() in data for name, data in files.items() if name == MEMORY or name.startswith(("journal/", "chats/")) for one in spelt
    )


def _stripped(files: Mapping[str, bytes], user: str, here: Path) -> bytes:
    """The memory.json of these files without the user's memories, the journal's end folded in; it then stands by itself."""
    (here / "journal").mkdir()
    for name, data in files.items():
        if name == MEMORY or name.startswith("journal/"):
            (here / name).write_bytes(data)
    with RoleStore(here) as store:
        _remove(store, user)
    return whole((here / MEMORY).read_bytes())


def memories_of(folder: Path, user: str) -> list[Memory]:
    """What would be forgotten: the user's memories as they stand."""
    return [memory for memory in RoleStore(folder).snapshot().memories.values() if memory.user == user]
