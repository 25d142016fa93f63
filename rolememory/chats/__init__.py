"""The chats of a role: slots × versions, append-only, with what is visible from each of them."""

from rolememory.chats.chats import Chats
from rolememory.chats.sight import Sight
from rolememory.chats.stories import Stories, Story
from rolememory.chats.values import ChatInfo, Glimpse, Mode
from rolememory.chats.visible_path import VisiblePath

__all__ = ["ChatInfo", "Chats", "Glimpse", "Mode", "Sight", "Stories", "Story", "VisiblePath"]
