"""One thing that `doctor` found."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from rolememory.cli.words import say, worded
from rolememory.locales import Localized

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


Findings = Iterator[HealthFinding]


def finding(
    level: Level, about: str, what: str | Localized, where: str = "", remedy: str = ""
) -> HealthFinding:
    """A finding in the person's language."""
    return HealthFinding(level, about, where, worded(what), remedy)


good, note = partial(finding, "good"), partial(finding, "note")
warning, fault = partial(finding, "warning"), partial(finding, FAULT)


def command(verb: str, name: str) -> str:
    """A command line for a role, to copy."""
    return f'rolememory {verb} "{name}"' if " " in name else f"rolememory {verb} {name}"
