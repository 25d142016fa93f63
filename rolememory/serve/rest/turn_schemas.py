"""Messages, cards and budgets as frontends send them; turns as they go out."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from rolememory.schema.generation import Generation
from rolememory.schema.json_types import JsonObject
from rolememory.schema.message import TurnKind
from rolememory.schema.role import Character
from rolememory.serve.rest.reasons import ItemOut, LoreItem
from rolememory.serve.rest.schemas import In, Line, Name, Out, Said, Text

Speaker = Literal["system", "user", "assistant", "tool", "developer"]
Words = Annotated[str, Field(max_length=1_000_000)]


class MessageIn(In, extra="allow"):
    """A message as OpenAI clients send it; further fields are kept."""

    role: Speaker
    content: Words | Annotated[list[Words | JsonObject], Field(max_length=200)] | None = None
    name: Line | None = None
    sent: datetime | None = None
    owner: Line | None = None
    """the user whose words these are, where several users speak in one chat"""


Messages = Annotated[
    list[MessageIn], Field(max_length=50_000, description="the whole visible chat, oldest first")
]


Names = Annotated[list[Name], Field(max_length=200)]


class AttendanceIn(In):
    """Who was there besides the role and the one who speaks to it."""

    present: Names | None = None
    """the users who read along; left out: those who are known to be in that chat"""
    members: Names | None = None
    """the other characters of a group, by name; left out: those of the time before"""


class BudgetIn(In):
    """What this turn may cost; what is not named is as the settings say."""

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
    """What lorebooks ask of a generation beside its messages."""

    author_note: Text | None = None
    """if it is due now; lore around it is merged with it, so leave it out of the messages"""
    note_scanned: bool = False
    """look for keys in the author's note too"""
    greeting: int | None = Field(None, ge=0, le=1000)
    """which one the chat began with, 0 = the first; left out: found by its text"""
    context_tokens: int | None = Field(None, ge=1, le=100_000_000)
    """of the model; left out: as the settings say"""
    user_icon: Line = ""
    injected: tuple[Text, ...] = Field(default_factory=tuple, max_length=100)
    """further texts in which keys are looked for"""
    outside: tuple[Line, ...] = Field(default_factory=tuple, max_length=1000)
    """ids of entries (book.id) that the frontend activated itself"""

    def told(self, kind: TurnKind) -> Generation:
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
    """messages before these that the frontend cut off"""
    lore: bool | None = None
    """activate lorebooks; by default as serve.lorebook says"""
    kind: TurnKind = "normal"
    """what the frontend generates; lorebook entries may live for some kinds alone"""
    generation: GenerationIn | None = None


class RecallIn(TurnRequest):
    """A turn whose answer goes into a prompt."""

    dry_run: bool = False
    """look without counting the turn"""
    with_messages: bool = False
    """also give the messages with everything in its place"""


class MessageOut(Out, extra="allow"):
    """A message with what was put in."""

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
    """position depth: who says it"""


class PartOut(PositionOut):
    """One of the texts for the prompt, with its place."""

    text: str


class RecallOut(Out):
    """What the character remembers on this turn."""

    text: str
    """the block for the prompt; "" = nothing"""
    persona: str
    """how the user likes to be answered; stands before the block"""
    story: str
    """the chapters of the story; stands before the block"""
    scene: str
    """how things stand in the scene; stands before the block"""
    position: PositionOut
    parts: list[PartOut]
    """persona and block, each where it goes: what is always there before the history, the rest where the settings want it"""
    items: list[ItemOut]
    near: list[ItemOut]
    """mode hybrid: better offered through a tool than put into the prompt"""
    lore: list[LoreItem]
    messages: list[MessageOut] | None
    characters: int
    tokens: int
    """estimated"""
    closed: str | None
    """why nothing was asked at all"""
    notes: list[Said]
    meaning: str
    """state of the embedding model this turn used"""
    ms: float


class ObserveIn(AttendanceIn):
    """What was said."""

    messages: Messages
    reply: Words | MessageIn | None = None
    """the character's answer, where it does not stand last among the messages"""
    chat: Line = ""
    user: Name | None = None
    now: datetime | None = None
    title: Line | None = None
    kind: TurnKind = "normal"
    """quiet: nothing is heard; impersonate: the reply is the user's own"""
    wait_s: float = Field(0.0, ge=0.0, le=10.0)
    """wait so long until its commands are obeyed"""


class SaidOut(Out):
    """One version of a message."""

    version: str
    role: str
    name: str
    at: datetime
    slot: int


class ObservedOut(Out):
    """What was new, on disk when this is told."""

    chat: str
    entered: list[SaidOut]
    """never seen before"""
    returned: list[SaidOut]
    """stand again"""
    left: list[str]
    """versions that stand no longer: swiped away, edited, deleted"""
    branch_of: str
    notes: list[str]
    learned: bool
    """the rules have read it by now"""
