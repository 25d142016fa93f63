"""Which chat a look is meant for, and what it comes to there."""

from dataclasses import dataclass, replace
from datetime import datetime

from rolememory.chats.attention import Attended
from rolememory.chats.kinship import Fork
from rolememory.chats.log import Log
from rolememory.chats.plan import Plan
from rolememory.chats.presence import Attendance, Participants
from rolememory.chats.rows import FORMAT, Head, Row, Splice
from rolememory.chats.transcript import Transcript
from rolememory.chats.values import Glimpse
from rolememory.chats.visible_path import VisiblePath
from rolememory.schema.learning import Observed, Said
from rolememory.text.patience import patiently

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
    there: Participants
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
        title = (
            None
            if title and self.log.chat is not None and title == self.log.chat.info.title
            else title
        )
        if self.attended is None or (self.plan.idle and self.known and title is None):
            return None
        inherited = self.fork.path if self.fork else ()
        begun = (
            (Splice(0, "", (), tuple([said.version for said in inherited])),) if inherited else ()
        )
        new, there = not self.known, self.there
        voice = self.head.user or "" if new else self.script.voice
        present = Attendance((voice,)) if new else self.script.present
        return Row(
            now,
            head=replace(self.head, format=FORMAT) if new or self.head.format < FORMAT else None,
            said=(*inherited, *map(there.shortened, self.plan.entered)),
            splices=(*begun, *self.plan.splices),
            look=self.attended.look,
            told={"title": title} if title else {},
            times=self.plan.times,
            present=there.present if there.present != present else None,
            voice=there.window.user if there.window.user != voice else None,
        )

    def observed(self) -> Observed:
        """What `observe` gives back."""
        plan, chat = self.plan, "" if self.attended is None and not self.known else self.head.chat
        return Observed(
            chat,
            tuple(plan.entered),
            tuple(plan.returned),
            tuple(plan.left),
            self.branch_of,
            self._notes,
        )

    def glimpse(self) -> Glimpse:
        """What `observe` would find."""
        plan = self.plan
        unkept = {said.version: replace(said, slot=-1) for said in patiently(plan.entered)}
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
            mode=plan.mode,
        )

    @property
    def _notes(self) -> tuple[str, ...]:
        return (self.attended.laid.note,) if self.attended and self.attended.laid.note else ()

    def _path(self, unkept: dict[str, Said]) -> VisiblePath:
        chat = self.log.chat
        if self.plan.idle and chat is not None and not self.fork:
            return chat.path
        return self.plan.path(self.script.path, unkept)
