"""Immutable value classes."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_class(made: type[Made]) -> type[Made]:
    """A dataclass with slots, hashed by its fields, and frozen for the type checker.

    Not frozen at run time: a turn makes some hundred values, and setting a field of a frozen class takes five times as long.
    """
    return dataclass(slots=True, unsafe_hash=True)(made)
