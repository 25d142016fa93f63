"""Which chat a look is meant for, and what it comes to there."""

from dataclasses import dataclass, replace
from datetime import datetime

from rolememory.schema.learning import Observed, Said
from rolememory.store.chats.attention import Attended
from rolememory.store.chats.kinship import Fork
from rolememory.store.chats.log import Log
from rolememory.store.chats.plan import Plan
from rolememory.store.chats.rows import Head, Row, Splice
from rolememory.store.chats.transcript import Transcript
from rolememory.store.chats.values import Glimpse

_NAMED_BY = 3  # messages that make the id of a chat without one


@dataclass(frozen=True, slots=True)
class Aim:
    """A chat, and what a look at it changes."""

    head: Head
    log: Log
    script: Transcript  # what the plan was made for: the log's, or the path that a fork begins with
    edition: int  # of the script then
    generation: int  # of all chats then
    attended: Attended | None  # None: nothing was said
    plan: Plan
    fork: Fork | None = None

    @property
    def known(self) -> bool:
        """Whether the chat was observed before."""
        return self.log.head is not None

    @property
    def branch_of(self) -> str:
        """The chat that this look found it to be forked from."""
        return self.fork.parent if self.fork else ""

    def row(self, now: datetime, title: str | None) -> Row | None:
        """The line that says it; None when there is nothing to say."""
        title = None if title and self.log.chat is not None and title == self.log.chat.info.title else title
        if self.attended is None or (self.plan.idle and self.known and title is None):
            return None
        inherited = self.fork.path if self.fork else ()
        begun = (Splice(0, "", (), tuple([said.version for said in inherited])),) if inherited else ()
        return Row(
            now,
            head=None if self.known else self.head,
            said=(*inherited, *self.plan.entered),
            splices=(*begun, *self.plan.splices),
            look=self.attended.look,
            told={"title": title} if title else {},
            times=self.plan.times,
        )

    def observed(self) -> Observed:
        """What `observe` gives back."""
        plan, chat = self.plan, "" if self.attended is None and not self.known else self.head.chat
        return Observed(chat, tuple(plan.entered), tuple(plan.returned), tuple(plan.left), self.branch_of, self._notes)

    def glimpse(self) -> Glimpse:
        """What `observe` would find."""
        plan = self.plan
        unkept = {said.version: replace(said, slot=-1) for said in plan.entered}
        return Glimpse(
            chat=self.observed().chat,
            known=self.known,
            path=self._path(unkept),
            entered=tuple(unkept.values()),
            returned=tuple(plan.returned),
            left=tuple(plan.left),
            branch_of=self.branch_of,
            unseen=self.attended.laid.begin if self.attended else len(self.script.path),
            notes=self._notes,
        )

    @property
    def _notes(self) -> tuple[str, ...]:
        return (self.attended.laid.note,) if self.attended and self.attended.laid.note else ()

    def _path(self, unkept: dict[str, Said]) -> tuple[Said, ...]:
        chat = self.log.chat
        if self.plan.idle and chat is not None and not self.fork:
            return chat.path
        return tuple(self.plan.path(self.script.path, unkept))
