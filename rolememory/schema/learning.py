"""What learning hands around: a message as a chat keeps it, a draft of a memory, and what became of it."""

from dataclasses import field, replace
from datetime import datetime
from typing import Literal, NamedTuple

from rolememory.schema.evidence import Reason
from rolememory.schema.memory import Chapter, Evidence, Memory, MemoryType, Source
from rolememory.schema.message import TurnKind
from rolememory.schema.value_class import value_class

USER = "user"
"""The subject of a memory about whoever speaks to the role; the role itself is none."""

SpanKind = Literal["quote", "action", "ooc", "command", "ending"]
"""Quoted speech, a stage direction, words out of character, a command to the memory of the chat, the end of a chapter."""
ORDERS: tuple[SpanKind, ...] = ("command", "ending")
"""What is no part of the story at all."""
Scope = Literal["off", "here", "on"]
"""How far memory goes: nothing is recalled or learned; what is said stays in its chat; as usual."""


class ScopeCommand(NamedTuple):
    """Where a message says how far memory goes from now on, or ends a chapter (no scope): half-open."""

    start: int
    end: int
    scope: Scope | None

    @property
    def kind(self) -> SpanKind:
        """As it is marked in the message."""
        return "command" if self.scope else "ending"


class MarkedSpan(NamedTuple):
    """A stretch of a message that is no plain narration: half-open, in characters of the clean text."""

    kind: SpanKind
    start: int
    end: int


@value_class
class ChatMessage:
    """One version of one message of a chat. The same words by the same speaker are the same version, wherever they stand."""

    version: str  # digest of speaker and clean text
    role: Literal["user", "assistant"]
    text: str  # clean: emotion and gesture tags, thoughts, panels and our own injected blocks taken out
    at: datetime  # when its slot was first seen, or sent: an edit or swipe keeps the time of its slot
    slot: int = -1  # place in the chat's own numbering; -1 = not kept yet
    name: str = ""  # who speaks, where the frontend tells
    raw: str = ""  # as it came, where that differs from `text`
    emotions: tuple[
        str, ...
    ] = ()  # said by tags in the raw text, as labels of `text.affect.EMOTIONS`
    owner: str | None = (
        None  # of a user's message: which user ("" = nameless); None = unknown, so recalled in its chat alone
    )
    users: tuple[str, ...] | None = None  # who was present; None = not recorded: the owner alone
    members: tuple[str, ...] = ()  # other characters that were present, by name
    kind: TurnKind = "normal"
    spans: tuple[MarkedSpan, ...] = ()
    stamp: tuple[
        tuple[str, str], ...
    ] = ()  # what a card or frontend printed about the scene: ("time", "三月初七"), ...
    scope: Scope = "on"  # how far memory went when it was said, or from its own command on

    @property
    def commands(self) -> bool:
        """Whether it says itself how far memory goes."""
        return any(one.kind == "command" for one in self.spans)

    @property
    def ends(self) -> bool:
        """Whether it ends a chapter outside the story."""
        return any(one.kind == "ending" for one in self.spans)

    @property
    def story(self) -> "ChatMessage":
        """It without its commands to the memory."""
        text = self.text
        for one in reversed(self.spans):
            if one.kind in ORDERS:
                text = text[: one.start] + text[one.end :]
        return self if text == self.text else replace(self, text=text.strip(), spans=())

    @property
    def erased(self) -> bool:
        """Whether its words went because somebody was forgotten: only its place is known."""
        return not self.text


@value_class
class Company:
    """Who is there: the names that "I", "you" and third persons may mean."""

    role: str = ""  # the role's name as the chat calls it
    role_names: tuple[str, ...] = ()  # and its aliases
    user: str = ""  # the user's name, "" when nobody said it
    others: tuple[str, ...] = ()  # further members of a group

    def subject_of(self, said: ChatMessage) -> str:
        """Whom "I" means in this message: the role "", another member or a named user by name, else USER."""
        if said.role == "assistant":
            return said.name if said.name and said.name in self.others else ""
        return said.name if said.name and said.name != self.user else USER


@value_class
class Draft:
    """A memory that somebody proposes: a command, a model. Not yet compared with what is known.

    What a model proposes rests on messages: `evidence` names the versions, one or several joined by "+", that must stand for it
    to hold. A quote is welcome and not needed: the admission filter makes a draft surer by one that stands there, and less sure
    without. Who finds that a draft cannot be kept sets `fault` and hands it on all the same, so that the refusal is seen.
    """

    content: str
    type: MemoryType
    source: Source
    evidence: tuple[
        Evidence, ...
    ]  # each a support: a version, or several joined by "+", and the quote
    because: Reason  # who found it
    subject: str | None = None  # as in Memory: None = the role
    user: str | None = None
    created: datetime | None = None
    keys: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    emotions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    salience: float = 0.5
    confidence: float = 1.0
    corrects: bool = False  # a person said that what is known is wrong
    near: tuple[
        str, ...
    ] = ()  # versions said just before: a correction may mean what was learned from them
    replaces: str = ""  # the id of the memory that it outdates, by a model that was shown it
    rests_on: tuple[str, ...] = ()  # inference: ids of the memories it was drawn from
    explicit: bool = False  # asked for by a person ("remember this"): no rule may find it too small
    constant: bool = False  # a person wants it present in every turn
    chapter: Chapter | None = None  # a stretch of a story
    context: tuple[
        str, ...
    ] = ()  # versions it was read among, in the chat of its evidence: the exchange
    fault: Reason | None = (
        None  # why it cannot be kept, by who proposes it: the filter refuses it, where it is seen
    )


Action = Literal["add", "merge", "supersede", "ignore", "review"]


@value_class
class Verdict:
    """What becomes of a draft that meets what is known."""

    draft: Draft
    action: Action
    because: Reason
    others: tuple[
        str, ...
    ] = ()  # ids: what it is merged into (merge), replaces (supersede), restates (ignore), contradicts (review)
    outdated_by: tuple[
        str, ...
    ] = ()  # ids of known memories that were told later in the story and replace the draft itself


@value_class
class Learned:
    """What one look at the chat changed."""

    memories: tuple[Memory, ...] = ()  # new or changed, as they stand now
    verdicts: tuple[Verdict, ...] = ()
    refused: tuple[tuple[Draft, Reason], ...] = ()  # by the gate
    notes: tuple[str, ...] = ()


@value_class
class Observed:
    """What `observe` gives back: the chat it belongs to and what was new in it."""

    chat: str  # its id
    entered: tuple[ChatMessage, ...] = ()  # versions never seen before
    returned: tuple[ChatMessage, ...] = ()  # versions that stand again
    left: tuple[str, ...] = ()  # versions that stand no longer: swiped away, edited or deleted
    branch_of: str = ""  # the chat this one was forked from, when this look found it
    notes: tuple[str, ...] = field(default=())
