"""The protocol of strategies, and their registry by name."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Protocol

from rolememory.errors import RegistrationError, UnknownTriggerError
from rolememory.plugins import plugins
from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit
from rolememory.schema.memory import glimpsed, is_unread
from rolememory.schema.scene import Feeling, Scene
from rolememory.schema.settings import StrategySettings, TriggerSettings
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import Doubles, Mask
from rolememory.text.postings import text_digest
from rolememory.text.terms import TermIndex
from rolememory.triggers.table import ArrayColumn, Table, TableEvidence

ENTRY_POINT_GROUP = "rolememory.triggers"


Derive = Callable[[str, Sequence[str], Callable[[str], Any]], list[Any]]
"""(kind, texts, function) -> the function's value for each text; may be cached by kind."""


def anew(_: str, texts: Sequence[str], make: Callable[[str], Any]) -> list[Any]:
    """A `Derive` without a cache."""
    return [make(text) for text in texts]


@value_class
class Parts:
    """Dependencies of strategies. Indexes are updated by their owner; a strategy only reads them."""

    settings: TriggerSettings = field(default_factory=TriggerSettings)
    candidates: int = 200  # how many entries the semantic strategy may wake
    keys: Any = None  # text.keys.KeyIndex over the entries' keys
    terms: TermIndex | None = None  # text.terms.TermIndex over the entries' contents
    vectors: Any = None  # text.vectors.VectorTable, or None while there is no model
    feelings: Mapping[str, Feeling] = field(default_factory=dict)  # of each entry's content, by id
    patterns: Any = (
        None  # text.pattern.Quarantine: regex keys that timed out too often, kept by the owner
    )
    told_at_turns: "Callable[[Doubles], Doubles] | None" = (
        None  # the story clock: user turns the timeline had at those moments (seconds)
    )
    table: Table | None = None  # the entries in columns, for strategies that follow them by rows
    derive: Derive = anew  # finds out about texts, or remembers
    felt: Derive = anew  # the same about what is felt in them, which a home's own words decide too

    def own(self, name: str) -> StrategySettings:
        """The settings of the strategy with this name; a third party's come from `triggers.others`."""
        known = getattr(self.settings, name, None)
        return (
            known
            if isinstance(known, StrategySettings)
            else self.settings.others.get(name, StrategySettings())
        )


class Trigger(Protocol):
    """A strategy. Built once for a set of entries, then asked every turn; holds nothing that a turn changes."""

    name: ClassVar[str]
    activates: ClassVar[bool]  # may it wake an entry, or only weigh one that is awake?

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield evidence for entries whose id is in `among`: at most one hit each, in any order.

        An activating strategy gets all eligible ids (a frozenset, the same object while nothing changes) and gives
        strengths in 0..1; a weighing one gets the active ids and gives strengths in -1..1, 0 or no hit = neutral.
        A strategy may do both: it then activates with `fire` and weighs with an optional method `weigh(scene, among)`.
        """
        ...


class ByRows:
    """A strategy that reads a table and follows its changes row by row, so that a write costs what it changes.

    It reads the whole table, `_listen`s, and is then notified of each change; `fire` is derived from `find`. Without a
    table in the parts it creates one.
    """

    name: ClassVar[str]

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        self.table = Table(entries) if parts.table is None else parts.table

    def _listen(self) -> None:
        """Read the table and follow it; call it last in `__init__`."""
        self.add(self.table.rows)
        self.table.follow(self)

    def add(self, rows: Sequence[int]) -> None:
        """Read these rows, whose candidates are new to this strategy."""

    def remove(self, rows: Sequence[int]) -> None:
        """Forget these rows, which still have their candidates."""

    def _note_open(self, opened: ArrayColumn, rows: Sequence[int]) -> None:
        """Note in a column whether this strategy may activate the candidates in these rows."""
        special = self.table.special(rows)
        opened.grow(self.table.n_rows)
        opened[rows] = True
        opened[special] = [may_wake(one, self.name) for one in self.table.entries(special)]

    def read_ahead(self, most: int | None = None) -> None:
        """Read now what would be read lazily, unless that is more than `most` rows."""

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """Evidence for candidates whose row is in the mask; strengths as `fire` gives them."""
        raise NotImplementedError

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield the evidence of `find` as hits, for ids."""
        return self.find(scene, self.table.among(among).mask).hits(self.table, self.name)


Factory = Callable[[Sequence[Entry], Parts], Trigger]
TRIGGERS: dict[str, Factory] = {}


def register(name: str) -> Callable[[Factory], Factory]:
    """Register a strategy by name; third-party packages use an entry point."""

    def add(factory: Factory) -> Factory:
        if TRIGGERS.setdefault(name, factory) is not factory:
            raise RegistrationError(
                "trigger {name!r} is registered twice; choose another name", name=name
            )
        return factory

    return add


def third_party() -> dict[str, Factory]:
    """Strategies of other installed packages, by entry point name (group `rolememory.triggers`)."""
    return plugins(ENTRY_POINT_GROUP)


def may_wake(entry: Entry, name: str) -> bool:
    """Whether the strategy of that name may wake the entry: a memory's `triggers` name those that may, none named = all.

    >>> may_wake(Entry(id="lighthouse", content="The beacon is dark."), "keyword")
    True
    """
    named: tuple[str, ...] = getattr(entry, "triggers", ())
    return not named or name in named


def content_digests(entries: Sequence[Entry], terms: TermIndex | None) -> list[str]:
    """Digests of the contents of entries. Those of unread memories are taken from the term index."""
    lying = [one.id for one in entries if is_unread(one)]
    told = terms.digests(lying) if terms is not None and lying else [b""] * len(lying)
    known = dict(zip(lying, told, strict=True))
    return [(known.get(one.id) or text_digest(glimpsed(one).content)).hex() for one in entries]


def factory(name: str) -> Factory:
    """The strategy of that name.

    Raises:
        UnknownTriggerError: it is not registered.
    """
    found = TRIGGERS.get(name) or third_party().get(name)
    if found is None:
        raise UnknownTriggerError(name, [*TRIGGERS, *third_party()])
    return found
