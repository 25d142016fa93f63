"""What was said before and after: messages of one conversation lend each other evidence.

An answer rarely repeats its question's words; the line before it does. So what was said in a message gains from the messages
around it in the same sitting of the same chat: near ones more than far ones, and the best of them once more; and what follows
a question gains once more from that. Of a long message those passages gain that are to the point by themselves.
"""

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from datetime import timedelta
from math import isnan

from rolememory.schema.entry import Entry
from rolememory.schema.passage import Passage
from rolememory.text.arrays import Floats, Rows, np
from rolememory.triggers.table import ArrayColumn, Table

REACH = 3  # neighbours on each side
FADING = 0.7  # of a neighbour's share with each step away
ANSWER = 0.3  # of the evidence of a question that what was said right after it gains besides
PARTS = 0.2  # power of the number of a message's parts by which what each gains is divided
SITTING = timedelta(hours=6)  # a longer silence begins another sitting

_Place = tuple[float, int, str, int]
"""Where something was told in its chat: seconds, its slot (of a memory when its id came), its id, number of the message."""
_NOWHERE: _Place = (0.0, -1, "", -1)


def message_of(entry: Entry) -> tuple[str, str]:
    """The chat and the version of the message that a memory rests on; two empty words for none."""
    evidence = getattr(entry, "evidence", ())
    return (evidence[0].chat, evidence[0].version or entry.id) if evidence else ("", "")


@dataclass(slots=True)
class _MessageRows:
    """What was told in one message."""

    number: int
    rows: list[_Place] = field(default_factory=list)  # where each of its rows was told, in order

    @property
    def place(self) -> _Place:
        """Where the first of its rows was told."""
        return self.rows[0] if self.rows else _NOWHERE


class Conversations:
    """Which message stands beside which: what was told right before each in the same sitting of its chat, up to three back."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._messages: dict[tuple[str, str], _MessageRows] = {}  # by chat and version
        self._told: dict[str, list[_Place]] = {}  # chat -> its messages in order
        self._message = ArrayColumn("i8", -1)  # of each row; -1 = told in no chat
        self._size = ArrayColumn("i8", 0)  # by message: rows ...
        self._share = ArrayColumn("f4", 1.0)  # ... and what counts for each of what it gains
        self._free: list[int] = []  # numbers of messages that went
        self._back = [
            ArrayColumn("i8", -1) for _ in range(REACH)
        ]  # message told so many steps before
        self._ahead = [ArrayColumn("i8", -1) for _ in range(REACH)]  # ... and after
        self._moves = False  # whether those after are to be found out

    def __bool__(self) -> bool:
        """Whether anything was told in a chat."""
        return bool(self._messages)

    def add(self, row: int, entry: Entry) -> None:
        """Put a row in its place. Cost: O(log n), and a move of the later messages of its chat in memory."""
        key = message_of(entry)
        if key[0]:
            self._message.grow(self._table.n_rows)
            message = self._messages.get(key) or self._begun(key)
            self._message[row] = message.number
            before = message.place
            insort(message.rows, self._place(row, entry, message.number))
            self._moved(key[0], message, before)

    def remove(self, row: int, entry: Entry) -> None:
        """Close the gap that the last row of a message leaves."""
        key = message_of(entry)
        if key[0]:
            message = self._messages[key]
            self._message[row] = -1
            before = message.place
            del message.rows[bisect_left(message.rows, self._place(row, entry, message.number))]
            self._moved(key[0], message, before)
            if not message.rows:
                del self._messages[key]
                self._free.append(message.number)
                for back in self._back:
                    back[message.number] = -1

    def _begun(self, key: tuple[str, str]) -> _MessageRows:
        number = self._free.pop() if self._free else len(self._size.values)
        for column in (self._size, self._share, *self._back):
            column.grow(number + 1)

        self._messages[key] = _MessageRows(number)
        return self._messages[key]

    def _moved(self, chat: str, message: _MessageRows, before: _Place) -> None:
        """Put a message that stood there where the first of its rows belongs."""
        self._size[message.number] = size = len(message.rows)
        self._share[message.number] = max(size, 1) ** -PARTS
        place = message.place
        if place == before:
            return
        told = self._told.setdefault(chat, [])
        if before != _NOWHERE:
            at = bisect_left(told, before)
            del told[at]
            self._link(told, at)
        if place != _NOWHERE:
            insort(told, place)
            self._link(told, bisect_left(told, place))

    def _place(self, row: int, entry: Entry, number: int) -> _Place:
        since = float(self._table.since[row])
        order = entry.slot if isinstance(entry, Passage) else int(self._table.came[row])
        return 0.0 if isnan(since) else since, order, entry.id, number

    def _link(self, told: list[_Place], at: int) -> None:
        """Tell those from this place on, as far as it can be seen, who stands before them."""
        self._moves = True
        for place in range(at, min(at + REACH + 1, len(told))):
            number, seen = told[place][-1], place
            for back in self._back:
                beside = seen > 0 and told[seen][0] - told[seen - 1][0] <= SITTING.total_seconds()
                seen = seen - 1 if beside else 0
                back[number] = told[seen][-1] if beside else -1

    def lent(self, evidence: Floats, share: float, asks: Floats | None = None) -> Floats:
        """What each row gets from the messages around its own: `share` of their fading sum and of the best of them; (n_rows,).

        Of a message in many parts each gets less: what stands beside it speaks for one of them.

        `asks` is the share of each row that asks, 0..1; None = nothing does. Cost: O(n_rows + messages), some passes per step.
        """
        self._message.grow(len(evidence))
        message = self._message.values
        said = np.zeros(len(self._size.values) + 1, dtype=np.float32)  # at the end: no message
        np.maximum.at(said, message, evidence)
        said[-1] = 0.0
        total, best = np.zeros_like(said[:-1]), np.zeros_like(said[:-1])
        self._look_ahead()
        for step, around in enumerate(zip(self._back, self._ahead, strict=True)):
            for beside in around:
                told = said.take(beside.values, mode="wrap")
                np.maximum(best, told, out=best)
                total += np.float32(FADING**step) * told
        total += best
        total *= np.float32(share)
        if asks is not None and share:
            asked = np.zeros_like(said)
            rows = (asks > 0.0).nonzero()[0]
            np.maximum.at(asked, message[rows], evidence[rows] * asks[rows])
            asked[-1] = 0.0
            total += np.float32(ANSWER) * asked.take(self._back[0].values, mode="wrap")
        total *= self._share.values
        lent: Floats = np.append(total, np.float32(0.0)).take(message, mode="wrap")
        rows = (lent > 0.0).nonzero()[0]
        lent[rows] *= self._part(evidence[rows], said, message[rows])
        return lent

    def _look_ahead(self) -> None:
        """Find out which message was told after each. Cost: O(messages) where one of them came or went."""
        for back, ahead in zip(self._back, self._ahead, strict=True) if self._moves else ():
            later = np.flatnonzero(back.values >= 0)
            ahead.grow(len(back.values))
            ahead.values.fill(-1)
            ahead[back.values[later]] = later
        self._moves = False

    def _part(self, evidence: Floats, said: Floats, message: Rows) -> Floats:
        """How much of what its message gains each row gets: by its own evidence; if there is none in the message, all alike."""
        size = np.append(self._size.values, 1).astype(np.float32)
        part: Floats = np.reciprocal(np.maximum(size, np.float32(1.0)))
        part = part.take(message, mode="wrap")
        best = np.where(size > 1, said, np.float32(0.0)).take(message, mode="wrap")
        np.divide(evidence, best, out=part, where=best > 0.0)
        return part
