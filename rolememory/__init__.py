"""A memory for role-play characters: lorebook triggers, semantic recall, time and feeling, in files you can edit.

    from rolememory import Home

    mira = Home.open("memories").role("mira")
    turn = mira.recall("Why is the beacon dark?")
    print(turn.text, turn.explain())

Names are loaded on first use, so importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rolememory.engine import AsyncHome, AsyncRoleMemory, Home, RoleMemory, aio
    from rolememory.errors import RoleMemoryError
    from rolememory.recall.lore.scan import scan
    from rolememory.recall.turn import Explanation, Turn
    from rolememory.schema.evidence import Hit, Reason, Recalled, Scored
    from rolememory.schema.memory import Memory, MemoryType, Source
    from rolememory.schema.message import Message
    from rolememory.schema.role import Character, Role
    from rolememory.schema.scene import Scene
    from rolememory.schema.settings import Settings
    from rolememory.triggers.base import Parts, Trigger, register

_PLACES = {
    "AsyncHome": "rolememory.engine",
    "AsyncRoleMemory": "rolememory.engine",
    "Character": "rolememory.schema.role",
    "Explanation": "rolememory.recall.turn",
    "Hit": "rolememory.schema.evidence",
    "Home": "rolememory.engine",
    "Memory": "rolememory.schema.memory",
    "MemoryType": "rolememory.schema.memory",
    "Message": "rolememory.schema.message",
    "Parts": "rolememory.triggers.base",
    "Reason": "rolememory.schema.evidence",
    "Recalled": "rolememory.schema.evidence",
    "Role": "rolememory.schema.role",
    "RoleMemory": "rolememory.engine",
    "RoleMemoryError": "rolememory.errors",
    "Scene": "rolememory.schema.scene",
    "Scored": "rolememory.schema.evidence",
    "Settings": "rolememory.schema.settings",
    "Source": "rolememory.schema.memory",
    "Trigger": "rolememory.triggers.base",
    "Turn": "rolememory.recall.turn",
    "aio": "rolememory.engine",
    "register": "rolememory.triggers.base",
    "scan": "rolememory.recall.lore.scan",
}

__all__ = [
    "AsyncHome",
    "AsyncRoleMemory",
    "Character",
    "Explanation",
    "Hit",
    "Home",
    "Memory",
    "MemoryType",
    "Message",
    "Parts",
    "Reason",
    "Recalled",
    "Role",
    "RoleMemory",
    "RoleMemoryError",
    "Scene",
    "Scored",
    "Settings",
    "Source",
    "Trigger",
    "Turn",
    "aio",
    "register",
    "scan",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'rolememory' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_PLACES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
