"""The engine: Home and RoleMemory, which observe chats and recall memories.

    home = Home.open("memories")
    mira = home.role("mira")
    turn = mira.recall([Message.user("Why is the beacon dark?")])
    mira.remember("The beacon failed in the storm of 1887.", keys=["beacon", "storm"])

Reading: `recall` and `search` take the newest snapshot of the files, update the index by the differences, and query it.
Writing: every change is one durable line in the journal before the call returns; memory.json is updated later.
"""

from rolememory.engine.home import ROLE_MEMORY_HEADING, Home, MemoryContent
from rolememory.engine.inputs import MessageLike, coerce_messages
from rolememory.engine.role import RoleMemory

__all__ = [
    "ROLE_MEMORY_HEADING",
    "Home",
    "MemoryContent",
    "MessageLike",
    "RoleMemory",
    "coerce_messages",
]
