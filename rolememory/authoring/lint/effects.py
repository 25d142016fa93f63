"""Rules for fields without effect, due to another field or to the course of chats."""

from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, each_entry
from rolememory.recall.lore.index import Lore
from rolememory.schema.lorebook import LorePosition

TURN = 2  # messages: one of the user, one of the character


@each_entry
def short_timers(subject: Subject, lore: Lore) -> Findings:
    """Timers that end before the next turn."""
    for name in ("sticky", "cooldown"):
        messages = getattr(lore.entry, name)
        if 0 < messages <= TURN:
            yield of(lore, f"short_{name}", name, messages=messages)


@each_entry
def homeless(subject: Subject, lore: Lore) -> Findings:
    """Entries whose text has no position."""
    if lore.asked.position or lore.asked.depth is not None or lore.asked.reverse_depth is not None:
        return
    if lore.entry.position is LorePosition.OUTLET and not lore.entry.outlet.strip():
        yield of(lore, "nameless_outlet" if subject.exact else "default_outlet", "outlet")
    elif lore.entry.position is None and subject.exact:
        yield of(lore, "no_position", "position")


@each_entry
def idle_chance(subject: Subject, lore: Lore) -> Findings:
    """A probability that is not rolled."""
    if not lore.entry.use_probability and 0 <= lore.entry.probability < 100:
        yield of(lore, "idle_probability", "use_probability", probability=lore.entry.probability)


RULES = (short_timers, homeless, idle_chance)
