"""Passages: a few sentences of a message as a unit of recall. Strategies, filters and templates treat them as memories.

There are many, so an instance has only non-default values, and all share the table of field names: about 500 bytes each,
besides the text.
"""

from datetime import UTC, datetime
from hashlib import blake2b
from typing import Literal, TypeVar

from pydantic import BaseModel, SerializerFunctionWrapHandler, model_serializer

from rolememory.schema.json_types import JsonObject
from rolememory.schema.memory import Evidence, Memory, Source

PREFIX = "p-"  # of passage ids
_SAID = {"chat", "version", "quote", "answers"}
_TOLD = {
    *("id", "content", "type", "source", "subject", "user", "created", "emotions", "evidence"),
    *("role", "slot", "start", "end", "ooc", "scene", "company", "beside"),
}
"""The set fields, shared by all passages."""
_NO_MORE: JsonObject = {}
"""The unknown fields of all passages."""
Model = TypeVar("Model", bound=BaseModel)


class Passage(Memory):
    """What somebody said, verbatim. Stored only in the log of its chat."""

    role: Literal["user", "assistant"] = "user"
    slot: int = 0  # of its message in the chat
    start: int = 0  # half-open, in characters of the message
    end: int = 0
    ooc: bool = False  # out of character
    asker: str = ""  # who asked the question it answers
    scene: str = ""  # place and time in the story, as printed; "" = unknown
    company: tuple[str, ...] = ()  # names of those present besides the character
    beside: tuple[str, ...] = ()  # ids of all passages of its message, in order
    later: bool = (
        False  # whether the block also has an earlier passage of its speaker on this topic
    )

    @property
    def authored(self) -> bool:
        """False: passages come from chats."""
        return False

    @property
    def message(self) -> tuple[str, str]:
        """Chat and version of its message."""
        return self.evidence[0].chat, self.evidence[0].version

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> JsonObject:
        """Serialise all fields, including class defaults."""
        whole = {name: getattr(self, name) for name in Passage.model_fields}
        told: JsonObject = write(_lean(Passage, self.model_fields_set, whole))
        return told


for _name, _field in Passage.model_fields.items():
    if not _field.is_required():
        setattr(Passage, _name, _field.default)


def passage_id(chat: str, version: str, start: int) -> str:
    """The id of a passage, derived from chat, message version and place.

    >>> passage_id("harbour", "0a1b2c3d4e5f", 0)
    'p-44ce12584277'
    """
    told = f"{chat}\\0{version}\\0{start}".encode("utf-8", "replace")
    return PREFIX + blake2b(told, digest_size=6).hexdigest()


def _lean(model: type[Model], told: set[str], values: JsonObject) -> Model:
    """An instance from validated values, set in a fixed order, so that all share the table of field names."""
    one = model.__new__(model)
    put = object.__setattr__
    for name, value in values.items():
        put(one, name, value)
    put(one, "__pydantic_fields_set__", told)
    put(one, "__pydantic_extra__", _NO_MORE)
    put(one, "__pydantic_private__", None)
    return one


def passage(
    *,
    chat: str,
    version: str,
    role: Literal["user", "assistant"],
    text: str,
    span: tuple[int, int],
    speaker: str,
    owner: str | None,
    created: datetime,
    slot: int = 0,
    emotions: tuple[str, ...] = (),
    ooc: bool = False,
    asked: str = "",
    asker: str = "",
    scene: str = "",
    company: tuple[str, ...] = (),
    beside: tuple[str, ...] = (),
    name: str = "",
) -> Passage:
    """A passage from values validated with the message; `name` is its id, if known.

    Cost: a few microseconds.
    """
    start, end = span
    quote = text[start:end]
    proof = {"chat": chat, "version": version, "quote": quote, "answers": asked}
    evidence = _lean(Evidence, _SAID, {**proof, "adjoining": False, "also": ()})
    told = {
        "id": name or passage_id(chat, version, start),
        "content": quote,
        "source": Source.USER_INPUT if role == "user" else Source.AI_OUTPUT,
        "subject": speaker or None,
        "user": owner if role == "user" else None,
        "created": created,
        "emotions": emotions,
        "evidence": (evidence,),
        "role": role,
        "slot": slot,
        "start": start,
        "end": end,
        "ooc": ooc,
        "asker": asker,
        "scene": scene,
        "company": company,
        "beside": beside,
    }
    return _lean(Passage, _TOLD, told)


passage(
    chat="",
    version="",
    role="user",
    text="",
    span=(0, 0),
    speaker="",
    owner=None,
    created=datetime.min.replace(tzinfo=UTC),
)
"""Create the first instance, whose table the others share."""


def joined(one: Passage, other: Passage) -> Passage:
    """Two passages of one message merged; a gap between them is marked."""
    between = " " if other.start - one.end <= 2 else " … "
    told = {
        "content": f"{one.content}{between}{other.content}",
        "end": other.end,
        "later": one.later or other.later,
    }
    return one.model_copy(update=told)


def without_question(one: Passage) -> Passage:
    """The passage without the question it answers."""
    proof = one.evidence[0].model_copy(update={"answers": ""})
    return one.model_copy(update={"evidence": (proof, *one.evidence[1:])})
