"""Finds the chat that a request refers to, by id or by its messages, and the resulting changes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from rolememory.chats.align import align
from rolememory.chats.branches import Fork, continues, forked
from rolememory.chats.incremental_alignment import (
    LastWindow,
    SpokenMessages,
    align_incrementally,
)
from rolememory.chats.log import ChatLog
from rolememory.chats.log_index import ChatLogIndex
from rolememory.chats.normalize import (
    VOICES,
    Clean,
    NormalizedMessage,
    digest,
    normalize_messages,
    window_size,
)
from rolememory.chats.plan import (
    TELLING,
    ChatUpdate,
    PathAlignment,
    align_window,
    is_ample,
    planned,
    weight,
)
from rolememory.chats.presence import Attendance, Participants, Scopes, Window, shortened
from rolememory.chats.rows import FORMAT, ChatHead, ChatLogRow, Splice
from rolememory.chats.transcript import Chat, Transcript
from rolememory.chats.values import ObservePreview
from rolememory.chats.visible_path import VisiblePath
from rolememory.schema.learning import ChatMessage, Observed
from rolememory.schema.message import Message, TurnKind
from rolememory.schema.value_class import value_class
from rolememory.storage.people import Same, alone, are_one
from rolememory.text.cancellation import cancellable
from rolememory.text.plain import replace_surrogates

_NAMED_BY = 3  # messages that form the id of an unnamed chat
_TRIED = 50  # unnamed chats sharing a user's message, latest ones, that are aligned
_REMEMBERED = 32  # chats whose last window is cached


@dataclass(frozen=True)
class ObserveRequest:
    """A request: the messages, and who sends them."""

    messages: Sequence[Message]
    chat: str  # "" = none from the frontend
    user: str | None  # None = not given, or unknown
    clean: Clean | None
    now: datetime
    present: Sequence[str] | None = None  # None = as known for the chat
    members: Sequence[str] | None = None
    kind: TurnKind = "normal"
    away: bool = False  # the character was absent
    same: Same = alone
    scopes: Scopes = lambda text: ()
    looks: bool = False  # nothing will be written
    unknown: bool = False  # the speaker is unknown: not the chat's user either
    requested: datetime | None = None  # when the frontend sent the messages; None = now

    def participants(self, script: Transcript, head: ChatHead) -> Participants:
        """The participants of the chat now, and the owner of user messages."""
        voice = self.user or ("" if self.unknown else head.user or "")
        members = script.present.members if self.members is None else self.members
        known = script.present.users if self.present is None else self.present
        mine = {voice} if self.user or self.unknown or not known else ()
        present = Attendance.of({*known, *mine, *self._spoke(script)}, members)
        window = Window.of(self.messages, voice, self.same)
        if self.away:
            present = script.present if script.head else Attendance((voice,))
        return Participants(present, window, self.kind, self.away, self.scopes)

    def _spoke(self, script: Transcript) -> set[str]:
        """The users present because they speak, if presence is not given.

        Not an erased person whose messages a frontend still shows.
        """
        if self.present is not None:
            return set()
        owners = (
            (one.owner for one in self.news if one.digest not in script.erased)
            if script.erased
            else (one.owner for one in self.messages)
        )
        return {owner for owner in owners if owner is not None}

    def is_of(self, head: ChatHead) -> bool:
        """Whether the chat's owner is the sender, or both are unknown."""
        return are_one(head.user, self.user, self.same)

    def is_late(self, script: Transcript) -> bool:
        """Whether the chat was written since the frontend sent the messages: what they lack may be newer."""
        return self.requested is not None and self.requested < script.updated

    def is_someone_elses(self, head: ChatHead) -> bool:
        """Whether the chat was begun by another person than the given speaker, or by an unknown one."""
        return (self.unknown or self.user is not None) and not self.is_of(head)

    @cached_property
    def news(self) -> list[NormalizedMessage]:
        """The normalized messages."""
        return normalize_messages(self.messages, self.clean, {})

    @cached_property
    def spoken(self) -> SpokenMessages:
        """The original messages."""
        return SpokenMessages.of(self.messages)


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
        there, user = self.there.present, self.there.window.user
        voice, present = self._before()
        return ChatLogRow(
            now,
            head=None if current else replace(self.head, format=FORMAT),
            said=(*inherited, *(shortened(one, user, there) for one in self.plan.entered)),
            splices=(*begun, *self.plan.splices),
            look=self.aligned.look,
            told={"title": title} if title else {},
            present=there if there != present else None,
            voice=user if user != voice else None,
        )

    def _news(self, title: str | None) -> str | None:
        """The title, if new for the chat and no person gave it another."""
        known = self.chat.info if self.chat else None
        return None if known and (known.titled or title == known.title) else title

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


class ChatResolver:
    """Finds chats for requests. Not thread-safe: its owner synchronizes."""

    def __init__(self, log_index: ChatLogIndex) -> None:
        self._log_index = log_index
        self._seen: dict[ChatLog, LastWindow] = {}

    def resolve(self, request: ObserveRequest) -> ResolvedChat:
        """The chat and its changes."""
        log = self._named(request) if request.chat else self._unnamed(request)
        if log is None:
            return self._begun(request, *self._free(request), unnamed=True)
        known = log.head
        if known is None:
            return self._begun(request, request.chat, log)
        aligned = align_incrementally(
            log.transcript, request.messages, request.clean, self._seen.get(log)
        )
        if request.is_someone_elses(known) and not _goes_on(request, aligned, log.transcript):
            own = _own_id(request.chat, request.user)
            return self._begun(request, own, self._log_index.log(own))
        if aligned and request.is_late(log.transcript):
            aligned = aligned.without_removals(log.transcript.look)
        return self._resolved(request, known, log, log.transcript, aligned)

    def begins(self, request: ObserveRequest) -> bool:
        """Whether there is no chat of that name."""
        return self._log_index.log(request.chat).head is None

    def stands(self, resolved: ResolvedChat) -> bool:
        """Whether the resolution is still valid: no change in its chat, or in any if it is a new one."""
        if not resolved.chat:
            self._log_index.refresh()
            return self._log_index.generation == resolved.generation
        log = self._log_index.log(resolved.head.chat)
        return (
            log is resolved.log
            and log.transcript is resolved.script
            and resolved.script.edition == resolved.edition
        )

    def keep(self, resolved: ResolvedChat, request: ObserveRequest) -> None:
        """Cache a written observation if it is the last in the log: the next one starts from it."""
        script = resolved.log.transcript
        lines = resolved.edition + (not resolved.plan.idle) if script is resolved.script else 1
        aligned = resolved.aligned
        if aligned is not None and not aligned.late and script.edition == lines:
            self.drop(resolved.log)  # the latest comes last
            self._seen[resolved.log] = LastWindow(
                list(request.messages),
                request.clean,
                script,
                lines,
                aligned.begin,
                aligned.look,
            )
            while len(self._seen) > _REMEMBERED:
                del self._seen[next(iter(self._seen))]

    def drop(self, log: ChatLog) -> None:
        """Drop the cached window of a chat."""
        self._seen.pop(log, None)

    def _named(self, request: ObserveRequest) -> ChatLog:
        """The log of that name; two users with equal chat names have separate ones."""
        log = self._log_index.log(request.chat)
        if log.head is not None and request.is_someone_elses(log.head):
            own = self._log_index.log(_own_id(request.chat, request.user))
            return own if own.head is not None else log
        return log

    def _unnamed(self, request: ObserveRequest) -> ChatLog | None:
        """The unnamed chat that the messages continue, if any."""
        mine = [log for log in self._mine(request) if log.head is not None and log.head.unnamed]
        if not mine:
            return None
        return _most_alike(mine, request) or _near(mine, request)

    def _begun(
        self, request: ObserveRequest, chat: str, log: ChatLog, *, unnamed: bool = False
    ) -> ResolvedChat:
        """A new chat, or a fork of a known one."""
        script, news = log.transcript, request.news
        fork = None if script.said else self._fork(request)
        if fork is not None:
            script = _begins_with(fork, log, request.now)
        aligned = align_window(script, news) if news else None
        head = ChatHead(chat, request.user, request.now, fork.parent if fork else "", unnamed)
        return self._resolved(request, head, log, script, aligned, fork)

    def _resolved(
        self,
        request: ObserveRequest,
        head: ChatHead,
        log: ChatLog,
        script: Transcript,
        aligned: PathAlignment | None,
        fork: Fork | None = None,
    ) -> ResolvedChat:
        """The resolution for that chat's current state."""
        there = request.participants(script, head)
        changes = aligned.changes if aligned else ()
        return ResolvedChat(
            head,
            log,
            script,
            script.edition,
            self._log_index.generation,
            aligned,
            planned(script, changes, request.now, there.complete),
            there,
            log.chat,
            script.path,
            fork,
        )

    def _fork(self, request: ObserveRequest) -> Fork | None:
        if sum(message.role == "user" for message in request.news) < 2:
            return None  # it may just begin alike: no other chat is read
        return forked(request.news, [log.transcript for log in self._mine(request)])

    def _mine(self, request: ObserveRequest) -> list[ChatLog]:
        self._log_index.refresh()
        return [
            log
            for log in self._log_index.logs()
            if log.head is not None and request.is_of(log.head)
        ]

    def _free(self, request: ObserveRequest) -> tuple[str, ChatLog]:
        """An id made of the first messages, and its log."""
        news = request.news
        if not news:
            return "", self._log_index.nobody
        find = self._log_index.known if request.looks else self._log_index.log
        stem = f"~{digest('', ''.join(message.digest for message in news[:_NAMED_BY]))}"
        chat, number = stem, 1
        while (log := find(chat)).head is not None:
            number += 1
            chat = f"{stem}-{number}"
        return chat, log


def _most_alike(mine: Sequence[ChatLog], request: ObserveRequest) -> ChatLog | None:
    """The chat with the longest common run that is continued."""
    shared = {log: request.spoken.shared(log.transcript) for log in mine}
    most = max((run for run, _ in shared.values()), default=0)
    return _best(mine, lambda log: most if shared[log] == (most, True) else 0)


def _near(mine: Sequence[ChatLog], request: ObserveRequest) -> ChatLog | None:
    """The chat with equal user messages that is continued best."""
    asks = {message.digest for message in request.news if message.role == "user"}
    near = [log for log in mine if log.transcript.ever_said(asks)]
    newest = sorted(near, key=lambda log: log.transcript.updated)[-_TRIED:]
    return _best(newest, lambda log: _continued(log, request.news))


def _best(logs: Iterable[ChatLog], score: Callable[[ChatLog], int]) -> ChatLog | None:
    """The best-scoring chat, the last changed on ties; None if none scores."""
    scored = [(score(log), log.transcript.updated, log) for log in logs]
    found = [each for each in scored if each[0]]
    return max(found, key=lambda each: each[:2])[2] if found else None


def _continued(log: ChatLog, news: Sequence[NormalizedMessage]) -> int:
    """The common size with a chat that is continued; 0 if it is not."""
    path, look = log.transcript.path, log.transcript.look
    first = max(len(path) - look.messages, 0)
    alignment = align(log.transcript, news, first, is_ample(window_size(news), look))
    return max(weight(alignment, news), 1) if continues(alignment, path, news, first) else 0


def _goes_on(request: ObserveRequest, aligned: PathAlignment | None, script: Transcript) -> bool:
    """Whether a request continues another person's chat: it attributes messages to others, or an exchange is equal.

    Greetings and common openings ("Hello") are equal in many chats.
    """
    if aligned is None or aligned.notes:
        return aligned is None
    others = {request.same(user) for user in script.present.users} - {
        request.same(request.user or "")
    }
    if any(one.owner is not None and request.same(one.owner) in others for one in request.messages):
        return True
    same = _unchanged(aligned, script)
    words = (said.text.encode("utf-8", "replace") for _, said in same if said.role == "user")
    exchanges = (
        here + 1 == there and (one.role, other.role) == VOICES
        for (here, one), (there, other) in pairwise(same)
    )
    return sum(map(len, words)) >= TELLING or any(exchanges)


def _unchanged(aligned: PathAlignment, script: Transcript) -> list[tuple[int, ChatMessage]]:
    """The visible unchanged part of the path, with places."""
    changes = aligned.changes
    steps = (step for change in changes for step in change.steps)
    stays = {step.old for step in steps if step.heard is None}
    gone = {at for change in changes for at in range(change.start, change.end)} - stays
    places = range(aligned.begin, len(script.path))
    return [(at, script.path[at]) for at in places if at not in gone]


def _begins_with(fork: Fork, log: ChatLog, now: datetime) -> Transcript:
    script = Transcript(log.path)
    script.follow(
        ChatLogRow(
            now,
            said=fork.path,
            splices=(Splice(0, "", (), tuple([said.version for said in fork.path])),),
        )
    )
    return script


def _own_id(chat: str, user: str | None) -> str:
    return replace_surrogates(f"{chat}@{user or ''}")
