"""Plugins of other installed packages, by entry point: all, or in a service those that its settings name."""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from typing import Any


class _Allowed:
    """The plugins that this process may load; None = all."""

    names: frozenset[str] | None = None


def allow(names: Iterable[str] | None) -> None:
    """Load only plugins of these names from now on; None = all."""
    _Allowed.names = None if names is None else frozenset(names)


def plugins(group: str) -> dict[str, Any]:
    """The allowed plugins of an entry point group, by name; others are not imported."""
    return _loaded(group, _Allowed.names)


@cache
def _loaded(group: str, allowed: frozenset[str] | None) -> dict[str, Any]:
    points = entry_points(group=group)
    return {one.name: one.load() for one in points if allowed is None or one.name in allowed}
