"""Arguments and results of tools. Memory texts in results are escaped: they are data, never instructions."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from rolememory.inject.fence import fenced, tame
from rolememory.schema.evidence import Scored
from rolememory.schema.memory import Memory

Kind = Literal["episodic", "semantic", "trait", "goal"]


def described(about: str, **bounds: Any) -> Any:
    """A field with its description, which `server.mcp_server` translates."""
    return Field(description=about, **bounds)


RoleName = Annotated[
    str, described("the role: its name, alias or id", min_length=1, max_length=300)
]
UserName = Annotated[
    str | None,
    described(
        "on whose behalf: their own memories count beside the shared ones; without it only the shared ones",
        max_length=300,
    ),
]
ChatName = Annotated[
    str | None,
    described(
        "the chat it is about: what was told in another branch or story is not heard",
        max_length=300,
    ),
]
MemoryId = Annotated[
    str,
    described("the id of one memory, as `search` and `list` give it", min_length=1, max_length=300),
]
Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=50)]
MessageText = Annotated[str, described("what is said now", min_length=1, max_length=20000)]


class MessageArgument(BaseModel, frozen=True, extra="forbid"):
    """A message of the chat."""

    role: Literal["user", "assistant"]
    content: Annotated[str, Field(max_length=100_000)]


Before = Annotated[
    list[MessageArgument], described("the messages before it, oldest first", max_length=500)
]


class FoundMemory(BaseModel):
    """A memory as an agent gets it."""

    id: str
    type: Kind
    content: str
    created: datetime | None = None
    subject: str | None = None
    user: str | None = None
    keys: list[str] = []
    score: float | None = None

    @classmethod
    def of(cls, memory: Memory, score: float | None = None) -> "FoundMemory":
        """A memory, with its score if searched."""
        return cls(
            id=memory.id,
            type=memory.type.value,
            content=tame(memory.content),
            created=memory.created,
            subject=tame(memory.subject) if memory.subject else None,
            user=tame(memory.user) if memory.user else None,
            keys=[tame(key) for key in memory.keys],
            score=None if score is None else round(score, 4),
        )

    def line(self) -> str:
        """The memory as a line, with the id that other tools need.

        >>> FoundMemory(id="storm", type="episodic", content="The beacon failed.").line()
        '- (storm) The beacon failed.'
        """
        day = f"[{self.created:%Y-%m-%d}] " if self.created else ""
        return f"- ({tame(self.id)}) {day}{self.content}"


class Memories(BaseModel):
    """Some memories; `total` counts all that fit."""

    memories: list[FoundMemory]
    total: int


class MemoryWritten(BaseModel):
    """One memory that was written, or stood there already."""

    id: str
    added: bool


class Archived(BaseModel):
    """One memory that is out of recall."""

    id: str
    archived: bool


class RecalledNow(BaseModel):
    """What comes to mind at a message."""

    text: str  # the block for the prompt
    memories: list[FoundMemory]


class Explained(BaseModel):
    """Why each memory came to mind, or did not."""

    lines: list[str]


def listed(found: Iterable[Memory | Scored], total: int | None, nothing: str) -> CallToolResult:
    """A tool result of memories, as fenced text and as values."""
    rows = [
        FoundMemory.of(one.memory, one.score) if isinstance(one, Scored) else FoundMemory.of(one)
        for one in found
    ]
    text = fenced("\n".join(row.line() for row in rows)) or nothing
    return answer(text, Memories(memories=rows, total=len(rows) if total is None else total))


def answer(text: str, values: BaseModel) -> CallToolResult:
    """A tool result, as text for models and as values for programs."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=values.model_dump(mode="json"),
    )
