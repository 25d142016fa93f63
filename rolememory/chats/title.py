"""The automatic title of a chat: its truncated first words."""

from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

from rolememory.text.width import cells

WIDTH = 40  # columns; a Chinese character takes two
_STOPS = frozenset(" \u3000,.;:!?，。；：！？、…")


@lru_cache(maxsize=1024)
def title_of(text: str) -> str:
    """The beginning of the text on one line, at most `WIDTH` columns wide, cut after a word.

    >>> title_of("Is the lamp wound? I brought lanterns and oil for the night.")
    'Is the lamp wound? I brought lanterns…'
    >>> title_of("我把灯塔的油加满了，今晚的风暴应该不会让它熄灭，你说呢？")
    '我把灯塔的油加满了，今晚的风暴应该不会…'
    """
    line = " ".join(text.split())
    ends = list(accumulate(map(cells, line)))
    if not ends or ends[-1] <= WIDTH:
        return line
    end = bisect_right(ends, WIDTH - 1)
    cut = line[:end]
    if all(cells(one) == 1 and one.isalnum() for one in line[end - 1 : end + 1]):
        whole = max((place for place, one in enumerate(cut) if one in _STOPS), default=0)
        cut = line[:whole] if whole and 2 * ends[whole - 1] >= WIDTH else cut
    return cut.rstrip("".join(_STOPS)) + "…"
