"""Fields without effect, because of another field or of how chats go."""

from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.place import DEFAULT_DEPTH
from rolememory.schema.lorebook import LorePosition

TURN = 2  # messages: one of the user, one of the character


@each_entry
def short_timers(subject: Subject, lore: Lore) -> Findings:
    """Timers that are over before the next turn begins."""
    for name in ("sticky", "cooldown"):
        messages = getattr(lore.entry, name)
        if 0 < messages <= TURN:
            yield of(lore, f"short_{name}", name, messages=messages)
    if lore.entry.sticky and lore.constant:
        yield of(lore, "sticky_constant", "sticky")


@each_entry
def homeless(subject: Subject, lore: Lore) -> Findings:
    """Entries whose text has no place to go."""
    if lore.asked.position or lore.asked.depth is not None or lore.asked.reverse_depth is not None:
        return
    if lore.entry.position is LorePosition.OUTLET and not lore.entry.outlet.strip():
        yield of(lore, "nameless_outlet" if subject.exact else "default_outlet", "outlet")
    elif lore.entry.position is None:
        yield of(lore, "no_position" if subject.exact else "default_position", "position")


@each_entry
def idle_places(subject: Subject, lore: Lore) -> Findings:
    """Depth, role and outlet of entries that go elsewhere."""
    entry = lore.entry
    if entry.position is not LorePosition.DEPTH:
        if entry.depth not in (None, DEFAULT_DEPTH):
            yield of(lore, "idle_depth", "depth", depth=entry.depth)
        if entry.role != "system":
            yield of(lore, "idle_role", "role", role=entry.role)
    if entry.outlet.strip() and entry.position is not LorePosition.OUTLET:
        yield of(lore, "idle_outlet", "outlet", outlet=entry.outlet)


@each_entry
def idle_chance(subject: Subject, lore: Lore) -> Findings:
    """A probability that is not rolled."""
    if not lore.entry.use_probability and 0 <= lore.entry.probability < 100:
        yield of(lore, "idle_probability", "use_probability", probability=lore.entry.probability)


@each_entry
def constant_keys(subject: Subject, lore: Lore) -> Findings:
    """Keys of entries that fire in any case."""
    if lore.constant and lore.keys and not lore.entry.group:
        yield of(lore, "idle_keys", "keys", keys=", ".join(key.text for key in lore.keys[:5]))


RULES = (short_timers, homeless, idle_places, idle_chance, constant_keys)
