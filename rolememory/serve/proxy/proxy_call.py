"""A parsed call of a frontend."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from rolememory.engine import RoleMemory
from rolememory.schema.message import Message
from rolememory.serve.proxy.group import is_called, others
from rolememory.serve.proxy.inject import Body

Kind = Literal["normal", "swipe", "regenerate", "continue", "impersonate", "quiet", "task"]
REMEMBERS: frozenset[Kind] = frozenset(
    {"normal", "swipe", "regenerate", "continue", "impersonate"}
)  # get a block
TEACHES: frozenset[Kind] = frozenset(
    {"normal", "swipe", "regenerate", "continue"}
)  # kinds that are learned from


@dataclass(frozen=True, slots=True)
class ProxyCall:
    """The kind of a call, its speaker and chat, and the request without hints for us."""

    kind: Kind
    body: Body  # for the upstream: without hint and old blocks of ours
    spoken: tuple[Message, ...] = ()  # chat messages, oldest first, each once, with speakers
    partial: str = ""  # continue: the beginning of the reply
    role: RoleMemory | None = None  # None: unknown or ambiguous
    why: str = ""  # how the role was found, or why not: hint, path, model, nudge, prompt, card, name, setting; none, several
    user: str | None = None
    present: tuple[str, ...] | None = None  # users present, as the frontend says; None = not given
    group: tuple[str, ...] | None = None  # the other characters of a group; None = not given
    chat: str = ""  # "" = not given: found by its messages
    title: str = ""
    requested: datetime = field(default_factory=lambda: datetime.now(UTC))
    doubtful: bool = False  # the user is only named in a message's text: recall shared memories only, learn nothing

    @property
    def members(self) -> tuple[str, ...] | None:
        """The other characters of a group, without any name of the role; None = not given."""
        return others(self.role, self.group) if self.role and self.group is not None else None

    @property
    def name(self) -> str:
        """The speaking character's name."""
        return self.role.role.name if self.role else ""

    @property
    def remembers(self) -> bool:
        """Whether memory is injected."""
        return self.role is not None and self.kind in REMEMBERS

    @property
    def teaches(self) -> bool:
        """Whether the call is learned from."""
        return self.role is not None and self.kind in TEACHES and not self.doubtful

    def is_beside(self, call: "ProxyCall") -> bool:
        """Whether another call's role hears this turn, which its user has in another chat."""
        if call.role is None or self.user != call.user or (self.chat and self.chat == call.chat):
            return False
        mine = self.role is not None and self.role.id == call.role.id
        return mine or any(is_called(call.role, one) for one in self.group or ())
