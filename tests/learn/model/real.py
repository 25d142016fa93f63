"""A real home with a role, a chat and a scripted model behind it: every test that counts stored memories goes this way."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rolememory.engine import Home, RoleMemory
from rolememory.schema.message import Message
from tests.endpoint import Endpoint

LINES = ("Hi! I moved from Rome to Paris last week.", "Then I promise to visit you in spring.")
"""What the user says, and what the character answers."""


@contextmanager
def distilling(
    folder: Path,
    server: Endpoint,
    preset: str = "default",
    name: str = "Mira",
    embedder: Any = None,
    **learn: Any,
) -> Iterator[RoleMemory]:
    """A role whose chats this server distils, one exchange at a time unless `learn` or the preset says otherwise."""
    rows = {"endpoint": server.url, "model": "small", "timeout_s": 60.0, **learn}
    if preset == "default":
        rows = {"batch_size": 1, **rows}
    settings = {f"learn.{name}": value for name, value in rows.items()} | {"preset": preset}
    words_only = {} if embedder else {"embedding.backend": "off"}
    with Home.open(folder, {**words_only, **settings}, embedder) as home:
        yield home.role(name, create=True)


def tell(
    mind: RoleMemory, *lines: str, chat: str = "harbour", user: str = "Lin", read: bool = True
) -> None:
    """The chat so far, user and character in turn, and what is due is read."""
    sides = (Message.user, Message.assistant)
    mind.observe([sides[at % 2](line) for at, line in enumerate(lines)], chat=chat, user=user)
    assert mind.learned(60.0)
    assert mind.learner.worker.settle(60.0)
    if read:
        mind.learner.worker.run(force=True)


def contents(mind: RoleMemory) -> list[str]:
    """What the role remembers, archived memories left out."""
    return sorted(one.content for one in mind.memories.values() if not one.archived)


def reasons(mind: RoleMemory) -> dict[str, str]:
    """What was refused, and the code of the reason."""
    return {one.draft.content: one.reason.code for one in mind.refused()}
