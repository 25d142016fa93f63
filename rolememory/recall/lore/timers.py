"""Sticky, cooldown and delay, counted in visible messages; state in, state out. Source: spec/worldinfo.md 6."""

from collections.abc import Iterable

from rolememory.recall.lore.index import Lore, LoreIndex
from rolememory.schema.lorebook import TimedEffect, TimedState, lore_id
from rolememory.schema.value_class import value_class


@value_class
class Running:
    """The timers running in this scan, by entry id, and the new state."""

    state: TimedState
    sticky: frozenset[str] = frozenset()
    cooldown: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    spent: frozenset[str] = frozenset()


def running(state: TimedState, index: LoreIndex, count: int, *, dry_run: bool = False) -> Running:
    """The timers still running with `count` visible messages; a preview neither reads nor writes sticky and cooldown."""
    if dry_run:
        return Running(state)
    clock = _Clock(index, count)
    sticky, ended = clock.sorted_out(state.sticky, "sticky")
    cooldown, _ = clock.sorted_out(state.cooldown, "cooldown")
    fresh = [
        clock.started("cooldown", lore, protected=True) for lore in ended if lore.entry.cooldown
    ]
    cooldown = [
        *(effect for effect in cooldown if effect.key not in {one.key for one in fresh}),
        *fresh,
    ]
    kept = [effect for effect in state.kept if count > effect.start]
    spent = [effect for effect in state.spent if count > effect.start]
    return Running(
        TimedState(
            sticky=tuple(sticky), cooldown=tuple(cooldown), kept=tuple(kept), spent=tuple(spent)
        ),
        sticky=clock.ids(sticky),
        cooldown=clock.ids(cooldown),
        kept=clock.ids(kept),
        spent=clock.ids(spent),
    )


def begun(state: TimedState, index: LoreIndex, awake: Iterable[Lore], count: int) -> TimedState:
    """The state after activating these entries. Running timers are not renewed."""
    clock, lores = _Clock(index, count), list(awake)
    cooling = [lore for lore in lores if lore.entry.cooldown]
    kept = [lore for lore in lores if lore.asked.keep_activate_after_match]
    spent = [lore for lore in lores if lore.asked.dont_activate_after_match]
    return TimedState(
        sticky=clock.joined(state.sticky, [lore for lore in lores if lore.entry.sticky], "sticky"),
        cooldown=clock.joined(state.cooldown, cooling, "cooldown"),
        kept=clock.joined(state.kept, kept),
        spent=clock.joined(state.spent, spent),
    )


@value_class
class _Clock:
    """The number of visible messages, and the owners of timers."""

    _index: LoreIndex
    _count: int

    def sorted_out(
        self, effects: Iterable[TimedEffect], field: str
    ) -> tuple[list[TimedEffect], list[Lore]]:
        """Those that stay, and the entries whose timer has just run out.

        Timers started on this very turn are dropped, so that a regenerated reply starts over.
        """
        stay: list[TimedEffect] = []
        ended: list[Lore] = []
        for effect in effects:
            if self._count <= effect.start and not effect.protected:
                continue
            lore = self.owner(effect)
            over = effect.end is not None and self._count >= effect.end
            if lore is not None and not getattr(lore.entry, field):
                continue
            if not over:
                stay.append(effect)
            elif lore is not None:
                ended.append(lore)
        return stay, ended

    def owner(self, effect: TimedEffect) -> Lore | None:
        """The entry that the timer belongs to, if it is loaded and, under exact rules, still the same."""
        lore = self._index.lore(lore_id(effect.book, effect.entry))
        if lore is None or not self._index.rules.timers_by_text:
            return lore
        return lore if lore.fingerprint == effect.fingerprint else None

    def ids(self, effects: Iterable[TimedEffect]) -> frozenset[str]:
        """The entries whose timers run."""
        return frozenset(lore.id for effect in effects if (lore := self.owner(effect)))

    def started(self, field: str, lore: Lore, *, protected: bool = False) -> TimedEffect:
        """A timer of the entry from now on; without a field, for good."""
        end = self._count + int(getattr(lore.entry, field)) if field else None
        return TimedEffect(
            book=lore.book.name,
            entry=lore.entry.id,
            fingerprint=lore.fingerprint,
            start=self._count,
            end=end,
            protected=protected,
        )

    def joined(
        self, standing: tuple[TimedEffect, ...], awake: Iterable[Lore], field: str = ""
    ) -> tuple[TimedEffect, ...]:
        """The standing timers, and a new one for each of these entries that has none yet."""
        taken = {effect.key for effect in standing}
        fresh = (
            self.started(field, lore)
            for lore in awake
            if (lore.book.name, lore.entry.id) not in taken
        )
        return (*standing, *fresh)
