"""One call of a frontend as memory sees it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rolememory.schema.message import Message
from rolememory.serve.proxy.inject import Body

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory

Kind = Literal["normal", "swipe", "regenerate", "continue", "impersonate", "quiet", "task"]
REMEMBERS: frozenset[Kind] = frozenset({"normal", "swipe", "regenerate", "continue", "impersonate"})  # get a block
TEACHES: frozenset[Kind] = frozenset({"normal", "swipe", "regenerate", "continue"})  # the character's own turns


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked, by whom, in which chat, and the request without what was meant for us."""

    kind: Kind
    body: Body  # goes to the upstream: hint and our own old blocks taken out
    spoken: tuple[Message, ...] = ()  # what user and characters said, oldest first, each once, names told apart
    partial: str = ""  # continue: the beginning of the reply that is being continued
    role: "RoleMemory | None" = None  # None: nobody, or nobody for sure
    why: str = ""  # how the role was found, or why not: hint, path, model, nudge, prompt, card, name, setting; none, several
    user: str | None = None
    chat: str = ""  # "" = the frontend gave none: found by what was said
    title: str = ""

    @property
    def remembers(self) -> bool:
        """Whether memory is injected."""
        return self.role is not None and self.kind in REMEMBERS

    @property
    def teaches(self) -> bool:
        """Whether something is learned from it."""
        return self.role is not None and self.kind in TEACHES
