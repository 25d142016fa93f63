"""Where the visible messages stand in a chat that was seen before: what is the same, what was said anew, what is gone.

First anchors: words that stand exactly once on either side, in the longest order that both share (the idea of patience diff);
where there are none, the same with looser words (case, punctuation and a name in front do not count). What lies between two
anchors is settled by the best score: the same words, words joined or parted by the frontend, other words of the same speaker
in the same place. Old messages before the first that is found were cut off by the frontend: they stay.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, repeat

from rolememory.schema.learning import Said
from rolememory.store.chats.heard import Heard, base
from rolememory.store.chats.settle import Gap, Knows, Step, settled

_NAMED = re.compile(r"^\s*[^\n:：]{1,64}[:：]\s*")
_NO_WORD = re.compile(r"[\W_]+")
SURE = 8  # so many messages in a row from the place where the last look began leave no doubt
_LONG = 12  # characters of a text that is hardly said twice by chance
_REACH = 8  # old messages that are looked at before the first anchor, beyond as many as were heard there


@dataclass(frozen=True, slots=True)
class Change:
    """What the old messages [start, end) become."""

    start: int
    end: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The visible messages laid along the old path."""

    begin: int  # where the visible ones begin on the old path: what stands before was cut off
    changes: tuple[Change, ...]  # in order; what they do not touch stays
    common: tuple[tuple[int, int], ...]  # (old, heard) places that say the same or nearly the same, in order
    size: int  # of the old path

    @property
    def gone(self) -> int:
        """How many old messages stand behind the last that is found."""
        return self.size - 1 - (self.common[-1][0] if self.common else -1)


def _knows_nothing(slot: int, digest: str) -> bool:
    return False


def align(olds: Sequence[Said], news: Sequence[Heard], first: int = 0, ample: bool = True, knows: Knows = _knows_nothing) -> Alignment:
    """Lay `news` along `olds`. Cost: O(olds + news), and the square of what lies between two anchors.

    The last look began at `first`; not `ample` means that the frontend shows less than then, so that it will hardly have
    cut off more; `knows` tells whether a slot ever had the words of a digest.
    """
    keys = [base(said.version) for said in olds], [heard.digest for heard in news]
    run = _run(keys[0], keys[1], first)
    found = _Found(olds, news, *keys, first, ample, knows)
    if run >= SURE:
        found.begin, found.common = first, [(first + place, place) for place in range(run)]
        found.lay(first + run, run, anchored=True)
    else:
        found.lay(0, 0, anchored=False)
    return Alignment(found.begin, tuple(found.changes), tuple(found.common), len(olds))


def _run(olds: Sequence[str], news: Sequence[str], first: int) -> int:
    """How many messages from the place where the last look began are the same."""
    pairs = enumerate(zip(islice(olds, first, None), news, strict=False))
    return next((place for place, (old, new) in pairs if old != new), min(len(olds) - first, len(news)))


def align_from(olds: Sequence[Said], news: Sequence[Heard], place: int, knows: Knows = _knows_nothing) -> tuple[Change, ...]:
    """Lay what is left along the old path behind `place`, where everything before is known to be the same."""
    keys = [*repeat("", place), *(base(said.version) for said in olds[place:])]
    found = _Found(olds, news, keys, [heard.digest for heard in news], place, True, knows)
    found.lay(place, 0, anchored=True)
    return tuple(found.changes)


class _Found:
    """What has been found so far."""

    def __init__(
        self,
        olds: Sequence[Said],
        news: Sequence[Heard],
        old_keys: Sequence[str],
        new_keys: Sequence[str],
        first: int,
        ample: bool,
        knows: Knows,
    ) -> None:
        self.olds, self.news, self.first, self.ample, self.knows = olds, news, first, ample, knows
        self._old_keys, self._new_keys = old_keys, new_keys
        self.begin = len(olds)
        self.changes: list[Change] = []
        self.common: list[tuple[int, int]] = []

    def lay(self, i: int, j: int, anchored: bool) -> None:
        """Lay the rest, from the old place `i` and the new place `j` on; not `anchored`: the old ones may have been cut off."""
        anchors = self._anchors(i, j) or ([] if anchored else self._loose_anchors())
        ends = [(i + old, j + new) for old, new in anchors]
        for i_end, j_end in [*ends, (len(self.olds), len(self.news))]:
            if anchored:
                self._between(i, i_end, j, j_end)
            else:
                self._in_front(i_end, j, j_end)
            if i_end < len(self.olds) and j_end < len(self.news):
                self._meet(i_end, j_end)
            i, j, anchored = i_end + 1, j_end + 1, True

    def _anchors(self, i: int, j: int) -> list[tuple[int, int]]:
        """What stands once on either side: of long texts if there are any, for an "ok" may stand anywhere."""
        pairs = _pairs(self._old_keys[i:], self._new_keys[j:])
        return _rising([pair for pair in pairs if len(self.news[j + pair[1]].text) >= _LONG]) or _rising(pairs)

    def _loose_anchors(self) -> list[tuple[int, int]]:
        return _rising(_pairs([_loose(said.text) for said in self.olds], [_loose(heard.text) for heard in self.news]))

    def _meet(self, i: int, j: int) -> None:
        self.common.append((i, j))
        if self._old_keys[i] != self._new_keys[j]:
            self.changes.append(Change(i, i + 1, (Step(i, self.news[j]),)))

    def _in_front(self, i_end: int, j: int, j_end: int) -> None:
        """What was heard before the first anchor; old ones beyond were cut off."""
        self.begin = i_end
        count = j_end - j
        if count and count <= i_end and self._old_keys[i_end - count : i_end] == self._new_keys[j:j_end]:
            self.begin = i_end - count
            self.common += [(self.begin + place, j + place) for place in range(count)]
        elif count:
            self._settle(
                Gap(self.olds, self.news, max(i_end - 2 * count - _REACH, 0), i_end, j, j_end, True, self.first, self.ample, self.knows)
            )

    def _between(self, i: int, i_end: int, j: int, j_end: int) -> None:
        if self._old_keys[i:i_end] == self._new_keys[j:j_end]:
            self.common += zip(range(i, i_end), range(j, j_end), strict=True)
        else:
            self._settle(Gap(self.olds, self.news, i, i_end, j, j_end, False, self.first, self.ample, self.knows))

    def _settle(self, gap: Gap) -> None:
        found = settled(gap)
        self.begin = min(self.begin, found.begin)
        self.changes.append(Change(found.begin, gap.i_end, found.steps))
        self.common += found.common


def _pairs(olds: Sequence[str], news: Sequence[str]) -> list[tuple[int, int]]:
    """Places of what stands exactly once on either side."""
    once = {key for key, count in Counter(news).items() if count == 1 and key}
    counts = Counter(key for key in olds if key in once)
    where = {key: place for place, key in enumerate(olds) if counts.get(key) == 1}
    return [(where[key], place) for place, key in enumerate(news) if key in where]


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


def _loose(text: str) -> str:
    """The words alone: a name in front, case and punctuation do not count.

    >>> _loose("Asha: *You* are late!") == _loose("you are LATE")
    True
    """
    return _NO_WORD.sub("", _NAMED.sub("", text, count=1)).casefold()
