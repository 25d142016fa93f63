"""The chat that a request refers to, and the resulting changes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from rolememory.chats.branches import Fork
from rolememory.chats.log import ChatLog
from rolememory.chats.plan import ChatUpdate, PathAlignment
from rolememory.chats.presence import Attendance, Participants
from rolememory.chats.rows import FORMAT, ChatHead, ChatLogRow, Splice
from rolememory.chats.transcript import Chat, Transcript
from rolememory.chats.values import ObservePreview
from rolememory.chats.visible_path import VisiblePath
from rolememory.schema.learning import ChatMessage, Observed
from rolememory.schema.value_class import value_class
from rolememory.text.cancellation import cancellable


@value_class
class ResolvedChat:
    """A chat and the changes of an observation, at that moment; later messages are not included."""

    head: ChatHead
    log: ChatLog
    script: Transcript  # the base of the plan: the log's, or the common path of a fork
    edition: int  # of the script at that time
    generation: int  # of all chats at that time
    aligned: PathAlignment | None  # None: no messages
    plan: ChatUpdate
    there: Participants
    chat: Chat | None  # as it was; None if not observed before
    before: VisiblePath  # the script's path before the plan
    fork: Fork | None = None

    @property
    def branch_of(self) -> str:
        """The chat that this one was found to be forked from."""
        return self.fork.parent if self.fork else ""

    def row(self, now: datetime, title: str | None) -> ChatLogRow | None:
        """The log line; None if nothing changes."""
        title = self._news(title)
        if self.aligned is None or (self.plan.idle and self.chat and title is None):
            return None
        inherited, begun = self._inherited()
        current = self.chat and self.head.format >= FORMAT
        there, (voice, present) = self.there, self._before()
        return ChatLogRow(
            now,
            head=None if current else replace(self.head, format=FORMAT),
            said=(*inherited, *map(there.shortened, self.plan.entered)),
            splices=(*begun, *self.plan.splices),
            look=self.aligned.look,
            told={"title": title} if title else {},
            present=there.present if there.present != present else None,
            voice=there.window.user if there.window.user != voice else None,
        )

    def _news(self, title: str | None) -> str | None:
        """The title, if new for the chat."""
        known = self.chat.info.title if self.chat else None
        return None if title and title == known else title

    def _before(self) -> tuple[str, Attendance]:
        """The previous speaker and participants."""
        if self.chat:
            return self.script.voice, self.script.present
        voice = self.head.user or ""
        return voice, Attendance((voice,))

    def _inherited(self) -> tuple[Sequence[ChatMessage], tuple[Splice, ...]]:
        """A fork's common messages, and the splice that puts them on the path."""
        inherited = self.fork.path if self.fork else ()
        versions = tuple([said.version for said in inherited])
        return inherited, (Splice(0, "", (), versions),) if inherited else ()

    def observed(self) -> Observed:
        """The result of `observe`."""
        plan = self.plan
        return Observed(
            self._chat,
            tuple(plan.entered),
            tuple(plan.returned),
            tuple(plan.left),
            self.branch_of,
            self.aligned.notes if self.aligned else (),
        )

    def preview(self) -> ObservePreview:
        """The result of `preview`."""
        plan = self.plan
        unkept = {said.version: replace(said, slot=-1) for said in cancellable(plan.entered)}
        return ObservePreview(
            chat=self._chat,
            known=self.chat is not None,
            path=self.chat.path
            if plan.idle and self.chat and not self.fork
            else plan.path(self.before, unkept),
            entered=tuple(unkept.values()),
            returned=tuple(plan.returned),
            left=tuple(plan.left),
            branch_of=self.branch_of,
            unseen=self.aligned.begin if self.aligned else len(self.before),
            notes=self.aligned.notes if self.aligned else (),
            mode=plan.mode,
        )

    @property
    def _chat(self) -> str:
        return self.head.chat if self.aligned or self.chat else ""
