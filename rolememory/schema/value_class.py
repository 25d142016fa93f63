"""What most classes here are: a value, made once and never changed."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_class(made: type[Made]) -> type[Made]:
    """A dataclass with slots, hashed by its fields, that the type checker lets nobody change.

    At run time nothing watches over it: a turn makes some hundred values, and a field that is watched takes five times as long to set.
    """
    return dataclass(slots=True, unsafe_hash=True)(made)
