"""Parts of other installed packages, by entry point: all of them, or in a service those that its settings name."""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from typing import Any


class _Allowed:
    """What this process may load; None = everything."""

    names: frozenset[str] | None = None


def allow(names: Iterable[str] | None) -> None:
    """Load only plugins of these names from now on; None = all of them."""
    _Allowed.names = None if names is None else frozenset(names)


def plugins(group: str) -> dict[str, Any]:
    """What the installed packages bring to a group, by name; the code of others is not even imported."""
    return _loaded(group, _Allowed.names)


@cache
def _loaded(group: str, allowed: frozenset[str] | None) -> dict[str, Any]:
    points = entry_points(group=group)
    return {one.name: one.load() for one in points if allowed is None or one.name in allowed}
