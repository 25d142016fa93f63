"""Public values of a role's chats."""

from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, get_args

from rolememory.chats.visible_path import VisiblePath
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class

Mode = Literal["on", "here", "read_only", "off"]
"""What memory does in a chat: all it can; the same, what is said is recalled nowhere else; recall without learning; neither."""
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
OWN: Final = "own"
"""The story of a chat that has one to itself."""


@value_class
class ChatInfo:
    """A chat in a list of chats."""

    id: str
    title: str  # given, or from the first user message
    user: str | None
    chosen: str | None  # the story it was assigned to; None = none
    mode: Mode
    created: datetime
    updated: datetime  # of the last change
    latest: datetime  # when the newest visible message was said
    messages: int  # visible messages, cut-off ones included
    archived: bool
    branch_of: str  # the parent chat, ""
    file: Path
    unnamed: bool = False  # no id from the frontend: made of the first messages
    users: tuple[str, ...] = ()  # every participant, in order of appearance
    titled: bool = False  # a person gave the title: one that a frontend sends does not replace it
    story: str = ""  # its story: "" the shared one, "own" its own, or a named one

    @property
    def teaches(self) -> bool:
        """Whether memories may be learned from it: not if it is read-only or off."""
        return self.mode in ("on", "here")


@value_class
class WindowSize:
    """How much a frontend showed at the last request."""

    messages: int = 0
    users: int = 0  # of them by the user
    characters: int = 0

    def __add__(self, other: "WindowSize") -> "WindowSize":
        return WindowSize(
            self.messages + other.messages,
            self.users + other.users,
            self.characters + other.characters,
        )


@value_class
class ObservePreview:
    """What `observe` would return, without writing it."""

    chat: str  # the current or future id; "" = no messages yet
    known: bool = False  # whether that chat was observed before
    path: VisiblePath = field(
        default_factory=VisiblePath
    )  # the visible messages, cut-off ones included; `slot` -1 = not stored yet
    entered: tuple[ChatMessage, ...] = ()
    returned: tuple[ChatMessage, ...] = ()
    left: tuple[str, ...] = ()
    branch_of: str = ""
    unseen: int = 0  # number of path messages cut off by the frontend
    notes: tuple[str, ...] = ()
    mode: Mode = "on"  # the memory mode
