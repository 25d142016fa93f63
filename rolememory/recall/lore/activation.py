"""Input and result of a scan: plain values, so that a turn can be shown, stored and replayed."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from rolememory.recall.lore.gates import Pass
from rolememory.recall.lore.index import Lore
from rolememory.recall.lore.place import LorePlacement
from rolememory.recall.lore.scan_buffer import ScanTexts
from rolememory.schema.evidence import Reason, Refusal
from rolememory.schema.lorebook import LoreEntry, TimedState
from rolememory.schema.role import Character
from rolememory.schema.scene import Segment
from rolememory.schema.value_class import value_class
from rolememory.text.macros import Macros, Variables


@value_class
class LoreScene:
    """One generation as lore sees it."""

    texts: ScanTexts
    character: Character = field(default_factory=Character)
    state: TimedState = field(default_factory=TimedState)
    macros: Macros = field(default_factory=Macros)
    trigger: str = (
        "normal"  # kind of generation: normal, continue, impersonate, swipe, regenerate, quiet
    )
    outside: frozenset[str] = frozenset()  # ids of entries activated from outside, by meaning
    author_note: str | None = None  # the note, if it is due in this generation
    context_tokens: int = 8192
    greeting: int = 0  # which greeting the chat began with, 0 = the first
    user_icon: str = ""
    dry_run: bool = False  # a preview: sticky and cooldown are neither read nor written


@value_class
class Awake:
    """An activated entry."""

    lore: Lore
    content: str  # without decorators, macros said
    why: Reason  # key, constant, sticky, outside or activate; with the place of the key
    in_pass: int  # from 1
    tokens: int

    @property
    def id(self) -> str:
        """Its id among all books."""
        return self.lore.id

    @property
    def entry(self) -> LoreEntry:
        """The entry itself."""
        return self.lore.entry


@value_class
class PassTrace:
    """The trace of one pass: candidates, and activated entries."""

    turn: Pass
    candidates: tuple[str, ...]
    admitted: tuple[str, ...]


@value_class
class Activation:
    """The result of a scan."""

    awake: tuple[Awake, ...]  # in the order of activation
    placement: LorePlacement
    state: TimedState
    variables: Variables  # of the chat, as the macros of this scan left them
    budget: int  # tokens
    used: int
    overflowed: bool  # something did not fit
    rolls: int  # how often chance decided
    passes: tuple[PassTrace, ...]
    segments: tuple[Segment, ...] = ()  # what spans count in
    refused: Mapping[str, Reason] = field(
        default_factory=dict
    )  # candidates that lost: to their group, to chance, to the budget
    notes: tuple[str, ...] = ()
    _why_not: Callable[[str, bool], Refusal | None] | None = field(
        default=None, repr=False, compare=False
    )

    def explain(self, lore_id: str, *, remedy: bool = True) -> Refusal | None:
        """Why this entry is not in the prompt: the first closed gate of the pass in which it came furthest; None if it is.

        `remedy` searches for the change that would activate it, at the cost of some scans.

        Raises:
            UnknownNameError: there is no such entry.
        """
        return self._why_not(lore_id, remedy) if self._why_not else None

    def bare(self) -> "Activation":
        """The result without the scan; `explain` no longer works."""
        return replace(self, passes=(), segments=(), refused={}, _why_not=None)
