"""Whether an entry is a candidate in a pass: gates in order, then what may activate it. Source: spec/worldinfo.md 4.3.

The first closed gate decides. Gates of the turn give one answer for the whole scan; gates of the pass may open later.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from rolememory.recall.lore.index import Lore, LoreIndex
from rolememory.recall.lore.keys import KeyKind, LoreKey, read_said_key
from rolememory.recall.lore.rules import LoreRules
from rolememory.recall.lore.scan_buffer import BLIND, ScanBuffer
from rolememory.recall.lore.timers import Running
from rolememory.schema.entry import SelectiveLogic
from rolememory.schema.evidence import Reason, Value
from rolememory.schema.lorebook import MatchSource
from rolememory.schema.role import Character
from rolememory.schema.value_class import value_class
from rolememory.text.macros import Macros
from rolememory.text.selective import selective


class Phase(Enum):
    """The kind of a pass."""

    INITIAL = "initial"
    RECURSION = "recursion"  # texts of the entries found so far count too
    WIDENING = "widening"  # one message further back, without those texts


@value_class
class ScanContext:
    """The input of a scan besides texts."""

    rules: LoreRules
    character: Character
    running: Running
    count: int  # visible messages
    replies: int  # those of the character
    trigger: str = "normal"  # kind of generation
    recursive: bool = True
    outside: frozenset[str] = (
        frozenset()
    )  # ids activated from outside: by meaning, by another engine
    greeting: int = 0  # which greeting the chat began with
    user_icon: str = ""


@value_class
class Pass:
    """One pass over the entries."""

    number: int  # from 1
    phase: Phase
    level: int  # delayed entries up to this level may be looked at
    depth: int  # widened scan depth
    recursion: int  # window of the recursion blocks that count


Closed = Callable[[Lore, ScanContext], bool]
Told = Callable[[Lore, ScanContext], tuple[tuple[str, Value], ...]]


@value_class
class EntryGate:
    """One filter; `told` gives the values of its reason."""

    code: str
    closed: Closed
    told: Told = lambda lore, occasion: ()


def _wrong_name(lore: Lore, occasion: ScanContext) -> bool:
    wanted = lore.entry.character_filter
    if wanted is None or not wanted.names:
        return False
    names = (
        {occasion.character.file}
        if occasion.rules.name == "sillytavern"
        else {occasion.character.file, occasion.character.name}
    )
    return wanted.exclude is not names.isdisjoint(wanted.names)


def _wrong_tags(lore: Lore, occasion: ScanContext) -> bool:
    wanted = lore.entry.character_filter
    return (
        wanted is not None
        and bool(wanted.tags)
        and wanted.exclude is not set(wanted.tags).isdisjoint(occasion.character.tags)
    )


def _too_few_replies(lore: Lore, occasion: ScanContext) -> bool:
    after = lore.asked.activate_only_after
    return after is not None and occasion.replies < after


def _off_beat(lore: Lore, occasion: ScanContext) -> bool:
    every = lore.asked.activate_only_every
    return every is not None and every > 0 and occasion.replies % every != 0


def _other_greeting(lore: Lore, occasion: ScanContext) -> bool:
    return lore.asked.is_greeting is not None and lore.asked.is_greeting != occasion.greeting


def _other_icon(lore: Lore, occasion: ScanContext) -> bool:
    return lore.asked.is_user_icon is not None and lore.asked.is_user_icon != occasion.user_icon


GATES: tuple[EntryGate, ...] = (
    EntryGate("disabled", lambda lore, _: not lore.entry.enabled),
    EntryGate(
        "trigger",
        lambda lore, occasion: (
            bool(lore.entry.triggers) and occasion.trigger not in lore.entry.triggers
        ),
        lambda lore, occasion: (
            ("trigger", occasion.trigger),
            ("wanted", ", ".join(lore.entry.triggers)),
        ),
    ),
    EntryGate(
        "character", _wrong_name, lambda _, occasion: (("character", occasion.character.file),)
    ),
    EntryGate(
        "tags",
        _wrong_tags,
        lambda lore, _: (
            (
                "wanted",
                ", ".join(lore.entry.character_filter.tags if lore.entry.character_filter else ()),
            ),
        ),
    ),
    EntryGate(
        "delay",
        lambda lore, occasion: occasion.count < lore.entry.delay,
        lambda lore, occasion: (("messages", occasion.count), ("delay", lore.entry.delay)),
    ),
    EntryGate(
        "cooldown",
        lambda lore, occasion: (
            lore.id in occasion.running.cooldown and lore.id not in occasion.running.sticky
        ),
        lambda lore, _: (("cooldown", lore.entry.cooldown),),
    ),
    EntryGate("spent", lambda lore, occasion: lore.id in occasion.running.spent),
    EntryGate(
        "activate_only_after",
        _too_few_replies,
        lambda lore, occasion: (("replies", occasion.replies),),
    ),
    EntryGate(
        "activate_only_every", _off_beat, lambda lore, occasion: (("replies", occasion.replies),)
    ),
    EntryGate(
        "is_greeting", _other_greeting, lambda _, occasion: (("greeting", occasion.greeting),)
    ),
    EntryGate("is_user_icon", _other_icon),
)
"""Gates of the turn."""

STAGES = (
    *(gate.code for gate in GATES),
    "waits",
    "level",
    "excluded",
    "exclude_keys",
    "additional_keys",
    "dont_activate",
    "no_keys",
    "key",
    "secondary",
)
"""All gates in order: later ones are more informative when closed."""


class EntryEvaluation(NamedTuple):
    """Whether an entry is active, the code of the reason, and the deciding key, if any."""

    awake: bool
    code: str
    key: LoreKey | None = None


_DECIDES = {
    SelectiveLogic.AND_ANY: True,
    SelectiveLogic.NOT_ALL: False,
}  # no key behind it is asked


class EntryEvaluator:
    """Evaluates entries in the passes of one scan. `verdict` is fast, `reason` complete."""

    def __init__(
        self, occasion: ScanContext, visibility: ScanBuffer, index: LoreIndex, macros: Macros
    ) -> None:
        self._occasion, self._visibility, self._index, self._macros = (
            occasion,
            visibility,
            index,
            macros,
        )
        self._said: dict[
            tuple[int, int], EntryEvaluation
        ] = {}  # by rank and pass, of keys that change
        self._windows: dict[tuple[int, tuple[MatchSource, ...]], int] = {}  # without recursion text
        self._closed: dict[int, str | None] = {}

    def window(self, lore: Lore, turn: Pass) -> int:
        """The texts that the entry sees in this pass, as bits, or BLIND: of its depth, its sources, notes, recursion."""
        depth, buffer = turn.depth if lore.scan_depth is None else lore.scan_depth, self._visibility
        if depth <= 0 and self._occasion.rules.zero_depth_is_blind:
            return BLIND
        asked = depth, lore.entry.match_sources
        if asked not in self._windows:
            sources = sum(buffer.sources.get(source, 0) for source in lore.entry.match_sources)
            self._windows[asked] = buffer.recent(depth) | sources | buffer.injected
        return self._windows[asked] | turn.recursion

    def verdict(self, rank: int, turn: Pass) -> EntryEvaluation:
        """Whether the entry is a candidate in this pass."""
        lore = self._index.entries[rank]
        if closed := self._closed_gate(rank, lore, turn):
            return EntryEvaluation(False, closed)
        if lore.never or lore.also:
            window = self.window(lore, turn)
            if forbidden := next(
                (key for line in lore.never if (key := self._first(line, window))), None
            ):
                return EntryEvaluation(False, "exclude_keys", forbidden)
            if any(not self._first(line, window) for line in lore.also):
                return EntryEvaluation(False, "additional_keys")
        return self._woken(rank, lore, turn)

    def sticky(self, lore: Lore) -> bool:
        """Whether a running timer keeps the entry active."""
        return lore.id in self._occasion.running.sticky or lore.id in self._occasion.running.kept

    def _closed_gate(self, rank: int, lore: Lore, turn: Pass) -> str | None:
        if lore.gated:
            if rank not in self._closed:
                self._closed[rank] = next(
                    (gate.code for gate in GATES if gate.closed(lore, self._occasion)), None
                )
            if self._closed[rank]:
                return self._closed[rank]
        waits = lore.entry.delay_until_recursion
        if (not waits and not lore.excluded) or self.sticky(lore):
            return None
        if waits and turn.phase is not Phase.RECURSION:
            return "waits"
        if waits > turn.level:
            return "level"
        return (
            "excluded"
            if lore.excluded and turn.phase is Phase.RECURSION and self._occasion.recursive
            else None
        )

    def _woken(self, rank: int, lore: Lore, turn: Pass) -> EntryEvaluation:
        if lore.asked.activate:
            return EntryEvaluation(True, "activate")
        if lore.asked.dont_activate:
            return EntryEvaluation(False, "dont_activate")
        if lore.id in self._occasion.outside:
            return EntryEvaluation(True, "outside")
        if lore.constant:
            return EntryEvaluation(True, "constant")
        if self.sticky(lore):
            return EntryEvaluation(True, "sticky")
        return self._by_keys(rank, lore, turn)

    def _by_keys(self, rank: int, lore: Lore, turn: Pass) -> EntryEvaluation:
        if not lore.keys:
            return EntryEvaluation(False, "no_keys")
        window = self.window(lore, turn)
        if lore.changing:
            asked = rank, turn.number
            if asked not in self._said:
                self._said[asked] = self._by_changing_keys(lore, window)
            return self._said[asked]
        plain = window > 0 and self._visibility.heard.get(rank, 0) & window
        odd = None if plain or not lore.odd else self._first_odd(rank, lore, window)
        if not plain and odd is None:
            return EntryEvaluation(False, "key")
        if lore.secondary and not selective(
            lore.entry.selective_logic,
            [self._visibility.has(key, window) for key in lore.secondary],
        ):
            return EntryEvaluation(False, "secondary", odd)
        return EntryEvaluation(True, "key", odd)

    def _by_changing_keys(self, lore: Lore, window: int) -> EntryEvaluation:
        """The same if macros change between keys: keys are expanded one by one, no more than needed."""
        found = next((key for key in lore.keys if self._has_now(key, window)), None)
        if found is None:
            return EntryEvaluation(False, "key")
        logic, seen = lore.entry.selective_logic, list[bool]()
        for key in lore.secondary:
            seen.append(self._has_now(key, window))
            if seen[-1] is _DECIDES.get(logic):
                break
        return (
            EntryEvaluation(True, "key")
            if selective(logic, seen)
            else EntryEvaluation(False, "secondary")
        )

    def _has_now(self, key: LoreKey, window: int) -> bool:
        if key.kind is KeyKind.MACRO and key.looks is not None:
            key = read_said_key(key.text, self._macros.expand(key.text), key.looks)
            return self._visibility.has_anew(key, window)
        return self._visibility.has(key, window)

    def _first_odd(self, rank: int, lore: Lore, window: int) -> LoreKey | None:
        hinted = window > 0 and self._visibility.hinted.get(rank, 0) & window
        return self._first([key for key in lore.odd if hinted or key.hint is None], window)

    def _first(self, keys: Sequence[LoreKey], window: int) -> LoreKey | None:
        return next((key for key in keys if self._visibility.has(key, window)), None)

    def score(self, lore: Lore, turn: Pass) -> int:
        """The number of its keys seen, for group scoring. Source: spec/worldinfo.md 4.6."""
        window = self.window(lore, turn)
        primary, secondary = lore.scored
        if not primary:
            return 0
        seen = [self._visibility.has(key, window) for key in secondary]
        counts = lore.entry.selective_logic == "and_any" or (
            lore.entry.selective_logic == "and_all" and all(seen)
        )
        return sum(self._visibility.has(key, window) for key in primary) + (
            sum(seen) if counts else 0
        )

    def reason(self, verdict: EntryEvaluation, lore: Lore, turn: Pass) -> Reason:
        """The verdict with its values, and the place of the key."""
        if gate := _BY_CODE.get(verdict.code):
            return Reason(gate.code, gate.told(lore, self._occasion))
        window = self.window(lore, turn)
        if verdict.code == "level":
            return Reason(
                "level", (("level", turn.level), ("waits_for", lore.entry.delay_until_recursion))
            )
        if verdict.code == "additional_keys":
            missing = next((line for line in lore.also if not self._first(line, window)), ())
            return Reason("additional_keys", (("keys", ", ".join(key.text for key in missing)),))
        key = verdict.key if verdict.code in ("exclude_keys", "key", "secondary") else None
        if verdict.code == "secondary" or (verdict.code == "key" and verdict.awake):
            key = self._first(lore.keys, window)
        if key is None:
            return Reason(verdict.code)
        seen = ", ".join(one.text for one in lore.secondary if self._visibility.has(one, window))
        logic = (
            (("logic", lore.entry.selective_logic.value), ("seen", seen)) if lore.secondary else ()
        )
        return Reason(verdict.code, (("key", key.text), *logic), self._visibility.span(key, window))


_BY_CODE = {gate.code: gate for gate in GATES}
