"""What the chats of a role tell about themselves."""

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
    """One chat as a list of chats shows it."""

    id: str
    title: str  # given, or a cut of the first thing the user said
    user: str | None
    chosen: str | None  # the story that somebody put it into; None = nobody did
    mode: Mode
    created: datetime
    updated: datetime  # of the last change
    messages: int  # visible now, what the frontend cut off included
    archived: bool
    branch_of: str  # the chat it was forked from, ""
    file: Path
    unnamed: bool = False  # the frontend gave no id: this one is made of the first messages
    users: tuple[str, ...] = ()  # everybody who was ever in it, in the order they came
    story: str = ""  # the one it belongs to: "" the shared story, "own" its own, or a named one

    @property
    def teaches(self) -> bool:
        """Whether memories may be learned from it: a chat that only reads, or is off, teaches nothing."""
        return self.mode in ("on", "here")


@value_class
class WindowSize:
    """How much a frontend showed when it was last looked at."""

    messages: int = 0
    users: int = 0  # of them said by the user
    characters: int = 0


@value_class
class ObservePreview:
    """What `observe` would find, without writing it."""

    chat: str  # the id it belongs to, or would get; "" = nothing was said yet
    known: bool = False  # whether that chat has been observed before
    path: VisiblePath = field(
        default_factory=VisiblePath
    )  # what would be visible, with what the frontend cut off; `slot` -1 = not kept yet
    entered: tuple[ChatMessage, ...] = ()
    returned: tuple[ChatMessage, ...] = ()
    left: tuple[str, ...] = ()
    branch_of: str = ""
    unseen: int = (
        0  # how many of the path stand before the visible messages: the frontend cut them off
    )
    notes: tuple[str, ...] = ()
    mode: Mode = "on"  # what memory would do
