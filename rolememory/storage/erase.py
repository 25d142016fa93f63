"""Erases one person: from a role's file, journal, backups and copies.

Memories of others stay, without the person's name.
Unreadable files are removed if they are ours (damaged backups), else reported (conflict copies).
Chats, usage, review and vectors have their own files; `engine` calls their owners.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from rolememory.errors import FileError, ReadOnlyRoleError
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.memory import Memory
from rolememory.schema.settings import StorageSettings
from rolememory.schema.value_class import value_class
from rolememory.storage.checkpoint import CONFLICTS
from rolememory.storage.codec import fields_of
from rolememory.storage.committed_state import PREVIOUS
from rolememory.storage.files import atomic
from rolememory.storage.files.backup import MEMORY, list_backups, packed, unpacked, verified, whole
from rolememory.storage.files.disk import DISK, Disk
from rolememory.storage.files.log import ENDING, framed, lines_of
from rolememory.storage.files.space import FileSpace
from rolememory.storage.in_memory import InMemorySpace
from rolememory.storage.journal import Journal
from rolememory.storage.journal_records import JournalRecord
from rolememory.storage.memories import Edit, RoleStore
from rolememory.storage.memory_file import BrokenFileError
from rolememory.storage.port import Space, Storage
from rolememory.storage.vectors import VECTORS
from rolememory.text.names import PersonNames

ACTOR = "forget"
_COPIES = "memory.conflict-"
_WORDS = frozenset(("keys", "secondary_keys", "topics", "tags"))  # lists of words that stand alone
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_QUOTED = 8  # minimum length of a quotation


@value_class
class Erased:
    """What was erased: numbers of memories, journal records and backups, and files that still name the person."""

    memories: int = 0
    lines: int = 0
    backups: int = 0
    left: tuple[str, ...] = ()  # names of files written by an author, or unreadable
    chats: tuple[str, ...] = ()  # ids of removed chats
    messages: int = 0  # removed from chats shared with others
    waiting: int = 0  # removed drafts
    ids: tuple[str, ...] = ()  # of memories that were ever the person's


class Ids:
    """Maps ids to ids without the person's name: stable, and never to one in use."""

    def __init__(self, names: PersonNames, taken: Iterable[str]) -> None:
        self._names, self._taken = names, set(taken)
        self._given: dict[str, str] = {}

    def __call__(self, old: str) -> str:
        """The new id; unchanged if it does not name the person."""
        if old not in self._given:
            stem, number = self._names.masked(old), 1
            new = stem
            while new != old and new in self._taken:
                number += 1
                new = f"{stem}-{number}"
            self._taken.add(new)
            self._given[old] = new
        return self._given[old]


@value_class
class RemainingLog:
    """What is left of the log of a chat."""

    chat: str  # its old id; "" = unknown
    words: Mapping[str, str]  # removed text, by version
    log: str = ""  # its new name; "" = the chat is removed
    lines: tuple[bytes, ...] = ()


Clear = Callable[[Sequence[bytes]], RemainingLog]
"""Removes the person from the lines of a chat's log."""


@value_class
class PersonTraces:
    """Traces of one person in a role, and methods that remove them from values."""

    names: PersonNames
    ids: Ids
    clear: Clear
    chats: frozenset[str] = frozenset()  # removed ones
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by chat: version -> text

    def with_chats(self, chats: Iterable[RemainingLog]) -> "PersonTraces":
        """A copy that includes what is removed from these chats."""
        found = tuple(chats)
        gone = {one.chat for one in found if not one.log}
        words = {one.chat: {**self.words.get(one.chat, {}), **one.words} for one in found}
        return replace(self, chats=self.chats | gone, words={**self.words, **words})

    def takes(self, fields: JsonMapping) -> bool:
        """Whether a memory with these fields is the person's, about them, or based only on their words."""
        user, subject, supports = (fields.get(name) for name in ("user", "subject", "evidence"))
        rests = isinstance(supports, list) and len(supports) > 0
        return (
            user in self.names.all
            or self.names.are(subject if isinstance(subject, str) else None)
            or (rests and not self.standing(supports))
        )

    def standing(self, supports: Any) -> list[Any]:
        """The evidence of a memory that is not the person's words."""
        return [one for one in supports if not (isinstance(one, dict) and self._rests(one))]

    def fields(self, fields: JsonMapping, gone: Collection[str] = ()) -> JsonObject:
        """The fields of a memory or draft without the person; `gone`: ids of removed memories."""
        return {name: self.value(name, value, gone) for name, value in fields.items()}

    def value(self, name: str, value: Any, gone: Collection[str] = ()) -> Any:
        """One field of a memory without the person."""
        if not isinstance(value, list):
            return self.plain(value)
        if name == "evidence":
            return [self._support(one) for one in self.standing(value)]
        if name in ("supersedes", "rests_on"):
            return [self.ids(one) for one in value if one not in gone]
        if name in _WORDS:
            return [one for one in value if not self._is_named(one)]
        return self.plain(value)

    def _is_named(self, value: Any) -> bool:
        """Whether a text names the person."""
        return isinstance(value, str) and bool(self.names.found(value))

    def plain(self, value: Any) -> Any:
        """A JSON value with the name masked; field names stay."""
        if isinstance(value, str):
            return self.names.masked(value)
        if isinstance(value, list):
            return [self.plain(one) for one in value]
        if isinstance(value, dict):
            return {name: self.plain(one) for name, one in value.items()}
        return value

    def reason(self, text: str) -> str:
        """The reason of a change with the name masked; "" if it quotes the person."""
        quote = text.partition(": ")[2]
        said = (words for one in self.words.values() for words in one.values())
        quotes = len(quote) >= _QUOTED and any(quote in words for words in said)
        return "" if quotes else self.names.masked(text)

    def _rests(self, support: JsonMapping) -> bool:
        chat, also = str(support.get("chat", "")), support.get("also")
        versions = str(support.get("version", "")).split("+")
        return (
            chat in self.chats
            or not self.words.get(chat, {}).keys().isdisjoint(versions)
            or (isinstance(also, list) and len(self.standing(also)) < len(also))
        )

    def _support(self, support: Any) -> Any:
        if not isinstance(support, dict):
            return self.plain(support)
        found = {name: self.plain(value) for name, value in support.items()}
        chat, also = support.get("chat"), support.get("also")
        return (
            found
            | ({"chat": self.ids(chat)} if isinstance(chat, str) else {})
            | ({"also": [self._support(one) for one in also]} if isinstance(also, list) else {})
        )


def erase(space: Space, traces: PersonTraces, settings: StorageSettings | None = None) -> Erased:
    """Erase one person from a role's memories, history, conflict copies and backups.

    Raises:
        ReadOnlyRoleError: memory.json is broken, so owners are unknown; nothing was changed.
        NotWrittenError: the disk refused; call again, what is erased stays erased.
    """
    settings = settings or StorageSettings()
    with RoleStore(space, settings) as store:
        ids = _ids_ever(store, Journal(space), traces)
        gone = _remove(store, traces)
        ids |= gone
    with space.lock():
        lines = Journal(space).rewrite(lambda lines: _stripped_lines(lines, traces, ids))
        _strip_conflicts(space, traces, ids)
        space.document(PREVIOUS).delete()
        left = tuple(name for name in space.names(_COPIES) if not _strip_copy(space, name, traces))
    backups = 0
    if space.folder is not None:
        disk = space.disk if isinstance(space, FileSpace) else DISK
        backups = sum(
            _strip_backup(one.path, traces, settings, disk) for one in list_backups(space.folder)
        )
    return Erased(len(gone), lines, backups, left, ids=tuple(sorted(ids)))


def _ids_ever(store: RoleStore, journal: Journal, traces: PersonTraces) -> set[str]:
    """Ids of memories that were this person's at any time in the journal, and are not somebody else's now."""
    ever = {
        line.id
        for line in journal.newest_first()
        if any(traces.takes(_fields_at(line, place)) for place in (0, 1))
    }
    standing = store.snapshot().memories
    return {one for one in ever if one not in standing or traces.takes(fields_of(standing[one]))}


def _fields_at(line: JournalRecord, place: int) -> JsonObject:
    """The fields before (0) or after (1) a record."""
    return {name: pair[place] for name, pair in line.fields.items() if len(pair) == 2}


def _remove(store: RoleStore, traces: PersonTraces) -> set[str]:
    """Remove the person's memories from a store, and the person from all others; the removed ids."""
    snapshot = store.snapshot()
    if not snapshot.writable:
        told = snapshot.problems[0] if snapshot.problems else None
        raise ReadOnlyRoleError(
            "{place}: nobody can be forgotten until memory.json is mended: {told}",
            place=store.space.place,
            told=told or "",
        )
    memories = snapshot.memories
    gone = {one.id for one in memories.values() if traces.takes(fields_of(one))}
    edits = [Edit("remove", one) for one in gone]
    for memory in memories.values():
        if memory.id not in gone:
            edits += _edited(memory, traces, gone)
    store.commit(edits, actor=ACTOR)
    store.checkpoint(force=True)
    return gone


def _edited(memory: Memory, traces: PersonTraces, gone: Collection[str]) -> list[Edit]:
    """The edits that remove the person from somebody else's memory."""
    before, name = fields_of(memory), traces.ids(memory.id)
    after = traces.fields(before, gone)
    if name != memory.id:
        return [Edit("remove", memory.id), Edit("add", name, after, memory.type)]
    changed = {field: value for field, value in after.items() if value != before[field]}
    return [Edit("set", memory.id, changed)] if changed else []


def _stripped_lines(
    lines: Sequence[JournalRecord], traces: PersonTraces, ids: Collection[str]
) -> list[list[JournalRecord]]:
    """The transactions without records of these memories, and without the person in the others."""
    kept = [line for line in lines if line.id not in ids and line.actor != ACTOR]
    fresh = [one for line in kept if (one := _stripped_line(line, traces, ids)).fields]
    return [list(together) for _, together in groupby(fresh, key=lambda line: line.txn)]


def _stripped_line(
    line: JournalRecord, traces: PersonTraces, ids: Collection[str]
) -> JournalRecord:
    fields = {
        name: [traces.value(name, value, ids) for value in pair]
        for name, pair in line.fields.items()
    }
    if line.op == "set":
        fields = {name: pair for name, pair in fields.items() if pair[0] != pair[-1]}
    return replace(line, id=traces.ids(line.id), fields=fields, reason=traces.reason(line.reason))


def _strip_conflicts(space: Space, traces: PersonTraces, ids: Collection[str]) -> None:
    """Remove rows about these memories, or naming the person, from the list of conflicts."""
    kept = space.document(CONFLICTS)
    if kept.mark():
        rows = kept.read().splitlines(keepends=True)
        left = [row for row in rows if not any(f'"{one}"'.encode() in row for one in ids)]
        kept.put(b"".join(row for row in left if not traces.names.found(_unescaped(row))))


def _strip_copy(space: Space, name: str, traces: PersonTraces) -> bool:
    """Erase the person from a conflict copy; false if it cannot be read."""
    if not name.endswith(".json"):
        return True
    copy, alone = space.document(name), InMemorySpace()
    try:
        alone.document(MEMORY).put(copy.read())
        data = _stripped(alone, traces)
    except (OSError, BrokenFileError, FileError, ReadOnlyRoleError):
        return False
    copy.put(data)
    return True


def _strip_backup(path: Path, traces: PersonTraces, settings: StorageSettings, disk: Disk) -> bool:
    """Rewrite a backup without the person; an unreadable one is removed. Whether it was touched."""
    try:
        contents = verified(path, settings)
        files = _without_person(contents.files, traces)
    except (FileError, BrokenFileError, ReadOnlyRoleError, OSError):
        atomic.drop(path, disk)
        return True
    if files is not None:
        atomic.write(path, packed(files, contents.made), disk)
    return files is not None


def _without_person(files: Mapping[str, bytes], traces: PersonTraces) -> dict[str, bytes] | None:
    """The files of a backup without the person, checkpointed; None if nothing names them."""
    chats = {name: data for name, data in files.items() if name.startswith("chats/")}
    left = [*map(traces.clear, map(lines_of, chats.values()))]
    known = traces.with_chats(left)
    kept = {
        f"{one.log}{ENDING}": b"".join(framed([line]) for line in one.lines)
        for one in left
        if one.log
    }
    if kept == chats and not _names(files, known):
        return None
    rest = {
        name: data for name, data in files.items() if not name.startswith(("journal/", "chats/"))
    }
    return {**rest, **kept, MEMORY: _stripped(unpacked(files), known)}


def _names(files: Mapping[str, bytes], traces: PersonTraces) -> bool:
    """Whether the memories of a backup contain the person's name or refer to a chat of theirs."""
    texts = [
        _unescaped(data)
        for name, data in files.items()
        if name == MEMORY or name.startswith("journal/")
    ]
    chats = [chat for chat in {*traces.chats, *traces.words} if chat]
    exact = [f'"{one}"' for one in (*traces.names.all, *chats)]
    return any(traces.names.found(text) or any(one in text for one in exact) for text in texts)


def _stripped(space: Space, traces: PersonTraces) -> bytes:
    """The memory.json of this space without the person, checkpointed and without a seq."""
    with RoleStore(space) as store:
        _remove(store, traces)
    return whole(space.document(MEMORY).read())


def sweep(space: Space) -> None:
    """Remove caches and leftovers of interrupted writes, instead of searching them; vectors stay."""
    for name in space.names(".cache/"):
        if not name.startswith(VECTORS):
            space.blob(name).delete()
    for path in sorted(space.folder.rglob("*")) if space.folder is not None else ():
        name = path.relative_to(space.folder or path).as_posix()
        cached = ".cache/" in name and VECTORS not in name
        ours = path.name.endswith(".damaged") or atomic.is_ours(path.name)
        if path.is_file() and path.name != atomic.LOCK and (ours or cached):
            atomic.drop(path)


def erase_ledgers(home: Space, names: PersonNames) -> None:
    """Remove ledger rows of imports that name the person; the next import checks those files again.

    Raises: NotWrittenError.
    """
    for ledger in map(home.log, home.logs(".import/")):
        found = ledger.read()
        kept = [
            one.lines
            for one in found.appends
            if not any(names.found(_unescaped(line)) for line in one.lines)
        ]
        if found.bad or len(kept) < len(found.appends):  # a damaged line may name the person
            ledger.rewrite(kept)


def leftovers(space: Space, names: PersonNames, known: Collection[str] = ()) -> tuple[str, ...]:
    """Names of files that still name the person: written by authors, cards and lorebooks."""
    found = sorted(space.folder.rglob("*")) if space.folder is not None else []
    files = (path for path in found if path.is_file())
    return tuple(
        path.name
        for path in files
        if path.suffix != ".zip" and path.name not in known and names.found(_text(path))
    )


def purge_naming(storage: Storage, names: PersonNames) -> None:
    """Purge deleted roles that name the person, also in a backup. Raises: NotWrittenError."""
    for space in storage.deleted():
        if space.folder is None or leftovers(space, names) or _backups_name(space.folder, names):
            storage.purge(space.name)


def _backups_name(folder: Path, names: PersonNames) -> bool:
    """Whether a backup names the person, or cannot be read."""
    try:
        files = [verified(one.path).files for one in list_backups(folder)]
    except FileError:
        return True
    return any(names.found(_unescaped(data)) for found in files for data in found.values())


def _text(path: Path) -> str:
    """The text of a file, "" if unreadable or binary."""
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    return "" if b"\0" in data else _unescaped(data)


def _unescaped(data: bytes) -> str:
    r"""JSON as text, with `\u` escapes decoded."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), data.decode("utf-8", "replace"))
