"""The base of memories and lorebook entries."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field

Unit = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
"""Strengths, salience, probability as a fraction."""


class SelectiveLogic(StrEnum):
    """How secondary keys decide once a primary key was seen."""

    AND_ANY = "and_any"
    AND_ALL = "and_all"
    NOT_ANY = "not_any"
    NOT_ALL = "not_all"


class Entry(BaseModel, frozen=True, extra="allow", allow_inf_nan=False):
    """One text the engine may recall: a lorebook entry or a memory.

    Unknown fields are someone else's data: kept, and written back unchanged.
    """

    id: str
    content: str
    keys: tuple[str, ...] = ()
    """words that call it up"""
    secondary_keys: tuple[str, ...] = ()
    """words judged by selective_logic once a key was seen"""
    selective_logic: SelectiveLogic = SelectiveLogic.AND_ANY
    """how the secondary keys decide"""
    constant: bool = False
    """always in the prompt"""
