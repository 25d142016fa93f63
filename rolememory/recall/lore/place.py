"""Placement of activated entries. Source: spec/worldinfo.md 5."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.rules import LoreRules
from rolememory.schema.lorebook import LorePosition, Voice
from rolememory.schema.value_class import value_class

_CARD_PLACES = {
    "before_desc": LorePosition.BEFORE,
    "after_desc": LorePosition.AFTER,
    "personality": LorePosition.PERSONALITY,
    "scenario": LorePosition.SCENARIO,
}
_VOICES: Mapping[str, Voice] = {"system": "system", "user": "user", "assistant": "assistant"}
DEFAULT_DEPTH = 4
_LISTS = (
    "before",
    "after",
    "an_top",
    "an_bottom",
    "em_top",
    "em_bottom",
    "personality",
    "scenario",
)


@value_class
class DepthGroup:
    """Texts with the same depth and role."""

    depth: (
        int | None
    )  # messages from the end, 0 = after the last; None = the file said nothing, which means 4
    role: Voice
    entries: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text to insert."""
        return "\n".join(self.entries)


@value_class
class LorePlacement:
    """The texts by place, each list in the order of the prompt."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    an_top: tuple[str, ...] = ()
    an_bottom: tuple[str, ...] = ()
    em_top: tuple[
        str, ...
    ] = ()  # as collected: each is put before the examples in turn, so the last ends up first
    em_bottom: tuple[str, ...] = ()
    personality: tuple[str, ...] = ()
    scenario: tuple[str, ...] = ()
    depth: tuple[DepthGroup, ...] = ()
    outlets: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    author_note: str | None = None  # the note with the texts around it; None = no note is due

    @property
    def before_text(self) -> str:
        """The text before the character's description."""
        return "\n".join(self.before)

    @property
    def after_text(self) -> str:
        """The text after the character's description."""
        return "\n".join(self.after)

    def without(self, there: str) -> "LorePlacement":
        """A copy without texts that `there` contains already, and without the author's note itself; ignores white space."""
        known = " ".join(there.split())

        def left(texts: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(one for one in texts if " ".join(one.split()) not in known)

        fields: dict[str, Any] = {one: left(getattr(self, one)) for one in _LISTS}
        groups = (replace(group, entries=left(group.entries)) for group in self.depth)
        return replace(
            self, **fields, author_note=None, depth=tuple(one for one in groups if one.entries)
        )

    def outlet(self, name: str) -> str:
        """The text of `{{outlet::name}}`."""
        return "\n".join(self.outlets.get(name, ()))


def placed(
    entries: Sequence[tuple[Lore, str]], rules: LoreRules, count: int, note: str | None
) -> LorePlacement:
    """Place the texts, given in order of activation. `count` is the number of visible messages.

    Higher insertion order goes later; of equal order exact rules put the one activated first last.
    """
    said = [pair for pair in entries if pair[1]]
    rising = sorted(
        reversed(said) if rules.ties_reversed else said,
        key=lambda pair: pair[0].entry.insertion_order,
    )
    falling = rising[::-1]
    homes = {id(lore): home(lore, rules) for lore, _ in entries}

    def at(position: LorePosition) -> tuple[str, ...]:
        return tuple(content for lore, content in rising if homes[id(lore)] is position)

    fields: dict[str, Any] = {
        position.value: at(position)
        for position in LorePosition
        if position not in (LorePosition.DEPTH, LorePosition.OUTLET)
    }
    deep = [pair for pair in falling if homes[id(pair[0])] is LorePosition.DEPTH]
    outlets = [
        pair
        for pair in (falling if rules.ties_reversed else rising)
        if homes[id(pair[0])] is LorePosition.OUTLET
    ]
    merged = merged_note(fields["an_top"], note, fields["an_bottom"], rules)
    return LorePlacement(
        **fields,
        depth=_by_depth(deep, rules, count),
        outlets=_by_outlet(outlets),
        author_note=merged,
    )


def home(lore: Lore, rules: LoreRules) -> LorePosition | None:
    """The position of an entry, decorators first. None = active, but not placed."""
    asked = lore.asked
    if asked.position is not None:
        return _CARD_PLACES[asked.position]
    if asked.depth is not None or asked.reverse_depth is not None:
        return LorePosition.DEPTH
    position = lore.entry.position
    homeless = position is None or (position is LorePosition.OUTLET and not lore.entry.outlet)
    if not homeless:
        return position
    return None if rules.drops_homeless else LorePosition.BEFORE


def merged_note(
    top: Iterable[str], note: str | None, bottom: Iterable[str], rules: LoreRules
) -> str | None:
    r"""The author's note with the texts above and below it, without a line break at either end; None if no note is due.

    Under the default rules texts around a note that does not exist make one.
    """
    above, below = list(top), list(bottom)
    if note is None and (rules.drops_homeless or not (above or below)):
        return None
    if note is None:
        return "\n".join([*above, *below])
    merged = "\n".join(above) + f"\n{note}\n" + "\n".join(below)
    return merged.removeprefix("\n").removesuffix("\n")


def _by_depth(
    falling: Sequence[tuple[Lore, str]], rules: LoreRules, count: int
) -> tuple[DepthGroup, ...]:
    """Groups of one depth and role, in the order of their highest member; ascending inside."""
    groups: list[tuple[int | None, Voice, list[str]]] = []
    for lore, content in falling:
        depth, role = _depth(lore, count), _role(lore)
        asked = DEFAULT_DEPTH if depth is None else depth
        texts = next(
            (texts for known, voice, texts in groups if known == asked and voice == role), None
        )
        if texts is None:
            groups.append((depth if rules.drops_homeless else asked, role, texts := []))
        texts.append(content)
    return tuple(DepthGroup(depth, role, tuple(reversed(texts))) for depth, role, texts in groups)


def _depth(lore: Lore, count: int) -> int | None:
    if lore.asked.depth is not None:
        return lore.asked.depth
    if lore.asked.reverse_depth is not None:
        return max(count - lore.asked.reverse_depth, 0)
    return lore.entry.depth


def _role(lore: Lore) -> Voice:
    return _VOICES.get(lore.asked.role or "", lore.entry.role)


def _by_outlet(entries: Sequence[tuple[Lore, str]]) -> Mapping[str, tuple[str, ...]]:
    outlets: dict[str, tuple[str, ...]] = {}
    for lore, content in entries:
        if lore.entry.outlet:
            outlets[lore.entry.outlet] = (*outlets.get(lore.entry.outlet, ()), content)
    return MappingProxyType(outlets)
