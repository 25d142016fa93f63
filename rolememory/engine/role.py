"""RoleMemory: all sides of one role's memory."""

from rolememory.engine.learning import Learning
from rolememory.engine.reading import Reading


class RoleMemory(Reading, Learning):
    """What one role remembers. Made by `Home.role`; thread-safe, one turn at a time."""
