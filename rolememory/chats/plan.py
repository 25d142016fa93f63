"""Plans a log update: the place in the chat, the new versions, the splices of the path."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from rolememory.chats.align import SURE, Alignment, PathChange, align
from rolememory.chats.gap_alignment import AlignStep
from rolememory.chats.normalize import NormalizedMessage, window_size
from rolememory.chats.rows import Splice
from rolememory.chats.transcript import Transcript
from rolememory.chats.unique_messages import words
from rolememory.chats.values import Mode, WindowSize
from rolememory.chats.visible_path import VisiblePath
from rolememory.schema.learning import ChatMessage, Scope
from rolememory.schema.value_class import value_class
from rolememory.text.cancellation import cancellable, check_cancelled

STEP = timedelta(milliseconds=1)  # between messages without times: leaves room for inserts
TELLING = 30  # bytes of common text that are no coincidence
NEAR_END = 2  # old messages after the last match: the newest exchange was repeated

Complete = Callable[[ChatMessage], ChatMessage]

_SCOPES: Final[Mapping[Mode, Scope]] = {"on": "on", "read_only": "on", "here": "here", "off": "off"}

_CONTEXT = 500  # characters that fit any context: less is no truncation

ANEW: Final = (
    "nothing that was said before is visible and nothing speaks for a cut: the chat begins again"
)
CUT: Final = "nothing that was said before is visible: the frontend cut it off"


@value_class
class PathAlignment:
    """The position of the visible messages on the old path, and their size."""

    begin: int  # path messages before them, cut off by the frontend
    changes: tuple[PathChange, ...]
    notes: tuple[str, ...] = ()
    look: WindowSize = WindowSize()  # immutable
    late: bool = False  # the request is older than the path, which ends with other messages

    def without_removals(self, look: WindowSize) -> "PathAlignment":
        """The alignment of a late request: all that is known stays as it is; if it removes nothing, itself."""
        if not any(change.removes for change in self.changes):
            return self
        changes = tuple(change.without_removals() for change in self.changes)
        return replace(self, changes=changes, look=look, late=True)


@dataclass(slots=True)
class ChatUpdate:
    """The changes of one observation."""

    entered: list[ChatMessage] = field(default_factory=list)
    returned: list[ChatMessage] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    splices: list[Splice] = field(default_factory=list)  # from end to beginning
    put: list[tuple[ChatMessage, ...]] = field(default_factory=list)  # for each splice
    mode: Mode = "on"  # memory scope afterwards

    @property
    def idle(self) -> bool:
        """Whether nothing changes."""
        return not self.splices

    def path(
        self, before: VisiblePath, shown: Mapping[str, ChatMessage] = MappingProxyType({})
    ) -> VisiblePath:
        """The path afterwards; `shown` replaces new versions. Cost: what is new."""
        new = before.knowing({said.version: said for said in self.entered})
        for splice, put in zip(self.splices, self.put, strict=True):
            read = [shown.get(said.version, said) for said in cancellable(put)]
            new = new.spliced(splice.place, splice.place + len(splice.out), put, read)
        return new


def align_window(script: Transcript, news: Sequence[NormalizedMessage]) -> PathAlignment:
    """Align the visible messages with the chat they belong to.

    Usually they share words with it: then what is missing in front was cut off, what is missing elsewhere was deleted.
    Where nothing is shared, or only a word or two far back, either the context was cut so far that nothing old is left, or the
    chat was begun again under its old name. A cut leaves the frontend's context full, so it shows about as much as
    at the last look; and who only passes the newest exchange each time shows as much as ever. So it is a new beginning
    when the user's messages are fewer and all of it is less than half as long as last time, or when it opens with an
    unknown greeting and is no longer than last time. Nothing but words of the user is a question asked in the chat, never a beginning.
    Nor is a full window: where little of it is equal, as in a group whose lines repeat, it has moved on past what was known.
    """
    size, now = len(script.path), window_size(news)
    appended = tuple(AlignStep(None, message) for message in news)
    if not size:
        return PathAlignment(0, (PathChange(0, 0, appended),), look=now)
    first = max(size - script.look.messages, 0)
    alignment = align(script, news, first, is_ample(now, script.look), script.knows)
    slid = is_full(now) and contradicts(alignment, script.path, news)
    if credible(alignment, news, first) and not slid:
        changes = below_kept_head(alignment, now, script.look)
        return PathAlignment(alignment.begin, changes, look=now)
    if _restarts(news, now, script.look):
        return PathAlignment(0, (PathChange(0, size, appended),), (ANEW,), now)
    same = overlap(script.path, news)
    notes = () if same else (CUT,)
    return PathAlignment(size - same, (PathChange(size, size, appended[same:]),), notes, now)


def is_ample(now: WindowSize, before: WindowSize) -> bool:
    """Whether the frontend shows about as much as before, so that it may have cut something off."""
    return now.users >= before.users or (
        now.characters >= _CONTEXT and 2 * now.characters >= before.characters
    )


def credible(alignment: Alignment, news: Sequence[NormalizedMessage], first: int) -> bool:
    """Whether the match is no coincidence: at the end of the path, at the start of the last window, or enough text."""
    if not alignment.common:
        return False
    return (
        alignment.gone <= NEAR_END
        or alignment.common[0] == (first, 0)
        or weight(alignment, news) >= TELLING
    )


def is_full(now: WindowSize) -> bool:
    """Whether it is a window that moved on rather than a chat that began again: that shows one exchange or two."""
    return now.messages >= SURE


def below_kept_head(
    alignment: Alignment, now: WindowSize, before: WindowSize
) -> tuple[PathChange, ...]:
    """The changes without a removal right below the first message, if the window is full and no longer than before.

    There a frontend cuts that keeps a message at the top: a card, a greeting. If it was a deletion after all, the next
    turn makes the window longer, and removes it.
    """
    cuts = is_full(now) and before.messages - NEAR_END <= now.messages <= before.messages
    if not cuts or alignment.common[0] != (alignment.begin, 0):
        return alignment.changes
    below = alignment.begin + 1
    return tuple(one for one in alignment.changes if one.steps or one.start != below)


def contradicts(
    alignment: Alignment, path: Sequence[ChatMessage], news: Sequence[NormalizedMessage]
) -> bool:
    """Whether the matches are fewer than what they would remove, insert and reword, but for the newest exchange.

    Lines that are said again and again ("Okay.") are equal in any two windows and count half, and so does a message
    reworded in its place. A window that begins with known text in a row is no coincidence, whatever was deleted after it.
    """
    common = alignment.common
    if not common or _begins_alike(alignment, path, news):
        return False
    start, begin = common[0]
    gaps = [(old - one - 1, max(at - other - 1, 0)) for (one, other), (old, at) in pairwise(common)]
    gaps.append((start - alignment.begin, min(start - alignment.begin, begin)))
    gaps.append((max(alignment.gone - NEAR_END, 0), 0))
    differ = sum(min(gap) + 2 * abs(gap[0] - gap[1]) for gap in gaps)
    olds, keys = list(map(words, path[start:])), [message.digest for message in news]
    counts = Counter([*olds, *keys])
    same = (keys[at] for old, at in common if olds[old - start] == keys[at])
    return sum(2 if counts[key] == 2 else 1 for key in same) < differ


def _begins_alike(
    alignment: Alignment, path: Sequence[ChatMessage], news: Sequence[NormalizedMessage]
) -> bool:
    """Whether the window begins with enough known text in a row."""
    run, first = 0, alignment.common[0][0]
    for at, pair in enumerate(alignment.common):
        if pair != (first + at, at) or words(path[pair[0]]) != news[at].digest:
            return False
        run += len(news[at].text.encode("utf-8", "replace"))
        if run >= TELLING:
            return True
    return False


def overlap(path: Sequence[ChatMessage], news: Sequence[NormalizedMessage]) -> int:
    """How many messages at the end of the path the window begins with."""
    keys = [message.digest for message in news]
    tail = list(map(words, path[-len(keys) :]))
    sizes = (size for size in range(len(tail), 0, -1) if tail[-size] == keys[0])
    return next((size for size in sizes if tail[-size:] == keys[:size]), 0)


def weight(alignment: Alignment, news: Sequence[NormalizedMessage]) -> int:
    """Bytes of common text, capped; a Chinese character counts three times."""
    return sum(
        min(len(news[message].text.encode("utf-8", "replace")), 200)
        for _, message in alignment.common[:64]
    )


def _restarts(news: Sequence[NormalizedMessage], now: WindowSize, before: WindowSize) -> bool:
    if now.users == now.messages or is_full(now):
        return False
    if news[0].role == "assistant" and now.messages <= before.messages:
        return True
    return now.users < before.users and not is_ample(now, before)


def planned(
    script: Transcript, changes: Sequence[PathChange], now: datetime, complete: Complete
) -> ChatUpdate:
    """The new versions and splices for these changes; `complete` adds speaker and presence."""
    weaver = _Weaver(script, now, complete)
    for change in changes:
        weaver.weave(change)
    plan = weaver.done()
    _set_scopes(plan, script)
    return plan


def _set_scopes(plan: ChatUpdate, script: Transcript) -> None:
    """Set the memory scope of new versions: as before in their slots, else by the last command before them."""
    new: dict[str, Scope] = {one.version: one.scope for one in plan.entered if one.commands}
    path = plan.path(script.path) if script.commands or new else script.path
    told = script.commands_on(path, new) if script.commands or new else []
    mode = script.told_mode
    plan.mode, otherwise = told[-1][1] if told else mode, _SCOPES[mode]

    def scoped(one: ChatMessage) -> ChatMessage:
        if one.commands:
            return one
        place = path.find(one.version) if told else None
        before = [scope for at, scope in told if place is not None and at < place]
        scope = script.scope_of(one.slot) or (before[-1] if before else otherwise)
        return one if scope == one.scope else replace(one, scope=scope)

    plan.entered = list(map(scoped, cancellable(plan.entered)))


@dataclass(slots=True)
class _Weaver:
    """Turns changes, in path order, into versions and splices."""

    _script: Transcript
    _now: datetime
    _complete: Complete
    _plan: ChatUpdate = field(default_factory=ChatUpdate)
    _begun: int = 0  # slots assigned here
    _versions: set[str] = field(default_factory=set)  # likewise
    _back: set[int] = field(default_factory=set)  # slots restored here

    def weave(self, change: PathChange) -> None:
        """Add a change to the plan."""
        path, put = self._script.path, list[ChatMessage]()
        latest = path[change.start - 1].at if change.start else None
        for step, (before, more) in zip(change.steps, self._room(change), strict=True):
            put.append(
                self._kept(step)
                if step.old is not None
                else self._new_version(step, latest, before, more)
            )
            latest = put[-1].at
        self._splice(change.start, path[change.start : change.end], put)

    def done(self) -> ChatUpdate:
        """The plan, from the end of the path to its beginning."""
        self._plan.splices.reverse()
        self._plan.put.reverse()
        return self._plan

    def _room(self, change: PathChange) -> list[tuple[datetime | None, int]]:
        """For each step: the time of the next message that stays, and the number of new ones before it."""
        path = self._script.path
        before, more = (path[change.end].at if change.end < len(path) else None), 0
        found: list[tuple[datetime | None, int]] = []
        for step in reversed(change.steps):
            found.append((before, more))
            before, more = (before, more + 1) if step.old is None else (path[step.old].at, 0)
        return found[::-1]

    def _kept(self, step: AlignStep) -> ChatMessage:
        said, message = self._script.path[step.old or 0], step.heard
        if message is None:
            return said
        if version := self._script.version_in(said.slot, message.digest):
            self._back.add(said.slot)
            return self._script.said[version]
        return self._enter(message, said.at, said.slot)

    def _new_version(
        self, step: AlignStep, after: datetime | None, before: datetime | None, more: int
    ) -> ChatMessage:
        """A restored or new message."""
        message = step.heard
        assert message is not None
        back = (
            said
            for said in self._script.resting(message.digest)
            if said.slot not in self._back
            and (after is None or after < said.at)
            and (before is None or said.at < before)
        )
        if found := min(back, key=lambda said: said.at, default=None):
            self._back.add(found.slot)
            return found
        at, slot = moment(after, before, message.sent, self._now, more), self._begun
        self._begun += 1
        return self._enter(message, at, self._script.slots + slot)

    def _enter(self, message: NormalizedMessage, at: datetime, slot: int) -> ChatMessage:
        check_cancelled()
        version = self._script.free_version(message.digest, self._versions)
        said = self._complete(message.said(version, at, slot))
        self._versions.add(said.version)
        self._plan.entered.append(said)
        return said

    def _splice(self, place: int, old: Sequence[ChatMessage], put: Sequence[ChatMessage]) -> None:
        before, after = _versions(old), _versions(put)
        same, end = _alike(before, after) if before else (0, 0)
        out, new, place = before[same : len(before) - end], put[same : len(put) - end], place + same
        if out or new:
            known, staying = self._versions.union(out), {*_versions(new)}
            self._plan.returned += [said for said in new if said.version not in known]
            self._plan.left += [version for version in out if version not in staying]
            behind = self._script.path[place - 1].version if place else ""
            self._plan.splices.append(Splice(place, behind, tuple(out), tuple(_versions(new))))
            self._plan.put.append(tuple(new))


def _versions(said: Sequence[ChatMessage]) -> list[str]:
    return [one.version for one in said]


def _alike(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """The lengths of the common prefix, and of the common suffix of the rest."""
    from rapidfuzz.distance import Postfix, Prefix  # slow import

    same = Prefix.similarity(before, after)
    return same, Postfix.similarity(before[same:], after[same:])


def moment(
    after: datetime | None,
    before: datetime | None,
    sent: datetime | None,
    now: datetime,
    more: int = 0,
) -> datetime:
    """The time of a message between these two, never before `after`; `more` follow it there.

    The frontend's time if it fits; at the end of the path, now; else shortly after the previous one.
    """
    if sent is not None and (after is None or after < sent) and (before is None or sent < before):
        return sent
    if before is None:
        latest = sent or now - more * STEP
        return latest if after is None else max(latest, after + STEP)
    if after is None:
        return before - (more + 1) * STEP
    room = (before - after) / (more + 2)
    return after + max(min(room, STEP), timedelta())
