"""Memories as they come and go."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import Field, create_model

from rolememory.recall.active_set import ActiveSet
from rolememory.schema.json_types import JsonObject
from rolememory.schema.memory import Memory
from rolememory.serve.rest.dependencies import tag
from rolememory.serve.rest.schemas import Id, In, Line, Out, Text, bounded
from rolememory.storage.codec import FIELDS, value_of
from rolememory.usage.weights import weight

Logic = Literal["and_any", "and_all", "not_any", "not_all"]
Kind = Literal["episodic", "semantic", "trait", "goal"]
Origin = Literal["manual", "user_input", "summary", "ai_output", "inference"]


class EvidenceIn(In):
    """The evidence of a memory."""

    chat: Line = ""
    version: str = Field("", max_length=5000)
    quote: Text = ""
    answers: Text = ""


class ChapterShape(In):
    """Fields of a chapter besides its text. Fields that are not given stay."""

    title: Line = ""
    until: datetime | None = None
    time: Line = ""
    place: Line = ""
    people: list[Line] = Field(default_factory=list, max_length=100)


_OTHERWISE = ("id", "content", "evidence", "chapter", "written")
_Fields: type[In] = create_model(
    "_Fields",
    __base__=In,
    **bounded(Memory, (name for name in Memory.model_fields if name not in _OTHERWISE)),
)


class MemoryFieldsIn(_Fields):
    """Fields of a memory. Fields that are not given stay; null restores the default."""

    content: str | None = Field(None, min_length=1, max_length=100_000)
    evidence: list[EvidenceIn] | None = Field(None, max_length=100)
    chapter: ChapterShape | None = None

    def named(self) -> JsonObject:
        """What was named, as memory.json would have it."""
        found = self.model_dump(
            mode="json", include=self.model_fields_set & set(MemoryFieldsIn.model_fields)
        )
        if self.chapter:
            found["chapter"] = self.chapter.model_dump(mode="json", exclude_unset=True)
        return found


class MemoryIn(MemoryFieldsIn):
    """A new memory; only `content` is required."""

    id: Id | None = None
    """by default made from the first words"""
    content: str = Field(min_length=1, max_length=100_000)

    def raw(self) -> JsonObject:
        """As `remember_all` takes it."""
        named = {name: value for name, value in self.named().items() if value is not None}
        return {**named, "id": self.id} if self.id else named


class EvidenceOut(Out):
    """A sentence of a chat that is evidence of a memory."""

    chat: str
    version: str
    quote: str
    answers: str


class MemoryOut(Out):
    """A memory with all fields and its current state."""

    id: str
    type: Kind
    content: str
    keys: list[str]
    secondary_keys: list[str]
    selective_logic: Logic
    triggers: list[str]
    constant: bool
    priority: int
    weight: float
    salience: float
    decay: float
    topics: list[str]
    emotions: list[str]
    tags: list[str]
    source: Origin
    subject: str | None
    """whom it is about: null = the role, "user" = the user, else a name"""
    user: str | None
    """whose it is: null = shared by all"""
    created: datetime | None
    """when it happened or was said"""
    written: datetime | None
    """when it was written by hand"""
    expires: datetime | None
    confidence: float
    evidence: list[EvidenceOut]
    chapter: JsonObject | None
    """of a chapter: title, until, time, place, people, parts"""
    supersedes: list[str]
    archived: bool
    locked: bool
    extra: JsonObject
    """custom fields"""
    counts: bool
    """false while none of its messages is visible"""
    superseded_by: str | None
    """the current memory that replaced it"""
    weight_now: float
    """weight including usage"""
    fades: bool
    etag: str


def memory_tag(memory: Memory) -> str:
    """The ETag of a memory: of what stands in the file, not of how it stands among others."""
    return tag(
        [
            memory.type.value,
            {name: value_of(memory, name) for name in FIELDS},
            memory.model_extra or {},
        ]
    )


def memory_out(memory: Memory, standing: ActiveSet, effects: Mapping[str, float]) -> MemoryOut:
    """A memory as it goes out."""
    fields = {name: value_of(memory, name) for name in FIELDS if name != "evidence"}
    return MemoryOut.from_value(
        memory,
        **fields,
        extra=dict(memory.model_extra or {}),
        counts=memory.id not in standing.withdrawn,
        superseded_by=standing.superseded.get(memory.id),
        weight_now=weight(memory, effects),
        etag=memory_tag(memory),
    )
