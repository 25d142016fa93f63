"""Words an option may take, in a form that typer can offer."""

from enum import StrEnum

from rolememory.schema.scene import Language

__all__ = ["Language", "MemoryTypeChoice", "SourceChoice"]


class MemoryTypeChoice(StrEnum):
    """Types of memory; the values of `schema.memory.MemoryType`, here without loading pydantic for a help page."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    TRAIT = "trait"
    GOAL = "goal"


class SourceChoice(StrEnum):
    """Sources of memory; the values of `schema.memory.Source`."""

    MANUAL = "manual"
    USER_INPUT = "user_input"
    SUMMARY = "summary"
    AI_OUTPUT = "ai_output"
    INFERENCE = "inference"
