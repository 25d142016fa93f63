"""Feeling calls to feeling: strong feeling wakes memories of that feeling, and the mood weighs those awake (S1.25)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from typing import ClassVar

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.scene import Feeling, Scene
from rolememory.text.feel import feeling_of, fit, likeness
from rolememory.triggers.base import Parts, may_wake, register

__all__ = ["EmotionalTrigger", "feeling_of", "shared"]

STRONGEST = 0.5  # what feeling alone is worth as a reason to wake
ASKED_FOR = 0.3  # the least it is worth where the memory asks to be woken by feeling
MOST_WOKEN = 5  # so many memories of one feeling are a mood, more are a flood


def shared(one: Feeling, other: Feeling) -> tuple[str, float]:
    """The emotion that both feel most, and how strongly both do, 0..1; ("", 0) if they share none.

    >>> shared(Feeling((("sadness", 0.9), ("love", 0.2))), Feeling((("love", 0.8), ("sadness", 0.6))))
    ('sadness', 0.6)
    """
    theirs = dict(other.emotions)
    both = ((min(weight, theirs[label]), label) for label, weight in one.emotions if label in theirs)
    weight, label = max(both, default=(0.0, ""), key=lambda pair: (pair[0], pair[1]))
    return label, weight


@dataclass(frozen=True, slots=True)
class _Felt:
    """The entries that carry a feeling, and what of them matters here, by id."""

    feelings: Mapping[str, Feeling]
    salience: Mapping[str, float]
    wakeful: frozenset[str]  # that feeling may wake
    declared: frozenset[str]  # whose author named the feeling
    asking: frozenset[str]  # whose author wants feeling to wake them

    @classmethod
    def of(cls, entries: Sequence[Entry], read: Mapping[str, Feeling]) -> "_Felt":
        known = ((entry, read.get(entry.id, Feeling())) for entry in entries)
        felt = [(entry, feeling) for entry, feeling in known if not feeling.neutral]
        return cls(
            {entry.id: feeling for entry, feeling in felt},
            {entry.id: float(getattr(entry, "salience", 0.5)) for entry, _ in felt},
            frozenset(entry.id for entry, _ in felt if may_wake(entry, "emotional")),
            frozenset(entry.id for entry, _ in felt if getattr(entry, "emotions", ())),
            frozenset(entry.id for entry, _ in felt if "emotional" in getattr(entry, "triggers", ())),
        )


@register("emotional")
class EmotionalTrigger:
    """Wakes by strong feeling, weighs by mood; neutral on either side is no hit. Cost: O(among)."""

    name: ClassVar[str] = "emotional"
    activates: ClassVar[bool] = True

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        self._settings = parts.settings.emotional
        self._entries, self._read = entries, parts.feelings

    @cached_property
    def _felt(self) -> _Felt:
        """Read when something is first felt: most turns are calm."""
        return _Felt.of(self._entries, self._read)

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield the memories that the message's feeling calls up: at most the strongest few, and all that ask for it."""
        if not self._settings.wakes or not scene.feeling.emotions:
            return
        hits = [hit for entry_id in self._felt.wakeful.intersection(among) if (hit := self._meet(entry_id, scene.feeling))]
        asking = [hit for hit in hits if hit.entry_id in self._felt.asking]
        others = [hit for hit in hits if hit.entry_id not in self._felt.asking]
        yield from asking
        yield from nsmallest(MOST_WOKEN, others, key=lambda hit: (-hit.strength, hit.entry_id))

    def weigh(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield for each awake memory how well its feeling fits the mood, times its salience, -1..1."""
        if scene.mood.neutral:
            return
        for entry_id in among:
            feeling = self._felt.feelings.get(entry_id)
            fitting = fit(scene.mood, feeling, self._settings.mood) * self._felt.salience[entry_id] if feeling else 0.0
            if feeling and fitting:
                label = shared(scene.mood, feeling)[0] or feeling.emotions[0][0]
                why = Reason("mood", (("emotion", label), ("words", ", ".join(scene.mood.words[:4])), ("fit", round(fitting, 4))))
                yield Hit(entry_id, self.name, fitting, why)

    def _meet(self, entry_id: str, told: Feeling) -> Hit | None:
        feeling = self._felt.feelings[entry_id]
        label, both = shared(told, feeling)
        alike = likeness(told, feeling)
        if not both:
            return None
        if entry_id in self._felt.asking:
            strength = ASKED_FOR + (STRONGEST - ASKED_FOR) * both * alike
        else:
            strength = self._unasked(entry_id, told, both * alike)
        why = Reason("feeling", (("emotion", label), ("words", ", ".join(told.words[:4]))))
        return Hit(entry_id, self.name, strength, why) if strength > 0.0 else None

    def _unasked(self, entry_id: str, told: Feeling, meeting: float) -> float:
        """The author did not ask for it: only strong feeling wakes, and a feeling merely read counts by salience."""
        if told.intensity < self._settings.wake_intensity:
            return 0.0
        salience = self._felt.salience[entry_id]
        share = 0.6 + 0.6 * salience if entry_id in self._felt.declared else salience
        return min(STRONGEST * meeting * share, STRONGEST)
