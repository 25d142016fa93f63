"""memory.json: lenient reading that keeps the author's structure."""

import hashlib
import json
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import orjson

from rolememory.schema.json_types import JsonObject
from rolememory.schema.memory import MemoriesById, Memory, MemoryType, UnreadMemory
from rolememory.schema.problem import Problem, quoted
from rolememory.storage.codec import EntryError, decode
from rolememory.storage.exact_json import has_wide_integers
from rolememory.storage.gc_pause import gc_paused
from rolememory.storage.ineffective_fields import ineffective_in_entry, ineffective_in_file
from rolememory.storage.json_places import located
from rolememory.text.json_depth import is_deeper
from rolememory.text.json_diagnostics import diagnose_json, too_deep

VERSION = 1
DEPTH = 100  # maximum nesting
SCHEMA = "../memory.schema.json"
ARRAYS: dict[str, MemoryType | None] = {
    "episodic": MemoryType.EPISODIC,
    "semantic": MemoryType.SEMANTIC,
    "traits": MemoryType.TRAIT,
    "trait": MemoryType.TRAIT,
    "goals": MemoryType.GOAL,
    "goal": MemoryType.GOAL,
    "memories": None,  # the type stands in each entry
}


class BrokenFileError(ValueError):
    """The file is invalid; `problems` say where and why."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(problem.text() for problem in problems[:3]))
        self.problems = problems


class EntrySlot(NamedTuple):
    """The position of an entry in the raw document."""

    array: str
    place: int
    kind: MemoryType | None

    @property
    def path(self) -> str:
        """The path shown in messages."""
        return f"{self.array}[{self.place}]"


@dataclass(slots=True)
class MemoryFile:
    """A parsed memory.json. `raw` is the author's own structure; it is freed after reading."""

    memories: dict[str, Memory]
    through: int | None
    digest: bytes
    raw: JsonObject = field(repr=False)
    slots: dict[str, EntrySlot] = field(default_factory=dict, repr=False)  # id -> position
    prints: "array[int]" = field(
        default_factory=partial(array, "q"), repr=False
    )  # fingerprints of the raw entries, in the order of `memories`
    problems: list[Problem] = field(default_factory=list)
    unnamed: bool = False  # an entry has no id, or a duplicate
    prints_of: "Callable[[], array[int]] | None" = field(
        default=None, repr=False, compare=False
    )  # computes `prints` on demand
    doubled: bool = False  # an object has a duplicate name


def empty() -> JsonObject:
    """A role without memories."""
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "through": 0,
        **{kind.array: [] for kind in MemoryType},
    }


def read(
    data: bytes, known: "MemoryFile | None" = None, *, ours: bool = False, file: str = "memory.json"
) -> MemoryFile:
    """Parse the bytes of a memory.json.

    Memories of `known` are reused for unchanged entries. `ours`: we wrote these bytes, so duplicate names are not checked.
    Invalid entries are skipped and reported. Raises: BrokenFileError.
    """
    with gc_paused():
        if known is not None and known.prints_of is not None:
            known.prints, known.prints_of = known.prints_of(), None
        found, doubles = _parsed(data, ours, file)
        raw, origins = _shaped(found, data, file)
        document = MemoryFile({}, _through(raw), digest(data), raw, doubled=bool(doubles))
        wrong = [
            *doubles,
            *ineffective_in_file(raw, ARRAYS, VERSION),
            *(_where_it_stands(problem, origins) for problem in _fill(document, known)),
        ]
        document.problems = located(data, wrong, file) if wrong else []
    return document


def digest(data: bytes) -> bytes:
    """A digest of a file's content."""
    return hashlib.blake2b(data, digest_size=16).digest()


def slots(raw: JsonObject) -> Iterator[tuple[EntrySlot, Any]]:
    """Every entry of a document with its position, in file order."""
    for name, entries in raw.items():
        if name in ARRAYS:
            for index, entry in enumerate(entries or ()):
                yield EntrySlot(name, index, ARRAYS[name]), entry


def _parsed(data: bytes, ours: bool, file: str) -> tuple[Any, list[Problem]]:
    if not data.strip(b"\xef\xbb\xbf \t\r\n\x00"):
        raise BrokenFileError([Problem("empty_file", file, 1, 1)])
    text = data.removeprefix(b"\xef\xbb\xbf")
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BrokenFileError(
            [problem.at(file) for problem in diagnose_json(data, error)]
        ) from error
    if not ours and is_deeper(found, DEPTH):
        problem = too_deep(data, DEPTH)
        raise BrokenFileError([problem.at(file)])
    doubles: list[Problem] = []
    if not ours or has_wide_integers(text):
        found, doubles = _exactly(text)
    return found, doubles


def _exactly(text: bytes) -> tuple[Any, list[Problem]]:
    """Parse with exact integers, and report duplicate names in an object."""
    doubles: list[Problem] = []

    def gathered(pairs: list[tuple[str, Any]]) -> JsonObject:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = [name for name, _ in pairs if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
            found |= {name: _both(pairs, name) for name in twice if name in ARRAYS}
            doubles.extend(
                Problem.of("duplicate_key", field=name, found=quoted(name))
                for name in dict.fromkeys(twice)
            )
        return found

    return json.loads(text, object_pairs_hook=gathered), doubles


def _both(pairs: list[tuple[str, Any]], name: str) -> Any:
    """The memories of all sections of that name; the last value if one is not a list."""
    values = [value for one, value in pairs if one == name]
    lists = all(isinstance(value, list) for value in values)
    return [entry for value in values for entry in value] if lists else values[-1]


def _shaped(found: Any, data: bytes, file: str) -> tuple[JsonObject, list[str]]:
    """The document as an object of arrays; a bare list is sorted into them, with the new path of each entry."""
    if isinstance(found, list):
        return _from_list(found)
    if not isinstance(found, dict):
        raise BrokenFileError([Problem.of("wrong_top", file, 1, 1, found=quoted(found))])
    wrong = [
        name for name in ARRAYS if found.get(name) is not None and not isinstance(found[name], list)
    ]
    if wrong:
        problems = [
            Problem.of("not_a_list", field=name, found=quoted(found[name])) for name in wrong
        ]
        raise BrokenFileError(located(data, problems, file))
    return found, []


def _from_list(entries: list[Any]) -> tuple[JsonObject, list[str]]:
    raw, origins = empty(), []
    del raw["through"]
    for entry in entries:
        try:
            kind = (
                decode(entry, None, "-").type
                if isinstance(entry, dict | str)
                else MemoryType.EPISODIC
            )
        except EntryError:
            kind = MemoryType.EPISODIC
        origins.append(EntrySlot(kind.array, len(raw[kind.array]), kind).path)
        raw[kind.array].append(entry)
    return raw, origins


def _where_it_stands(problem: Problem, origins: list[str]) -> Problem:
    """The problem with the path in the author's bare list."""
    array, bracket, rest = problem.field.partition("]")
    if array + bracket not in origins:
        return problem
    return replace(problem, field=f"[{origins.index(array + bracket)}]{rest}")


def _through(raw: JsonObject) -> int | None:
    value = raw.get("through")
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _fill(document: MemoryFile, known: MemoryFile | None) -> list[Problem]:
    """Decode every entry; the problems, with fields as paths in the file."""
    problems: list[Problem] = []
    before = dict[str, tuple[Memory, int]]()
    if known is not None:
        marked = zip(known.memories.values(), known.prints, strict=True)
        before = dict(zip(known.memories, marked, strict=True))
    entries = list(slots(document.raw))
    written = [written_id(entry) for _, entry in entries]
    taken = set(filter(None, written))
    for (slot, entry), found in zip(entries, written, strict=True):
        try:
            own = bool(found) and found not in document.memories
            memory_id = found if own else _named(entry, slot, taken, problems)
            memory, mark = _memory(entry, slot.kind, memory_id, *before.get(memory_id, (None, 0)))
        except EntryError as error:
            problems += [replace(one, drops=True).inside(slot.path) for one in error.problems]
            continue
        if type(memory) is not UnreadMemory:  # cached only without problems
            problems += [one.inside(slot.path) for one in ineffective_in_entry(entry, memory)]
        document.unnamed = document.unnamed or not own
        memory_id = memory.id  # of a known memory the text that is held already
        document.memories[memory_id], document.slots[memory_id] = memory, slot
        document.prints.append(mark)
    return problems


def written_id(entry: Any) -> str:
    """The id written in an entry, "" without one; a number as its digits."""
    found = entry.get("id") if isinstance(entry, dict) else None
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found.strip() if isinstance(found, str) else ""


def _named(entry: Any, slot: EntrySlot, taken: set[str], problems: list[Problem]) -> str:
    """An id for an entry without a usable one, derived from its content; reports duplicates."""
    if not isinstance(entry, dict | str):
        raise EntryError(Problem.of("not_an_entry", found=quoted(entry)))
    given, found = made_id(entry, slot, taken), written_id(entry)
    taken.add(given)
    if found:
        problems.append(
            Problem.of("duplicate_id", field="id", found=quoted(found), given=given).inside(
                slot.path
            )
        )
    return given


def made_id(entry: Any, slot: EntrySlot, taken: set[str]) -> str:
    """An id derived from the entry's content and type: the same in every process before it is written."""
    content = (
        entry if isinstance(entry, str) else str(entry.get("content") or entry.get("text") or "")
    )
    kind = slot.kind or MemoryType.EPISODIC
    for number in range(len(taken) + 1):
        seed = f"{kind.value}\0{content}\0{number}".encode("utf-8", "surrogatepass")
        given = "m" + hashlib.blake2b(seed, digest_size=6).hexdigest()
        if given not in taken:
            return given
    raise AssertionError("more ids taken than there are")


def _memory(
    entry: Any, kind: MemoryType | None, memory_id: str, old: Memory | None, known: int
) -> tuple[Memory, int]:
    """The entry's memory and fingerprint; the `old` memory if the entry is unchanged or decodes equal."""
    mark = fingerprint(entry, kind)
    if old is not None and mark and known == mark:
        return old, mark
    memory = decode(entry, kind, memory_id)
    return (old if old is not None and old == memory else memory), mark


def fingerprint(entry: Any, kind: MemoryType | None) -> int:
    """A fingerprint of a raw entry within this process; 0 if not hashable."""
    try:
        return hash((orjson.dumps(entry), kind))
    except TypeError:
        return 0


def changed(document: MemoryFile, memories: MemoriesById) -> bool:
    """Whether the file differs from these memories, ids included."""
    same = document.memories.keys() == memories.keys()
    return not same or any(
        memory is not document.memories[name] and memory != document.memories[name]
        for name, memory in memories.items()
    )
