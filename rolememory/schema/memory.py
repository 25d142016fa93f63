"""Memories: what happened, what is known, what the character is like, what it wants."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Annotated, Any, TypedDict, TypeVar

from pydantic import AfterValidator, BaseModel, Field

from rolememory.schema.entry import Entry, Unit
from rolememory.schema.json_types import JsonObject


class MemoryType(StrEnum):
    """The four kinds of memory; the value is the singular, `array` the name in memory.json."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    TRAIT = "trait"
    GOAL = "goal"

    @property
    def array(self) -> str:
        """The name of the array in memory.json and of the per-type limit.

        >>> MemoryType.TRAIT.array
        'traits'
        """
        return _ARRAYS[self]


_ARRAYS = {
    kind: {"trait": "traits", "goal": "goals"}.get(kind.value, kind.value) for kind in MemoryType
}


class Source(StrEnum):
    """Where a memory comes from."""

    MANUAL = "manual"
    USER_INPUT = "user_input"
    SUMMARY = "summary"
    AI_OUTPUT = "ai_output"
    INFERENCE = "inference"


def in_utc(moment: datetime) -> datetime:
    """The time in UTC; a time without a zone is taken as UTC."""
    if moment.tzinfo is UTC:
        return moment
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


Moment = Annotated[datetime, AfterValidator(in_utc)]


class Evidence(BaseModel, frozen=True, extra="allow"):
    """The sentence of a chat that a memory is based on."""

    chat: str = ""
    version: str = ""
    quote: str = ""
    answers: str = ""  # the question it answers, if any: answers rarely repeat the question
    adjoining: bool = (
        False  # spans several messages that must be consecutive: a question and its answer
    )
    also: tuple[
        "Evidence", ...
    ] = ()  # further evidence of other chats, all required: of a conclusion

    @property
    def versions(self) -> list[str]:
        """The message versions: one, or several joined by "+"."""
        return self.version.split("+")


class Chapter(BaseModel, frozen=True, extra="allow"):
    """Data of a chapter besides its text; it begins at `created` of its memory."""

    title: str = ""
    until: Moment | None = None  # time of its last message
    time: str = ""  # story time, as printed
    place: str = ""
    people: tuple[str, ...] = ()  # names of those present
    parts: tuple[str, ...] = ()  # story so far: ids of the chapters it summarises


class Memory(Entry):
    """One thing a character remembers. Only `content` is required in a file; `id` is given at the next save.

    Field names and their aliases: `storage.codec` reads them, `docs/en/files.md` lists them.
    """

    id: str
    """name of the memory; given by itself at the next save"""
    content: str
    """what is remembered; the only field that is required"""
    type: MemoryType = MemoryType.EPISODIC
    """kind of memory; the array it stands in says it already"""
    triggers: tuple[str, ...] = ()
    """strategies that may call it up; empty = all"""
    priority: Annotated[int, Field(ge=0, le=100)] = 50
    """0 to 100: who stays when space is short"""
    weight: Annotated[float, Field(ge=0.0, le=2.0)] = 1.0
    """0 to 2: how much it counts"""
    salience: Unit = 0.5
    """0 to 1: how much it mattered"""
    decay: Annotated[float, Field(ge=0.0)] = 1.0
    """factor on the fading; 0 = never fades"""
    topics: tuple[str, ...] = ()
    """what it is about"""
    emotions: tuple[str, ...] = ()
    """feelings that belong to it"""
    tags: tuple[str, ...] = ()
    """words for filters"""
    source: Source = Source.MANUAL
    """where it comes from"""
    subject: str | None = None
    """whom it is about; empty = the role"""
    user: str | None = None
    """whose it is; empty = shared by all users"""
    created: Moment | None = None
    """when it happened: 2024-05-01T18:30:00Z, a date, or an epoch"""
    written: Moment | None = None  # if the time of the event is unknown
    """when it was written down by hand"""
    expires: Moment | None = None
    """when it stops counting"""
    confidence: Unit = 1.0
    """0 to 1: how sure it is"""
    evidence: tuple[Evidence, ...] = ()
    """sentences of a chat that it rests on"""
    chapter: Chapter | None = None
    """a stretch of a story: title, until, time, place, people, parts"""
    supersedes: tuple[str, ...] = ()
    """ids of memories it replaces"""
    archived: bool = False
    """kept, but never recalled"""
    locked: bool = False
    """only people change it"""

    @property
    def since(self) -> datetime | None:
        """When it happened, else when it was written."""
        return self.created or self.written

    @property
    def authored(self) -> bool:
        """Whether a person wrote it: it has no evidence from a chat."""
        return self.source is Source.MANUAL and not self.evidence

    @property
    def stretch(self) -> tuple[str, ...]:
        """The message versions that a chapter covers, in order; empty for other memories, and for a story so far."""
        if self.chapter is None or self.chapter.parts:
            return ()
        return tuple(one for proof in self.evidence[:1] for one in proof.versions if one)

    @property
    def fades(self) -> bool:
        """Whether it decays with time: not traits, goals, constant and authored memories."""
        lasting = self.type in (MemoryType.TRAIT, MemoryType.GOAL)
        return self.decay > 0 and not (self.constant or lasting or self.authored)


MemoriesById = Mapping[str, Memory]
AnyEntry = TypeVar("AnyEntry", bound=Entry)
_PLAIN = frozenset(
    "id type content created written source weight salience priority decay confidence".split()
)


def is_plain(entry: Entry) -> bool:
    """Whether a memory has only content, times, numbers and a source, so that scans for keys, people or evidence can skip it.

    >>> is_plain(Memory(id="a", content="Loves tea.", weight=2.0)), is_plain(Memory(id="a", content="Tea.", keys=("tea",)))
    (True, False)
    """
    return entry.__class__ is Memory and entry.__pydantic_fields_set__ <= _PLAIN


_GATED = frozenset("user expires evidence archived tags".split())


def is_ungated(entry: Entry) -> bool:
    """Whether only its source, or a replacement, may make a memory ineligible.

    >>> is_ungated(Memory(id="a", content="Tea.", keys=("tea",))), is_ungated(Memory(id="a", content="Tea.", user="lin"))
    (True, False)
    """
    return entry.__class__ is Memory and _GATED.isdisjoint(entry.__pydantic_fields_set__)


_NO_MORE: JsonObject = {}
"""The unknown fields of all memories that have none."""


def lean(values: JsonObject, told: set[str], unknown: JsonObject | None = None) -> Memory:
    """A memory from validated values of all fields, in half the memory: instances share the table of field names.

    `told`: the fields set explicitly. Cost: some 2 µs.
    """
    one = object.__new__(Memory)
    put = object.__setattr__
    put(one, "id", values["id"])  # an empty dict would take over the table of `values`
    one.__dict__.update(values)
    put(one, "__pydantic_fields_set__", told)
    put(one, "__pydantic_extra__", unknown or _NO_MORE)
    put(one, "__pydantic_private__", None)
    return one


def _lay_out() -> None:
    """Create the first instance of a class, whose table the others share."""
    first = object.__new__(Memory)
    for name in Memory.model_fields:
        object.__setattr__(first, name, None)


_lay_out()


class UnreadMemory(Memory, defer_build=True):
    """A lazily loaded memory: access to more than its id reads it from the file, and turns it into a `Memory`.

    >>> one = UnreadMemory.each(["a"], lambda number: Memory(id="a", content=f"Tea {number}."))["a"]
    >>> type(one).__name__, one.id, one.content, type(one).__name__
    ('UnreadMemory', 'a', 'Tea 0.', 'Memory')
    """

    @classmethod
    def each(cls, ids: Sequence[str], read: Callable[[int], Memory]) -> dict[str, Memory]:
        """Unread memories with these ids; `read` loads the memory of a number. Cost: some .5 µs each."""
        found = dict[str, Memory]()
        new = object.__new__
        put = object.__setattr__
        for number, one in enumerate(ids):
            found[one] = memory = new(cls)
            put(memory, "__pydantic_private__", (number, ids, read))
        return found

    def __getattribute__(self, name: str) -> Any:
        """The attribute; those independent of the content do not load it."""
        get = object.__getattribute__
        put = object.__setattr__
        if name == "__class__":
            return Memory
        place = get(self, "__pydantic_private__")
        if place is not None:  # else another thread has just loaded it
            number, ids, read = place
            if name == "id":
                return ids[number]
            found = read(number)
            get(self, "__dict__").update(found.__dict__)
            put(self, "__pydantic_fields_set__", found.__pydantic_fields_set__)
            put(self, "__pydantic_extra__", found.__pydantic_extra__)
            put(self, "__pydantic_private__", None)
            put(self, "__class__", Memory)
        return get(self, name)


def is_unread(entry: object) -> bool:
    """Whether it is a memory not loaded yet."""
    return type(entry) is UnreadMemory


def glimpsed(entry: AnyEntry) -> AnyEntry:
    """A loaded copy for one use: an unread memory stays unread."""
    place = (
        object.__getattribute__(entry, "__pydantic_private__")
        if type(entry) is UnreadMemory
        else None
    )
    return place[2](place[0]) if place else entry


class MemoryFields(TypedDict, total=False):
    """Optional fields of `remember`: texts, numbers and lists, in any spelling accepted in memory.json."""

    id: str
    keys: Sequence[str] | str
    secondary_keys: Sequence[str] | str
    selective_logic: str
    constant: bool
    triggers: Sequence[str] | str
    priority: int
    weight: float
    salience: float
    decay: float
    topics: Sequence[str] | str
    emotions: Sequence[str] | str
    tags: Sequence[str] | str
    source: Source | str
    subject: str | int | None
    user: str | int | None
    created: datetime | str | float | None
    written: datetime | str | float | None
    expires: datetime | str | float | None
    confidence: float
    evidence: Sequence[Mapping[str, object] | str]
    chapter: Mapping[str, object] | None
    supersedes: Sequence[str] | str
    archived: bool
    locked: bool
    extra: Mapping[str, object]  # your own fields, kept unchanged


class ChangedFields(MemoryFields, total=False):
    """What `edit` changes."""

    content: str
    type: MemoryType | str


def readable_id(content: str, taken: Container[str] = ()) -> str:
    """A readable id for a new memory: its first words, or a digest if it has none; made unique by a number.

    >>> readable_id("The beacon failed in the storm of 1887."), readable_id("灯塔灭了", taken=())
    ('the-beacon-failed-in', 'm-3e671e6c')
    """
    words = re.findall(r"[a-z0-9]+", content[:200].casefold())[:4]
    stem = (
        "-".join(words)[:40]
        if words and content.isascii()
        else f"m-{blake2b(content.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"
    )
    return stem if stem not in taken else f"{stem}-{_free_number(f'{stem}-', taken)}"


def _free_number(stem: str, taken: Container[str]) -> int:
    """A number from 2 on that makes an id of the stem that is free: the next one. Cost: O(log of it)."""
    least = 1
    most = 2
    while f"{stem}{most}" in taken:
        least = most
        most = 2 * most
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if f"{stem}{middle}" in taken else (least, middle)
    return most
