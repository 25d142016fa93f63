"""Which chat a look is meant for: by the name it gives, or by what is said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from rolememory.chats.aim import Aim
from rolememory.chats.align import align
from rolememory.chats.attention import Attended, Seen, Spoken, attend
from rolememory.chats.heard import VOICES, Clean, Heard, digest, hear, look_of, whole
from rolememory.chats.kinship import Fork, continues, forked
from rolememory.chats.log import Log
from rolememory.chats.plan import TELLING, is_ample, lay, planned, weight
from rolememory.chats.presence import Attendance, Participants, Scopes, Window
from rolememory.chats.rows import Head, Row, Splice
from rolememory.chats.shelf import Shelf
from rolememory.chats.transcript import Transcript
from rolememory.schema.learning import Said
from rolememory.schema.message import Message, TurnKind
from rolememory.storage.people import Same, alone, are_one

_NAMED_BY = 3  # messages that make the id of a chat without one
_TRIED = (
    50  # chats without a name that share a user's message, the last ones, are looked at closely
)
_REMEMBERED = 32  # chats whose last look is kept at hand


@dataclass(frozen=True)
class Asked:
    """A look: who shows what."""

    messages: Sequence[Message]
    chat: str  # "" = the frontend gave none
    user: str | None  # None = unsaid, or nobody who is known
    clean: Clean | None
    now: datetime
    present: Sequence[str] | None = None  # None = who is known to be in the chat
    members: Sequence[str] | None = None
    kind: TurnKind = "normal"
    away: bool = False  # the character was not there
    same: Same = alone
    character: tuple[str, ...] = ()  # the character's names
    scopes: Scopes = lambda text: ()
    unknown: bool = False  # nobody who is known speaks: not the user of the chat either

    def participants(self, script: Transcript, head: Head) -> Participants:
        """Who is in the chat now, and whose words those of its users are."""
        voice = self.user or ("" if self.unknown else head.user or "")
        members = script.present.members if self.members is None else self.members
        present = Attendance.of({*self._known(script), *self._spoke(script, voice)}, members)
        window = Window.of(self.messages, voice, self.same)
        if self.away:
            present = script.present if script.head else Attendance((voice,))
        return Participants(present, window, self.kind, self.away, self.character, self.scopes)

    def _known(self, script: Transcript) -> Sequence[str]:
        return script.present.users if self.present is None else self.present

    def _spoke(self, script: Transcript, voice: str) -> set[str]:
        """Those who are there because they speak: the one of the call, and the others where nobody says who is there."""
        mine = {voice} if self.user or self.unknown or not self._known(script) else set()
        if self.present is not None:
            return mine
        told = {one.owner for one in self._speaking(script) if one.owner is not None}
        return mine | told

    def is_of(self, head: Head) -> bool:
        """Whether that chat is of the person who shows this, or of nobody as this is."""
        return are_one(head.user, self.user, self.same)

    def is_someone_elses(self, head: Head) -> bool:
        """Whether that chat was begun by another person than the one who is said to speak, or by nobody who is known."""
        return (self.unknown or self.user is not None) and not self.is_of(head)

    def _speaking(self, script: Transcript) -> Sequence[Message | Heard]:
        """The messages that tell who is there: not those of somebody who was forgotten, which a frontend shows on."""
        if not script.erased:
            return self.messages
        return [heard for heard in self.news if heard.digest not in script.erased]

    @cached_property
    def news(self) -> list[Heard]:
        """What is said, heard for the first time."""
        return hear(self.messages, self.clean, {})

    @cached_property
    def spoken(self) -> Spoken:
        """What is said, as it came."""
        return Spoken.of(self.messages)


class Aims:
    """Finds the chat a look is meant for. Not thread-safe: its owner sees to that."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._seen: dict[Log, Seen] = {}

    def aim(self, asked: Asked) -> Aim:
        """The chat, and what the look comes to."""
        log = self._named(asked) if asked.chat else self._unnamed(asked)
        if log is None:
            return self._begun(asked, self._free_id(asked.news), unnamed=True)
        known = log.head
        if known is None:
            return self._begun(asked, asked.chat)
        attended = attend(log.transcript, asked.messages, asked.clean, self._seen.get(log))
        if asked.is_someone_elses(known) and not _goes_on(asked, attended, log.transcript):
            return self._begun(asked, _own_id(asked.chat, asked.user))
        there = asked.participants(log.transcript, known)
        changes = attended.laid.changes if attended else ()
        plan = planned(log.transcript, changes, asked.now, there.complete)
        return Aim(
            known,
            log,
            log.transcript,
            log.transcript.edition,
            self._shelf.generation,
            attended,
            plan,
            there,
        )

    def stands(self, aim: Aim) -> bool:
        """Whether nothing happened since the look that could change what it comes to: in its chat, or in any if it is a new one."""
        if not aim.known:
            self._shelf.refresh()
            return self._shelf.generation == aim.generation
        log = self._shelf.log(aim.head.chat)
        return log is aim.log and log.transcript is aim.script and aim.script.edition == aim.edition

    def keep(self, aim: Aim, asked: Asked) -> None:
        """Remember a look whose line stands in the log, if it is the last one there: the next look begins with it."""
        script = aim.log.transcript
        lines = aim.edition + (not aim.plan.idle) if script is aim.script else 1
        if aim.attended is not None and script.edition == lines:
            before = self._seen.pop(aim.log, None)
            messages = (
                before.grown(asked.messages)
                if before and aim.attended.goes_on
                else list(asked.messages)
            )
            self._seen[aim.log] = Seen(
                messages, asked.clean, script, lines, aim.attended.laid.begin, aim.attended.look
            )
            while len(self._seen) > _REMEMBERED:
                del self._seen[next(iter(self._seen))]

    def drop(self, log: Log) -> None:
        """Forget what was shown in a chat."""
        self._seen.pop(log, None)

    def _named(self, asked: Asked) -> Log:
        """The log of that name; of two users who call different chats alike, each has their own."""
        log = self._shelf.log(asked.chat)
        if log.head is not None and asked.is_someone_elses(log.head):
            own = self._shelf.log(_own_id(asked.chat, asked.user))
            return own if own.head is not None else log
        return log

    def _unnamed(self, asked: Asked) -> Log | None:
        """The chat without a name that the messages continue; None when there is none."""
        mine = [log for log in self._mine(asked) if log.head is not None and log.head.unnamed]
        for log in mine:
            seen = self._seen.get(log)
            if (
                seen is not None
                and seen.messages
                and seen.more(asked.messages, asked.clean, log.transcript) is not None
            ):
                return log
        going_on = [
            (asked.spoken.going_on(log.transcript), log.transcript.updated, log) for log in mine
        ]
        if found := [each for each in going_on if each[0]]:
            return max(found, key=lambda each: each[:2])[2]
        asks = {heard.digest for heard in asked.news if heard.role == "user"}
        near = sorted(
            (log for log in mine if log.transcript.ever_said(asks)),
            key=lambda log: log.transcript.updated,
        )[-_TRIED:]
        scored = [
            (score, log.transcript.updated, log)
            for log in near
            if (score := _continued(log, asked.news))
        ]
        return max(scored, key=lambda each: each[:2])[2] if scored else None

    def _begun(self, asked: Asked, chat: str, *, unnamed: bool = False) -> Aim:
        """A chat that nobody has observed yet: a new one, or a fork of one that is known."""
        log = self._shelf.log(chat) if chat else self._shelf.nobody()
        script, news = log.transcript, asked.news
        fork = None if script.said else self._fork(asked)
        if fork is not None:
            script = _begins_with(fork, log, asked.now)
        attended = Attended(lay(script, news), look_of(news)) if news else None
        head = Head(chat, asked.user, asked.now, fork.parent if fork else "", unnamed)
        there = asked.participants(script, head)
        changes = attended.laid.changes if attended else ()
        plan = planned(script, changes, asked.now, there.complete)
        edition, generation = script.edition, self._shelf.generation
        return Aim(head, log, script, edition, generation, attended, plan, there, fork)

    def _fork(self, asked: Asked) -> Fork | None:
        if sum(heard.role == "user" for heard in asked.news) < 2:
            return None  # without reading any other chat
        return forked(asked.news, [log.transcript for log in self._mine(asked)])

    def _mine(self, asked: Asked) -> list[Log]:
        self._shelf.refresh()
        return [log for log in self._shelf.logs() if log.head is not None and asked.is_of(log.head)]

    def _free_id(self, news: Sequence[Heard]) -> str:
        """An id made of the first messages."""
        if not news:
            return ""
        stem, number = f"~{digest('', ''.join(heard.digest for heard in news[:_NAMED_BY]))}", 1
        while self._shelf.log(chat := stem if number == 1 else f"{stem}-{number}").head is not None:
            number += 1
        return chat


def _continued(log: Log, news: Sequence[Heard]) -> int:
    """How much the messages share with a chat that they continue; 0 when they do not."""
    path, look = log.transcript.path, log.transcript.look
    first = max(len(path) - look.messages, 0)
    alignment = align(log.transcript, news, first, is_ample(look_of(news), look))
    return max(weight(alignment, news), 1) if continues(alignment, path, news, first) else 0


def _goes_on(asked: Asked, attended: Attended | None, script: Transcript) -> bool:
    """Whether a look at another person's chat goes on with it: it tells that words of others are theirs, or an exchange is the same.

    A greeting, and what everybody begins with ("Hello"), are the same in many chats.
    """
    if attended is None or attended.laid.note:
        return attended is None
    others = {asked.same(user) for user in script.present.users} - {asked.same(asked.user or "")}
    if any(one.owner is not None and asked.same(one.owner) in others for one in asked.messages):
        return True
    same = _unchanged(attended, script)
    words = (said.text.encode("utf-8", "replace") for _, said in same if said.role == "user")
    exchanges = (
        here + 1 == there and (one.role, other.role) == VOICES
        for (here, one), (there, other) in pairwise(same)
    )
    return sum(map(len, words)) >= TELLING or any(exchanges)


def _unchanged(attended: Attended, script: Transcript) -> list[tuple[int, Said]]:
    """What stays of the path as far as it is visible, with its places."""
    changes = attended.laid.changes
    steps = (step for change in changes for step in change.steps)
    stays = {step.old for step in steps if step.heard is None}
    gone = {at for change in changes for at in range(change.start, change.end)} - stays
    places = range(attended.laid.begin, len(script.path))
    return [(at, script.path[at]) for at in places if at not in gone]


def _begins_with(fork: Fork, log: Log, now: datetime) -> Transcript:
    script = Transcript(log.path)
    script.follow(
        Row(
            now,
            said=fork.path,
            splices=(Splice(0, "", (), tuple([said.version for said in fork.path])),),
        )
    )
    return script


def _own_id(chat: str, user: str | None) -> str:
    return whole(f"{chat}@{user or ''}")
