"""Rules for inclusion groups without a choice."""

from collections.abc import Sequence

from rolememory.authoring.books import title
from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject
from rolememory.recall.lore.groups import group_names
from rolememory.recall.lore.index import Lore
from rolememory.text.fold import folded_key


def _members(subject: Subject) -> dict[str, list[Lore]]:
    found: dict[str, list[Lore]] = {}
    for lore in subject.living:
        for name in group_names(lore.entry.group, exact=subject.exact):
            found.setdefault(name, []).append(lore)
    return found


def lone(subject: Subject) -> Findings:
    """Groups of one, and names that differ only invisibly."""
    groups = _members(subject)
    for name, members in groups.items():
        alike = [
            other
            for other in groups
            if other != name and folded_key(other).strip() == folded_key(name).strip()
        ]
        if alike:
            yield of(members[0], "group_alike", "group", group=name, other=alike[0])
        elif len(members) == 1:
            yield of(members[0], "lone_group", "group", group=name)


def weightless(subject: Subject) -> Findings:
    """Members that can never win."""
    for name, members in _members(subject).items():
        for lore in members if len(members) > 1 else ():
            weight = lore.entry.group_weight
            if weight <= 0 and not lore.entry.group_override:
                yield of(lore, "no_weight", "group_weight", group=name, weight=weight)
        winner = _always_wins(members)
        if winner is None:
            continue
        for lore in members:
            if lore is not winner and not lore.entry.group_override:
                yield of(lore, "outranked", "group", group=name, winner=title(winner.entry))


def _always_wins(members: Sequence[Lore]) -> Lore | None:
    """The first member that has priority over all others, if it fires whenever one of them does."""
    first = next((lore for lore in members if lore.entry.group_override), None)
    if first is None or first.entry.probability != 100:
        return None
    keys = set(first.entry.keys)
    return first if all(set(lore.entry.keys) <= keys for lore in members) else None


RULES = (lone, weightless)
