"""Options and results of an extraction pass."""

from dataclasses import dataclass, field, replace
from time import monotonic

from rolememory.llm.client import RequestLimits
from rolememory.locales import LocalizedText
from rolememory.schema.value_class import value_class


@value_class
class LearningReport:
    """The result of a pass."""

    read: int = 0  # exchanges
    drafts: int = 0  # found in them
    summaries: int = 0
    conclusions: int = 0
    requests: int = 0
    left: int = 0  # exchanges still waiting
    finished: bool = True  # false: out of time, or another process was running
    notes: tuple[LocalizedText, ...] = ()  # errors, in both languages


class NoTimeLeftError(Exception):
    """No time is left for another request."""


@dataclass(slots=True)
class Look:
    """A pass over the chats: options, and results so far."""

    forced: bool = False  # also read what is not a full batch or not quiet yet
    patient: bool = True  # nobody is waiting for it
    until: float | None = None  # by time.monotonic
    report: LearningReport = field(default_factory=LearningReport)

    @property
    def left_s(self) -> float | None:
        """Seconds left, None = unlimited."""
        return None if self.until is None else max(self.until - monotonic(), 0.0)

    def haste(self) -> RequestLimits:
        """The limits of a request now.

        Raises:
            NoTimeLeftError: no time is left.
        """
        if self.left_s == 0.0:
            raise NoTimeLeftError
        return RequestLimits(self.until, self.patient)

    def count(self, **counts: int) -> None:
        """Add to the counters."""
        known = {name: getattr(self.report, name) + more for name, more in counts.items()}
        self.report = replace(self.report, **known)

    def note(self, told: LocalizedText) -> None:
        """Record an error once."""
        if told not in self.report.notes:
            self.report = replace(self.report, notes=(*self.report.notes, told))

    def unfinished(self) -> None:
        """Record that something was not done in time."""
        self.report = replace(self.report, finished=False)
