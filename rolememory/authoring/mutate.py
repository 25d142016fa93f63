"""Small faults put into a book one at a time: a fault that fails no expectation shows what is not tested.

Only what could make a difference is tried: a flag that nothing listens to is left alone, since no expectation could ever notice it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import takewhile
from typing import Any

from rolememory.authoring.books import title
from rolememory.authoring.lint.recursion import Wakes
from rolememory.authoring.lint.subject import rivals, scored
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
    """What is known of the book while faults are made."""

    book: Lorebook
    index: LoreIndex
    hears: Wakes  # which entry's text has whose keys
    refused: frozenset[str] = frozenset()  # ids of entries that the budget keeps out in some case

    def has_rivals(self, lore: Lore) -> bool:
        """Whether others share a group with it."""
        return any(other is not lore and rivals(lore, other) for other in self.index.entries)

    def orders_beside(self, lore: Lore) -> list[float]:
        """The insertion orders of other entries with the same place in the prompt."""
        place, rules = target(lore, self.index.rules), self.index.rules
        others = [
            other for other in self.index.entries if other is not lore and not rivals(lore, other)
        ]
        return [one.entry.insertion_order for one in others if target(one, rules) == place]

    def draws(self, one: Lore, other: Lore) -> bool:
        """Whether the text of one wakes the other, which does not fire with it anyway by having all its keys."""
        if other.entry.id not in self.hears.get(one.entry.id, ()):
            return False
        alone = one.entry.sticky or one.constant or one.asked.activate
        if alone or not {key.text for key in one.keys} <= {key.text for key in other.keys}:
            return True
        found = self.index.keys.read(one.content)
        return any(key.spec in found for key in other.secondary)


Source = Callable[[MutationContext, Lore], Iterator[Mutation]]


def mutations(ground: MutationContext, limit: int | None = None) -> list[Mutation]:
    """Every fault worth trying, or `limit` of them, chosen evenly and the same in every run."""
    known = {one.key: one for one in _thought_of(ground)}
    if limit is None or limit >= len(known):
        return list(known.values())
    by_chance = sorted(known, key=lambda key: blake2b(key.encode("utf-8", "replace")).digest())
    chosen = set(by_chance[:limit])
    return [one for key, one in known.items() if key in chosen]


def _thought_of(ground: MutationContext) -> Iterator[Mutation]:
    prepared = {lore.entry.id: lore for lore in ground.index.entries}
    for entry in ground.book.entries:
        for source in SOURCES if entry.enabled else ():
            yield from source(ground, prepared[entry.id])
    if ground.index.rules.card_fields:
        yield from _of_book(ground.book)


def _made(lore: Lore, field: str, code: str, value: Any, was: Any = "") -> Mutation:
    return Mutation(lore.entry.id, title(lore.entry), field, code, value, str(was))


def _flip(lore: Lore, field: str) -> Mutation:
    """A switch of the entry, inverted."""
    was = getattr(lore.entry, field)
    return _made(lore, field, "flip", not was, was)


def _set(lore: Lore, field: str, was: Any, *values: Any) -> Iterator[Mutation]:
    """The field set to each of these values that differs from its own."""
    yield from (_made(lore, field, "set", value, was) for value in values if value != was)


def keys(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Each primary and secondary key deleted, except keys that contain a shorter key of the entry: that one finds the same."""
    entry = lore.entry
    if not lore.constant and not lore.asked.activate:
        yield from _deleted(ground, lore, "keys", lore.keys, entry.keys)
    if lore.secondary:
        yield from _deleted(ground, lore, "secondary_keys", lore.secondary, entry.secondary_keys)


def _deleted(
    ground: MutationContext, lore: Lore, field: str, keys: Sequence[LoreKey], written: Sequence[str]
) -> Iterator[Mutation]:
    by_score = scored(lore, ground.index.settings)
    for key in keys:
        found = ground.index.keys.read(key.text)
        inner = any(other.spec in found and other.spec != key.spec for other in keys)
        if by_score or not inner:
            left = tuple(one for one in written if one != key.text)
            yield _made(lore, field, "delete", left, key.text)


def text(_: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """The text emptied, and each decorator deleted."""
    written = lore.entry.content
    if lore.content.strip():
        yield _made(lore, "content", "empty", written[: max(written.rfind(lore.content), 0)])
    if lore.content != written:
        lines = written.split("\n")
        for at, line in enumerate(takewhile(lambda line: line.startswith("@@"), lines)):
            yield _made(lore, "content", "delete", "\n".join([*lines[:at], *lines[at + 1 :]]), line)


_OPPOSITES = {
    SelectiveLogic.AND_ANY: SelectiveLogic.NOT_ANY,
    SelectiveLogic.AND_ALL: SelectiveLogic.NOT_ALL,
    SelectiveLogic.NOT_ANY: SelectiveLogic.AND_ANY,
    SelectiveLogic.NOT_ALL: SelectiveLogic.AND_ALL,
}


def waking(_: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Whether it fires: switched off, constant, its logic, its probability."""
    entry = lore.entry
    yield _flip(lore, "enabled")
    if lore.keys or entry.constant:
        yield _flip(lore, "constant")
    if entry.secondary_keys and lore.keys:
        yield _flip(lore, "selective")
    if lore.secondary:
        logic = entry.selective_logic
        yield from _set(lore, "selective_logic", logic, _OPPOSITES[logic])
    if entry.use_probability:
        yield from _set(lore, "probability", entry.probability, 0, 100)


def limits(_: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Its limits: kinds of generation, extra texts it reads, characters."""
    for field in ("triggers", "match_sources"):
        if listed := getattr(lore.entry, field):
            yield _made(lore, field, "empty", (), ", ".join(listed))
    if allowed := lore.entry.character_filter:
        turned = allowed.model_copy(update={"exclude": not allowed.exclude})
        was = "exclude" if allowed.exclude else "include"
        yield _made(lore, "character_filter", "flip", turned, was)


def comparing(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """How its keys are compared."""
    plain = [key.spec for key in lore.keys if key.spec and key.kind is KeyKind.PLAIN]
    if any(spec.text.lower() != spec.text.upper() for spec in plain):
        case = "raw" in {spec.form for spec in plain}
        yield _made(lore, "case_sensitive", "flip", not case, case)
    edges = ground.index.rules.edges
    if any(boundaries(spec.needle, edges) != (None, None) for spec in plain if spec.needle):
        whole = {spec.edges for spec in plain} != {"none"}
        yield _made(lore, "match_whole_words", "flip", not whole, whole)


def depth(_: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Its scan depth."""
    given = lore.entry.scan_depth
    if given is not None and lore.keys:
        yield from _set(lore, "scan_depth", given, max(given - 1, 0), given + 1)


def recursion(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Its recursion flags, where they make a difference."""
    if not ground.index.settings.recursive:
        return
    entries = ground.index.entries
    if any(ground.draws(other, lore) and not other.silent for other in entries):
        yield _flip(lore, "exclude_recursion")
    if any(ground.draws(lore, other) and not other.excluded for other in entries):
        yield _flip(lore, "prevent_recursion")
    if ground.index.rules.first_level_waits:
        yield from _set(lore, "delay_until_recursion", lore.entry.delay_until_recursion, 0)


def place(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Where its text goes: another position, depth or role, before or after its neighbours."""
    entry, asked = lore.entry, lore.asked
    if asked.position is None and asked.depth is None and asked.reverse_depth is None:
        yield from _elsewhere(lore)
    order, orders = entry.insertion_order, ground.orders_beside(lore)
    if orders and order <= max(orders):
        yield from _set(lore, "insertion_order", order, max(orders) + 1)
    if orders and order >= min(orders):
        yield from _set(lore, "insertion_order", order, min(orders) - 1)
    if entry.id in ground.refused or entry.ignore_budget:
        yield _flip(lore, "ignore_budget")


def _elsewhere(lore: Lore) -> Iterator[Mutation]:
    """Another position, and the fields that belong to its own position."""
    entry, after = lore.entry, LorePosition.AFTER
    other = after if entry.position is not after else LorePosition.BEFORE
    yield from _set(lore, "position", entry.position or "", other)
    if entry.position is LorePosition.DEPTH:
        given = 4 if entry.depth is None else entry.depth
        yield from _set(lore, "depth", given, given + 1)
        yield from _set(lore, "role", entry.role, "user" if entry.role == "system" else "system")
    if entry.position is LorePosition.OUTLET and entry.outlet:
        yield _made(lore, "outlet", "empty", "", entry.outlet)


def rivalry(ground: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Its group and its weight there."""
    entry = lore.entry
    if not ground.has_rivals(lore):
        return
    yield _made(lore, "group", "empty", "", entry.group)
    yield _flip(lore, "group_override")
    if not entry.group_override:
        yield from _set(lore, "group_weight", entry.group_weight, 0, entry.group_weight * 10)


def timers(_: MutationContext, lore: Lore) -> Iterator[Mutation]:
    """Sticky, cooldown and delay: none, and one turn more."""
    for field in ("sticky", "cooldown", "delay"):
        if messages := getattr(lore.entry, field):
            yield from _set(lore, field, messages, 0, messages + 2)


SOURCES: tuple[Source, ...] = (
    keys,
    text,
    waking,
    limits,
    comparing,
    depth,
    recursion,
    place,
    rivalry,
    timers,
)


def _of_book(book: Lorebook) -> Iterator[Mutation]:
    """The book's own depth, budget and recursion."""
    faults: list[tuple[str, str, Any]] = []
    if book.token_budget:
        faults.append(("token_budget", "set", book.token_budget // 4 or 1))
    if book.scan_depth:
        faults += (("scan_depth", "set", book.scan_depth + by) for by in (-1, 1))
    if book.recursive_scanning is not None:
        faults.append(("recursive_scanning", "flip", not book.recursive_scanning))
    for field, code, value in faults:
        yield Mutation("", book.name, field, code, value, str(getattr(book, field)))
