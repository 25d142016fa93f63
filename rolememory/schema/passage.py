"""A passage: a few sentences of a message as they can be recalled. To strategies, gates and templates it is a memory."""

from datetime import datetime
from hashlib import blake2b
from typing import Literal

from rolememory.schema.memory import Evidence, Memory, MemoryType, Source

PREFIX = "p-"  # what ids of passages begin with
_SAID = {"chat", "version", "quote", "answers"}
_TOLD = {
    *("id", "content", "type", "source", "subject", "user", "created", "emotions", "evidence"),
    *("role", "slot", "start", "end", "ooc", "scene", "company", "beside"),
}
"""The fields that are set: one set for all passages, of which there are many."""


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


def passage_id(chat: str, version: str, start: int) -> str:
    """The same for the same words in the same place of the same chat, whoever reads them.

    >>> passage_id("harbour", "0a1b2c3d4e5f", 0)
    'p-44ce12584277'
    """
    told = f"{chat}\\0{version}\\0{start}".encode("utf-8", "replace")
    return PREFIX + blake2b(told, digest_size=6).hexdigest()


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
) -> Passage:
    """Make one of values that were checked when the message was read. Cost: a few microseconds."""
    start, end = span
    quote = text[start:end]
    evidence = Evidence.model_construct(
        _SAID, chat=chat, version=version, quote=quote, answers=asked
    )
    return Passage.model_construct(
        _TOLD,
        id=passage_id(chat, version, start),
        content=quote,
        type=MemoryType.EPISODIC,
        source=Source.USER_INPUT if role == "user" else Source.AI_OUTPUT,
        subject=speaker or None,
        user=owner if role == "user" else None,
        created=created,
        emotions=emotions,
        evidence=(evidence,),
        role=role,
        slot=slot,
        start=start,
        end=end,
        ooc=ooc,
        asker=asker,
        scene=scene,
        company=company,
        beside=beside,
    )


def joined(one: Passage, other: Passage) -> Passage:
    """Two passages of one message as one; what lies between them and is left out is marked."""
    between = " " if other.start - one.end <= 2 else " … "
    told = {
        "content": f"{one.content}{between}{other.content}",
        "end": other.end,
        "later": one.later or other.later,
    }
    return one.model_copy(update=told)
