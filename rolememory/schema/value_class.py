"""Immutable value classes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

Made = TypeVar("Made")
LATE = ("__repr__", "__eq__", "__hash__")  # the methods that most classes of a process never need


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_class(made: type[Made]) -> type[Made]:
    """A dataclass with slots, hashed by its fields, and frozen for the type checker.

    Not frozen at run time: a turn makes some hundred values, and setting a field of a frozen class takes five times as long.
    How values compare, hash and print is compiled at the first use, which takes a tenth off the start of a process.
    """
    made = dataclass(slots=True, repr=False, eq=False)(made)
    for name in LATE:
        if vars(made).get(name) is None:  # Python sets `__hash__` to None where a class compares
            setattr(made, name, _late(made, name))
    return made


def _late(made: type, name: str) -> Callable[..., Any]:
    """A method that replaces itself, at its first call, by the one that `dataclass` writes."""

    def first(*values: Any) -> Any:
        given = {"__slots__": (), "__module__": made.__module__, "__qualname__": made.__qualname__}
        heir: type = dataclass(
            init=False,
            repr=name == "__repr__",
            eq=name == "__eq__",
            unsafe_hash=name == "__hash__",
        )(type(made.__name__, (made,), given))
        setattr(made, name, vars(heir)[name])
        return getattr(made, name)(*values)

    return first
