"""The chats of a role: slots × versions, append-only; and which memories are visible from each chat."""

from rolememory.chats.branch_visibility import BranchVisibility
from rolememory.chats.chats import Chats
from rolememory.chats.stories import Stories, Story
from rolememory.chats.values import ChatInfo, Mode, ObservePreview
from rolememory.chats.visible_path import VisiblePath

__all__ = [
    "BranchVisibility",
    "ChatInfo",
    "Chats",
    "Mode",
    "ObservePreview",
    "Stories",
    "Story",
    "VisiblePath",
]
