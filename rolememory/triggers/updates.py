"""Later statements by the same person on the same topic are recalled together with earlier ones.

    question ─▶ best passages ─ same speaker, told later, near in meaning or words ─▶ a little evidence for at most `MOST`

After "I live in Rome." the line "I moved to Paris last week." shares no word with "Where do I live?", but the topic of the
first line, in meaning or in rare words. Nothing decides that one replaces the other: the later one is added.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Earlier, Value
from rolememory.schema.passage import Passage
from rolememory.schema.value_class import value_class
from rolememory.text import calibrate
from rolememory.text.arrays import Doubles, Floats, Mask, NDArray, Rows, np
from rolememory.text.change import tells_change
from rolememory.text.vectors import products
from rolememory.text.words import tokens
from rolememory.triggers.second_hop import shown
from rolememory.triggers.table import ArrayColumn

MOST = 2  # passages of a turn that gain
HITS = 3  # passages that are followed
SURE = 2.0  # nats below which a passage is followed nowhere
NEAR_BEST = 0.6  # of the best passage's evidence that another one needs
CAP = 0.65  # of the older one's evidence that the later one may have
ENOUGH = 1.5  # nats of affinity with which a passage is said to be later than another
WORDS = 6.0  # nats for all words of the older one
LEAST_WORDS = 0.3  # of them that must be shared to count
ABOUT = 5.0  # nats for a rare word of change that may be about what is asked
MEANING = 1.0  # nats for each deviation ...
NOISE = 1.2  # ... beyond those that mean nothing yet
NEW = 0.3  # of its words that the older one must lack
POOL = 64  # passages that are compared with each hit
SAMPLE = 256  # latest passages, that tell how near unrelated ones are


@value_class
class TurnVectors:
    """The vectors of a role, as used by one turn."""

    question: Floats  # (dim,)
    cosines: Floats  # of the question with each row, (n_rows,)
    there: Mask  # which rows have one
    everyday: Floats | None  # (n, dim): of sentences that mean nothing
    take: Callable[[Rows], Floats]  # vectors of some rows, (n, dim)


@value_class
class TurnWords:
    """The term statistics of a role, as used by one turn."""

    scores: Callable[
        [str], Floats
    ]  # the share of a text's information that each row holds, (n_rows,)
    about: Floats  # how much each row's words of change tell of what is asked, in rare words, (n_rows,)


class Speakers:
    """The speaker of each passage, by row; -1 for other candidates."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self.rows = ArrayColumn("i8", -1)  # the number of each speaker

    def __bool__(self) -> bool:
        """Whether there are any passages."""
        return bool(self._numbers)

    def add(self, rows: Sequence[int], entries: Sequence[Entry], n_rows: int) -> None:
        """Note the speakers of these rows."""
        self.rows.grow(n_rows)
        self.rows[rows] = [self._number(entry) for entry in entries]

    def remove(self, rows: Sequence[int]) -> None:
        """Forget these rows."""
        self.rows[rows] = -1

    def _number(self, entry: Entry) -> int:
        if not isinstance(entry, Passage) or entry.ooc:
            return -1
        who = (entry.role, entry.user or entry.subject or "")
        return self._numbers.setdefault(who, len(self._numbers))


class _Behind(NamedTuple):
    """A later passage compared with an earlier one."""

    hit: int  # row of the passage
    older: str  # its text
    text: str
    own: float  # evidence by itself ...
    grown: float  # ... and with what it may gain
    alike: float  # affinity, in nats


def _grown(told: Sequence[_Behind]) -> tuple[int | None, float]:
    """The row of the earlier passage on the same topic, and the raised evidence, 0 without a gain."""
    older, total = None, 0.0
    for one in told:
        gains = one.own < calibrate.MIDDLE and one.grown > (total or one.own)
        if (gains or one.alike >= ENOUGH) and _adds(one.text, one.older):
            older = one.hit if gains or older is None else older
            total = one.grown if gains else total
    return older, total


def _gaining(
    told: Mapping[int, Sequence[_Behind]],
    outcome: Callable[[int], tuple[int | None, float]],
    since: Doubles,
) -> dict[int, float]:
    """The rows that gain most, with their raised evidence; at most `MOST`. Cost: as few comparisons as needed."""
    most = {row: max(one.grown for one in behind) for row, behind in told.items()}
    found: list[tuple[float, float, str, int]] = []
    for row in sorted(most, key=lambda row: -most[row]):
        if len(found) == MOST and most[row] < -found[-1][0]:
            break
        if total := outcome(row)[1]:
            place = (-total, -float(since[row]), told[row][0].text, row)
            found = sorted([*found, place])[:MOST]
    return {row: -total for total, _, _, row in found}


@value_class
class Updates:
    """Which passages follow up which, and the evidence gained by those that would not be recalled on their own."""

    evidence: Floats  # with what was gained, (n_rows,)
    older: Callable[[int], int | None]  # row -> row of what was said before; found out on demand
    gained: frozenset[int]  # rows
    hits: Sequence[int]  # rows that were followed

    def earlier(self, entry: Callable[[int], Entry]) -> Callable[[int], Earlier | None]:
        """Row -> the earlier passage it follows up; valid even if rows change later."""
        ids = {row: entry(row).id for row in self.hits}

        def found(row: int) -> Earlier | None:
            older = self.older(row)
            return None if older is None else Earlier(ids[older], row in self.gained)

        return found

    def reasons(
        self, rows: Sequence[int], entry: Callable[[int], Entry]
    ) -> Mapping[int, tuple[tuple[str, Value], ...]]:
        """Index in `rows` -> the earlier passage of each that gained, for an explanation."""
        told = {}
        for place, row in enumerate(rows):
            if row in self.gained and (before := self.older(row)) is not None:
                older = entry(before)
                told[place] = (("older", shown(older.content)), ("older_id", older.id))
        return told


def later_passages(
    evidence: Floats,
    candidates: Mask,
    speakers: Rows,
    since: Doubles,
    text: Callable[[int], str],
    words: TurnWords | None,
    near: TurnVectors | None,
    share: float = 1.0,
) -> Updates | None:
    """The later passages recalled with the best ones; None without any. Arrays are (n_rows,).

    Passages recalled on their own gain nothing, but may be marked as later. Cost: O(n_rows) for each of at most `HITS` passages.
    """
    told: dict[int, list[_Behind]] = {}
    hits = _best(np.where(candidates & (speakers >= 0), evidence, 0.0)).tolist()
    if not hits:
        return None

    @cache
    def usual() -> Floats:
        assert near is not None
        return near.take(_highest(since, since, candidates & near.there, SAMPLE))

    for hit in hits:
        best, said = float(evidence[hit]), text(hit)
        sure = share * best**2 / (best**2 + calibrate.MIDDLE**2)
        behind = candidates & (speakers == speakers[hit]) & (since > since[hit])
        affinity = _affinity(hit, behind, since, usual, text, words, near)
        for row in _highest(affinity, since, affinity > 0.0, POOL).tolist():
            own, alike = float(evidence[row]), float(affinity[row])
            grown = min(own + sure * alike, CAP * best)
            told.setdefault(row, []).append(_Behind(hit, said, text(row), own, grown, alike))
    if not told:
        return None
    outcome = cache(lambda row: _grown(told.get(row, ())))
    gaining, found = _gaining(told, outcome, since), evidence.copy()
    found[list(gaining)] = list(gaining.values())
    return Updates(found, lambda row: outcome(row)[0], frozenset(gaining), hits)


def _affinity(
    hit: int,
    behind: Mask,
    since: Doubles,
    usual: Callable[[], Floats],
    text: Callable[[int], str],
    words: TurnWords | None,
    near: TurnVectors | None,
) -> Floats:
    """How much speaks for what stands `behind` a hit being about the same, in nats, (n_rows,); `usual`: vectors that tell what is."""
    affinity = np.zeros(len(behind), dtype=np.float32)
    if not behind.any():
        return affinity
    if words is not None:
        shared = words.scores(text(hit)) * behind
        alike = _highest(shared, since, shared >= LEAST_WORDS, POOL).tolist()
        rows = [row for row in alike if tells_change(text(row))]
        affinity[rows] = np.float32(WORDS) * shared[rows]
        affinity += np.float32(ABOUT) * words.about * behind
    if near is not None and near.there[hit]:
        affinity += _meant(hit, behind, since, usual(), near)
    return affinity


def _adds(text: str, older: str) -> bool:
    """Whether a text adds something to an older one, instead of repeating it.

    >>> _adds("I moved to Paris.", "I live in Rome."), _adds("Ah, I live in Rome.", "I live in Rome, by the river.")
    (True, False)
    """
    told = set(tokens(text))
    return len(told - set(tokens(older))) >= NEW * len(told)


def _best(evidence: Floats) -> Rows:
    """The passages to look for follow-ups of, best first."""
    least = max(SURE, NEAR_BEST * float(evidence.max(initial=0.0)))
    rows = np.flatnonzero(evidence >= least)
    best: Rows = rows[np.argsort(-evidence[rows], kind="stable")][:HITS]
    return best


def _highest(values: "NDArray[Any]", since: Doubles, among: Mask, most: int) -> Rows:
    """The `most` rows with the highest values; ties: the latest, so that row order has no effect."""
    rows = np.flatnonzero(among)
    if len(rows) <= most:
        return rows
    known, told = values[rows], since[rows]
    known[np.isnan(known)], told[np.isnan(told)] = -np.inf, 0.0
    best = np.flatnonzero(known >= np.partition(known, -most)[-most])
    chosen: Rows = rows[best[np.lexsort((-told[best], -known[best]))[:most]]]
    return chosen


def _meant(hit: int, behind: Mask, since: Doubles, usual: Floats, near: TurnVectors) -> Floats:
    """Evidence of nearness to the question together with a hit, in nats, (n_rows,): of those alone that are nearest to the question."""
    both = near.question + near.take(np.array([hit]))[0]
    both /= np.float32(max(float(np.sqrt(np.sum(both * both))), 1e-6))
    everyday = products(near.everyday, both) if near.everyday is not None else None
    mean, deviation = calibrate.noise_of(products(usual, both), everyday)
    pool = _highest(near.cosines, since, behind & near.there, POOL)
    alike = products(near.take(pool), both)
    found = np.zeros_like(near.cosines)
    above = (alike - np.float32(mean)) / np.float32(max(deviation, 1e-6)) - np.float32(NOISE)
    found[pool] = np.float32(MEANING) * np.clip(above, 0.0, None)
    return found
