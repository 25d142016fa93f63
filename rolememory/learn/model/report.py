"""What a look at the chats needs and what it tells."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Protocol

from rolememory.chats import VisiblePath
from rolememory.llm.client import RequestLimits
from rolememory.locales import LocalizedText
from rolememory.schema.memory import Evidence
from rolememory.storage.people import Same


class ChatLike(Protocol):
    """What is asked of a chat (`chats.ChatInfo`)."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def teaches(self) -> bool:
        """Whether memories may be learned from it."""
        ...

    @property
    def user(self) -> str | None:
        """Whose memories they become."""
        ...

    @property
    def branch_of(self) -> str:
        """The chat it was forked from, or ""."""
        ...

    @property
    def story(self) -> str:
        """The one it belongs to."""
        ...


class VisibilityLike(Protocol):
    """What is asked of a view of the chats (`chats.BranchVisibility`)."""

    def sees(self, evidence: Evidence) -> bool:
        """Whether this support counts."""
        ...


class ChatsLike(Protocol):
    """What is asked of the chats of a role (`chats.Chats`)."""

    def path(self, chat: str) -> VisiblePath:
        """The versions that are visible now, oldest first."""
        ...

    def disturbed(self, chat: str) -> int:
        """Another number whenever something that stood in it stopped to stand, or came back."""
        ...

    def chats(self) -> Sequence[ChatLike]:
        """All chats."""
        ...

    def readers(self, chat: str = "", user: str | None = None) -> Any:
        """Who would read in that chat, this user among them."""
        ...

    def visible_from(self, chat: str | None, *, readers: Any) -> VisibilityLike:
        """What these may hear, as seen from that chat or from none."""
        ...

    @property
    def same(self) -> Same:
        """The name under which a user's person is known."""
        ...


@dataclass(frozen=True, slots=True)
class LearningReport:
    """What a look has done."""

    read: int = 0  # exchanges
    drafts: int = 0  # that were found in them
    summaries: int = 0
    conclusions: int = 0
    requests: int = 0
    left: int = 0  # exchanges that still wait
    finished: bool = True  # false: time ran out, or another process is at it
    notes: tuple[LocalizedText, ...] = ()  # what went wrong, in both languages


class OutOfTimeError(Exception):
    """There is no time left for another request."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a look is done."""

    forced: bool = False  # what is not full or not quiet yet is read too
    patient: bool = True  # nobody waits for it
    until: float | None = None  # by time.monotonic

    @property
    def left_s(self) -> float | None:
        """Seconds that are left, None = no end."""
        return None if self.until is None else max(self.until - monotonic(), 0.0)

    def haste(self) -> RequestLimits:
        """What a request may take now.

        Raises:
            OutOfTimeError: nothing is left.
        """
        if self.left_s == 0.0:
            raise OutOfTimeError
        return RequestLimits(self.until, self.patient)


@dataclass
class LearningTally:
    """What a look has done so far."""

    report: LearningReport = field(default_factory=LearningReport)

    def add(self, **counts: int) -> None:
        """Count."""
        self.report = replace(
            self.report,
            **{name: getattr(self.report, name) + count for name, count in counts.items()},
        )

    def note(self, told: LocalizedText) -> None:
        """Something went wrong; said once."""
        if told not in self.report.notes:
            self.report = replace(self.report, notes=(*self.report.notes, told))

    def unfinished(self) -> None:
        """Something could not be done in time."""
        self.report = replace(self.report, finished=False)
