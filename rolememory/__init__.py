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
    from rolememory.engine import Home, RoleMemory
    from rolememory.engine.awaiting import AsyncHome, AsyncRoleMemory, aio
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

_NAMES = {
    "engine": "Home RoleMemory",
    "engine.awaiting": "AsyncHome AsyncRoleMemory aio",
    "errors": "RoleMemoryError",
    "recall.lore.scan": "scan",
    "recall.turn": "Explanation Turn",
    "schema.evidence": "Hit Reason Recalled Scored",
    "schema.memory": "Memory MemoryType Source",
    "schema.message": "Message",
    "schema.role": "Character Role",
    "schema.scene": "Scene",
    "schema.settings": "Settings",
    "triggers.base": "Parts Trigger register",
}
_PLACES = {
    name: f"rolememory.{module}" for module, names in _NAMES.items() for name in names.split()
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
