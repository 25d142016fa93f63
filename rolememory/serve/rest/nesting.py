"""How deep a value may be: what is deeper breaks those who write it later."""

from collections.abc import Mapping
from typing import Any

from rolememory.errors import InvalidValueError

LEVELS = 64


def shallow(value: Any) -> None:
    """Refuse a value of more than `LEVELS` levels.

    Raises:
        InvalidValueError: it is deeper.
    """
    level = [value]
    for _ in range(LEVELS):
        inside = (
            one.values() if isinstance(one, Mapping) else one
            for one in level
            if isinstance(one, Mapping | list)
        )
        level = [
            child for children in inside for child in children if isinstance(child, Mapping | list)
        ]
        if not level:
            return
    raise InvalidValueError("nested deeper than {levels} levels; flatten it", levels=LEVELS)
