"""Rotating backups of a role: one zip each, written atomically, verified when made and before use."""

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from rolememory.errors import FileError, InvalidValueError, NotWrittenError, UnsafePathError
from rolememory.locales import Listed, LocalizedText, localized
from rolememory.schema.json_types import JsonObject
from rolememory.schema.settings import StorageSettings
from rolememory.schema.value_class import value_class
from rolememory.storage.files import atomic
from rolememory.storage.files.disk import DISK, Disk
from rolememory.storage.files.log import ENDING, parsed
from rolememory.storage.files.space import FileSpace
from rolememory.storage.in_memory import InMemorySpace
from rolememory.storage.memories import RoleStore
from rolememory.storage.memory_file import BrokenFileError, read

FOLDER = "backups"
MANIFEST = "manifest.json"
MEMORY = "memory.json"
_NAME = re.compile(
    r"(?P<stamp>\d{8}T\d{6}Z)(?:-(?P<number>\d{4,9})|-(?P<again>\d{1,3}))?\.zip", re.ASCII
)  # ordered by number, whatever the clock; older versions had none, but `again` within one second
_MEMBER = re.compile(
    r"memory\.json|role\.json|card\.(?:png|json|charx|jpg|jpeg|webp)|journal/\d{1,18}\.jsonl|chats/[^/\\:\x00-\x1f]{1,200}\.jsonl|worldbooks/(?![. ]+$)[^/\\:\x00-\x1f]{1,200}"
)
_MOST_MEMBERS = 2000
_SETTINGS = StorageSettings()
_DATE = (1980, 1, 1, 0, 0, 0)  # of every member, so that equal content gives equal bytes


@value_class
class Backup:
    """One backup, described by its file name; `verified` reads it."""

    path: Path
    made: datetime
    size: int  # bytes
    number: int = 0  # counts the role's backups, in order of creation

    def age(self, now: datetime) -> timedelta:
        """Its age, at least zero even if the clock was set back."""
        return max(now - self.made, timedelta())


@value_class
class BackupContents:
    """The verified content of a backup. `problem`: why its memory.json could not be read when it was made."""

    made: str
    files: Mapping[str, bytes]
    problem: str = ""


@value_class
class Restored:
    """The result of a restore: the backup used, the backup of the state before, the files written."""

    source: Path
    saved: Path
    files: tuple[str, ...]


def list_backups(folder: Path) -> list[Backup]:
    """The backups of a role, newest first, by number. Those without are sorted by time stamp, future ones last."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    found = []
    for name in DISK.names(folder / FOLDER):
        match, mark = _NAME.fullmatch(name), DISK.mark(folder / FOLDER / name)
        if match and mark:
            with suppress(ValueError):
                made = datetime.strptime(match["stamp"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
                number = int(match["number"] or 0)
                order = (number, made < tomorrow, made, int(match["again"] or 0))
                found.append((order, Backup(folder / FOLDER / name, made, mark.size, number)))
    return [backup for _, backup in sorted(found, key=lambda row: row[0], reverse=True)]


def due(folder: Path, settings: StorageSettings, now: datetime) -> bool:
    """Whether a backup is due: the newest is old enough, and memory.json or role.json changed since.

    One from the far future means a wrong clock and does not count as recent.
    """
    newest = next(iter(list_backups(folder)), None)
    if settings.backups == 0 or not (folder / MEMORY).exists():
        return False
    if newest is None:
        return True
    if abs(now - newest.made) < timedelta(hours=settings.backup_every_h):
        return False
    try:
        kept = verified(newest.path, settings).files
    except FileError:
        return True
    return any(
        kept.get(name) != DISK.read(folder / name)
        for name in (MEMORY, "role.json")
        if DISK.mark(folder / name)
    )


def backup(
    folder: Path,
    settings: StorageSettings = _SETTINGS,
    *,
    now: datetime | None = None,
    disk: Disk = DISK,
) -> Path:
    """Make and verify a backup; delete old ones beyond the limit, but not the newest good one.

    A broken memory.json is kept byte for byte.
    Raises: InvalidValueError if there is no such role, NotWrittenError if writing or verifying failed.
    """
    path = _made(folder, settings, now or datetime.now(UTC), disk)
    _rotate(folder, max(settings.backups, 1), {path}, settings)
    return path


def restore(
    folder: Path,
    which: str | Path = "latest",
    settings: StorageSettings = _SETTINGS,
    *,
    now: datetime | None = None,
    disk: Disk = DISK,
) -> Restored:
    """Restore a backup, after a backup of the current state. `which`: a name from `list_backups`, or `latest` (the newest good one).

    It counts as an external edit: the journal continues, and `undo` works. Files that the backup lacks stay.
    Raises: FileError if the backup is damaged, UnsafePathError if it is not one of this role's, NotWrittenError.
    """
    source = _chosen(folder, which, settings)
    contents = verified(source, settings)
    if contents.problem:
        raise FileError(
            source,
            "its memory.json cannot be read: {reason}",
            remedy="take an earlier one",
            reason=contents.problem,
        )
    files = _standing_alone(contents.files)
    saved = _made(folder, settings, now or datetime.now(UTC), disk)
    with atomic.locked(folder):
        for name in sorted(files, key=lambda name: (name == MEMORY, name)):
            if not (
                name.startswith("chats/") and disk.mark(folder / name)
            ):  # chats are not rolled back
                _put(folder, name, files[name], disk)
    _rotate(folder, max(settings.backups, 1), {source, saved}, settings)
    return Restored(source, saved, tuple(sorted(files)))


def verified(path: Path, settings: StorageSettings = _SETTINGS) -> BackupContents:
    """The backup's content, after all checks: known members only, sizes and checksums as in the manifest.

    Raises: FileError.
    """
    limit = int(settings.max_file_mb * 1e6)
    try:
        if path.stat().st_size > limit:
            raise FileError(
                path,
                "larger than {limit} MB",
                remedy="raise storage.max_file_mb",
                limit=limit // 10**6,
            )
        with zipfile.ZipFile(path) as archive:
            return _checked(path, archive, limit)
    except FileError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        RuntimeError,
        KeyError,
        TypeError,
        ValueError,
    ) as error:
        raise _refused(path, "damaged: {error}", error=error) from error


def _checked(path: Path, archive: zipfile.ZipFile, limit: int) -> BackupContents:
    manifest = _manifest(path, archive)
    files: dict[str, bytes] = {}
    for name, told in manifest["files"].items():
        files[name] = _member(archive, name, limit - sum(map(len, files.values())))
        if _sum(files[name]) != told:
            raise _refused(path, "damaged: {name} is not what was put in", name=name)
    return BackupContents(str(manifest.get("made", "")), files, _unreadable(files.get(MEMORY)))


def _manifest(path: Path, archive: zipfile.ZipFile) -> JsonObject:
    """The manifest of a backup, if it matches the members."""
    names = archive.namelist()
    _check_names(path, names)
    found = orjson.loads(_member(archive, MANIFEST, 2**20)) if MANIFEST in names else None
    manifest: JsonObject = found if isinstance(found, dict) else {}
    listed = manifest.get("files")
    if not isinstance(listed, dict) or set(listed) != set(names) - {MANIFEST}:
        raise _refused(path, "damaged: its list of files is not what it holds")
    return manifest


def _check_names(path: Path, names: Sequence[str]) -> None:
    strange = next(
        (name for name in names if name != MANIFEST and not _MEMBER.fullmatch(name)), None
    )
    if strange is not None or len(set(names)) != len(names) or len(names) > _MOST_MEMBERS:
        told = ascii(strange or "a name twice")[:80]
        raise _refused(path, "holds what no backup holds: {told}", told=told)


def _refused(path: Path, problem: str, **values: object) -> FileError:
    return FileError(path, localized(problem, "", **values), remedy="take another backup")


def _member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """The bytes of a member, at most `limit`; its declared size is not trusted."""
    with archive.open(name) as member:
        data = member.read(limit + 1)
    if len(data) > limit:
        raise zipfile.BadZipFile(f"{name} is larger than it may be")
    return data


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _unreadable(memory: bytes | None) -> str:
    try:
        read(memory, ours=True) if memory is not None else None
    except BrokenFileError as error:
        return error.problems[0].text()
    return ""


def _made(folder: Path, settings: StorageSettings, now: datetime, disk: Disk) -> Path:
    """A new backup of the current state, read back and compared."""
    if not folder.is_dir():
        raise InvalidValueError(
            "{folder}: no such role; `rolememory roles` lists them", folder=folder
        )
    with suppress(OSError):  # otherwise the changes are in the journal, which is included
        RoleStore(FileSpace(folder, disk=disk), settings).checkpoint()
    with atomic.locked(folder):
        files = _gathered(folder)
    path = _free(folder, now)
    with atomic.refusals(path.parent):
        disk.mkdir(path.parent)
    atomic.write(path, packed(files, now.astimezone(UTC).isoformat()), disk)
    if verified(path, settings).files != files:
        raise NotWrittenError(
            "{path}: the disk gave back something else than was written", path=path
        )
    return path


def _gathered(folder: Path) -> dict[str, bytes]:
    """The files of a role for a backup: what people made, and the end of the journal."""
    names = [
        f"{inner}{name}"
        for inner in ("", "worldbooks/", "chats/")
        for name in DISK.names(folder / inner)
        if (folder / inner / name).is_file() and not atomic.is_ours(name)
    ]
    files = {name: DISK.read(folder / name) for name in sorted(names) if _MEMBER.fullmatch(name)}
    tail = _tail(folder, files.get(MEMORY))
    return files | {name: DISK.read(folder / name) for name in tail}


def _tail(folder: Path, memory: bytes | None) -> list[str]:
    """The journal's files that may contain records which memory.json lacks."""
    try:
        through = (read(memory, ours=True).through or 0) if memory else 0
    except BrokenFileError:
        through = 0
    segments = {
        int(name.removesuffix(ENDING)): f"journal/{name}"
        for name in DISK.names(folder / "journal")
        if re.fullmatch(r"\d{1,18}\.jsonl", name, re.ASCII)
    }
    begin = max((first for first in segments if first <= through + 1), default=0)
    return [segments[first] for first in sorted(segments) if first >= begin]


def packed(files: Mapping[str, bytes], made: str) -> bytes:
    """The bytes of a backup with these files; `made` is an ISO time."""
    manifest = {
        "version": 1,
        "made": made,
        "files": {name: _sum(data) for name, data in files.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {MANIFEST: orjson.dumps(manifest), **files}.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _free(folder: Path, now: datetime) -> Path:
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    number = max((one.number for one in list_backups(folder)), default=0) + 1
    return folder / FOLDER / f"{stamp}-{number:04}.zip"


def _chosen(folder: Path, which: str | Path, settings: StorageSettings) -> Path:
    if str(which) == "latest":
        return _latest(folder, settings)
    names = {backup.path.name: backup.path for backup in list_backups(folder)}
    name = which.name if isinstance(which, Path) else which
    found = names.get(name) or names.get(f"{name}.zip")
    if found is None or (isinstance(which, Path) and which.resolve() != found.resolve()):
        told = ascii(str(which))[:80]
        raise UnsafePathError(
            "no backup {told} of this role (there are: {names})",
            told=told,
            names=Listed(names or [LocalizedText("none")]),
        )
    return found


def _latest(folder: Path, settings: StorageSettings) -> Path:
    """The newest restorable backup."""
    found = next((one.path for one in list_backups(folder) if _good(one.path, settings)), None)
    if found is None:
        raise InvalidValueError(
            "{folder}: no backup that can be restored; `rolememory backup` makes one",
            folder=folder / FOLDER,
        )
    return found


def _good(path: Path, settings: StorageSettings) -> bool:
    try:
        return not verified(path, settings).problem
    except FileError:
        return False


def _rotate(folder: Path, keep: int, spared: set[Path], settings: StorageSettings) -> None:
    """Delete the oldest beyond `keep`, but never the newest good one; failures are ignored."""
    paths = [backup.path for backup in list_backups(folder)]
    if len(paths) <= keep:
        return
    newest_good = next((path for path in paths if _good(path, settings)), None)
    for path in paths[keep:]:
        if path != newest_good and path not in spared:
            atomic.drop(path)


def _standing_alone(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files to write: memory.json checkpointed and without a seq, so that it is taken as a whole."""
    rest = {name: data for name, data in files.items() if not name.startswith("journal/")}
    if MEMORY not in rest:
        return rest
    alone = unpacked(files)
    with RoleStore(alone) as store:
        store.checkpoint()
    return rest | {MEMORY: whole(alone.document(MEMORY).read())}


def unpacked(files: Mapping[str, bytes]) -> InMemorySpace:
    """An in-memory space with the memories and journal of a backup."""
    alone = InMemorySpace()
    alone.document(MEMORY).put(files[MEMORY])
    for name, data in files.items():
        if name.startswith("journal/"):
            log = alone.log(name.removesuffix(ENDING))
            log.rewrite([append.lines for append in parsed(data)[0]])
    return alone


def whole(data: bytes) -> bytes:
    """The bytes of a memory.json without its seq, so that it is taken as a whole."""
    document: Any = json.loads(data)
    if not isinstance(document, dict) or "through" not in document:
        return data
    del document["through"]
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def _put(folder: Path, name: str, data: bytes, disk: Disk) -> None:
    path = folder / name
    disk.mkdir(path.parent)
    if path.parent.resolve() not in (
        folder.resolve(),
        folder.resolve() / "worldbooks",
        folder.resolve() / "chats",
    ):
        raise UnsafePathError(
            "{parent}: is a link that leads elsewhere; nothing was written there",
            parent=path.parent,
        )
    atomic.write(path, data, disk)
