"""A cache of memory.json between processes: byte offsets of the memories, and the index facts of each.

    length of header (4)  header (JSON: digest of the file, through, ids, arrays)  starts (8 bytes each)  facts

Valid only for the exact bytes it was made from; only files without problems are cached.
"""

import json
import sys
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, repeat
from typing import Any

import orjson

from rolememory.schema.memory import MemoriesById, Memory, UnreadMemory
from rolememory.storage.codec import decode
from rolememory.storage.derived import LEAST, DerivedFiles
from rolememory.storage.json_places import entries_in
from rolememory.storage.memory_file import ARRAYS, MemoryFile, fingerprint
from rolememory.storage.port import Space

Facts = Callable[[Sequence[Memory]], bytes | None]
"""Index data of the memories, with the same number of bytes for each; None if one is missing."""
_KIND = "memories"
_DECODER = json.JSONDecoder()


@dataclass(slots=True)
class KeptMemories:
    """The cached memories of a file."""

    memories: MemoriesById
    facts: memoryview


class _Places:
    """Offsets of the entries of a memory.json, read on demand."""

    def __init__(
        self, data: bytes, ids: list[str], arrays: Sequence[str], starts: "array[int]"
    ) -> None:
        self._data, self._ids, self._starts = data, ids, array("Q", (*starts, len(data)))
        self._kinds = [ARRAYS[one] for one in arrays]

    def memories(self) -> dict[str, Memory]:
        """All memories, not yet decoded."""
        return UnreadMemory.each(self._ids, self._memory)

    def prints(self) -> "array[int]":
        """Fingerprints in order. Cost: some 5 µs each."""
        return array("q", (fingerprint(self._raw(at), one) for at, one in enumerate(self._kinds)))

    def _raw(self, number: int) -> Any:
        entry = self._data[self._starts[number] : self._starts[number + 1]]
        return _DECODER.raw_decode(entry.decode())[0]

    def _memory(self, number: int) -> Memory:
        return decode(self._raw(number), self._kinds[number], self._ids[number])


class KeptMemoriesFile:
    """The cache file of a role."""

    def __init__(self, space: Space) -> None:
        self._space, self._files = space, DerivedFiles(space)
        self._holds = ""  # digest of the file it was made from, if known

    def read(self, data: bytes, found: bytes) -> tuple[MemoryFile, KeptMemories] | None:
        """The memory.json of these bytes with digest `found`, its memories not yet decoded; None if not cached."""
        raw = memoryview(self._files.load(_KIND) or b"")
        end = 4 + int.from_bytes(raw[:4], sys.byteorder)
        header = orjson.loads(raw[4:end] or b"{}") if end <= len(raw) else {}
        if header.get("digest") != found.hex():
            return None
        ids, starts = header["ids"], array("Q")
        starts.frombytes(raw[end : end + 8 * len(ids)])
        arrays = chain.from_iterable(repeat(name, count) for name, count in header["arrays"])
        places = _Places(data, ids, list(arrays), starts)
        document = MemoryFile(
            places.memories(), header["through"], found, {}, prints_of=places.prints
        )
        self._holds = header["digest"]
        return document, KeptMemories(document.memories, raw[end + 8 * len(ids) :])

    def keep(self, data: bytes, document: MemoryFile, facts: bytes) -> None:
        """Write the cache for a document with these bytes."""
        if places := _places(data, document):
            named = groupby(name for name, _ in places)
            header = {
                "digest": document.digest.hex(),
                "through": document.through,
                "ids": list(document.memories),
                "arrays": [(name, len(list(some))) for name, some in named],
            }
            head = orjson.dumps(header)
            starts = array("Q", [at for _, at in places]).tobytes()
            parts = len(head).to_bytes(4, sys.byteorder), head, starts, facts
            self._files.keep(_KIND, b"".join(parts))
            self._holds = document.digest.hex()

    def lacks(self, document: MemoryFile) -> bool:
        """Whether the document is worth caching and not cached."""
        known = document.digest.hex() == self._holds
        return not known and _is_many_sound(document) and self._space.exists()


def unread(data: bytes, document: MemoryFile) -> MemoryFile:
    """The document of these bytes, its memories not decoded if they are many: each is decoded where it is shown."""
    if _is_many_sound(document) and (found := _places(data, document)):
        arrays, starts = zip(*found, strict=True)
        places = _Places(data, list(document.memories), arrays, array("Q", starts))
        document.memories = places.memories()
        document.prints, document.prints_of = array("q"), places.prints
    return document


def _is_many_sound(document: MemoryFile) -> bool:
    """Whether the document has many memories, each of which is decoded alone as in the whole."""
    told = document.problems or document.unnamed or document.doubled
    return not told and len(document.memories) >= LEAST


def _places(data: bytes, document: MemoryFile) -> list[tuple[str, int]]:
    """Array and offset of each memory; none where they are not in a one-to-one order."""
    places = entries_in(data, ARRAYS) if data.lstrip()[:1] == b"{" else []
    return places if len(places) == len(document.memories) else []
