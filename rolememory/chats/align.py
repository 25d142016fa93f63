"""Aligns the visible messages with a known chat: which are unchanged, reworded, or gone.

First anchors: texts that occur exactly once on both sides, in the longest common order (the idea of patience diff);
if there are none, the same with looser equality (case, punctuation and a name in front are ignored). The gap between two
anchors gets the best-scoring alignment: equal texts, texts joined or split by the frontend, other texts of the same speaker
in the same place. Old messages before the first match were cut off by the frontend: they stay.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import overload

from rolememory.chats.gap_alignment import AlignStep, Gap, Knows, align_gap
from rolememory.chats.normalize import NormalizedMessage
from rolememory.chats.transcript import Transcript
from rolememory.chats.unique_messages import UniqueMessages, loose, words
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class

SURE = 8  # this many equal consecutive messages from the start of the last window are conclusive
_LONG = 12  # characters of a text that hardly occurs twice by chance
_REACH = 8  # old messages searched before the first anchor, beyond as many as there are new ones
_NEAR = 256  # old messages read at once, beyond four times as many as new ones


@value_class
class PathChange:
    """What replaces the old messages [start, end)."""

    start: int
    end: int
    steps: tuple[AlignStep, ...]

    @property
    def removes(self) -> bool:
        """Whether an old message has no step."""
        return sum(step.old is not None for step in self.steps) < self.end - self.start

    def without_removals(self) -> "PathChange":
        """Only the new messages, among all old ones."""
        steps, place = list[AlignStep](), self.start
        for step in (*self.steps, AlignStep(self.end - 1)):
            if step.old is None:
                steps.append(step)
            else:
                steps += map(AlignStep, range(place, step.old + 1))
                place = step.old + 1
        return replace(self, steps=tuple(steps))


@value_class
class Alignment:
    """The visible messages aligned with the old path."""

    begin: int  # where the visible ones begin on the old path; earlier ones were cut off
    changes: tuple[PathChange, ...]  # in order; anything else stays
    common: tuple[
        tuple[int, int], ...
    ]  # (old, heard) places of equal or similar messages, in order
    size: int  # length of the old path

    @property
    def gone(self) -> int:
        """The number of old messages after the last match."""
        return self.size - 1 - (self.common[-1][0] if self.common else -1)


def align(
    script: Transcript,
    news: Sequence[NormalizedMessage],
    first: int = 0,
    ample: bool = True,
    knows: Knows = lambda slot, digest: False,
) -> Alignment:
    """Align `news` with the path of a chat.

    Cost: O(news), removed messages, and the square of the gap between two anchors. The last window began at `first`;
    not `ample` means that the frontend shows less than then, so it has probably not cut off more; `knows` returns
    whether a slot ever had the text of a digest.
    """
    found = _PathMatcher(script, news, first, ample, knows)
    run = found.run()
    if run >= SURE:
        found.begin, found.common = first, [(first + place, place) for place in range(run)]
        found.lay(first + run, run, found.anchors_behind(first + run, run), anchored=True)
    else:
        found.lay(0, 0, found.anchors(), anchored=False)
    return Alignment(found.begin, tuple(found.changes), tuple(found.common), len(script.path))


def align_from(
    script: Transcript, news: Sequence[NormalizedMessage], place: int
) -> tuple[PathChange, ...]:
    """Align the rest with the old path after `place`, where everything before is known to be equal."""
    found = _PathMatcher(script, news, place, True, script.knows)
    found.lay(place, 0, found.anchors_behind(place, 0), anchored=True)
    return tuple(found.changes)


class _PathMatcher:
    """The state of an alignment."""

    def __init__(
        self,
        script: Transcript,
        news: Sequence[NormalizedMessage],
        first: int,
        ample: bool,
        knows: Knows,
    ) -> None:
        self._script = script
        self._olds: Sequence[ChatMessage] = script.path
        self.news, self.first, self.ample, self.knows = news, first, ample, knows
        self._keys = [message.digest for message in news]
        self.begin = len(script.path)
        self.changes: list[PathChange] = []
        self.common: list[tuple[int, int]] = []

    def run(self) -> int:
        """How many messages from the start of the last window are equal."""
        first, keys = self.first, self._keys
        if list(map(words, self._olds[first : first + SURE])) != keys[:SURE]:
            return 0  # practically nothing
        olds = self._olds[first : first + len(keys)]
        pairs = enumerate(zip(map(words, olds), keys, strict=False))
        return next((place for place, (old, new) in pairs if old != new), len(olds))

    def anchors_behind(self, i: int, j: int) -> list[tuple[int, int]]:
        """The unique texts on both sides after these places."""
        self._olds = _Rest(self._olds, i)
        olds = self._olds[i:]
        counts = Counter(map(words, olds))
        where = {key: i + at for at, key in enumerate(map(words, olds)) if counts[key] == 1}
        return self._chosen(
            [(where[key], at) for at, key in _once(self._keys[j:], j) if key in where]
        )

    def anchors(self) -> list[tuple[int, int]]:
        """The unique texts on both sides; if there are none, with looser equality."""
        found = self._chosen(self._pairs(self._script.once, self._keys))
        if not found:
            texts = [loose(message.text) for message in self.news]
            keys = [hash(text) if text else None for text in texts]
            found = _rising(self._pairs(self._script.loosely, keys))
        if not found:
            self._read_from(len(self._olds), len(self.news))
        return found

    def _pairs(self, once: UniqueMessages, keys: Sequence[Hashable]) -> list[tuple[int, int]]:
        """The places of texts that occur exactly once on both sides."""
        found: list[tuple[int, int]] = []
        for at, key in _once(keys):
            if (slot := once.slot(key)) is not None:
                near = found[-1][0] + at - found[-1][1] if found else -1
                found.append((self._place(slot, near), at))
                if len(found) == 1:
                    self._read_from(*found[0])
        return found

    def _place(self, slot: int, near: int) -> int:
        """The place of a slot; `near` is a guess."""
        if 0 <= near < len(self._olds) and self._olds[near].slot == slot:
            return near
        said = self._script.path.in_slot(slot)
        assert said is not None
        return self._script.path.place(said)

    def _read_from(self, place: int, at: int) -> None:
        """Prefetch candidates at once, if few, given that the message `at` is at `place`."""
        low = max(place - 2 * at - _REACH, 0)
        if len(self._olds) - low <= _NEAR + 4 * len(self.news):
            self._olds = _Rest(self._script.path, low)

    def _chosen(self, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Only long texts if there are any, since an "ok" occurs anywhere."""
        long = [pair for pair in pairs if len(self.news[pair[1]].text) >= _LONG]
        return _rising(long) or _rising(pairs)

    def lay(self, i: int, j: int, anchors: Sequence[tuple[int, int]], anchored: bool) -> None:
        """Align the rest, from old place `i` and new place `j`; not `anchored`: old ones may have been cut off."""
        for i_end, j_end in [*anchors, (len(self._olds), len(self.news))]:
            if anchored:
                self._between(i, i_end, j, j_end)
            else:
                self._in_front(i_end, j, j_end)
            if i_end < len(self._olds) and j_end < len(self.news):
                self._meet(i_end, j_end)
            i, j, anchored = i_end + 1, j_end + 1, True

    def _meet(self, i: int, j: int) -> None:
        self.common.append((i, j))
        if words(self._olds[i]) != self._keys[j]:
            self.changes.append(PathChange(i, i + 1, (AlignStep(i, self.news[j]),)))

    def _in_front(self, i_end: int, j: int, j_end: int) -> None:
        """Align what precedes the first anchor; older ones were cut off."""
        self.begin = i_end
        count = j_end - j
        if count and count <= i_end and self._same(i_end - count, i_end, j, j_end):
            self.begin = i_end - count
            self.common += [(self.begin + place, j + place) for place in range(count)]
        elif count:
            self._settle(max(i_end - 2 * count - _REACH, 0), i_end, j, j_end, front=True)

    def _between(self, i: int, i_end: int, j: int, j_end: int) -> None:
        if self._same(i, i_end, j, j_end):
            self.common += zip(range(i, i_end), range(j, j_end), strict=True)
        else:
            self._settle(i, i_end, j, j_end, front=False)

    def _same(self, i: int, i_end: int, j: int, j_end: int) -> bool:
        if i_end - i != j_end - j:
            return False
        return i == i_end or list(map(words, self._olds[i:i_end])) == self._keys[j:j_end]

    def _settle(self, i: int, i_end: int, j: int, j_end: int, *, front: bool) -> None:
        gap = Gap(
            self._olds, self.news, i, i_end, j, j_end, front, self.first, self.ample, self.knows
        )
        found = align_gap(gap)
        self.begin = min(self.begin, found.begin)
        self.changes.append(PathChange(found.begin, gap.i_end, found.steps))
        self.common += found.common


class _Rest(Sequence[ChatMessage]):
    """A path whose end is read only once."""

    def __init__(self, path: Sequence[ChatMessage], start: int) -> None:
        self._path, self._start, self._items = path, start, path[start:]

    @overload
    def __getitem__(self, place: int) -> ChatMessage: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ChatMessage]: ...
    def __getitem__(self, place: int | slice) -> ChatMessage | Sequence[ChatMessage]:
        if isinstance(place, slice):
            start, end, _ = place.indices(len(self._path))
            if start < self._start:
                return self._path[place]
            return self._items[start - self._start : max(end - self._start, 0)]
        return self._items[place - self._start] if place >= self._start else self._path[place]

    def __len__(self) -> int:
        return len(self._path)


def _once(keys: Sequence[Hashable], begin: int = 0) -> list[tuple[int, Hashable]]:
    """The keys that occur exactly once, with places; `None` is ignored."""
    counts = Counter(keys)
    return [
        (begin + at, key) for at, key in enumerate(keys) if key is not None and counts[key] == 1
    ]


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence with ascending old places; `pairs` are in the order of their new places.

    >>> _rising([(5, 0), (1, 1), (2, 2), (9, 3), (3, 4)])
    [(1, 1), (2, 2), (3, 4)]
    """
    tops: list[int] = []  # by length of the best subsequence: its last old place
    ends: list[int] = []  # and its number
    before: list[int] = []
    for number, (old, _) in enumerate(pairs):
        length = bisect_left(tops, old)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1], ends[length : length + 1] = [old], [number]
    found: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]
