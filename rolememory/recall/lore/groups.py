"""Inclusion groups: one entry per group stays. Source: spec/worldinfo.md 4.6.

Under exact rules the steps use lists that are never shortened, so an entry of two groups can be removed twice (which also
removes the last candidate) or win after it lost. Under the default rules removed entries no longer count.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from rolememory.cards.sillytavern import in_script_order
from rolememory.recall.lore.chance import Dice
from rolememory.recall.lore.index import Lore
from rolememory.schema.evidence import Reason
from rolememory.schema.value_class import value_class

_COMMA = re.compile(r",\s*")


@dataclass(slots=True)
class Rivals:
    """The candidates of a pass during group selection."""

    left: list[Lore]
    quirks: bool
    reasons: dict[str, Reason] = field(default_factory=dict)

    def remove(self, lore: Lore, name: str, because: str, winner: str = "") -> None:
        """Remove a candidate; by exact rules removing one twice also removes the last one."""
        if lore in self.left:
            self.left.remove(lore)
        elif self.quirks and self.left:
            lore = self.left.pop()
        else:
            return
        told = (("group", name), ("because", because), ("winner", winner))
        self.reasons.setdefault(lore.id, Reason("group", tuple(pair for pair in told if pair[1])))

    def among(self, members: list[Lore]) -> list[Lore]:
        """The members that can still win."""
        return members if self.quirks else [lore for lore in members if lore in self.left]


@value_class
class GroupContext:
    """The input of the steps."""

    sticky: Callable[[Lore], bool]  # whether a timer keeps it awake
    cooling: Collection[str]  # ids
    scored: bool  # the setting; an entry's own wish goes first
    score: Callable[[Lore], int]  # how many of its keys are seen


def group_names(group: str, *, exact: bool) -> list[str]:
    """The names in a `group` field.

    >>> group_names("a, b,,c ", exact=True), group_names("a, b,,c ", exact=False)
    (['a', 'b', 'c '], ['a', 'b', 'c'])
    """
    names = _COMMA.split(group) if exact else (name.strip() for name in group.split(","))
    return [name for name in names if name]


def grouped(candidates: Iterable[Lore], *, exact: bool) -> dict[str, list[Lore]]:
    """Group name to candidates, in order of first appearance; by exact rules names that are numbers come first."""
    groups: dict[str, list[Lore]] = {}
    for lore in candidates:
        if lore.entry.group:
            for name in group_names(lore.entry.group, exact=exact):
                groups.setdefault(name, []).append(lore)
    return dict(in_script_order(groups)) if exact else groups


def choose(
    rivals: Rivals,
    groups: dict[str, list[Lore]],
    active: Sequence[Lore],
    asked: GroupContext,
    dice: Dice,
) -> None:
    """Keep one candidate per group, or all sticky ones. Three passes over all groups: timers, scores, choice."""
    held = {name: _keep_sticky(rivals, name, members, asked) for name, members in groups.items()}
    for name, members in groups.items():
        if not held[name]:
            _keep_best(rivals, name, members, asked)
    taken = _taken(active, exact=rivals.quirks)
    for name, members in groups.items():
        if not held[name]:
            _choose_one(rivals, name, members, taken, dice)


def _keep_sticky(rivals: Rivals, name: str, members: list[Lore], asked: GroupContext) -> bool:
    """If one is sticky, keep only sticky ones, and skip the other steps for this group."""
    sticky = [lore for lore in rivals.among(members) if asked.sticky(lore)]
    for lore in list(members) if sticky else ():
        if lore not in sticky:
            rivals.remove(lore, name, "sticky", sticky[0].id)
    if rivals.quirks:
        for lore in members:
            if lore.id in asked.cooling:
                rivals.remove(lore, name, "cooldown")
    return bool(sticky)


def _keep_best(rivals: Rivals, name: str, members: list[Lore], asked: GroupContext) -> None:
    """Remove those that take part in scoring and have fewer than the most keys seen."""
    living = rivals.among(members)
    if not living or not (asked.scored or any(lore.entry.use_group_scoring for lore in living)):
        return
    scores = {lore.id: asked.score(lore) for lore in living}
    most = max(scores.values())
    for lore in living[:]:
        own = lore.entry.use_group_scoring
        takes_part = asked.scored if own is None else own
        if takes_part and scores[lore.id] < most:
            rivals.remove(lore, name, "score")
            members.remove(lore)


def _choose_one(
    rivals: Rivals, name: str, members: list[Lore], taken: frozenset[str], dice: Dice
) -> None:
    living = rivals.among(members)
    if name in taken:
        for lore in living[:]:
            rivals.remove(lore, name, "taken")
        return
    if len(living) <= 1:
        return
    winner = _winner(living, dice)
    for lore in living[:]:
        if winner is not None and lore is not winner:
            rivals.remove(lore, name, "lost", winner.id)


def _winner(members: Sequence[Lore], dice: Dice) -> Lore | None:
    """The one with override and the highest order; else by weight, the first at which the running sum reaches the roll."""
    first = [lore for lore in members if lore.entry.group_override]
    if first:
        return max(first, key=lambda lore: lore.entry.insertion_order)
    roll = dice() * sum(lore.entry.group_weight for lore in members)
    reached: float = 0
    for lore in members:
        reached += lore.entry.group_weight
        if roll <= reached:
            return lore
    return None


def _taken(active: Iterable[Lore], *, exact: bool) -> frozenset[str]:
    """Groups with a winner already; by exact rules an entry counts only for its whole `group` text."""
    if exact:
        return frozenset(lore.entry.group for lore in active if lore.entry.group)
    return frozenset(name for lore in active for name in group_names(lore.entry.group, exact=False))
