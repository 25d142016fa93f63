"""One call of a frontend as memory sees it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rolememory.schema.message import Message
from rolememory.serve.proxy.group import others
from rolememory.serve.proxy.inject import Body

if TYPE_CHECKING:
    from rolememory.engine import RoleMemory

Kind = Literal["normal", "swipe", "regenerate", "continue", "impersonate", "quiet", "task"]
REMEMBERS: frozenset[Kind] = frozenset(
    {"normal", "swipe", "regenerate", "continue", "impersonate"}
)  # get a block
TEACHES: frozenset[Kind] = frozenset(
    {"normal", "swipe", "regenerate", "continue"}
)  # the character's own turns


@dataclass(frozen=True, slots=True)
class ProxyCall:
    """What is asked, by whom, in which chat, and the request without what was meant for us."""

    kind: Kind
    body: Body  # goes to the upstream: hint and our own old blocks taken out
    spoken: tuple[
        Message, ...
    ] = ()  # what user and characters said, oldest first, each once, names told apart
    partial: str = ""  # continue: the beginning of the reply that is being continued
    role: "RoleMemory | None" = None  # None: nobody, or nobody for sure
    why: str = ""  # how the role was found, or why not: hint, path, model, nudge, prompt, card, name, setting; none, several
    user: str | None = None
    present: tuple[str, ...] | None = (
        None  # users who read along, as the frontend says; None = it does not
    )
    group: tuple[str, ...] | None = None  # the other characters of a group; None = nobody says
    chat: str = ""  # "" = the frontend gave none: found by what was said
    title: str = ""
    doubtful: bool = False  # only the text of a message names the user: what is shared is recalled, nothing is learned

    @property
    def members(self) -> tuple[str, ...] | None:
        """The other characters of a group, whatever names the role has; None = nobody says."""
        return others(self.role, self.group) if self.role and self.group is not None else None

    @property
    def name(self) -> str:
        """Who speaks."""
        return self.role.role.name if self.role else ""

    @property
    def remembers(self) -> bool:
        """Whether memory is injected."""
        return self.role is not None and self.kind in REMEMBERS

    @property
    def teaches(self) -> bool:
        """Whether something is learned from it."""
        return self.role is not None and self.kind in TEACHES and not self.doubtful
