"""Whether an entry is a candidate in a pass: gates in the order they are asked, then what may wake it. Source: spec/worldinfo.md 4.3.

The first closed gate decides. Gates of the turn give one answer for the whole scan; gates of the pass may open later.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.keys import Key
from rolememory.recall.lore.rules import Rules
from rolememory.recall.lore.sight import Sight, Windows
from rolememory.recall.lore.timers import Running
from rolememory.schema.evidence import Reason, Value
from rolememory.schema.role import Character
from rolememory.text.selective import selective


class Phase(Enum):
    """What a pass looks for."""

    INITIAL = "initial"
    RECURSION = "recursion"  # texts of the entries found so far count too
    WIDENING = "widening"  # one message further back, without those texts


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a scan knows beside the texts."""

    rules: Rules
    character: Character
    running: Running
    count: int  # visible messages
    replies: int  # those of the character
    trigger: str = "normal"  # kind of generation
    recursive: bool = True
    outside: frozenset[str] = frozenset()  # ids activated from outside: by meaning, by another engine
    greeting: int = 0  # which greeting the chat began with
    user_icon: str = ""


@dataclass(frozen=True, slots=True)
class Pass:
    """One walk over the entries."""

    number: int  # from 1
    phase: Phase
    level: int  # delayed entries up to this level may be looked at
    depth: int  # widened scan depth
    recursion: int  # window of the recursion blocks that count


Closed = Callable[[Lore, Occasion], bool]
Told = Callable[[Lore, Occasion], tuple[tuple[str, Value], ...]]


@dataclass(frozen=True, slots=True)
class Gate:
    """One question; `told` says the numbers behind a closed one."""

    code: str
    closed: Closed
    told: Told = lambda lore, occasion: ()


def _wrong_name(lore: Lore, occasion: Occasion) -> bool:
    wanted = lore.entry.character_filter
    if wanted is None or not wanted.names:
        return False
    names = {occasion.character.file} if occasion.rules.name == "sillytavern" else {occasion.character.file, occasion.character.name}
    return wanted.exclude is not names.isdisjoint(wanted.names)


def _wrong_tags(lore: Lore, occasion: Occasion) -> bool:
    wanted = lore.entry.character_filter
    return wanted is not None and bool(wanted.tags) and wanted.exclude is not set(wanted.tags).isdisjoint(occasion.character.tags)


def _too_few_replies(lore: Lore, occasion: Occasion) -> bool:
    after = lore.asked.activate_only_after
    return after is not None and occasion.replies < after


def _off_beat(lore: Lore, occasion: Occasion) -> bool:
    every = lore.asked.activate_only_every
    return every is not None and every > 0 and occasion.replies % every != 0


def _other_greeting(lore: Lore, occasion: Occasion) -> bool:
    return lore.asked.is_greeting is not None and lore.asked.is_greeting != occasion.greeting


def _other_icon(lore: Lore, occasion: Occasion) -> bool:
    return lore.asked.is_user_icon is not None and lore.asked.is_user_icon != occasion.user_icon


GATES: tuple[Gate, ...] = (
    Gate("disabled", lambda lore, _: not lore.entry.enabled),
    Gate(
        "trigger",
        lambda lore, occasion: bool(lore.entry.triggers) and occasion.trigger not in lore.entry.triggers,
        lambda lore, occasion: (("trigger", occasion.trigger), ("wanted", ", ".join(lore.entry.triggers))),
    ),
    Gate("character", _wrong_name, lambda _, occasion: (("character", occasion.character.file),)),
    Gate(
        "tags",
        _wrong_tags,
        lambda lore, _: (("wanted", ", ".join(lore.entry.character_filter.tags if lore.entry.character_filter else ())),),
    ),
    Gate(
        "delay",
        lambda lore, occasion: occasion.count < lore.entry.delay,
        lambda lore, occasion: (("messages", occasion.count), ("delay", lore.entry.delay)),
    ),
    Gate(
        "cooldown",
        lambda lore, occasion: lore.id in occasion.running.cooldown and lore.id not in occasion.running.sticky,
        lambda lore, _: (("cooldown", lore.entry.cooldown),),
    ),
    Gate("spent", lambda lore, occasion: lore.id in occasion.running.spent),
    Gate("activate_only_after", _too_few_replies, lambda lore, occasion: (("replies", occasion.replies),)),
    Gate("activate_only_every", _off_beat, lambda lore, occasion: (("replies", occasion.replies),)),
    Gate("is_greeting", _other_greeting, lambda _, occasion: (("greeting", occasion.greeting),)),
    Gate("is_user_icon", _other_icon),
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
"""All gates in order: the further an entry came, the more a closed one says about it."""


def closed_for_turn(lore: Lore, occasion: Occasion) -> Reason | None:
    """The first gate of the turn that is closed."""
    for gate in GATES:
        if gate.closed(lore, occasion):
            return Reason(gate.code, gate.told(lore, occasion))
    return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Awake or not, and why."""

    awake: bool
    why: Reason


class Judge:
    """Asks entries in the passes of one scan."""

    def __init__(self, occasion: Occasion, sight: Sight) -> None:
        self._occasion, self._sight = occasion, sight
        self._windows = Windows(occasion.rules, sight)
        self._closed: dict[str, Reason | None] = {}

    def window(self, lore: Lore, turn: Pass) -> int:
        """What the entry sees in this pass."""
        return self._windows.window(lore, turn.depth, turn.recursion)

    def verdict(self, lore: Lore, turn: Pass) -> Verdict:
        """Whether the entry is a candidate in this pass."""
        if lore.id not in self._closed:
            self._closed[lore.id] = closed_for_turn(lore, self._occasion)
        closed = self._closed[lore.id] or self._closed_for_pass(lore, turn) or self._closed_by_keys(lore, turn)
        return Verdict(False, closed) if closed else self._woken(lore, turn)

    def sticky(self, lore: Lore) -> bool:
        """Whether a running timer keeps the entry awake."""
        return lore.id in self._occasion.running.sticky or lore.id in self._occasion.running.kept

    def _closed_for_pass(self, lore: Lore, turn: Pass) -> Reason | None:
        waits = lore.entry.delay_until_recursion
        if (not waits and not lore.excluded) or self.sticky(lore):
            return None
        if waits and turn.phase is not Phase.RECURSION:
            return Reason("waits")
        if waits > turn.level:
            return Reason("level", (("level", turn.level), ("waits_for", waits)))
        if lore.excluded and turn.phase is Phase.RECURSION and self._occasion.recursive:
            return Reason("excluded")
        return None

    def _closed_by_keys(self, lore: Lore, turn: Pass) -> Reason | None:
        """What the decorators exclude_keys and additional_keys say."""
        if not lore.never and not lore.also:
            return None
        window = self.window(lore, turn)
        for line in lore.never:
            if key := self._first(line, window):
                return Reason("exclude_keys", (("key", key.text),), self._sight.span(key, window))
        missing = next((line for line in lore.also if not self._first(line, window)), None)
        return Reason("additional_keys", (("keys", ", ".join(key.text for key in missing)),)) if missing else None

    def _woken(self, lore: Lore, turn: Pass) -> Verdict:
        if lore.asked.activate:
            return Verdict(True, Reason("activate"))
        if lore.asked.dont_activate:
            return Verdict(False, Reason("dont_activate"))
        if lore.id in self._occasion.outside:
            return Verdict(True, Reason("outside"))
        if lore.constant:
            return Verdict(True, Reason("constant"))
        if self.sticky(lore):
            return Verdict(True, Reason("sticky"))
        return self._by_keys(lore, self.window(lore, turn))

    def _by_keys(self, lore: Lore, window: int) -> Verdict:
        if not lore.keys:
            return Verdict(False, Reason("no_keys"))
        key = self._first(lore.keys, window)
        if key is None:
            return Verdict(False, Reason("key"))
        seen = [self._sight.has(one, window) for one in lore.secondary]
        if not selective(lore.entry.selective_logic, seen):
            known = tuple(one.text for one, is_seen in zip(lore.secondary, seen, strict=True) if is_seen)
            told = ("key", key.text), ("logic", lore.entry.selective_logic.value), ("seen", ", ".join(known))
            return Verdict(False, Reason("secondary", told, self._sight.span(key, window)))
        return Verdict(True, Reason("key", (("key", key.text),), self._sight.span(key, window)))

    def _first(self, keys: Sequence[Key], window: int) -> Key | None:
        return next((key for key in keys if self._sight.has(key, window)), None)

    def score(self, lore: Lore, turn: Pass) -> int:
        """How many of its keys are seen, as groups compare them. Source: spec/worldinfo.md 4.6."""
        window = self.window(lore, turn)
        primary, secondary = lore.scored
        if not primary:
            return 0
        seen = [self._sight.has(key, window) for key in secondary]
        counts = lore.entry.selective_logic == "and_any" or (lore.entry.selective_logic == "and_all" and all(seen))
        return sum(self._sight.has(key, window) for key in primary) + (sum(seen) if counts else 0)
