"""One thing that `doctor` found."""

from dataclasses import dataclass
from typing import Literal

from rolememory.cli.words import say

FAULT: Literal["fault"] = "fault"
Level = Literal["good", "note", "warning", "fault"]


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """How one thing stands: where, what, and what to do about it."""

    level: Level
    about: str  # home, settings, model, learning, server, serve, role, chats, review, worldbook, template, watch, parts
    where: str
    what: str
    remedy: str = ""

    def text(self) -> str:
        """One line."""
        told = say(": ").join(part for part in (self.where, self.what) if part)
        return told + (say("; ") + self.remedy if self.remedy else "")
