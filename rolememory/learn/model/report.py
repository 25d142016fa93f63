"""What a look at the chats needs and what it tells."""

from dataclasses import dataclass, field, replace
from time import monotonic

from rolememory.llm.client import RequestLimits
from rolememory.locales import LocalizedText
from rolememory.schema.value_class import value_class


@value_class
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


class NoTimeLeftError(Exception):
    """There is no time left for another request."""


@dataclass(slots=True)
class Look:
    """One look at the chats: how it is done, and what it has done so far."""

    forced: bool = False  # what is not full or not quiet yet is read too
    patient: bool = True  # nobody waits for it
    until: float | None = None  # by time.monotonic
    report: LearningReport = field(default_factory=LearningReport)

    @property
    def left_s(self) -> float | None:
        """Seconds that are left, None = no end."""
        return None if self.until is None else max(self.until - monotonic(), 0.0)

    def haste(self) -> RequestLimits:
        """What a request may take now.

        Raises:
            NoTimeLeftError: nothing is left.
        """
        if self.left_s == 0.0:
            raise NoTimeLeftError
        return RequestLimits(self.until, self.patient)

    def count(self, **counts: int) -> None:
        """Add to what was done."""
        known = {name: getattr(self.report, name) + more for name, more in counts.items()}
        self.report = replace(self.report, **known)

    def note(self, told: LocalizedText) -> None:
        """Something went wrong; said once."""
        if told not in self.report.notes:
            self.report = replace(self.report, notes=(*self.report.notes, told))

    def unfinished(self) -> None:
        """Something could not be done in time."""
        self.report = replace(self.report, finished=False)
