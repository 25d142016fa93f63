"""A passage: a few sentences of a message as they can be recalled. To strategies, gates and templates it is a memory.

There are many of them. One holds what it tells and nothing else: what is usual stands in the class, and all share the names of their
fields. About 500 bytes each, besides the text.
"""

from datetime import UTC, datetime
from hashlib import blake2b
from typing import Literal, TypeVar

from pydantic import BaseModel, SerializerFunctionWrapHandler, model_serializer

from rolememory.schema.json_types import JsonObject
from rolememory.schema.memory import Evidence, Memory, Source

PREFIX = "p-"  # what ids of passages begin with
_SAID = {"chat", "version", "quote", "answers"}
_TOLD = {
    *("id", "content", "type", "source", "subject", "user", "created", "emotions", "evidence"),
    *("role", "slot", "start", "end", "ooc", "scene", "company", "beside"),
}
"""The fields that are set: one set for all passages."""
_NO_MORE: JsonObject = {}
"""The unknown fields of all passages."""
Model = TypeVar("Model", bound=BaseModel)


class Passage(Memory):
    """What somebody said, in the words that were used. It lies in the log of its chat and in no file of its own."""

    role: Literal["user", "assistant"] = "user"
    slot: int = 0  # of its message, in the chat's own numbering
    start: int = 0  # half-open, in characters of the message
    end: int = 0
    ooc: bool = False  # out of character
    asker: str = ""  # who asked what it answers
    scene: str = ""  # where and when in the story, as it was printed; "" = nobody printed it
    company: tuple[str, ...] = ()  # who was there besides the character, by name
    beside: tuple[str, ...] = ()  # the passages of its message in order, by id
    later: bool = False  # in a block that also tells what its speaker said before about the same

    @property
    def authored(self) -> bool:
        """Nobody wrote it as a memory."""
        return False

    @property
    def message(self) -> tuple[str, str]:
        """The chat and the version of the message that it is of."""
        return self.evidence[0].chat, self.evidence[0].version

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> JsonObject:
        """All fields, those that stand in the class among them."""
        whole = {name: getattr(self, name) for name in Passage.model_fields}
        told: JsonObject = write(_lean(Passage, self.model_fields_set, whole))
        return told


for _name, _field in Passage.model_fields.items():
    if not _field.is_required():
        setattr(Passage, _name, _field.default)


def passage_id(chat: str, version: str, start: int) -> str:
    """The same for the same words in the same place of the same chat, whoever reads them.

    >>> passage_id("harbour", "0a1b2c3d4e5f", 0)
    'p-44ce12584277'
    """
    told = f"{chat}\\0{version}\\0{start}".encode("utf-8", "replace")
    return PREFIX + blake2b(told, digest_size=6).hexdigest()


def _lean(model: type[Model], told: set[str], values: JsonObject) -> Model:
    """Make one of checked values, field by field: so the names lie in a table that all share."""
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
    """Make one of values that were checked when the message was read; `name` is its id, where that is known.

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
"""The first one of a class lays out the table that the others share."""


def joined(one: Passage, other: Passage) -> Passage:
    """Two passages of one message as one; what lies between them and is left out is marked."""
    between = " " if other.start - one.end <= 2 else " … "
    told = {
        "content": f"{one.content}{between}{other.content}",
        "end": other.end,
        "later": one.later or other.later,
    }
    return one.model_copy(update=told)


def without_question(one: Passage) -> Passage:
    """An answer without what it answers."""
    proof = one.evidence[0].model_copy(update={"answers": ""})
    return one.model_copy(update={"evidence": (proof, *one.evidence[1:])})
