"""Runs the expectations against every fault and reports the faults that none noticed, and what no case covers."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rolememory.authoring.books import BookFile
from rolememory.authoring.expectation_run import BookRunner, failures
from rolememory.authoring.expectations import ExpectationCase
from rolememory.authoring.lint.recursion import hears
from rolememory.authoring.lint.subject import Subject
from rolememory.authoring.mutate import Mutation, MutationContext, mutations
from rolememory.errors import RoleMemoryError
from rolememory.recall.lore.keys import KeyKind, LoreKey
from rolememory.schema.lorebook import LoreEntry
from rolememory.schema.settings import ScanSettings

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class MutationReport:
    """The result of a mutation run."""

    noticed: int
    survivors: tuple[Mutation, ...]
    failing: tuple[str, ...] = ()  # cases that fail without any fault: they were left out

    @property
    def tried(self) -> int:
        """How many faults were tried."""
        return self.noticed + len(self.survivors)

    @property
    def score(self) -> float:
        """The share of faults that were noticed, 0..1; 1 when none was tried."""
        return self.noticed / self.tried if self.tried else 1.0


@dataclass(frozen=True, slots=True)
class Uncovered:
    """What no case touches: entries that never fire, and keys that never stand in a message."""

    entries: tuple[str, ...]  # ids
    keys: Mapping[str, tuple[str, ...]]  # by entry id


def run_mutations(
    file: BookFile,
    cases: Sequence[ExpectationCase],
    limit: int | None = None,
    progress: Progress = lambda done, all_: None,
) -> MutationReport:
    """Try every fault, or `limit` of them. Cost: about two cases for one that is noticed, all cases for one that is not."""
    stage = BookRunner(file.book)
    failing = tuple(case.name for case in cases if _noticed(stage, [case]))
    cases = [case for case in cases if case.name not in failing]
    told = _told(stage, cases)
    faults = mutations(_ground(file, stage, cases), limit)
    survivors = []
    for done, fault in enumerate(faults, 1):
        if not _noticed(stage.changed(fault.applied(file.book)), _likely(cases, told, fault.entry)):
            survivors.append(fault)
        progress(done, len(faults))
    return MutationReport(len(faults) - len(survivors), tuple(survivors), failing)


def _ground(file: BookFile, stage: BookRunner, cases: Sequence[ExpectationCase]) -> MutationContext:
    settings = cases[0].settings if cases else ScanSettings()
    plays = [played.given for case in cases for _, played in stage.play(case)]
    refused = {
        name
        for given in plays
        if given.overflowed
        for name, why in given.refused.items()
        if why.code == "budget"
    }
    ids = frozenset(lore.entry.id for lore in stage.index(settings).entries if lore.id in refused)
    return MutationContext(file.book, stage.index(settings), hears(Subject.of(file, settings)), ids)


def _told(stage: BookRunner, cases: Iterable[ExpectationCase]) -> dict[str, frozenset[str]]:
    """For each case the entries it names, and those that fire in it."""
    return {
        case.name: frozenset(stage.id_of(name) for name in case.names)
        | {one for _, played in stage.play(case) for one in played.fired()}
        for case in cases
    }


def _likely(
    cases: Sequence[ExpectationCase], told: Mapping[str, frozenset[str]], entry: str
) -> list[ExpectationCase]:
    """All cases; first those that name or fire the entry, with the fewest other entries."""
    return sorted(cases, key=lambda case: (entry not in told[case.name], len(told[case.name])))


def _noticed(stage: BookRunner, cases: Iterable[ExpectationCase]) -> bool:
    """Whether some case fails; a case that raises an error counts as failed."""
    try:
        return any(next(iter(failures(stage, case)), None) is not None for case in cases)
    except RoleMemoryError:
        return True


def uncovered(file: BookFile, cases: Iterable[ExpectationCase]) -> Uncovered:
    """What no case touches."""
    stage = BookRunner(file.book)
    fired, seen = set[str](), set[tuple[str, str]]()
    for case in cases:
        for _, played in stage.play(case):
            fired.update(played.fired())
            texts = [segment.text for segment in played.given.segments]
            seen.update(_seen(stage, case.settings, texts))
    living = [entry for entry in file.book.entries if entry.enabled]
    silent = tuple(entry.id for entry in living if entry.id not in fired)
    return Uncovered(silent, {one.id: keys for one in living if (keys := _unsaid(one, seen))})


def _unsaid(entry: LoreEntry, seen: Collection[tuple[str, str]]) -> tuple[str, ...]:
    """The keys of an entry that stand in no message; none for a constant entry."""
    said = {key for key in entry.keys if (entry.id, key) in seen or not key.strip()}
    return () if entry.constant else tuple(key for key in entry.keys if key not in said)


def _seen(
    stage: BookRunner, settings: ScanSettings, texts: Sequence[str]
) -> Iterable[tuple[str, str]]:
    """(entry, key) of every key that stands in one of the texts."""
    index = stage.index(settings)
    found = {spec for text in texts for spec in index.keys.read(text)}
    for lore in index.entries:
        for key in lore.keys:
            if key.spec in found if key.kind is KeyKind.PLAIN else _fits(key, texts):
                yield lore.entry.id, key.text


def _fits(key: LoreKey, texts: Sequence[str]) -> bool:
    return key.pattern is not None and any(key.pattern.search(text) for text in texts)
