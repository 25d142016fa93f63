"""Where the visible messages stand in a chat that was seen before: what is the same, what was said again, what is gone.

First anchors: words that stand exactly once on either side, in the longest order that both share (the idea of patience diff);
where there are none, the same with looser words (case, punctuation and a name in front do not count). What lies between two
anchors is settled by the best score: the same words, words joined or parted by the frontend, other words of the same speaker
in the same place. Old messages before the first that is found were cut off by the frontend: they stay.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import overload

from rolememory.chats.gap_alignment import AlignStep, Gap, Knows, align_gap
from rolememory.chats.normalize import NormalizedMessage
from rolememory.chats.transcript import Transcript
from rolememory.chats.unique_messages import UniqueMessages, loose, words
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class

SURE = 8  # so many messages in a row from the place where the last look began leave no doubt
_LONG = 12  # characters of a text that is hardly said twice by chance
_REACH = (
    8  # old messages that are looked at before the first anchor, beyond as many as were heard there
)
_NEAR = 256  # old messages that are read at once, beyond four times as many as were heard


@value_class
class PathChange:
    """What the old messages [start, end) become."""

    start: int
    end: int
    steps: tuple[AlignStep, ...]


@value_class
class Alignment:
    """The visible messages laid along the old path."""

    begin: int  # where the visible ones begin on the old path: what stands before was cut off
    changes: tuple[PathChange, ...]  # in order; what they do not touch stays
    common: tuple[
        tuple[int, int], ...
    ]  # (old, heard) places that say the same or nearly the same, in order
    size: int  # of the old path

    @property
    def gone(self) -> int:
        """How many old messages stand behind the last that is found."""
        return self.size - 1 - (self.common[-1][0] if self.common else -1)


def align(
    script: Transcript,
    news: Sequence[NormalizedMessage],
    first: int = 0,
    ample: bool = True,
    knows: Knows = lambda slot, digest: False,
) -> Alignment:
    """Lay `news` along the path of a chat.

    Cost: O(news), what is found to be gone, and the square of what lies between two anchors. The last look began at `first`;
    not `ample` means that the frontend shows less than then, so that it will hardly have cut off more; `knows` tells
    whether a slot ever had the words of a digest.
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
    """Lay what is left along the old path behind `place`, where everything before is known to be the same."""
    found = _PathMatcher(script, news, place, True, script.knows)
    found.lay(place, 0, found.anchors_behind(place, 0), anchored=True)
    return tuple(found.changes)


class _PathMatcher:
    """What has been found so far."""

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
        """How many messages from the place where the last look began are the same."""
        first, keys = self.first, self._keys
        if list(map(words, self._olds[first : first + SURE])) != keys[:SURE]:
            return 0  # as good as none
        olds = self._olds[first : first + len(keys)]
        pairs = enumerate(zip(map(words, olds), keys, strict=False))
        return next((place for place, (old, new) in pairs if old != new), len(olds))

    def anchors_behind(self, i: int, j: int) -> list[tuple[int, int]]:
        """What stands once on either side behind these places."""
        self._olds = _Rest(self._olds, i)
        olds = self._olds[i:]
        counts = Counter(map(words, olds))
        where = {key: i + at for at, key in enumerate(map(words, olds)) if counts[key] == 1}
        return self._chosen(
            [(where[key], at) for at, key in _once(self._keys[j:], j) if key in where]
        )

    def anchors(self) -> list[tuple[int, int]]:
        """What stands once on either side; where nothing does, what does so with looser words."""
        found = self._chosen(self._pairs(self._script.once, self._keys))
        if not found:
            texts = [loose(message.text) for message in self.news]
            keys = [hash(text) if text else None for text in texts]
            found = _rising(self._pairs(self._script.loosely, keys))
        if not found:
            self._read_from(len(self._olds), len(self.news))
        return found

    def _pairs(self, once: UniqueMessages, keys: Sequence[Hashable]) -> list[tuple[int, int]]:
        """Places of what stands exactly once on either side."""
        found: list[tuple[int, int]] = []
        for at, key in _once(keys):
            if (slot := once.slot(key)) is not None:
                near = found[-1][0] + at - found[-1][1] if found else -1
                found.append((self._place(slot, near), at))
                if len(found) == 1:
                    self._read_from(*found[0])
        return found

    def _place(self, slot: int, near: int) -> int:
        """Where a slot stands; `near` is a guess."""
        if 0 <= near < len(self._olds) and self._olds[near].slot == slot:
            return near
        said = self._script.path.in_slot(slot)
        assert said is not None
        return self._script.path.place(said)

    def _read_from(self, place: int, at: int) -> None:
        """What was heard at `at` stands at `place`: read what comes into question at once, if that is not much."""
        low = max(place - 2 * at - _REACH, 0)
        if len(self._olds) - low <= _NEAR + 4 * len(self.news):
            self._olds = _Rest(self._script.path, low)

    def _chosen(self, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Of long texts if there are any, for an "ok" may stand anywhere."""
        long = [pair for pair in pairs if len(self.news[pair[1]].text) >= _LONG]
        return _rising(long) or _rising(pairs)

    def lay(self, i: int, j: int, anchors: Sequence[tuple[int, int]], anchored: bool) -> None:
        """Lay the rest, from the old place `i` and the new place `j` on; not `anchored`: the old ones may have been cut off."""
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
        """What was heard before the first anchor; old ones beyond were cut off."""
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
    """A path whose end is read once."""

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
    """What stands there exactly once, with its place; `None` does not count."""
    counts = Counter(keys)
    return [
        (begin + at, key) for at, key in enumerate(keys) if key is not None and counts[key] == 1
    ]


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest selection whose old places rise as well; `pairs` come in the order of their new places.

    >>> _rising([(5, 0), (1, 1), (2, 2), (9, 3), (3, 4)])
    [(1, 1), (2, 2), (3, 4)]
    """
    tops: list[int] = []  # of the best selection of each length, its last old place
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
