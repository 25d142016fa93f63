"""Writes memories into the author's document, keeping order, unknown fields and invalid entries."""

import re
from contextlib import suppress
from typing import Any

import orjson

from rolememory.schema.json_types import JsonObject
from rolememory.schema.memory import MemoriesById, Memory
from rolememory.storage.codec import EntryError, decode, difference, encode, write_field
from rolememory.storage.exact_json import dumps
from rolememory.storage.memory_file import VERSION, EntrySlot, MemoryFile

_NESTED = frozenset((dict, list))
_WIDTH = 120  # longer lists of plain values go one per line


def merged(document: MemoryFile, memories: MemoriesById, through: int) -> JsonObject:
    """The author's document with the memories written into it. Changes and returns `document.raw`."""
    raw = document.raw
    for memory_id, slot in document.slots.items():
        memory = memories.get(memory_id)
        if (
            memory is not None
            and memory is not document.memories[memory_id]
            and slot.kind is not None
            and memory.type is not slot.kind
            and document.memories[memory_id].type is not memory.type
        ):
            _move(raw, slot, memory)
        elif memory is not None:
            raw[slot.array][slot.place] = _entry(
                raw[slot.array][slot.place], slot, document.memories[memory_id], memory
            )
    _drop(document, memories)
    for memory_id, memory in memories.items():
        if memory_id not in document.slots:
            _array(raw, memory).append(encode(memory))
    return _headed(raw, through)


def _entry(entry: Any, slot: EntrySlot, before: Memory, after: Memory) -> Any:
    """The raw entry updated to the memory, keeping its own spelling where the meaning is unchanged."""
    if isinstance(entry, str) or str(entry.get("id", "")).strip() != after.id:
        entry = _with_id(entry, after.id)
    changes = difference(before, after) if before is not after else {}
    for name, (_, value) in changes.items():
        write_field(entry, name, value)
    return _insisted(entry, slot, after) if changes else entry


def _with_id(entry: Any, memory_id: str) -> JsonObject:
    """The entry as an object that begins with this id."""
    raw = {"content": entry} if isinstance(entry, str) else entry
    return {"id": memory_id, **{name: value for name, value in raw.items() if name != "id"}}


def _insisted(entry: JsonObject, slot: EntrySlot, after: Memory) -> JsonObject:
    """The entry with our fields written where an alias contradicts them; as a last resort without the alias."""
    for name, (_, value) in _misread(entry, slot, after).items():
        entry[name] = value
    if "type" in entry and _misread(entry, slot, after):
        entry["type"] = after.type.value
    if not _misread(entry, slot, after):
        return entry
    return encode(after) if slot.kind is after.type else {**encode(after), "type": after.type.value}


def _misread(entry: JsonObject, slot: EntrySlot, after: Memory) -> dict[str, list[Any]]:
    """Field -> [value in the entry, wanted value]."""
    try:
        return difference(decode(entry, slot.kind, after.id), after)
    except EntryError:
        return {"type": [None, after.type.value]}


def _move(raw: JsonObject, slot: EntrySlot, after: Memory) -> None:
    """Append a memory whose type changed to its new array; its old position is emptied."""
    entry = _with_id(raw[slot.array][slot.place], after.id)
    before = decode(entry, slot.kind, after.id)
    entry.pop("type", None)
    for name, (_, value) in difference(before, after).items():
        if name != "type":
            write_field(entry, name, value)
    _array(raw, after).append(_insisted(entry, EntrySlot("", 0, after.type), after))
    raw[slot.array][slot.place] = _GONE


_GONE = object()


def _drop(document: MemoryFile, memories: MemoriesById) -> None:
    for memory_id, slot in document.slots.items():
        if memory_id not in memories:
            document.raw[slot.array][slot.place] = _GONE
    for name in {slot.array for slot in document.slots.values()}:
        document.raw[name] = [entry for entry in document.raw[name] if entry is not _GONE]


def _array(raw: JsonObject, memory: Memory) -> list[Any]:
    """The array of the memory's type, under the name the author gave it."""
    singular, plural = memory.type.value, memory.type.array
    name = plural if plural in raw or singular not in raw else singular
    if raw.get(name) is None:
        raw[name] = []
    found: list[Any] = raw[name]
    return found


def _headed(raw: JsonObject, through: int) -> JsonObject:
    """The document with its version and the seq it includes; existing keys keep their position."""
    schema = {"$schema": raw["$schema"]} if "$schema" in raw else {}
    head = {**schema, "version": raw.get("version", VERSION), "through": through}
    whole = "version" in raw and "through" in raw
    return {**({} if whole else head), **raw, "through": through}


def rendered(raw: JsonObject, newline: bytes = b"\n") -> bytes:
    """The document as readable text: indented by two spaces, short lists on one line."""
    return (_laid(raw, b"\n") + b"\n").replace(b"\n", newline)


def newline_of(data: bytes) -> bytes:
    """The line ending of the file."""
    return b"\r\n" if re.match(rb"[^\n]*\r\n", data) else b"\n"


def _laid(value: Any, margin: bytes) -> bytes:
    if isinstance(value, dict):
        if _NESTED.isdisjoint(map(type, value.values())):  # most entries
            with suppress(TypeError):  # of too wide a number
                return orjson.dumps(value, option=orjson.OPT_INDENT_2).replace(b"\n", margin)
        inner = margin + b"  "
        rows = (dumps(name) + b": " + _laid(item, inner) for name, item in value.items())
        return b"{" + inner + (b"," + inner).join(rows) + margin + b"}" if value else b"{}"
    if isinstance(value, list):
        return _laid_list(value, margin)
    return dumps(value)


def _laid_list(value: list[Any], margin: bytes) -> bytes:
    if not value:
        return b"[]"
    if not any(isinstance(item, dict | list) for item in value):
        parts = [dumps(item) for item in value]
        if sum(map(len, parts)) <= _WIDTH:
            return b"[" + b", ".join(parts) + b"]"
    inner = margin + b"  "
    return b"[" + inner + (b"," + inner).join(_laid(item, inner) for item in value) + margin + b"]"
