"""Chats as they were first written: plain lists, and every look goes over the whole path. Slow, and easy to follow.

What is laid, planned and kept must be the same in `rolememory.chats`, however much of the path that looks at. The score
of a gap (`settle`) and the weaving of changes into versions (`plan`) are not another algorithm there, so they are shared.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice, pairwise, repeat

from rolememory.chats.align import Alignment, PathChange
from rolememory.chats.branches import _is_telling as is_telling
from rolememory.chats.gap_alignment import AlignStep, Gap, Knows, align_gap
from rolememory.chats.normalize import NormalizedMessage, base, normalize_messages, window_size
from rolememory.chats.plan import (
    ANEW,
    CUT,
    ChatUpdate,
    PathAlignment,
    _restarts,
    _Weaver,
    below_kept_head,
    contradicts,
    credible,
    is_ample,
    is_full,
    overlap,
)
from rolememory.chats.presence import Attendance, Participants, Window, alone, filled
from rolememory.chats.rows import ChatHead, ChatLogRow, Splice
from rolememory.chats.values import WindowSize
from rolememory.schema.learning import ChatMessage, Observed
from rolememory.schema.message import Message

SURE, LONG, REACH = 8, 12, 8
USER = "lin"
THERE = Attendance((USER,))
NAMED = re.compile(r"^\s*[^\n:：]{1,64}[:：]\s*")
NO_WORD = re.compile(r"[\W_]+")


# align


def knows_nothing(slot: int, digest: str) -> bool:
    return False


def align(
    olds: Sequence[ChatMessage],
    news: Sequence[NormalizedMessage],
    first: int = 0,
    ample: bool = True,
    knows: Knows = knows_nothing,
) -> Alignment:
    keys = [base(said.version) for said in olds], [heard.digest for heard in news]
    pairs = enumerate(zip(islice(keys[0], first, None), keys[1], strict=False))
    run = next(
        (place for place, (old, new) in pairs if old != new), min(len(olds) - first, len(news))
    )
    found = Found(olds, news, *keys, first, ample, knows)
    if run >= SURE:
        found.begin, found.common = first, [(first + place, place) for place in range(run)]
        found.lay(first + run, run, anchored=True)
    else:
        found.lay(0, 0, anchored=False)
    return Alignment(found.begin, tuple(found.changes), tuple(found.common), len(olds))


def align_from(
    olds: Sequence[ChatMessage], news: Sequence[NormalizedMessage], place: int, knows: Knows
) -> tuple[PathChange, ...]:
    keys = [*repeat("", place), *(base(said.version) for said in olds[place:])]
    found = Found(olds, news, keys, [heard.digest for heard in news], place, True, knows)
    found.lay(place, 0, anchored=True)
    return tuple(found.changes)


class Found:
    def __init__(
        self,
        olds: Sequence[ChatMessage],
        news: Sequence[NormalizedMessage],
        old_keys: Sequence[str],
        new_keys: Sequence[str],
        first: int,
        ample: bool,
        knows: Knows,
    ) -> None:
        self.olds, self.news, self.first, self.ample, self.knows = olds, news, first, ample, knows
        self.old_keys, self.new_keys = old_keys, new_keys
        self.begin = len(olds)
        self.changes: list[PathChange] = []
        self.common: list[tuple[int, int]] = []

    def lay(self, i: int, j: int, anchored: bool) -> None:
        anchors = self.anchors(i, j) or ([] if anchored else self.loose_anchors())
        ends = [(i + old, j + new) for old, new in anchors]
        for i_end, j_end in [*ends, (len(self.olds), len(self.news))]:
            if anchored:
                self.between(i, i_end, j, j_end)
            else:
                self.in_front(i_end, j, j_end)
            if i_end < len(self.olds) and j_end < len(self.news):
                self.common.append((i_end, j_end))
                if self.old_keys[i_end] != self.new_keys[j_end]:
                    self.changes.append(
                        PathChange(i_end, i_end + 1, (AlignStep(i_end, self.news[j_end]),))
                    )
            i, j, anchored = i_end + 1, j_end + 1, True

    def anchors(self, i: int, j: int) -> list[tuple[int, int]]:
        found = pairs(self.old_keys[i:], self.new_keys[j:])
        return rising(
            [pair for pair in found if len(self.news[j + pair[1]].text) >= LONG]
        ) or rising(found)

    def loose_anchors(self) -> list[tuple[int, int]]:
        return rising(
            pairs(
                [loose(said.text) for said in self.olds], [loose(heard.text) for heard in self.news]
            )
        )

    def in_front(self, i_end: int, j: int, j_end: int) -> None:
        self.begin = i_end
        count = j_end - j
        if (
            count
            and count <= i_end
            and self.old_keys[i_end - count : i_end] == self.new_keys[j:j_end]
        ):
            self.begin = i_end - count
            self.common += [(self.begin + place, j + place) for place in range(count)]
        elif count:
            self.settle(max(i_end - 2 * count - REACH, 0), i_end, j, j_end, front=True)

    def between(self, i: int, i_end: int, j: int, j_end: int) -> None:
        if self.old_keys[i:i_end] == self.new_keys[j:j_end]:
            self.common += zip(range(i, i_end), range(j, j_end), strict=True)
        else:
            self.settle(i, i_end, j, j_end, front=False)

    def settle(self, i: int, i_end: int, j: int, j_end: int, *, front: bool) -> None:
        gap = Gap(
            self.olds, self.news, i, i_end, j, j_end, front, self.first, self.ample, self.knows
        )
        found = align_gap(gap)
        self.begin = min(self.begin, found.begin)
        self.changes.append(PathChange(found.begin, i_end, found.steps))
        self.common += found.common


def pairs(olds: Sequence[str], news: Sequence[str]) -> list[tuple[int, int]]:
    once = {key for key, count in Counter(news).items() if count == 1 and key}
    counts = Counter(key for key in olds if key in once)
    where = {key: place for place, key in enumerate(olds) if counts.get(key) == 1}
    return [(where[key], place) for place, key in enumerate(news) if key in where]


def rising(found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (old, _) in enumerate(found):
        length = bisect_left(tops, old)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1], ends[length : length + 1] = [old], [number]
    chosen: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chosen.append(found[number])
        number = before[number]
    return chosen[::-1]


def loose(text: str) -> str:
    return NO_WORD.sub("", NAMED.sub("", text, count=1)).casefold()


# transcript


class Tale:
    """A chat and what is visible of it."""

    def __init__(self, head: ChatHead | None = None) -> None:
        self.head = head
        self.look = WindowSize()
        self.said: dict[str, ChatMessage] = {}
        self.path: list[ChatMessage] = []
        self.slots = 0
        self.order: list[str] = []
        self.disturbed = False
        self.inherited: frozenset[str] = frozenset()
        self._alike: dict[str, list[str]] = {}

    def follow(self, row: ChatLogRow) -> None:
        self.head = row.head or self.head
        self.look = row.look or self.look
        before = set(self.said)
        for said in row.said:
            if said.version not in self.said:
                self._alike.setdefault(base(said.version), []).append(said.version)
            self.said[said.version] = filled(said, USER, THERE)
            self.slots = max(self.slots, said.slot + 1)
        inherits = row.head is not None and bool(row.head.branch_of)
        if inherits:
            self.inherited = frozenset(
                version for splice in row.splices[:1] for version in splice.put
            )
        for number, splice in enumerate(row.splices):
            standing = self.standing
            inside = bool(splice.put) and self._place(splice) < len(self.path)
            self._splice(splice)
            gone = not standing.isdisjoint(splice.out)
            self.disturbed |= gone or inside or not before.isdisjoint(splice.put)
            if number or not inherits:
                self.order += splice.put

    @property
    def known(self) -> dict[str, dict[str, ChatMessage]]:
        known: dict[str, dict[str, ChatMessage]] = {"user": {}, "assistant": {}}
        for said in self.said.values():
            known[said.role].setdefault(said.raw or said.text, said)
            known[said.role].setdefault(said.text, said)
        return known

    @property
    def standing(self) -> set[str]:
        return {said.version for said in self.path}

    @property
    def neighbours(self) -> set[tuple[str, str]]:
        return set(pairwise([said.version for said in self.path]))

    def version_in(self, slot: int, digest: str) -> str:
        return next(
            (version for version in self._alike.get(digest, ()) if self.said[version].slot == slot),
            "",
        )

    def knows(self, slot: int, digest: str) -> bool:
        return bool(self.version_in(slot, digest))

    def resting(self, digest: str) -> Iterable[ChatMessage]:
        slots = {said.slot for said in self.path}
        alike = (self.said[version] for version in self._alike.get(digest, ()))
        return (said for said in alike if said.slot not in slots)

    def free_version(self, digest: str, taken: Container[str] = ()) -> str:
        number = len(self._alike.get(digest, ())) + 1
        while (
            version := digest if number == 1 else f"{digest}.{number}"
        ) in self.said or version in taken:
            number += 1
        return version

    def _splice(self, splice: Splice) -> None:
        start = end = self._place(splice)
        out = set(splice.out)
        while end < len(self.path) and self.path[end].version in out:
            out.discard(self.path[end].version)
            end += 1
        if out:
            self.path = [said for said in self.path if said.version not in out]
            start = end = self._place(splice)
        slots = {said.slot for said in (*self.path[:start], *self.path[end:])}
        put = [self.said[version] for version in splice.put if version in self.said]
        self.path[start:end] = [said for said in put if said.slot not in slots]

    def _place(self, splice: Splice) -> int:
        if not splice.after:
            return 0
        if (
            0 < splice.place <= len(self.path)
            and self.path[splice.place - 1].version == splice.after
        ):
            return splice.place
        found = (
            place
            for place in range(len(self.path), 0, -1)
            if self.path[place - 1].version == splice.after
        )
        return next(found, min(splice.place, len(self.path)))


# plan


def lay(tale: Tale, news: Sequence[NormalizedMessage]) -> PathAlignment:
    size = len(tale.path)
    appended = tuple(AlignStep(None, heard) for heard in news)
    if not size:
        return PathAlignment(0, (PathChange(0, 0, appended),))
    now, first = window_size(news), max(size - tale.look.messages, 0)
    alignment = align(tale.path, news, first, is_ample(now, tale.look), tale.knows)
    slid = is_full(now) and contradicts(alignment, tale.path, news)
    if credible(alignment, news, first) and not slid:
        changes = below_kept_head(alignment, now, tale.look)
        return PathAlignment(alignment.begin, changes)
    if _restarts(news, now, tale.look):
        return PathAlignment(0, (PathChange(0, size, appended),), (ANEW,))
    same = overlap(tale.path, news)
    notes = () if same else (CUT,)
    return PathAlignment(size - same, (PathChange(size, size, appended[same:]),), notes)


def planned(tale: Tale, changes: Sequence[PathChange], now: datetime) -> ChatUpdate:
    there = Participants(THERE, Window(USER, frozenset(), alone))
    weaver = _Weaver(tale, now, there.complete)  # type: ignore[arg-type]  # lists in the place of what shares
    for change in changes:
        weaver.weave(change)
    return weaver.done()


def path_of(
    plan: ChatUpdate, before: Sequence[ChatMessage], shown: Mapping[str, ChatMessage] | None = None
) -> list[ChatMessage]:
    new = list(before)
    for splice, put in zip(plan.splices, plan.put, strict=True):
        new[splice.place : splice.place + len(splice.out)] = [
            (shown or {}).get(said.version, said) for said in put
        ]
    return new


# attention


def attend(tale: Tale, messages: Sequence[Message]) -> tuple[PathAlignment, WindowSize] | None:
    spoken = [one for one in messages if one.role in ("user", "assistant") and one.content]
    begin, run = sure(tale, spoken)
    size = len(tale.path)
    if run == size - begin > 0:
        news = normalize_messages(spoken[run:], None, tale.known)
        change = (PathChange(size, size, tuple([AlignStep(None, heard) for heard in news])),)
        return PathAlignment(begin, change if news else ()), together(
            looked(tale, begin, run), news
        )
    if run >= SURE:
        news = normalize_messages(spoken[run:], None, tale.known)
        changes = align_from(tale.path, news, begin + run, tale.knows)
        return PathAlignment(begin, changes), together(looked(tale, begin, run), news)
    news = normalize_messages(spoken, None, tale.known)
    return (lay(tale, news), window_size(news)) if news else None


def sure(tale: Tale, spoken: Sequence[Message]) -> tuple[int, int]:
    size = len(tale.path)
    runs = [
        (begin, run_of(tale, spoken, begin))
        for begin in dict.fromkeys((max(size - tale.look.messages, 0), 0))
    ]
    return max(runs, key=lambda pair: (pair[1] == size - pair[0], pair[1]))


def run_of(tale: Tale, spoken: Sequence[Message], begin: int) -> int:
    ones = [(one.role, one.content.strip()) for one in spoken]
    others = [(said.role, said.raw or said.text) for said in tale.path[begin:]]
    found = enumerate(zip(ones, others, strict=False))
    return next(
        (place for place, (one, other) in found if one != other), min(len(ones), len(others))
    )


def looked(tale: Tale, begin: int, count: int) -> WindowSize:
    run = tale.path[begin : begin + count]
    if count == tale.look.messages and begin + count == len(tale.path):
        return tale.look
    users = sum(said.role == "user" for said in run)
    return WindowSize(count, users, sum(len(said.raw or said.text) for said in run))


def together(one: WindowSize, news: Sequence[NormalizedMessage]) -> WindowSize:
    other = window_size(news)
    return WindowSize(
        one.messages + other.messages, one.users + other.users, one.characters + other.characters
    )


# forks


def forked(
    news: Sequence[NormalizedMessage], tales: Iterable[Tale]
) -> tuple[Tale, tuple[ChatMessage, ...]] | None:
    """The chat that a new one was forked from, and the path both share; of several that share as much, the last."""
    best: tuple[tuple[int, int], Tale, tuple[ChatMessage, ...]] | None = None
    if sum(heard.role == "user" for heard in news) < 2:
        return None
    for tale in tales:
        for start, run in sorted(starts(news, tale), key=lambda pair: (-len(pair[1]), pair[0]))[:1]:
            if is_telling(news[: len(run)]):
                replies = [at for at, said in enumerate(run) if said.role == "assistant"]
                last = max(replies, default=-1) + 1
                rank = last, sum(said.version in tale.standing for said in run[:last])
                if best is None or rank >= best[0]:
                    best = rank, tale, (*tale.path[:start], *run)
    return (best[1], best[2]) if best else None


def starts(
    news: Sequence[NormalizedMessage], tale: Tale
) -> Iterator[tuple[int, list[ChatMessage]]]:
    """Every stretch of the path, in whatever version, that the new messages begin with."""
    for start in range(len(tale.path)):
        run: list[ChatMessage] = []
        for heard, said in zip(news, tale.path[start:], strict=False):
            alike = [
                one
                for one in tale.said.values()
                if one.slot == said.slot and base(one.version) == heard.digest
            ]
            if not alike:
                break
            run.append(alike[-1])
        if run:
            yield start, run


# looks


class Tales:
    """The chats of one user, by name, the one that changed last at the end."""

    def __init__(self) -> None:
        self.tales: dict[str, Tale] = {}

    def observe(self, messages: Sequence[Message], chat: str, now: datetime) -> Observed:
        """What a look finds, taken in."""
        known = self.tales.get(chat)
        tale, fork = known or Tale(), None
        news = normalize_messages(messages, None, {})
        if known is None and (fork := forked(news, self.tales.values())):
            begun = Splice(0, "", (), tuple([said.version for said in fork[1]]))
            tale.follow(ChatLogRow(now, said=fork[1], splices=(begun,)))
        found = (
            attend(tale, messages)
            if known
            else ((lay(tale, news), window_size(news)) if news else None)
        )
        if found is None:
            self.begin, self.path = len(tale.path), tale.path
            return Observed("" if known is None else chat)
        laid, look = found
        plan = planned(tale, laid.changes, now)
        parent = fork[0].head.chat if fork and fork[0].head else ""
        self.begin, self.path = laid.begin, path_of(plan, tale.path)
        if not plan.idle or known is None:
            head = ChatHead(chat, USER, now, parent) if known is None else None
            row = ChatLogRow(now, head, tuple(plan.entered), tuple(plan.splices), look)
            if fork:
                tale = Tale()
                row = replace(row, said=(*fork[1], *row.said), splices=(begun, *row.splices))
            tale.follow(row)
            self.tales.pop(chat, None)
            self.tales[chat] = tale
        notes = laid.notes
        return Observed(
            chat, tuple(plan.entered), tuple(plan.returned), tuple(plan.left), parent, notes
        )

    def counts(self, here: str | None, chat: str, version: str) -> bool:
        """Whether a support counts, seen from a chat or from none, where all chats share one life."""
        family = self._family(chat)
        alike = [name for name in self.tales if self._family(name) == family]
        return any(
            version in self.tales[name].standing
            and self._teller(name, version) == self._teller(chat, version)
            for name in ([here] if here in alike else alike)
            if name
        )

    def _parent(self, chat: str) -> str:
        head = self.tales[chat].head
        return head.branch_of if head else ""

    def _family(self, chat: str) -> str:
        parent = self._parent(chat)
        return self._family(parent) if parent else chat

    def _teller(self, chat: str, version: str) -> str:
        inherited = version in self.tales[chat].inherited
        return self._teller(self._parent(chat), version) if inherited else chat
