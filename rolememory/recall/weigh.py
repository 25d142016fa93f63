"""Who wins among memories: evidence fused into a relevance, then a score.

R = 1 - prod(1 - w_s * strength_s)          over the waking strategies s
score = clip(R * (1 + sum a_i), 0, 1)       |a_i| <= w_i, sum w_i <= 0.5, a_i = 0 when neutral
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rolememory.schema.evidence import Contribution, Hit, Reason, Scored
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Scene
from rolememory.schema.settings import WeighSettings
from rolememory.schema.usage import with_use
from rolememory.triggers.base import Trigger

MOST_SHARE = 0.5  # of relevance that all weighing parts together may add or take away
UNUSED: Mapping[str, float] = MappingProxyType({})
"""No memory has been used yet."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A trigger as the settings want it: how much its word counts."""

    trigger: Trigger
    weight: float  # factor on what it wakes with
    share: float  # of relevance it may add or take away
    wakes: bool
    weighs: bool


Note = Callable[[str, Exception], None]
"""Called with a strategy's name and its exception when it could not work."""


def fuse(strengths: Iterable[float]) -> float:
    """Relevance of independent evidence: two reasons beat one, a weak one never drags a strong one down.

    Source: noisy-or, the probability that at least one of independent causes is at work.

    >>> fuse([0.6])
    0.6
    >>> round(fuse([0.6, 0.5]), 3), fuse([])
    (0.8, 0.0)
    """
    doubt = 1.0
    for strength in strengths:
        doubt *= 1.0 - min(max(strength, 0.0), 1.0)
    return round(1.0 - doubt, 12)


def shares(weights: Sequence[float]) -> list[float]:
    """Weights as they count: scaled down together when they would add up to more than half.

    >>> shares([0.2, 0.1]), shares([0.5, 0.5])
    ([0.2, 0.1], [0.25, 0.25])
    """
    total = sum(weights)
    return list(weights) if total <= MOST_SHARE else [weight * MOST_SHARE / total for weight in weights]


def standing(memory: Memory, settings: WeighSettings, use: float = 0.0) -> Iterator[tuple[str, float, float, Reason]]:
    """What a memory brings along whatever is said: (name, weight, strength in -1..1, reason), neutral ones left out.

    `use` is what being used has added to its weight.
    """
    weight = with_use(memory.weight, use)
    if weight != 1.0:
        yield "weight", settings.weight, weight - 1.0, _weighs(memory, weight, use)
    if memory.salience != 0.5:
        yield "salience", settings.salience, 2.0 * memory.salience - 1.0, Reason("salience", (("salience", memory.salience),))
    if memory.priority != 50:
        yield "priority", settings.priority, (memory.priority - 50) / 50, Reason("priority", (("priority", memory.priority),))


def _weighs(memory: Memory, weight: float, use: float) -> Reason:
    used = (("base", memory.weight), ("use", use)) if use else ()
    return Reason("weight", (("weight", weight), *used))


def weigh(
    memories: Mapping[str, Memory],
    strategies: Sequence[Strategy],
    scene: Scene,
    among: Collection[str],
    settings: WeighSettings,
    *,
    multiply: bool = False,
    effects: Mapping[str, float] = UNUSED,
    note: Note | None = None,
) -> list[Scored]:
    """Every memory that something woke, best first; ties: score, then created (newer first), then id. Cost: O(hits log hits).

    `multiply` makes the score relevance times freshness (S3.20) in place of the bounded sum; `effects` is what use has
    added to the weight of a memory, by id.
    """
    woken = _collect(_wake(strategies, scene, among, note), strategies)
    weighing = _weighing(strategies, scene, woken.keys(), note)
    parts = _shares_by_name(strategies, settings)
    scored = [
        _score(memories[entry_id], hits, strengths, weighing.get(entry_id, ()), parts, settings, multiply, effects.get(entry_id, 0.0))
        for entry_id, (hits, strengths) in woken.items()
    ]
    return sorted(scored, key=order)


def order(scored: Scored) -> tuple[float, float, str]:
    """The total order of scored memories, best first."""
    created = scored.memory.created
    return (-scored.score, -created.timestamp() if created else 0.0, scored.memory.id)


def _guarded(trigger: Trigger, hits: Callable[[], Iterable[Hit]], note: Note | None) -> list[Hit]:
    try:
        return list(hits())
    except Exception as error:  # the one place: a strategy that fails must not cost the turn
        if note is None:
            raise
        note(trigger.name, error)
        return []


def _wake(strategies: Sequence[Strategy], scene: Scene, among: Collection[str], note: Note | None) -> Iterator[Hit]:
    for strategy in strategies:
        if strategy.wakes:
            fire = strategy.trigger.fire
            yield from _guarded(strategy.trigger, lambda fire=fire: fire(scene, among), note)  # type: ignore[misc]


def _collect(hits: Iterable[Hit], strategies: Sequence[Strategy]) -> dict[str, tuple[tuple[Hit, ...], tuple[float, ...]]]:
    """Hits and their weighted strengths per memory, strongest first; a strength outside 0..1 counts as its bound."""
    weight = {strategy.trigger.name: strategy.weight for strategy in strategies}
    found: dict[str, list[tuple[float, Hit]]] = defaultdict(list)
    for hit in hits:
        strength = weight.get(hit.trigger, 1.0) * min(max(hit.strength, 0.0), 1.0)
        if strength > 0.0:
            found[hit.entry_id].append((strength, hit))
    return {entry_id: _strongest_first(pairs) for entry_id, pairs in found.items()}


def _strongest_first(pairs: list[tuple[float, Hit]]) -> tuple[tuple[Hit, ...], tuple[float, ...]]:
    if len(pairs) == 1:
        ((strength, hit),) = pairs
        return (hit,), (strength,)
    pairs.sort(key=lambda pair: (-pair[0], pair[1].trigger))
    return tuple(hit for _, hit in pairs), tuple(strength for strength, _ in pairs)


def _weighing(strategies: Sequence[Strategy], scene: Scene, awake: Collection[str], note: Note | None) -> dict[str, list[Hit]]:
    found: dict[str, list[Hit]] = defaultdict(list)
    for strategy in strategies:
        if strategy.weighs:
            ask = getattr(strategy.trigger, "weigh", strategy.trigger.fire)
            for hit in _guarded(strategy.trigger, lambda ask=ask: ask(scene, awake), note):  # type: ignore[misc]
                found[hit.entry_id].append(hit)
    return found


def _shares_by_name(strategies: Sequence[Strategy], settings: WeighSettings) -> dict[str, float]:
    named = {strategy.trigger.name: strategy.share for strategy in strategies if strategy.weighs}
    named |= {"weight": settings.weight, "salience": settings.salience, "priority": settings.priority}
    return dict(zip(named, shares(list(named.values())), strict=True))


def _score(
    memory: Memory,
    hits: tuple[Hit, ...],
    strengths: tuple[float, ...],
    weighing: Iterable[Hit],
    parts: Mapping[str, float],
    settings: WeighSettings,
    multiply: bool,
    use: float,
) -> Scored:
    relevance = fuse(strengths)
    felt = [(hit.trigger, parts.get(hit.trigger, 0.0), min(max(hit.strength, -1.0), 1.0), hit.because) for hit in weighing]
    if multiply:
        amounts = [(name, relevance * min(strength, 0.0), why) for name, _, strength, why in felt if name == "recency"]
    else:
        own = [(name, parts[name], strength, why) for name, _, strength, why in standing(memory, settings, use)]
        amounts = [(name, relevance * share * strength, why) for name, share, strength, why in [*felt, *own]]
    contributions = tuple(Contribution(name, round(amount, 6), why) for name, amount, why in amounts if amount)
    score = min(max(relevance + sum(part.amount for part in contributions), 0.0), 1.0)
    return Scored(memory, relevance, round(score, 6), hits, contributions)
