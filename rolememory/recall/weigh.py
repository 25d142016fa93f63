"""Scoring of memories: evidence fused into a relevance, then a score.

R = 1 - prod(1 - w_s * strength_s)          over the waking strategies s
score = clip(R * (1 + sum a_i), 0, 1)       |a_i| <= w_i, sum w_i <= 0.5, a_i = 0 when neutral
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise, repeat
from operator import attrgetter
from types import MappingProxyType
from typing import cast, overload

from rolememory.schema.evidence import Contribution, Hit, Later, Reason, Scored
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Scene
from rolememory.schema.settings import WeighSettings
from rolememory.schema.usage import HEAVIEST, LIGHTEST
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import Doubles, NDArray, Rows, np
from rolememory.triggers.base import ByRows, Trigger
from rolememory.triggers.table import Among, Table, TableEvidence, kind_of

MOST_SHARE = 0.5  # of relevance that all weighing parts together may add or take away
MOST_RANKED = 500
"""The most relevant memories are ranked, at most so many: a word like "today" activates everything said in a day."""
UNUSED: Mapping[str, float] = MappingProxyType({})
"""No memory has been used yet."""
NOTHING: Mapping[str, str] = MappingProxyType({})
"""No memory has been replaced."""


@value_class
class Strategy:
    """A trigger with its weights from the settings."""

    trigger: Trigger
    weight: float  # factor on what it wakes with
    share: float  # of relevance it may add or take away
    wakes: bool
    weighs: bool


Note = Callable[[str, Exception], None]
"""Called with a strategy's name and its exception when it could not work."""


def shares(weights: Sequence[float]) -> list[float]:
    """Effective weights: scaled down together if they sum to more than half.

    >>> shares([0.2, 0.1]), shares([0.5, 0.5])
    ([0.2, 0.1], [0.25, 0.25])
    """
    total = sum(weights)
    return (
        list(weights)
        if total <= MOST_SHARE
        else [weight * MOST_SHARE / total for weight in weights]
    )


@dataclass(eq=False, repr=False)
class Ranking(Sequence[Scored]):
    """Scored memories, best first: numbers for all, objects with reasons created on access."""

    memories: Sequence[Memory]
    relevances: Doubles
    scores: Doubles
    kinds: "NDArray[np.int8]"  # of the memories, see `kind_of`
    _put_together: Callable[[int], Scored]
    places_of: Callable[[Collection[str]], Sequence[int]]  # of a few ids, as far as they are ranked
    gained: Collection[str] = ()  # ids of those that came along with something earlier
    _known: dict[int, Scored] = field(default_factory=dict)

    @classmethod
    def of(cls, scored: Sequence[Scored]) -> "Ranking":
        """A ranking of existing objects."""
        if isinstance(scored, Ranking):
            return scored
        best = sorted(scored, key=lambda one: rank_key(one.score, one.memory))
        return cls(
            [one.memory for one in best],
            np.array([one.relevance for one in best]),
            np.array([one.score for one in best]),
            np.array([kind_of(one.memory) for one in best], np.int8),
            best.__getitem__,
            lambda ids: [at for at, one in enumerate(best) if one.memory.id in ids],
            {one.memory.id for one in best if one.earlier and one.earlier.gained},
        )

    def __len__(self) -> int:
        return len(self.memories)

    @overload
    def __getitem__(self, place: int) -> Scored: ...
    @overload
    def __getitem__(self, place: slice) -> list[Scored]: ...
    def __getitem__(self, place: int | slice) -> Scored | list[Scored]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        at = range(len(self))[place]
        if at not in self._known:
            self._known[at] = self._put_together(at)
        return self._known[at]


def weigh(
    table: Table,
    strategies: Sequence[Strategy],
    scene: Scene,
    among: Collection[str],
    settings: WeighSettings,
    *,
    multiply: bool = False,
    effects: Mapping[str, float] = UNUSED,
    heirs: Mapping[str, str] = NOTHING,
    note: Note | None = None,
) -> Ranking:
    """The activated memories, best first; ties: newer first, then id.

    At most `scene.wanted`, or `MOST_RANKED`. Cost: O(n) numpy passes, and O(ranked log ranked).

    `multiply` makes the score relevance times freshness (S3.20) instead of the bounded sum; `effects`: weight changes by use,
    by id; `heirs`: replaced memory -> the one that gets its evidence.
    """
    eligible = table.among(among)
    inherited = _Inherited.of(table, eligible, heirs) if heirs else None
    ask = inherited.evidence if inherited else partial(_evidence, eligible)
    found = [(one, ask(one.trigger, scene, note)) for one in strategies if one.wakes]
    woken = [_Woken.of(one, evidence) for one, evidence in found if len(evidence.rows)]
    rows, relevance = _relevant(table, woken, max(scene.wanted, MOST_RANKED))
    memories = cast("list[Memory]", table.entries(rows.tolist()))
    awake = Among.of_rows(table, rows)
    leaning = [
        (one.trigger.name, _evidence(awake, one.trigger, scene, note, weighing=True))
        for one in strategies
        if one.weighs
    ]
    parts = [_Part.of(name, found, rows) for name, found in leaning if len(found.rows)]
    if multiply:
        parts = [part.only_loss() for part in parts if part.name == "recency"]
        share = {"recency": 1.0}
    else:
        standing = _standing(table, rows, memories, effects)
        parts += [part for part in standing if part.strengths.any()]
        share = _shares_by_name(strategies, settings)
    amounts = [(relevance * share.get(part.name, 0.0) * part.strengths).round(6) for part in parts]
    score = np.minimum(np.maximum(relevance + sum(amounts), 0.0), 1.0).round(6)
    best = _best_first(score, table.since[rows], memories)

    earlier = [one.found.earlier for one in woken if one.found.earlier]

    def put_together(place: int) -> Scored:
        at = best[place]
        memory, row = memories[at], int(rows[at])
        hits = Later(lambda: _hits(woken, row, memory.id))
        contributions = Later(
            lambda: tuple(
                Contribution(part.name, float(amount[at]), part.because(at))
                for part, amount in zip(parts, amounts, strict=True)
                if amount[at]
            )
        )
        told = next(filter(None, [look(row) for look in earlier]), None)
        return Scored(memory, float(relevance[at]), float(score[at]), hits, contributions, told)

    def places_of(ids: Collection[str]) -> Sequence[int]:
        few = np.array([table.row_of[one] for one in ids if one in table.row_of], np.int64)
        found: list[int] = (rows[best] == few[:, None]).any(axis=0).nonzero()[0].tolist()
        return found

    gained = {table.entry(row).id for one in woken for row in one.found.gained}
    return Ranking(
        [memories[at] for at in best],
        relevance[best],
        score[best],
        table.kind[rows[best]],
        put_together,
        places_of,
        gained,
    )


def rank_key(score: float, memory: Memory) -> tuple[float, float, str]:
    """The total order of memories with these scores, best first."""
    return (-score, -memory.since.timestamp() if memory.since else 0.0, memory.id)


def _best_first(score: Doubles, since: Doubles, memories: Sequence[Memory]) -> list[int]:
    """Places in the order of `rank_key`."""
    newest = np.where(np.isnan(since), 0.0, -since)
    best = np.lexsort((newest, -score))
    scores, moments = score[best], newest[best]
    apart = (scores[1:] != scores[:-1]) | (moments[1:] != moments[:-1])
    found: list[int] = best.tolist()
    if np.count_nonzero(apart) == len(apart):
        return found
    borders = [0, *(apart.nonzero()[0] + 1).tolist(), len(found)]
    for start, end in pairwise(borders):
        if end - start > 1:
            found[start:end] = sorted(found[start:end], key=lambda at: memories[at].id)
    return found


def _evidence(
    among: Among, trigger: Trigger, scene: Scene, note: Note | None, *, weighing: bool = False
) -> TableEvidence:
    try:
        if isinstance(trigger, ByRows):
            find = getattr(trigger, "lean", trigger.find) if weighing else trigger.find
            found: TableEvidence = find(scene, among.mask)
            return found
        ask = getattr(trigger, "weigh", trigger.fire) if weighing else trigger.fire
        return _by_rows(ask(scene, among.ids), among.table)
    except Exception as error:  # the one place: a strategy that fails must not cost the turn
        if note is None:
            raise
        note(trigger.name, error)
        return TableEvidence.of(())


@value_class
class _Inherited:
    """The candidates of strategies: eligible memories, and replaced ones whose evidence counts for an eligible one."""

    eligible: Among
    asked: Among
    heir: Rows  # row of the memory that each row counts for, (n_rows,)

    @classmethod
    def of(cls, table: Table, eligible: Among, heirs: Mapping[str, str]) -> "_Inherited | None":
        """Of a table; `heirs` by id. None if there are no heirs."""
        of = table.row_of
        pairs = [(of[old], of[new]) for old, new in heirs.items() if old in of and new in of]
        if not pairs:
            return None
        heir = np.arange(table.n_rows, dtype=np.int64)
        heir[[old for old, _ in pairs]] = [new for _, new in pairs]
        rows = [*eligible.mask.nonzero()[0].tolist(), *(old for old, _ in pairs)]
        return cls(eligible, Among.of_rows(table, rows), heir)

    def evidence(self, trigger: Trigger, scene: Scene, note: Note | None) -> TableEvidence:
        """A strategy's evidence. That of constant memories is not inherited."""
        if trigger.name == "constant":
            return _evidence(self.eligible, trigger, scene, note)
        return self._credited(_evidence(self.asked, trigger, scene, note))

    def _credited(self, found: TableEvidence) -> TableEvidence:
        """The evidence by heir: of several for one memory the strongest."""
        rows, table = self.heir[found.rows], self.eligible.table
        if (rows == found.rows).all():
            return found
        strongest = np.lexsort((-found.strengths, rows))
        _, first = np.unique(rows[strongest], return_index=True)
        places = np.sort(strongest[first])  # in the order in which they were found
        old = [
            table.entry(row).id if row != new else ""
            for row, new in zip(found.rows[places].tolist(), rows[places].tolist(), strict=True)
        ]

        def because(place: int) -> Reason:
            why = found.because(int(places[place]))
            return replace(why, values=(*why.values, ("was", old[place]))) if old[place] else why

        return TableEvidence(
            rows[places], found.strengths[places], because, found.earlier, found.gained
        )


def _by_rows(hits: Iterable[Hit], table: Table) -> TableEvidence:
    """Hits by row; of two for one entry the stronger."""
    found: dict[int, tuple[int, float, Reason]] = {}
    for hit in hits:
        row = table.row_of.get(hit.entry_id)
        if row is not None and (row not in found or abs(hit.strength) > abs(found[row][1])):
            found[row] = (row, hit.strength, hit.because)
    return TableEvidence.of(list(found.values()))


@value_class
class _Woken:
    """The activations of one strategy."""

    name: str
    found: TableEvidence
    strengths: Doubles  # as they count; one outside of 0..1 counts as its bound
    _places: dict[int, int] = field(default_factory=dict)  # by row, once somebody asked

    @classmethod
    def of(cls, strategy: Strategy, found: TableEvidence) -> "_Woken":
        strengths = strategy.weight * np.minimum(np.maximum(found.strengths, 0.0), 1.0)
        if np.count_nonzero(strengths) < len(strengths):
            found = found.only(strengths > 0.0)
            strengths = strengths[strengths > 0.0]
        return cls(strategy.trigger.name, found, strengths)

    def hit(self, row: int, entry_id: str) -> tuple[float, Hit] | None:
        """Weighted strength and hit of this row."""
        if not self._places:
            self._places.update((one, place) for place, one in enumerate(self.found.rows.tolist()))
        place = self._places.get(row)
        if place is None:
            return None
        strength, why = float(self.found.strengths[place]), self.found.because(place)
        return float(self.strengths[place]), Hit(entry_id, self.name, strength, why)


def _relevant(table: Table, woken: Sequence[_Woken], most: int) -> tuple[Rows, Doubles]:
    """The most relevant rows in ascending order, and their relevance; of equal ones the newest, all of the same time.

    Two reasons beat one, a weak one never drags a strong one down.
    Source: noisy-or, the probability that at least one of independent causes is at work.
    """
    awake = np.zeros(table.n_rows, np.bool_)
    for one in woken:
        awake[one.found.rows] = True
    rows = awake.nonzero()[0]
    doubt = np.ones(len(rows))
    for one in woken:
        doubt[rows.searchsorted(one.found.rows)] *= 1.0 - np.minimum(one.strengths, 1.0)
    relevance = (1.0 - doubt).round(12)
    if len(rows) > most:
        since = np.nan_to_num(table.since[rows], nan=-np.inf)
        last = np.lexsort((-since, -relevance))[most - 1]
        level = relevance == relevance[last]
        chosen = (relevance > relevance[last]) | (level & (since >= since[last]))
        rows, relevance = rows[chosen], relevance[chosen]
    return rows, relevance


def _hits(woken: Iterable[_Woken], row: int, entry_id: str) -> tuple[Hit, ...]:
    """All hits of this row, strongest first."""
    hits = [hit for one in woken if (hit := one.hit(row, entry_id))]
    hits.sort(key=lambda pair: (-pair[0], pair[1].trigger))
    return tuple(hit for _, hit in hits)


@value_class
class _Part:
    """The values of one weighing part for the activated memories; 0 = neutral."""

    name: str
    strengths: Doubles
    because: Callable[[int], Reason]  # of a place among the woken

    @classmethod
    def of(cls, name: str, found: TableEvidence, rows: Rows) -> "_Part":
        strengths, places = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.int64)
        at = np.minimum(rows.searchsorted(found.rows), max(len(rows) - 1, 0))
        known = (rows[at] == found.rows).nonzero()[0] if len(rows) else at[:0]
        strengths[at[known]] = np.maximum(np.minimum(found.strengths[known], 1.0), -1.0)
        places[at[known]] = known
        return cls(name, strengths, lambda place: found.because(int(places[place])))

    def only_loss(self) -> "_Part":
        """The part with only its negative values."""
        return _Part(self.name, self.strengths.clip(max=0.0), self.because)


def _standing(
    table: Table, rows: Rows, memories: Sequence[Memory], effects: Mapping[str, float]
) -> list[_Part]:
    """The query-independent parts: weight including use, salience, priority."""
    ids = map(attrgetter("id"), memories)
    use = np.fromiter(map(effects.get, ids, repeat(0.0)), np.float64) if effects else 0.0
    salience, priority = table.salience[rows], table.priority[rows]
    weight = np.minimum(np.maximum(table.weight[rows] + use, LIGHTEST), HEAVIEST)

    def weighs(at: int) -> Reason:
        added = effects.get(memories[at].id, 0.0)
        used = (("base", memories[at].weight), ("use", added)) if added else ()
        return Reason("weight", (("weight", float(weight[at])), *used))

    def says(name: str, at: int) -> Reason:
        return Reason(name, ((name, getattr(memories[at], name)),))

    return [
        _Part("weight", weight - 1.0, weighs),
        _Part("salience", 2.0 * salience - 1.0, partial(says, "salience")),
        _Part("priority", (priority - 50.0) / 50.0, partial(says, "priority")),
    ]


def _shares_by_name(strategies: Sequence[Strategy], settings: WeighSettings) -> dict[str, float]:
    named = {strategy.trigger.name: strategy.share for strategy in strategies if strategy.weighs}
    named |= {
        "weight": settings.weight,
        "salience": settings.salience,
        "priority": settings.priority,
    }
    return dict(zip(named, shares(list(named.values())), strict=True))
