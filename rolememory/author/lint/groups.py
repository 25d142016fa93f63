"""Inclusion groups in which there is nothing to choose."""

from collections.abc import Iterator

from rolememory.author.books import title
from rolememory.author.lint.finding import Finding, of
from rolememory.author.lint.subject import Subject
from rolememory.recall.lore.groups import group_names
from rolememory.recall.lore.index import Lore
from rolememory.text.fold import folded_key


def _members(subject: Subject) -> dict[str, list[Lore]]:
    found: dict[str, list[Lore]] = {}
    for lore in subject.living:
        for name in group_names(lore.entry.group, exact=subject.exact):
            found.setdefault(name, []).append(lore)
    return found


def lone(subject: Subject) -> Iterator[Finding]:
    """Groups of one, and names that differ by nothing a reader would see."""
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


def weightless(subject: Subject) -> Iterator[Finding]:
    """Members that can never win."""
    for name, members in _members(subject).items():
        first = next((lore for lore in members if lore.entry.group_override), None)
        for lore in members if len(members) > 1 else ():
            if lore.entry.group_weight <= 0 and not lore.entry.group_override:
                yield of(
                    lore, "no_weight", "group_weight", group=name, weight=lore.entry.group_weight
                )
        keyed_alike = first is not None and all(
            set(lore.entry.keys) <= set(first.entry.keys) for lore in members
        )
        for lore in (
            members if first is not None and keyed_alike and first.entry.probability == 100 else ()
        ):
            if lore is not first and not lore.entry.group_override and first is not None:
                yield of(lore, "outranked", "group", group=name, winner=title(first.entry))


def weight_alone(subject: Subject) -> Iterator[Finding]:
    """Odds without a group to win."""
    for lore in subject.living:
        entry = lore.entry
        if not entry.group.strip() and (entry.group_weight != 100 or entry.group_override):
            yield of(
                lore, "idle_weight", "group_override" if entry.group_override else "group_weight"
            )


RULES = (lone, weightless, weight_alone)
