"""Data types of learning: stored messages, drafts of memories, verdicts on them."""

from dataclasses import field, replace
from datetime import datetime
from typing import Literal, NamedTuple

from rolememory.schema.evidence import Reason
from rolememory.schema.memory import Chapter, Evidence, Memory, MemoryType, Source
from rolememory.schema.message import TurnKind
from rolememory.schema.value_class import value_class

USER = "user"
"""The subject of a memory about the user; for the role itself it is None."""

SpanKind = Literal["quote", "action", "ooc", "command", "ending", "bare"]
"""Quoted speech, a stage direction, an out-of-character remark, a command to the memory, the end of a chapter, a slash command without content."""
ORDERS: tuple[SpanKind, ...] = ("command", "ending", "bare")
"""Spans that are not part of the story."""
Scope = Literal["off", "here", "on"]
"""Scope of memory: off = no recall or learning; here = messages stay in their chat; on = as usual."""


class ScopeCommand(NamedTuple):
    """A command to the memory of a chat: half-open span, kind of its mark, and the scope that it sets from now on."""

    start: int
    end: int
    kind: SpanKind
    scope: Scope | None = None


class MarkedSpan(NamedTuple):
    """A span of a message that is not plain narration: half-open, in characters of the clean text."""

    kind: SpanKind
    start: int
    end: int


@value_class
class ChatMessage:
    """One version of one message of a chat. The same text by the same speaker is the same version everywhere."""

    version: str  # digest of speaker and clean text
    role: Literal["user", "assistant"]
    text: str  # clean: without emotion and gesture tags, reasoning, panels and our own injected blocks
    at: datetime  # when its slot was first seen, or sent: an edit or swipe keeps the time of its slot
    slot: int = -1  # number in the chat; -1 = not stored yet
    name: str = ""  # the speaker, if the frontend says
    raw: str = ""  # as received, if different from `text`
    emotions: tuple[str, ...] = ()  # from tags in the raw text, labels of `text.affect.EMOTIONS`
    owner: str | None = (
        None  # of a user's message: which user ("" = nameless); None = unknown, so recalled only in its chat
    )
    users: tuple[str, ...] | None = None  # who was present; None = not recorded: only the owner
    members: tuple[str, ...] = ()  # names of other characters present
    kind: TurnKind = "normal"
    spans: tuple[MarkedSpan, ...] = ()
    stamp: tuple[
        tuple[str, str], ...
    ] = ()  # what a card or frontend printed about the scene: ("time", "三月初七"), ...
    scope: Scope = "on"  # scope of memory at that time, or from its own command on

    @property
    def commands(self) -> bool:
        """Whether it contains a scope command."""
        return any(one.kind == "command" for one in self.spans)

    @property
    def ends(self) -> bool:
        """Whether it contains a command that ends a chapter."""
        return any(one.kind == "ending" for one in self.spans)

    @property
    def story(self) -> "ChatMessage":
        """The message without its commands to the memory."""
        text = self.text
        for one in reversed(self.spans):
            if one.kind in ORDERS:
                text = text[: one.start] + text[one.end :]
        return self if text == self.text else replace(self, text=text.strip(), spans=())

    @property
    def stays_here(self) -> bool:
        """Whether it is recalled only in its chat: by its scope, or because its speaker is unknown."""
        return self.scope == "here" or (self.role == "user" and self.owner is None)

    @property
    def is_readable(self) -> bool:
        """Whether there is something in it that memory may learn."""
        return self.scope != "off" and bool(self.story.text)

    @property
    def erased(self) -> bool:
        """Whether its text was erased with a forgotten person: only its slot is kept."""
        return not self.text


@value_class
class Company:
    """The people present: names that "I", "you" and third persons may mean."""

    role: str = ""  # the role's name in the chat
    role_names: tuple[str, ...] = ()  # and its aliases
    user: str = ""  # the user's name, "" if unknown
    others: tuple[str, ...] = ()  # further members of a group

    def subject_of(self, said: ChatMessage) -> str:
        """The referent of "I" in this message: "" for the role, the name of another member or user, else USER."""
        if said.role == "assistant":
            return said.name if said.name and said.name in self.others else ""
        return said.name if said.name and said.name != self.user else USER


@value_class
class Draft:
    """A proposed memory, by a command or a model. Not yet compared with known ones.

    Drafts of a model are based on messages: `evidence` names the versions, one or several joined by "+", that must exist for it
    to count. A quote is optional: the admission filter raises the confidence with a correct one, and lowers it without. An
    extractor that finds a draft invalid sets `fault` and passes it on, so that the refusal is visible.
    """

    content: str
    type: MemoryType
    source: Source
    evidence: tuple[Evidence, ...]  # (version, or several joined by "+", and the quote)
    because: Reason  # its origin
    subject: str | None = None  # as in Memory: None = the role
    user: str | None = None
    created: datetime | None = None
    keys: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    emotions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    salience: float = 0.5
    confidence: float = 1.0
    corrects: bool = False  # a correction by a person
    near: tuple[
        str, ...
    ] = ()  # versions just before: a correction may concern what was learned from them
    replaces: str = ""  # id of the memory that it replaces, named by a model
    rests_on: tuple[str, ...] = ()  # inference: ids of its premises
    explicit: bool = False  # asked for by a person ("remember this"): never refused as trivial
    constant: bool = False  # a person wants it in every turn
    chapter: Chapter | None = None  # a stretch of a story
    context: tuple[str, ...] = ()  # versions of its exchange, in the chat of its evidence
    fault: Reason | None = None  # why it is invalid, by the extractor; refused by the filter


Action = Literal["add", "merge", "supersede", "ignore", "review"]


@value_class
class Verdict:
    """The result of comparing a draft with known memories."""

    draft: Draft
    action: Action
    because: Reason
    others: tuple[
        str, ...
    ] = ()  # ids: what it is merged into (merge), replaces (supersede), restates (ignore), contradicts (review)
    outdated_by: tuple[
        str, ...
    ] = ()  # ids of known memories from later in the story, which replace the draft


@value_class
class Learned:
    """The changes by one run of learning."""

    memories: tuple[Memory, ...] = ()  # new or changed
    verdicts: tuple[Verdict, ...] = ()
    refused: tuple[tuple[Draft, Reason], ...] = ()  # by the gate
    notes: tuple[str, ...] = ()


@value_class
class Observed:
    """The result of `observe`: the chat, and what changed in it."""

    chat: str  # its id
    entered: tuple[ChatMessage, ...] = ()  # versions never seen before
    returned: tuple[ChatMessage, ...] = ()  # versions visible again
    left: tuple[str, ...] = ()  # versions no longer visible: swiped, edited or deleted
    branch_of: str = ""  # the chat this one was forked from, if just detected
    notes: tuple[str, ...] = field(default=())
