"""Aligns the messages between two anchors by score."""

from collections.abc import Callable, Iterator, Sequence

from rolememory.chats.normalize import NormalizedMessage, base, normalize_message
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class

_SAME, _JOINED, _AGAIN = (
    3.0,
    2.9,
    2.5,
)  # equal texts, joined or split, texts that the slot had before
_IN_PLACE = 0.2  # another text of the same speaker in the same place
_GONE = -0.4  # a removed old message
_PUT_BEFORE = -0.5  # a new message before an old one that stays: rare
_CUT_AGAIN = -0.5  # one cut off although the window is smaller than before
_SIMILAR = 0.6  # similarity above which a text is an edited one
_CUT_INSIDE = 20  # minimal bytes left of a message that was truncated: 7 Chinese characters
_MOST_CELLS = 2500  # above, alignment is by position only
_COMPARED = 1500  # characters of a text

Knows = Callable[[int, str], bool]  # slot, digest


@value_class
class AlignStep:
    """A step of the new path: an old message kept (`heard` None), reworded (both), or a new one (`old` None)."""

    old: int | None
    heard: NormalizedMessage | None = None


@value_class
class Gap:
    """Old messages [i, i_end) and heard ones [j, j_end) to be aligned."""

    olds: Sequence[ChatMessage]
    news: Sequence[NormalizedMessage]
    i: int
    i_end: int
    j: int
    j_end: int
    front: bool  # old messages at its beginning may have been cut off
    first: int  # start of the last window
    ample: bool  # whether more may have been cut off since
    knows: Knows  # whether a slot ever had this text

    @property
    def cells(self) -> int:
        """The number of pairs of old and heard messages."""
        return (self.i_end - self.i) * (self.j_end - self.j)


@value_class
class GapAlignment:
    """The aligned gap, from the old place `begin` on."""

    begin: int
    steps: tuple[AlignStep, ...]
    common: tuple[tuple[int, int], ...]


@value_class
class _Move:
    """A step that consumes these numbers of old and heard messages."""

    olds: int
    news: int
    score: float
    kind: str  # gone, new, same, other, joined, continued, parted, grown


def align_gap(gap: Gap) -> GapAlignment:
    """The best-scoring alignment of a gap. On ties, earlier slots are reused."""
    if gap.i == gap.i_end or gap.j == gap.j_end or gap.cells > _MOST_CELLS * 10:
        return _by_place(gap)
    best: dict[tuple[int, int], tuple[float, _Move | None]] = {(gap.i_end, gap.j_end): (0.0, None)}
    for i in range(gap.i_end, gap.i - 1, -1):
        for j in range(gap.j_end, gap.j - 1, -1):
            if (i, j) != (gap.i_end, gap.j_end):
                best[i, j] = max(
                    (
                        (move.score + best[i + move.olds, j + move.news][0], move)
                        for move in _moves(gap, i, j)
                    ),
                    key=lambda pair: pair[0],
                )
    return _walked(gap, best)


def _by_place(gap: Gap) -> GapAlignment:
    """Align by position: each message pairs with the next old one of the same speaker."""
    begin = max(gap.i_end - (gap.j_end - gap.j), gap.i) if gap.front else gap.i
    i, steps, common = begin, list[AlignStep](), list[tuple[int, int]]()
    for j in range(gap.j, gap.j_end):
        message = gap.news[j]
        if i == gap.i_end or gap.olds[i].role != message.role:
            steps.append(AlignStep(None, message))
            continue
        same = base(gap.olds[i].version) == message.digest
        steps.append(AlignStep(i) if same else AlignStep(i, message))
        common += [(i, j)] if same else []
        i += 1
    return GapAlignment(begin, tuple(steps), tuple(common))


def _moves(gap: Gap, i: int, j: int) -> Iterator[_Move]:
    """Possible next steps, preferred ones first."""
    if i < gap.i_end and j < gap.j_end:
        old, message = gap.olds[i], gap.news[j]
        if old.role == message.role:
            yield from _met(gap, i, j, old, message)
    if j < gap.j_end:
        yield _Move(0, 1, _PUT_BEFORE if i < gap.i_end else 0.0, "new")
    if i < gap.i_end:
        yield _Move(1, 0, _price(gap, i, j), "gone")


def _price(gap: Gap, i: int, j: int) -> float:
    if not (gap.front and j == gap.j):
        return _GONE
    return 0.0 if gap.ample or i < gap.first else _CUT_AGAIN


def _met(gap: Gap, i: int, j: int, old: ChatMessage, message: NormalizedMessage) -> Iterator[_Move]:
    if base(old.version) == message.digest:
        yield _Move(1, 1, _SAME, "same")
        return
    if gap.knows(old.slot, message.digest):
        yield _Move(1, 1, _AGAIN, "alike")
        return
    if (
        gap.front
        and j == gap.j
        and len(message.text.encode("utf-8", "replace")) >= _CUT_INSIDE
        and old.text.endswith(message.text)
    ):
        yield _Move(1, 1, _JOINED, "same")  # the frontend truncated the oldest message
    if len(message.text) > len(old.text) and message.text.startswith(old.text):
        yield from _longer(gap, i, message)
    elif len(old.text) > len(message.text) and old.text.startswith(message.text):
        yield from _shorter(gap, j, old)
    likeness = similarity(old.text, message.text) if gap.cells <= _MOST_CELLS else 0.0
    if likeness >= _SIMILAR:
        yield _Move(1, 1, _IN_PLACE + likeness, "alike")
    else:
        yield _Move(1, 1, _IN_PLACE, "other")


def _shorter(gap: Gap, j: int, old: ChatMessage) -> Iterator[_Move]:
    """Steps where the frontend split the old text into several messages."""
    own = [each.text for each in gap.news[j : gap.j_end] if each.role == old.role]
    parts = _parts(old.text, own)
    if parts > 1 and all(each.role == old.role for each in gap.news[j : j + parts]):
        yield _Move(1, parts, _JOINED * parts, "parted")


def _longer(gap: Gap, i: int, message: NormalizedMessage) -> Iterator[_Move]:
    """Steps where the heard text extends the old one: joined by the frontend, extended by the user, or a continued reply."""
    run = [said.text for said in gap.olds[i : gap.i_end]]
    voices = [said.role for said in gap.olds[i : gap.i_end]]
    run = run[: next((at for at, voice in enumerate(voices) if voice != message.role), len(run))]
    joined = _parts(message.text, run)
    if joined > 1:
        apart = _apart(message.text, run[:joined])
        yield _Move(
            joined,
            1,
            _JOINED * joined,
            "joined" if apart or message.role == "user" else "continued",
        )
    elif message.role == "user" and message.text[len(run[0]) :].lstrip(" \t").startswith("\n"):
        yield _Move(1, 1, _JOINED, "grown")


def _parts(text: str, parts: Sequence[str]) -> int:
    r"""How many of the parts, joined by white space or nothing, form the text; 0 if none do.

    >>> _parts("a\n\nb c", ["a", "b", "c", "d"]), _parts("a\nb", ["a", "c"])
    (3, 0)
    """
    rest = text
    for number, part in enumerate(parts, 1):
        if not rest.startswith(part):
            return 0
        rest = rest[len(part) :].lstrip()
        if not rest:
            return number
    return 0


def _apart(text: str, parts: Sequence[str]) -> bool:
    """Whether all parts are separated by line breaks."""
    place = 0
    for part in parts[:-1]:
        place += len(part)
        blank = text[place : len(text) - len(text[place:].lstrip())]
        if "\n" in blank:
            return True
        place += len(blank)
    return False


def similarity(one: str, other: str) -> float:
    """Similarity of two texts, 0..1, by insertions and deletions."""
    from rapidfuzz.fuzz import ratio

    return ratio(one[:_COMPARED], other[:_COMPARED]) / 100.0


def _walked(gap: Gap, best: dict[tuple[int, int], tuple[float, _Move | None]]) -> GapAlignment:
    steps: list[AlignStep] = []
    common: list[tuple[int, int]] = []
    i, j, begin = gap.i, gap.j, None if gap.front else gap.i
    while (move := best[i, j][1]) is not None:
        begin = i if begin is None and move.kind != "gone" else begin
        steps += _steps(gap, i, j, move)
        if move.kind not in ("gone", "new", "other"):
            common += [(i + min(number, move.olds - 1), j) for number in range(max(move.olds, 1))]
        i, j = i + move.olds, j + move.news
    return GapAlignment(gap.i_end if begin is None else begin, tuple(steps), tuple(common))


def _steps(gap: Gap, i: int, j: int, move: _Move) -> list[AlignStep]:
    if move.kind == "gone":
        return []
    if move.kind == "new":
        return [AlignStep(None, gap.news[j])]
    if move.kind in ("other", "alike", "continued"):
        return [AlignStep(i, gap.news[j])]
    kept = [AlignStep(place) for place in range(i, i + move.olds)]
    return (
        [*kept, AlignStep(None, _rest(gap.olds[i], gap.news[j]))] if move.kind == "grown" else kept
    )


def _rest(old: ChatMessage, message: NormalizedMessage) -> NormalizedMessage:
    """The text after the old one."""
    found = normalize_message(
        message.role, message.text[len(old.text) :].strip(), None, message.name, message.sent
    )
    assert found is not None
    return found
