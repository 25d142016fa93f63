"""One block of memories placed among messages, as turns place theirs."""

from collections.abc import Sequence

from rolememory.inject.place import Placement, Position, place_all
from rolememory.schema.lorebook import Voice
from rolememory.schema.message import Message


def place(
    messages: Sequence[Message],
    block: str,
    position: Position = "system",
    depth: int = 1,
    role: Voice = "system",
    *,
    description: str = "",
    continuing: bool = False,
) -> tuple[Message, ...]:
    """The messages with the block."""
    placement = Placement(block, position, depth, role, merged=True)
    return place_all(messages, [placement], description=description, continuing=continuing)
