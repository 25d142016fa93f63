"""The index of books for scanning: entries in visiting order, their keys, and key owners. Immutable.

Source: spec/worldinfo.md 3. The order of the list decides visiting, groups and budget, not where a text stands.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from rolememory.cards.sillytavern import as_scripted
from rolememory.recall.lore.keys import (
    KeyKind,
    Looks,
    LoreKey,
    read_key,
    read_raw_key,
    read_said_key,
)
from rolememory.recall.lore.rules import LoreRules, rules_named
from rolememory.schema.lorebook import BookSource, Lorebook, LoreEntry, lore_id
from rolememory.schema.settings import ScanSettings
from rolememory.text.decorators import NONE, Decorators, read_card, read_sillytavern
from rolememory.text.keys import KeyIndex, KeySpec
from rolememory.text.macros import Macros, is_settled

_KEPT_VOICES = 8  # how many sets of names keep their index
_KEPT_TEXTS = 2048
_NOBODY: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Lore:
    """One entry, prepared."""

    id: str
    book: Lorebook
    entry: LoreEntry
    content: str  # without decorators
    asked: Decorators
    keys: tuple[LoreKey, ...]
    secondary: tuple[LoreKey, ...]  # empty = nothing to ask
    scored: tuple[
        tuple[LoreKey, ...], tuple[LoreKey, ...]
    ]  # primary and secondary keys as scores of groups count them
    also: tuple[tuple[LoreKey, ...], ...] = ()  # of each one must be seen
    never: tuple[tuple[LoreKey, ...], ...] = ()  # of these none may
    scan_depth: int | None = None
    constant: bool = False
    excluded: bool = False  # not looked at in recursion passes
    silent: bool = False  # wakes no others
    gated: bool = True  # whether any gate of the turn could be closed for it
    odd: tuple[LoreKey, ...] = ()  # those of `keys` that the automaton does not find

    @property
    def changing(self) -> bool:
        """Whether a key has macros that are expanded at each check."""
        return any(key.kind is KeyKind.MACRO for key in (*self.odd, *self.secondary))

    @property
    def fingerprint(self) -> str:
        """Changes with any field of the entry."""
        return self.entry.fingerprint(self.book.name)

    def all_keys(self) -> Iterable[LoreKey]:
        """Every key that may be searched."""
        for some in (self.keys, self.secondary, *self.scored, *self.also, *self.never):
            yield from some


class LoreIndex:
    """The index for scans. `updated` gives a new index that shares what did not change."""

    def __init__(
        self,
        books: Iterable[Lorebook],
        settings: ScanSettings | None = None,
        *,
        _known: Mapping[str, Lore] | None = None,
    ) -> None:
        self.settings = settings or ScanSettings()
        self.rules: LoreRules = rules_named(self.settings.rules)
        self.books = once(books)
        self.entries = tuple(
            _prepared(book, entry, self, _known or {})
            for book, entry in listed(self.books, self.rules, self.settings)
        )
        self.rank = {lore.id: rank for rank, lore in enumerate(self.entries)}
        self._voices: dict[tuple[str, ...], LoreIndex] = {}
        self.heard = lru_cache(maxsize=_KEPT_TEXTS)(self._heard)

    @cached_property
    def keys(self) -> KeyIndex:
        """The search index of all plain keys."""
        return KeyIndex(self.specs)

    @cached_property
    def specs(self) -> frozenset[KeySpec]:
        """Every plain key of the books."""
        every = (key for lore in self.entries for key in lore.all_keys())
        return frozenset(
            spec for key in every if (spec := key.spec if key.kind is KeyKind.PLAIN else key.hint)
        )

    @cached_property
    def owners(self) -> Mapping[KeySpec, tuple[int, ...]]:
        """For each plain key the ranks of the entries that have it as a primary key."""
        return _owners(self.entries, lambda key: key.spec if key.kind is KeyKind.PLAIN else None)

    @cached_property
    def hinted(self) -> Mapping[KeySpec, tuple[int, ...]]:
        """For each hint the ranks of the entries with a pattern that may match where it stands."""
        return _owners(self.entries, lambda key: key.hint)

    def _heard(self, text: str) -> tuple[frozenset[int], frozenset[int]]:
        """Ranks of the entries with a primary key in the text, and with a hint in it. Kept for texts met lately (`heard`)."""
        found, owners, hinted = self.keys.read(text), self.owners, self.hinted
        told = frozenset(rank for spec in found for rank in owners.get(spec, ()))
        return told, frozenset(
            rank for spec in found for rank in hinted.get(spec, ())
        ) if hinted else _NOBODY

    @cached_property
    def unkeyed(self) -> tuple[int, ...]:
        """Ranks of entries not found by an automaton: constant, decorated, or with other kinds of keys."""
        return tuple(rank for rank, lore in enumerate(self.entries) if _unkeyed(lore))

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The levels at which delayed entries wait, ascending."""
        return tuple(sorted({lore.entry.delay_until_recursion for lore in self.entries} - {0}))

    @cached_property
    def deepest(self) -> int:
        """The greatest scan depth of an entry's own."""
        return max(
            (lore.scan_depth for lore in self.entries if lore.scan_depth is not None), default=0
        )

    @cached_property
    def macro_keys(self) -> tuple[LoreKey, ...]:
        """Keys with macros that are constant during a turn."""
        return tuple(
            key
            for lore in self.entries
            for key in lore.all_keys()
            if key.kind is KeyKind.MACRO and is_settled(key.text)
        )

    @cached_property
    def changing(self) -> bool:
        """Whether macros in keys change between passes, or have side effects: then order matters."""
        return any(lore.changing for lore in self.entries)

    def lore(self, lore_id: str) -> Lore | None:
        """The entry with this id."""
        rank = self.rank.get(lore_id)
        return None if rank is None else self.entries[rank]

    def updated(self, books: Iterable[Lorebook]) -> "LoreIndex":
        """The index of these books; reuses unchanged entries and large automata."""
        fresh = LoreIndex(books, self.settings, _known={lore.id: lore for lore in self.entries})
        fresh.__dict__["keys"] = self.keys.updated(
            fresh.specs - self.specs, self.specs - fresh.specs
        )
        return fresh

    def speaking(self, macros: Macros) -> "LoreIndex":
        """The index with macros in keys expanded; itself without any."""
        if not self.macro_keys:
            return self
        said = tuple(macros.expand(key.text) for key in self.macro_keys)
        if said not in self._voices:
            while len(self._voices) >= _KEPT_VOICES:
                self._voices.pop(next(iter(self._voices)), None)
            self._voices[said] = self._saying(dict(zip(self.macro_keys, said, strict=True)))
        return self._voices[said]

    def _saying(self, said: Mapping[LoreKey, str]) -> "LoreIndex":
        fresh = LoreIndex((), self.settings)
        fresh.books, fresh.rank = self.books, self.rank
        fresh.entries = tuple(_said(lore, said) for lore in self.entries)
        fresh.__dict__["keys"] = self.keys.updated(fresh.specs - self.specs)
        return fresh


def once(books: Iterable[Lorebook]) -> tuple[Lorebook, ...]:
    """Every named book once: global beats chat beats persona, and a character's book comes last."""
    given = list(books)
    order = (BookSource.GLOBAL, BookSource.CHAT, BookSource.PERSONA, BookSource.CHARACTER)
    taken: set[str] = set()
    kept: list[Lorebook] = []
    for book in sorted(given, key=lambda book: order.index(book.source)):
        if not book.name or book.name not in taken:
            kept.append(book)
            taken.add(book.name)
    return tuple(kept)


def listed(
    books: Sequence[Lorebook], rules: LoreRules, settings: ScanSettings
) -> list[tuple[Lorebook, LoreEntry]]:
    """All entries in visiting order: chat, persona, then by strategy; inside each by descending order, ties as in the file."""

    def of(*sources: BookSource) -> list[tuple[Lorebook, LoreEntry]]:
        found = [
            (book, as_scripted(entry) if rules.as_scripted else entry)
            for source in sources
            for book in books
            if book.source is source
            for entry in book.entries
        ]
        return sorted(found, key=lambda pair: -_precedence(pair[1], rules))

    strategies: dict[str, list[tuple[BookSource, ...]]] = {
        "evenly": [(BookSource.GLOBAL, BookSource.CHARACTER)],
        "character_first": [(BookSource.CHARACTER,), (BookSource.GLOBAL,)],
        "global_first": [(BookSource.GLOBAL,), (BookSource.CHARACTER,)],
    }
    order = [(BookSource.CHAT,), (BookSource.PERSONA,), *strategies[settings.insertion_strategy]]
    return [pair for sources in order for pair in of(*sources)]


def _precedence(entry: LoreEntry, rules: LoreRules) -> float:
    return (
        entry.priority
        if rules.card_fields and entry.priority is not None
        else entry.insertion_order
    )


def _prepared(
    book: Lorebook, entry: LoreEntry, index: LoreIndex, known: Mapping[str, Lore]
) -> Lore:
    name = lore_id(book.name, entry.id)
    if (lore := known.get(name)) and lore.entry is entry and lore.book is book:
        return lore
    if lore and lore.entry == entry and _same_frame(lore.book, book):
        return replace(lore, book=book, entry=entry)
    return prepare(book, entry, index.rules, index.settings)


def _same_frame(one: Lorebook, other: Lorebook) -> bool:
    return (one.scan_depth, one.recursive_scanning, one.name) == (
        other.scan_depth,
        other.recursive_scanning,
        other.name,
    )


def prepare(book: Lorebook, entry: LoreEntry, rules: LoreRules, settings: ScanSettings) -> Lore:
    """One entry with its keys and decorators read."""
    looks = Looks.of(entry, rules, settings)
    asked, content = (
        read_card(entry.content) if rules.all_decorators else read_sillytavern(entry.content)
    )
    patterns_only = looks.use_regex is True
    keys = tuple(read_key(key, looks) for key in entry.keys)
    secondary = tuple(read_key(key, looks) for key in entry.secondary_keys)
    if rules.card_fields:
        keys, secondary = (
            tuple(key for key in some if key.text.strip()) for some in (keys, secondary)
        )
    still = rules.card_fields and book.recursive_scanning is False
    return Lore(
        id=lore_id(book.name, entry.id),
        book=book,
        entry=entry,
        content=content,
        asked=asked,
        keys=keys,
        secondary=secondary if entry.selective and not patterns_only else (),
        scored=_scored(entry, keys, secondary, looks),
        also=tuple(tuple(read_key(key, looks) for key in line) for line in asked.additional_keys),
        never=tuple(tuple(read_key(key, looks) for key in line) for line in asked.exclude_keys),
        scan_depth=_first(
            asked.scan_depth, entry.scan_depth, book.scan_depth if rules.card_fields else None
        ),
        constant=entry.constant and not patterns_only,
        excluded=entry.exclude_recursion or still,
        silent=entry.prevent_recursion or still,
        gated=_gated(entry, asked),
        odd=_odd(keys),
    )


def _gated(entry: LoreEntry, asked: Decorators) -> bool:
    """Whether any gate could be closed, by the fields that gates use."""
    limits = entry.triggers or entry.character_filter or entry.delay or entry.cooldown
    return not entry.enabled or bool(limits) or asked is not NONE


def _scored(
    entry: LoreEntry, keys: tuple[LoreKey, ...], secondary: tuple[LoreKey, ...], looks: Looks
) -> tuple[tuple[LoreKey, ...], tuple[LoreKey, ...]]:
    """The keys as scores count them: raw under exact rules, so blanks and macros are part of them."""
    if not entry.group:
        return (), ()
    if not looks.rules.group_quirks:
        return keys, secondary
    named = (
        not entry.raw or entry.raw.get("selectiveLogic") is not None
    )  # only then do secondary keys count
    counted = entry.secondary_keys if named else ()
    return tuple(read_raw_key(key, looks) for key in entry.keys), tuple(
        read_raw_key(key, looks) for key in counted
    )


def _said(lore: Lore, said: Mapping[LoreKey, str]) -> Lore:
    def voiced(some: tuple[LoreKey, ...]) -> tuple[LoreKey, ...]:
        return tuple(
            read_said_key(key.text, said[key], key.looks) if key.looks and key in said else key
            for key in some
        )

    if all(key.kind is not KeyKind.MACRO for key in lore.all_keys()):
        return lore
    keys = voiced(lore.keys)
    return replace(
        lore,
        keys=keys,
        odd=_odd(keys),
        secondary=voiced(lore.secondary),
        scored=(voiced(lore.scored[0]), voiced(lore.scored[1])),
        also=tuple(voiced(line) for line in lore.also),
        never=tuple(voiced(line) for line in lore.never),
    )


def _owners(
    entries: Sequence[Lore], spec_of: Callable[[LoreKey], KeySpec | None]
) -> dict[KeySpec, tuple[int, ...]]:
    owners: dict[KeySpec, list[int]] = {}
    for rank, lore in enumerate(entries):
        for key in lore.keys:
            if spec := spec_of(key):
                owners.setdefault(spec, []).append(rank)
    return {spec: tuple(ranks) for spec, ranks in owners.items()}


def _odd(keys: tuple[LoreKey, ...]) -> tuple[LoreKey, ...]:
    return tuple(
        key for key in keys if key.kind is not KeyKind.PLAIN and key.kind is not KeyKind.NEVER
    )


def _unkeyed(lore: Lore) -> bool:
    return any(key.hint is None for key in lore.odd) or lore.constant or lore.asked.activate


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)
