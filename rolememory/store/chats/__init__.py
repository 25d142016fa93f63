"""The chats of a role: slots × versions, append-only, with what is visible from each of them."""

from rolememory.store.chats.chats import Chats
from rolememory.store.chats.sight import Sight
from rolememory.store.chats.timelines import Timeline, Timelines
from rolememory.store.chats.values import ChatInfo, Glimpse, Mode

__all__ = ["ChatInfo", "Chats", "Glimpse", "Mode", "Sight", "Timeline", "Timelines"]
