"""Small faults put into a book, one at a time, to see whether its expectations notice: what nobody notices, nobody tests.

Only what could make a difference is tried: a flag that nothing listens to is left alone, since no expectation could ever notice it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from rolememory.authoring.books import title
from rolememory.authoring.lint.recursion import Wakes
from rolememory.authoring.lint.subject import rivals
from rolememory.authoring.scan import target
from rolememory.recall.lore.index import Lore, LoreIndex
from rolememory.recall.lore.keys import KeyKind, LoreKey
from rolememory.schema.entry import SelectiveLogic
from rolememory.schema.lorebook import Lorebook, LorePosition
from rolememory.text.boundaries import boundaries


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault: of which entry (empty = the book's), in which field, and what was done."""

    entry: str
    title: str
    field: str
    code: str  # delete, flip, set, swap, empty
    value: Any  # what the field says now
    was: str = ""  # what it said, or the key that was deleted

    def applied(self, book: Lorebook) -> Lorebook:
        """The book with the fault."""
        if not self.entry:
            return book.model_copy(update={self.field: self.value})
        update = {self.field: self.value, "raw": {}}
        entries = tuple(
            entry.model_copy(update=update) if entry.id == self.entry else entry
            for entry in book.entries
        )
        return book.model_copy(update={"entries": entries})

    @property
    def key(self) -> str:
        """A name that tells it from all others, the same in every run."""
        return f"{self.entry}\0{self.field}\0{self.code}\0{self.was}\0{self.value}"


@dataclass(frozen=True)
class MutationContext:
    """What is known of the book while faults are thought of."""

    book: Lorebook
    index: LoreIndex
    hears: Wakes  # which entry's text has whose keys
    refused: frozenset[str] = frozenset()  # ids of entries that the budget keeps out in some case

    def has_rivals(self, lore: Lore) -> bool:
        """Whether others share a group with it."""
        return any(other is not lore and rivals(lore, other) for other in self.index.entries)

    def neighbours(self, lore: Lore) -> list[Lore]:
        """Others that go to the same place, so that their order shows."""
        place = target(lore, self.index.rules)
        others = [
            other for other in self.index.entries if other is not lore and not rivals(lore, other)
        ]
        return [other for other in others if target(other, self.index.rules) == place]


Source = Callable[[MutationContext, Lore], Iterator[Mutation]]


def mutations(ground: MutationContext, limit: int | None = None) -> list[Mutation]:
    """Every fault worth trying, or `limit` of them, chosen evenly and the same in every run."""
    prepared = {lore.entry.id: lore for lore in ground.index.entries}
    living = [prepared[entry.id] for entry in ground.book.entries if entry.enabled]
    found = [one for lore in living for source in SOURCES for one in source(ground, lore)]
    found += _of_book(ground)
    known = list({one.key: one for one in found}.values())
    if limit is None or limit >= len(known):
        return known
    chosen = {
        one.key
        for one in sorted(
            known, key=lambda one: blake2b(one.key.encode("utf-8", "replace")).digest()
        )[:limit]
    }
    return [one for one in known if one.key in chosen]


def _made(lore: Lore, field: str, code: str, value: Any, was: Any = "") -> Mutation:
    return Mutation(lore.entry.id, title(lore.entry), field, code, value, str(was))


def keys(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Each key deleted, primary and secondary ones; not where a shorter one of them stands in it, which finds all that it finds."""
    entry = lore.entry
    if not lore.constant and not lore.asked.activate:
        yield from _deleted(ground, lore, "keys", lore.keys, entry.keys)
    if lore.secondary:
        yield from _deleted(ground, lore, "secondary_keys", lore.secondary, entry.secondary_keys)


def _deleted(
    ground: MutationContext, lore: Lore, field: str, keys: Sequence[LoreKey], written: Sequence[str]
) -> Iterator[Mutation]:
    scored = lore.entry.group and (
        ground.index.settings.use_group_scoring or lore.entry.use_group_scoring
    )
    for key in keys:
        found = ground.index.keys.read(key.text)
        inner = any(other.spec in found and other.spec != key.spec for other in keys)
        if scored or not inner:
            yield _made(
                lore, field, "delete", tuple(one for one in written if one != key.text), key.text
            )


def text(_: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """The text emptied, and its decorators taken away."""
    if lore.content.strip():
        head = (
            lore.entry.content[: lore.entry.content.rfind(lore.content)]
            if lore.content in lore.entry.content
            else ""
        )
        yield _made(lore, "content", "empty", head)
    if lore.content != lore.entry.content:
        lines = lore.entry.content.split("\n")
        for at, line in enumerate(lines):
            if not line.startswith("@@"):
                break
            yield _made(lore, "content", "delete", "\n".join([*lines[:at], *lines[at + 1 :]]), line)


def waking(_: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Whether and when it wakes: switched off, constant, its logic, its chance, its limits."""
    entry = lore.entry
    yield _made(lore, "enabled", "flip", False, True)
    if lore.keys or entry.constant:
        yield _made(lore, "constant", "flip", not entry.constant, entry.constant)
    if entry.secondary_keys and lore.keys:
        yield _made(lore, "selective", "flip", not entry.selective, entry.selective)
    if lore.secondary:
        opposite = {
            "and_any": "not_any",
            "and_all": "not_all",
            "not_any": "and_any",
            "not_all": "and_all",
        }[entry.selective_logic]
        yield _made(lore, "selective_logic", "set", SelectiveLogic(opposite), entry.selective_logic)
    if entry.use_probability:
        yield from (
            _made(lore, "probability", "set", odds, entry.probability)
            for odds in (0, 100)
            if odds != entry.probability
        )
    for field in ("triggers", "match_sources"):
        if getattr(entry, field):
            yield _made(lore, field, "empty", (), ", ".join(getattr(entry, field)))
    if entry.character_filter:
        turned = entry.character_filter.model_copy(
            update={"exclude": not entry.character_filter.exclude}
        )
        yield _made(
            lore,
            "character_filter",
            "flip",
            turned,
            "exclude" if entry.character_filter.exclude else "include",
        )


def looking(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """How its keys are compared, and how far back."""
    plain = [key.spec for key in lore.keys if key.kind is KeyKind.PLAIN and key.spec]
    if any(spec.text.lower() != spec.text.upper() for spec in plain):
        case = any(spec.form == "raw" for spec in plain)
        yield _made(lore, "case_sensitive", "flip", not case, case)
    edges = ground.index.rules.edges
    if any(boundaries(spec.needle, edges) != (None, None) for spec in plain if spec.needle):
        whole = any(spec.edges != "none" for spec in plain)
        yield _made(lore, "match_whole_words", "flip", not whole, whole)
    if lore.entry.scan_depth is not None and lore.keys:
        given = lore.entry.scan_depth
        yield from (
            _made(lore, "scan_depth", "set", depth, given)
            for depth in (max(given - 1, 0), given + 1)
            if depth != given
        )


def recursion(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Who wakes whom, as far as it does not come anyway."""
    if not ground.index.settings.recursive:
        return
    entry = lore.entry
    if any(_draws(ground, other, lore) and not other.silent for other in ground.index.entries):
        yield _made(
            lore, "exclude_recursion", "flip", not entry.exclude_recursion, entry.exclude_recursion
        )
    if any(_draws(ground, lore, other) and not other.excluded for other in ground.index.entries):
        yield _made(
            lore, "prevent_recursion", "flip", not entry.prevent_recursion, entry.prevent_recursion
        )
    if entry.delay_until_recursion and ground.index.rules.first_level_waits:
        yield _made(lore, "delay_until_recursion", "set", 0, entry.delay_until_recursion)


def _draws(ground: MutationContext, one: Lore, other: Lore) -> bool:
    """Whether the text of one has a key of the other, which does not come along anyway by having all its keys."""
    if other.entry.id not in ground.hears.get(one.entry.id, ()):
        return False
    if (
        one.entry.sticky
        or one.constant
        or one.asked.activate
        or not {key.text for key in one.keys} <= {key.text for key in other.keys}
    ):
        return True
    found = ground.index.keys.read(one.content)
    return any(key.spec in found for key in other.secondary)


def place(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Where its text goes: another place, deeper, said by another, before or behind its neighbours."""
    entry, asked = lore.entry, lore.asked
    if asked.position is None and asked.depth is None and asked.reverse_depth is None:
        yield from _elsewhere(lore)
    orders = [other.entry.insertion_order for other in ground.neighbours(lore)]
    if orders and entry.insertion_order <= max(orders):
        yield _made(lore, "insertion_order", "set", max(orders) + 1, entry.insertion_order)
    if orders and entry.insertion_order >= min(orders):
        yield _made(lore, "insertion_order", "set", min(orders) - 1, entry.insertion_order)
    if entry.id in ground.refused or entry.ignore_budget:
        yield _made(lore, "ignore_budget", "flip", not entry.ignore_budget, entry.ignore_budget)


def _elsewhere(lore: Lore) -> Iterator[Mutation]:
    """Another place, and what its own place is told besides."""
    entry, after = lore.entry, LorePosition.AFTER
    other = after if entry.position is not after else LorePosition.BEFORE
    yield _made(lore, "position", "set", other, entry.position or "")
    if entry.position is LorePosition.DEPTH:
        depth = 4 if entry.depth is None else entry.depth
        yield _made(lore, "depth", "set", depth + 1, depth)
        speaker = "user" if entry.role == "system" else "system"
        yield _made(lore, "role", "set", speaker, entry.role)
    if entry.position is LorePosition.OUTLET and entry.outlet:
        yield _made(lore, "outlet", "empty", "", entry.outlet)


def rivalry(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Its group, its odds in it."""
    entry = lore.entry
    if not ground.has_rivals(lore):
        return
    yield _made(lore, "group", "empty", "", entry.group)
    yield _made(lore, "group_override", "flip", not entry.group_override, entry.group_override)
    if not entry.group_override:
        yield from (
            _made(lore, "group_weight", "set", odds, entry.group_weight)
            for odds in (0, entry.group_weight * 10)
            if odds != entry.group_weight
        )


def timers(_: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """How long it stays, rests and waits: not at all, and a turn longer."""
    for field in ("sticky", "cooldown", "delay"):
        if messages := getattr(lore.entry, field):
            yield from (_made(lore, field, "set", other, messages) for other in (0, messages + 2))


SOURCES: tuple[Source, ...] = (keys, text, waking, looking, recursion, place, rivalry, timers)


def _of_book(ground: MutationContext) -> Iterator[Mutation]:
    """The book's own depth, budget and recursion."""
    book = ground.book
    if not ground.index.rules.card_fields:
        return
    if book.token_budget:
        yield Mutation(
            "",
            book.name,
            "token_budget",
            "set",
            book.token_budget // 4 or 1,
            str(book.token_budget),
        )
    if book.scan_depth:
        yield from (
            Mutation("", book.name, "scan_depth", "set", depth, str(book.scan_depth))
            for depth in (book.scan_depth - 1, book.scan_depth + 1)
        )
    if book.recursive_scanning is not None:
        yield Mutation(
            "",
            book.name,
            "recursive_scanning",
            "flip",
            not book.recursive_scanning,
            str(book.recursive_scanning),
        )
