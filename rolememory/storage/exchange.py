"""Exports a role as one JSON document, and imports it with a preview (S1.44, S4.31)."""

import base64
import itertools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from typing import Any, Literal

from rolememory.errors import InvalidValueError
from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.problem import Problem
from rolememory.schema.role import Role
from rolememory.schema.role_ids import canonical
from rolememory.schema.value_class import value_class
from rolememory.storage.codec import difference, encode, fields_of
from rolememory.storage.exact_json import listed
from rolememory.storage.home import HomeFolder
from rolememory.storage.imported_books import BOOKS, imported, note_imported
from rolememory.storage.memories import Edit, RoleStore
from rolememory.storage.memory_file import BrokenFileError, MemoryFile, read
from rolememory.storage.port import Space, rewrite
from rolememory.storage.role_file import NAME, object_in
from rolememory.storage.settings import shareable
from rolememory.text.fold import fold_name

FORMAT = "rolememory-role"
VERSION = 1
Prefer = Literal["theirs", "ours"]
Files = Mapping[str, bytes]
_TAKEN = LocalizedText("another role answers to {name!r}")
_NOT_SHARED = LocalizedText(
    "does not come with a shared role; write it into role.json yourself if you want it"
)


@value_class
class Imported:
    """What an import did, or would do: memory ids and book names."""

    role: Role
    made: bool  # the role is new
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()  # present with other content, replaced by theirs
    kept: tuple[str, ...] = ()  # present with other content, ours kept
    unchanged: int = 0
    files: tuple[str, ...] = ()  # written card and books
    files_kept: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()  # memories that could not be read
    fields: JsonMapping = field(default_factory=dict)  # role.json as written
    left_out: Mapping[str, LocalizedText] = field(default_factory=dict)  # omitted fields, and why
    memories: Mapping[str, JsonMapping] = field(
        default_factory=dict
    )  # what is written into which, field by field


def export_role(space: Space, *, card: bool = True) -> JsonObject:
    """The role as one JSON document: role.json, its current memories, its books, and its card.

    Unknown fields of role and memories are included, chats and history are not.
    Raises: InvalidValueError if there is no such role, FileError if role.json is broken.
    """
    if not space.exists():
        raise InvalidValueError(
            "{place}: no such role; `rolememory roles` lists them", place=space.place
        )
    kept = space.document(NAME)
    role = object_in(kept) if kept.mark() else {"id": space.name, "name": space.name[:8]}
    names = space.names("card.") if card else []
    books = [
        name.removeprefix(BOOKS) for name in space.names(BOOKS) if not name.startswith(f"{BOOKS}.")
    ]
    return {
        "format": FORMAT,
        "version": VERSION,
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        "role": {**role, "id": space.name},
        "memory": _by_type(RoleStore(space).snapshot().memories.values()),
        "worldbooks": {name: _packed(space.blob(BOOKS + name).read()) for name in books},
        "imported": [name for name in imported(space) if name in books],
        "card": {name: _packed(space.blob(name).read(), exactly=True) for name in names},
    }


def import_role(
    home: HomeFolder,
    document: Any,
    *,
    into: str | None = None,
    prefer: Prefer = "theirs",
    dry_run: bool = False,
) -> Imported:
    """Import an exported role. Memories are merged by id; `prefer` decides between different contents, the other stays in the history.

    `into`: the role to merge into, whose role.json stays; without it the document's own, created if missing. Plain lists of memories
    and bare memory.json documents need it. The document is not trusted: a new role gets no names of other roles and only `shareable`
    settings. `dry_run` writes nothing. One transaction: all memories or none.
    Raises: InvalidValueError if the document is not an export, UnknownRoleError, NotWrittenError.
    """
    role, memory, files = _opened(document)
    if into is not None:
        here: Role | None = home.find(into)
    else:
        here = next((known for known in home.roles() if role and known.id == role.id), None)
    left_out: dict[str, LocalizedText] = {}
    target = here or _shareable_role(home, role, left_out)
    found = _memories(memory)
    arrays = [kind.array for kind in MemoryType]
    bare = role is None and isinstance(memory, Mapping) and memory.keys().isdisjoint(arrays)
    if bare and not found.problems:
        raise InvalidValueError(
            "there are no memories in it; write a list of them, or an object with {arrays}",
            arrays=", ".join(arrays),
        )
    space = home.space(target.id)
    ours = RoleStore(space).snapshot().memories if here else {}
    edits = [
        edit
        for one in found.memories.values()
        if (edit := _edit(one, ours.get(one.id))) is not None
    ]
    differing = _ids(edits, "set")
    changed, kept = (differing, ()) if prefer == "theirs" else ((), differing)
    wanted = [edit for edit in edits if edit.id not in kept]
    writing, keeping = _files_to_write(space, files, prefer)
    done = Imported(
        role=target,
        made=here is None,
        added=_ids(edits, "add"),
        changed=changed,
        kept=kept,
        unchanged=len(found.memories) - len(edits),
        files=tuple(writing),
        files_kept=tuple(keeping),
        problems=tuple(found.problems),
        fields={} if here else target.model_dump(mode="json", exclude_defaults=True),
        left_out=left_out,
        memories={
            edit.id: {**({"type": edit.type.value} if edit.type else {}), **edit.fields}
            for edit in wanted
        },
    )
    if not dry_run:
        _write(home, target, here is None, wanted, writing)
        foreign = listed(document, "imported", str) if files else []
        if known := [one for one in foreign if BOOKS + one in writing]:
            note_imported(space, *known)
    return done


def _ids(edits: Iterable[Edit], op: str) -> tuple[str, ...]:
    return tuple(edit.id for edit in edits if edit.op == op)


def _write(home: HomeFolder, role: Role, new: bool, edits: Sequence[Edit], files: Files) -> None:
    if new:
        extra = role.model_dump(exclude={"id", "name", "aliases"}, exclude_defaults=True)
        home.create(role.name, role.id, role.aliases, **extra)
    space = home.space(role.id)
    for name, data in files.items():
        rewrite(space, name, data)
    with RoleStore(space) as store:
        store.commit(edits, actor="import")


def _opened(document: Any) -> tuple[Role | None, Any, dict[str, bytes]]:
    """Role, memories and files of a document; one with memories only has neither role nor files."""
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        return None, document, {}
    if not isinstance(document.get("version"), int) or document["version"] > VERSION:
        raise InvalidValueError(
            "an export of version {get!r}; this program reads up to {version}, update it",
            get=document.get("version"),
            version=VERSION,
        )
    files: dict[str, bytes] = {}
    for name, packed in _table(document, "worldbooks").items():
        files[f"worldbooks/{_plain_name(name)}"] = _unpacked(name, packed)
    for name, packed in _table(document, "card").items():
        files[_plain_name(name, card=True)] = _unpacked(name, packed)
    return _role(document.get("role")), document.get("memory", {}), files


def _table(document: JsonMapping, name: str) -> JsonMapping:
    found = document.get(name, {})
    if not isinstance(found, Mapping):
        raise InvalidValueError(
            "{name}: expected a table of files by name, got {found!r}",
            name=name,
            found=str(found)[:60],
        )
    return found


def _role(raw: Any) -> Role:
    role_id = canonical(str(raw.get("id", ""))) if isinstance(raw, Mapping) else None
    if role_id is None:
        raise InvalidValueError(
            "the export's role has no UUID as its id; it was changed by hand, say into which role it goes"
        )
    try:
        return Role.model_validate({"name": role_id[:8], **raw, "id": role_id})
    except ValueError as error:
        told = str(error).splitlines()[0]
        raise InvalidValueError("the export's role cannot be read: {told}", told=told) from error


def _shareable_role(
    home: HomeFolder, role: Role | None, left_out: dict[str, LocalizedText]
) -> Role:
    """The role of a document without names of other roles and settings that are not shareable."""
    if role is None:
        raise InvalidValueError("these are memories without a role; say into which role they go")
    taken = home.names()
    name = _free_name(role.name, taken)
    if name != role.name:
        left_out["name"] = _TAKEN.filled(name=role.name)
    aliases = [one for one in role.aliases if fold_name(one) and fold_name(one) not in taken]
    for one in role.aliases:
        if one not in aliases:
            left_out[f"aliases: {one[:80]}"] = _TAKEN.filled(name=one[:80])
    settings, dropped = shareable(role.settings)
    left_out |= dict.fromkeys((f"settings.{key}" for key in dropped), _NOT_SHARED)
    return role.model_copy(
        update={
            "name": name,
            "aliases": tuple(dict.fromkeys(aliases)),
            "settings": settings if dropped else role.settings,
        }
    )


def _free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number appended if taken."""
    numbered = (f"{name.strip()[:190]} ({count})" for count in itertools.count(2))
    return next(one for one in itertools.chain((name,), numbered) if fold_name(one) not in taken)


def _memories(raw: Any) -> MemoryFile:
    try:
        return read(json.dumps(raw).encode(), file="memory")
    except (BrokenFileError, TypeError, ValueError, RecursionError) as error:
        raise InvalidValueError(
            "the export's memories cannot be read: {error}", error=error
        ) from error


def _edit(theirs: Memory, ours: Memory | None) -> Edit | None:
    """The edit that brings theirs here; None if equal."""
    if ours is None:
        return Edit("add", theirs.id, fields_of(theirs), theirs.type, "import")
    differing = {name: pair[1] for name, pair in difference(ours, theirs).items()}
    return Edit("set", theirs.id, differing, reason="import") if differing else None


def _files_to_write(
    space: Space, files: Files, prefer: Prefer
) -> tuple[dict[str, bytes], list[str]]:
    writing: dict[str, bytes] = {}
    keeping = []
    for name, data in files.items():
        kept = space.blob(name)
        there = kept.read() if kept.mark() else None
        same = there is not None and (there == data or _packed(there) == _packed(data))
        if there is None or (not same and prefer == "theirs"):
            writing[name] = data
        elif not same:
            keeping.append(name)
    return writing, keeping


def _plain_name(name: Any, *, card: bool = False) -> str:
    """A plain file name without folders.

    Raises: InvalidValueError.
    """
    text = str(name)
    bad = (
        any(letter in '/\\:*?"<>|' or letter < " " for letter in text)
        or text.startswith(".")
        or not text.strip(". ")
    )
    if bad or len(text) > 200 or (card and not text.startswith("card.")):
        raise InvalidValueError(
            "{ascii} is no name for a file of a role; rename it in the export",
            ascii=ascii(text)[:80],
        )
    return text


def _packed(data: bytes, *, exactly: bool = False) -> Any:
    """A file as JSON: itself if it is JSON that survives a round trip (`exactly`: byte for byte), else base64."""
    with suppress(ValueError, RecursionError):
        found = json.loads(data)
        again = _text(found)
        if (
            isinstance(found, dict)
            and "base64" not in found
            and (again == data or (not exactly and json.loads(again) == found))
        ):
            return found
    return {"base64": base64.b64encode(data).decode()}


def _text(found: Any) -> bytes:
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False).encode() + b"\n"


def _unpacked(name: str, packed: Any) -> bytes:
    try:
        if isinstance(packed, Mapping) and set(packed) == {"base64"}:
            return base64.b64decode(str(packed["base64"]), validate=True)
        return _text(packed)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidValueError(
            "{ascii}: the file cannot be read out of the export: {error}",
            ascii=ascii(name)[:80],
            error=error,
        ) from error


def _by_type(memories: Iterable[Memory]) -> JsonObject:
    """Memories in the shape of memory.json."""
    arrays: JsonObject = {"version": 1, **{kind.array: [] for kind in MemoryType}}
    for memory in memories:
        arrays[memory.type.array].append(encode(memory))
    return arrays
