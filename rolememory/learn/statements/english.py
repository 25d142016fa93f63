"""English statements, read by rules."""

from collections.abc import Mapping

from rolememory.learn.statements.base import Speaker
from rolememory.schema.claims import Claim


def speech(text: str, speaker: Speaker) -> list[Claim]:
    """What somebody claims in his own words."""
    return []


def told(text: str, subject: str, shown: Mapping[str, str]) -> list[Claim]:
    """What third-person sentences claim."""
    return []
