"""Which chat a look is meant for, and what it comes to there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rolememory.schema.learning import Observed, Said
from rolememory.schema.message import Message
from rolememory.store.chats.align import align
from rolememory.store.chats.attention import Attended, Seen, attend
from rolememory.store.chats.heard import Clean, Heard, base, digest, hear, look_of, whole
from rolememory.store.chats.kinship import Fork, continues, forked
from rolememory.store.chats.log import Log
from rolememory.store.chats.plan import Plan, is_ample, planned, weight
from rolememory.store.chats.rows import Head, Row, Splice
from rolememory.store.chats.shelf import Shelf
from rolememory.store.chats.transcript import Chat, Transcript
from rolememory.store.chats.values import Glimpse

_NAMED_BY = 3  # messages that make the id of a chat without one


@dataclass(frozen=True, slots=True)
class Aim:
    """A chat, and what a look at it changes."""

    head: Head
    log: Log
    script: Transcript  # what the plan was made for: the log's, or the path that a fork begins with
    edition: int  # of the script then
    attended: Attended | None  # None: nothing was said
    plan: Plan
    fork: Fork | None = None

    @property
    def known(self) -> bool:
        """Whether the chat was observed before."""
        return self.log.chat is not None

    @property
    def branch_of(self) -> str:
        """The chat that this look found it to be forked from."""
        return self.fork.parent if self.fork else ""

    def row(self, now: datetime, title: str | None) -> Row | None:
        """The line that says it; None when there is nothing to say."""
        title = title if title and (self.log.chat is None or title != self.log.chat.info.title) else None
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


class Aims:
    """Finds the chat a look is meant for. Not thread-safe: its owner sees to that."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._seen: dict[Log, Seen] = {}

    def aim(self, messages: Sequence[Message], chat: str, user: str | None, clean: Clean | None, now: datetime) -> Aim:
        """The chat, by the id that was given or by what is said, and what the look comes to."""
        log = self._named(chat, user) if chat else self._unnamed(messages, user, clean)
        if log is None:
            return self._begun(self._free_id(messages, clean), messages, user, clean, now, unnamed=True)
        known = log.chat
        if known is None:
            return self._begun(chat, messages, user, clean, now, unnamed=False)
        attended = attend(log.transcript, messages, clean, self._seen.get(log))
        if attended is not None and attended.laid.note and _is_someone_elses(known, user):
            return self._begun(_own_id(chat, user), messages, user, clean, now, unnamed=False)
        head = Head(known.id, known.info.user, known.info.created)
        plan = planned(log.transcript, attended.laid.changes if attended else (), now)
        return Aim(head, log, log.transcript, log.transcript.edition, attended, plan)

    def stands(self, aim: Aim) -> bool:
        """Whether nothing happened in a known chat since the look."""
        return (
            aim.known
            and self._shelf.log(aim.head.chat) is aim.log
            and aim.log.transcript is aim.script
            and aim.script.edition == aim.edition
        )

    def keep(self, aim: Aim, messages: Sequence[Message], clean: Clean | None) -> None:
        """Remember a look whose line stands in the log, if it is the last one there: the next look begins with it."""
        script = aim.log.transcript
        lines = aim.edition + (not aim.plan.idle) if script is aim.script else 1
        if aim.attended is not None and script.edition == lines:
            self._seen[aim.log] = Seen(list(messages), clean, script, script.edition, aim.attended.laid.begin, aim.attended.look)

    def _named(self, chat: str, user: str | None) -> Log:
        """The log of that name; of two users who call different chats alike, each has his own."""
        log = self._shelf.log(chat)
        if log.chat is not None and _is_someone_elses(log.chat, user):
            own = self._shelf.log(_own_id(chat, user))
            return own if own.chat is not None else log
        return log

    def _unnamed(self, messages: Sequence[Message], user: str | None, clean: Clean | None) -> Log | None:
        """The chat without a name that the messages continue; None when there is none."""
        mine = [log for log in self._mine(user) if log.chat is not None and log.chat.info.unnamed]
        for log in mine:
            seen = self._seen.get(log)
            if seen is not None and seen.messages and seen.more(messages, clean, log.transcript) is not None:
                return log
        news = hear(messages, clean, {})
        digests = {heard.digest for heard in news}
        found = [
            (score, log)
            for log in mine
            if any(base(said.version) in digests for said in log.transcript.path) and (score := _continued(log, news))
        ]
        return max(found, key=lambda pair: (pair[0], pair[1].transcript.updated))[1] if found else None

    def _begun(self, chat: str, messages: Sequence[Message], user: str | None, clean: Clean | None, now: datetime, *, unnamed: bool) -> Aim:
        """A chat that nobody has observed yet: a new one, or a fork of one that is known."""
        log = self._shelf.log(chat) if chat else Log(self._shelf.folder / "none", self._shelf.disk)
        script = log.transcript
        news = hear(messages, clean, {})
        fork = (
            forked(news, [each.chat for each in self._mine(user) if each.chat]) if sum(each.role == "user" for each in news) > 1 else None
        )
        if fork is not None:
            script = _begins_with(fork, log, now)
        attended = attend(script, messages, clean, None)
        plan = planned(script, attended.laid.changes if attended else (), now)
        return Aim(Head(chat, user, now, fork.parent if fork else "", unnamed), log, script, script.edition, attended, plan, fork)

    def _mine(self, user: str | None) -> Iterator[Log]:
        self._shelf.refresh()
        return (log for log in self._shelf.logs() if log.chat is not None and log.chat.info.user == user)

    def _free_id(self, messages: Sequence[Message], clean: Clean | None) -> str:
        """An id made of the first messages."""
        news = hear(messages, clean, {})[:_NAMED_BY]
        if not news:
            return ""
        stem, number = f"~{digest('', ''.join(heard.digest for heard in news))}", 1
        while self._shelf.log(chat := stem if number == 1 else f"{stem}-{number}").chat is not None:
            number += 1
        return chat


def _continued(log: Log, news: Sequence[Heard]) -> int:
    """How much the messages share with a chat that they continue; 0 when they do not."""
    path, look = log.transcript.path, log.transcript.look
    first = max(len(path) - look.messages, 0)
    alignment = align(path, news, first, is_ample(look_of(news), look))
    return max(weight(alignment, news), 1) if continues(alignment, path, news, first) else 0


def _begins_with(fork: Fork, log: Log, now: datetime) -> Transcript:
    script = Transcript(log.path)
    script.follow(Row(now, said=fork.path, splices=(Splice(0, "", (), tuple([said.version for said in fork.path])),)))
    return script


def _is_someone_elses(chat: Chat, user: str | None) -> bool:
    return user is not None and chat.info.user is not None and chat.info.user != user


def _own_id(chat: str, user: str | None) -> str:
    return whole(f"{chat}@{user}")
