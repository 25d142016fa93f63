"""The one protocol of all strategies, and the registry that knows them by name."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Protocol

from rolememory.errors import RegistrationError, UnknownTriggerError
from rolememory.plugins import plugins
from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit
from rolememory.schema.memory import glimpsed, unread
from rolememory.schema.scene import Feeling, Scene
from rolememory.schema.settings import StrategySettings, TriggerSettings
from rolememory.schema.value_class import value_class
from rolememory.text.arrays import Doubles, Mask
from rolememory.text.postings import text_digest
from rolememory.text.terms import TermIndex
from rolememory.triggers.table import ArrayColumn, Table, TableEvidence

ENTRY_POINT_GROUP = "rolememory.triggers"


Derive = Callable[[str, Sequence[str], Callable[[str], Any]], list[Any]]
"""What a function finds out about each of some texts; a kind of finding may be remembered under its name."""


def anew(_: str, texts: Sequence[str], make: Callable[[str], Any]) -> list[Any]:
    """A `Derive` that remembers nothing."""
    return [make(text) for text in texts]


@value_class
class Parts:
    """What strategies are built with. Indexes are kept up to date by their owner; a strategy only reads them."""

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

        A waking strategy gets all eligible ids (a frozenset, the same object while nothing changes) and gives
        strengths in 0..1; a weighing one gets the awake ids and gives strengths in -1..1, 0 or no hit = neutral.
        A strategy may do both: it then wakes with `fire` and weighs with an optional method `weigh(scene, among)`.
        """
        ...


class ByRows:
    """A strategy that reads a table and follows its changes row by row, so that a write costs what it changes.

    It reads all that the table holds, `_listen`s, and is then told of each change; `fire` is made of `find`. Built
    without a table in the parts it gets one of its own.
    """

    name: ClassVar[str]

    def __init__(self, entries: Sequence[Entry], parts: Parts) -> None:
        self.table = Table(entries) if parts.table is None else parts.table

    def _listen(self) -> None:
        """Read the table and follow it; the last thing that building does."""
        self.add(self.table.rows)
        self.table.follow(self)

    def add(self, rows: Sequence[int]) -> None:
        """Read these rows: what stands in them is new to this strategy."""

    def remove(self, rows: Sequence[int]) -> None:
        """Forget these rows; what stood in them still does."""

    def _note_open(self, opened: ArrayColumn, rows: Sequence[int]) -> None:
        """Note in a column whether this strategy may wake what stands in these rows."""
        special = self.table.special(rows)
        opened.grow(self.table.n_rows)
        opened[rows] = True
        opened[special] = [may_wake(one, self.name) for one in self.table.entries(special)]

    def read_ahead(self, most: int | None = None) -> None:
        """Read now what would be read when it is first asked for, unless that is more than so many rows."""

    def find(self, scene: Scene, among: Mask) -> TableEvidence:
        """Evidence for candidates whose row is in the mask; strengths as `fire` gives them."""
        raise NotImplementedError

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        """Yield the same as hits, for ids."""
        return self.find(scene, self.table.among(among).mask).hits(self.table, self.name)


Factory = Callable[[Sequence[Entry], Parts], Trigger]
TRIGGERS: dict[str, Factory] = {}


def register(name: str) -> Callable[[Factory], Factory]:
    """Make a strategy known by name; a third-party package does the same through an entry point."""

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
    """What tells the contents of entries apart. The words' index was told it of those that lie in their file still: these are plain."""
    lying = [one.id for one in entries if unread(one)]
    told = terms.digests(lying) if terms is not None and lying else [b""] * len(lying)
    known = dict(zip(lying, told, strict=True))
    return [(known.get(one.id) or text_digest(glimpsed(one).content)).hex() for one in entries]


def factory(name: str) -> Factory:
    """The strategy of that name.

    Raises:
        UnknownTriggerError: nobody registered it.
    """
    found = TRIGGERS.get(name) or third_party().get(name)
    if found is None:
        raise UnknownTriggerError(name, [*TRIGGERS, *third_party()])
    return found
