"""Nesting depth of JSON values: too deep ones fail when written later."""

from typing import Any

_NESTS = (dict, list)


def is_deeper(value: Any, levels: int) -> bool:
    """Whether objects and lists are nested deeper than `levels`. O(size).

    >>> is_deeper([[1], {"a": [2]}], 3), is_deeper([[1], {"a": [2]}], 2)
    (False, True)
    """
    layer = [value] if type(value) in _NESTS else []
    for _ in range(levels):
        layer = [
            item
            for outer in layer
            for item in (outer.values() if type(outer) is dict else outer)
            if type(item) in _NESTS
        ]
        if not layer:
            return False
    return bool(layer)
