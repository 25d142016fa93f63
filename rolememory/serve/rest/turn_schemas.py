"""Messages, cards and budgets as frontends send them; turns as they go out."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from rolememory.schema.generation import Generation
from rolememory.schema.json_types import JsonObject
from rolememory.schema.message import TurnKind
from rolememory.schema.role import Character
from rolememory.serve.rest.reasons import ItemOut, LoreItem
from rolememory.serve.rest.schemas import In, Line, Name, Out, Text, Translated

Speaker = Literal["system", "user", "assistant", "tool", "developer"]
Words = Annotated[str, Field(max_length=1_000_000)]


class MessageIn(In, extra="allow"):
    """A message as OpenAI clients send it; further fields are kept."""

    role: Speaker
    content: Words | Annotated[list[Words | JsonObject], Field(max_length=200)] | None = None
    name: Line | None = None
    sent: datetime | None = None
    owner: Line | None = None
    """the user who wrote it, if several users speak in one chat"""


Messages = Annotated[
    list[MessageIn], Field(max_length=50_000, description="the whole visible chat, oldest first")
]


Names = Annotated[list[Name], Field(max_length=200)]


class AttendanceIn(In):
    """Who was present besides the role and the user who speaks."""

    present: Names | None = None
    """the users present; by default those known to be in the chat"""
    members: Names | None = None
    """the other characters of a group, by name; by default as last time"""


class BudgetIn(In):
    """Limits of this turn; by default those of the settings."""

    max_total_length: int | None = Field(None, ge=0, le=1_000_000)
    unit: Literal["characters", "tokens"] | None = None
    max_items: int | None = Field(None, ge=0, le=1000)

    def settings(self) -> JsonObject:
        """As dotted keys."""
        told = {
            "budget.max_total_length": self.max_total_length,
            "budget.unit": self.unit,
            "recall.max_items": self.max_items,
        }
        return {key: value for key, value in told.items() if value is not None}


class GenerationIn(In):
    """What lorebooks use of a generation besides its messages."""

    author_note: Text | None = None
    """the author's note, if due now; lore is placed around it, so leave it out of the messages"""
    note_scanned: bool = False
    """also scan the author's note for keys"""
    greeting: int | None = Field(None, ge=0, le=1000)
    """number of the greeting, 0 = the first; by default found by its text"""
    context_tokens: int | None = Field(None, ge=1, le=100_000_000)
    """context size of the model; by default as in the settings"""
    user_icon: Line = ""
    injected: tuple[Text, ...] = Field(default_factory=tuple, max_length=100)
    """further texts to scan for keys"""
    outside: tuple[Line, ...] = Field(default_factory=tuple, max_length=1000)
    """ids of entries (book.id) that the frontend activated itself"""

    def generation(self, kind: TurnKind) -> Generation:
        """As the engine takes it."""
        return Generation(kind, **dict(self))


class TurnRequest(AttendanceIn):
    """A turn."""

    messages: Messages
    chat: Line = ""
    """the frontend's id of the chat; without one it is found by its beginning"""
    user: Name | None = None
    """who speaks to the character"""
    character: Character | None = None
    """the card's texts, where the frontend has another card than the role"""
    budget: BudgetIn | None = None
    now: datetime | None = None
    unseen: int | None = Field(None, ge=0, le=10_000_000)
    """number of earlier messages that the frontend cut off"""
    lore: bool | None = None
    """activate lorebooks; by default as in serve.lorebook"""
    kind: TurnKind = "normal"
    """the kind of generation; lorebook entries may be limited to some kinds"""
    generation: GenerationIn | None = None


class RecallIn(TurnRequest):
    """A turn whose answer goes into a prompt."""

    dry_run: bool = False
    """do not count the turn"""
    with_messages: bool = False
    """also return the messages with everything inserted"""


class MessageOut(Out, extra="allow"):
    """A message with inserted text."""

    role: Speaker
    content: str
    name: str | None = None


class PositionOut(Out):
    """Where the text goes."""

    position: str
    """system, user, assistant, before_character, after_character, depth"""
    depth: int
    """position depth: messages from the end"""
    role: str
    """position depth: the role of the message"""


class PartOut(PositionOut):
    """One of the texts for the prompt, with its place."""

    text: str


class RecallOut(Out):
    """What the character remembers on this turn."""

    text: str
    """the block for the prompt; "" = nothing"""
    persona: str
    """how the user prefers to be answered; goes before the block"""
    story: str
    """the chapters of the story; goes before the block"""
    scene: str
    """the state of the scene; goes before the block"""
    position: PositionOut
    parts: list[PartOut]
    """the texts with their positions: stable ones before the history, the rest as in the settings"""
    items: list[ItemOut]
    near: list[ItemOut]
    """mode hybrid: offered by a tool instead of in the prompt"""
    lore: list[LoreItem]
    messages: list[MessageOut] | None
    characters: int
    tokens: int
    """estimated"""
    closed: str | None
    """why nothing was recalled at all"""
    notes: list[Translated]
    meaning: str
    """state of the embedding model this turn used"""
    ms: float


class ObserveIn(AttendanceIn):
    """What was said."""

    messages: Messages
    reply: Words | MessageIn | None = None
    """the character's reply, if it is not the last message"""
    chat: Line = ""
    user: Name | None = None
    now: datetime | None = None
    title: Line | None = None
    kind: TurnKind = "normal"
    """quiet: ignored; impersonate: the reply is by the user"""
    wait_s: float = Field(0.0, ge=0.0, le=10.0)
    """how long to wait until its commands are executed"""


class SaidOut(Out):
    """One version of a message."""

    version: str
    role: str
    name: str
    at: datetime
    slot: int


class ObservedOut(Out):
    """The changes of a chat; durable when the response arrives."""

    chat: str
    entered: list[SaidOut]
    """never seen before"""
    returned: list[SaidOut]
    """visible again"""
    left: list[str]
    """versions no longer visible: swiped away, edited or deleted"""
    branch_of: str
    notes: list[str]
    learned: bool
    """whether its commands are executed"""
