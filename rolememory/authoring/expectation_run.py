"""Runs expectations against a book with the public scan; failures have reasons."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rolememory.authoring.books import entry_named, title
from rolememory.authoring.expectations import ExpectationCase, ExpectationStep
from rolememory.authoring.scan import refusal_by_title, target
from rolememory.errors import AmbiguousNameError, FileError, UnknownNameError
from rolememory.locales import Listed, Localized, translatable, translated
from rolememory.recall.lore.activation import Activation, Awake
from rolememory.recall.lore.index import LoreIndex
from rolememory.recall.lore.scan import scan
from rolememory.schema.evidence import Reason, Refusal
from rolememory.schema.lorebook import Lorebook, TimedState
from rolememory.schema.message import Message
from rolememory.schema.scene import Language
from rolememory.schema.settings import ScanSettings
from rolememory.schema.value_class import value_class
from rolememory.schema.wording import word, word_gate


@value_class
class Failure(Localized):
    """A failed expectation, and why."""

    case: str
    turn: int  # from 1
    code: str  # fires, not_fires, extra, contains, lacks, order, place, cost
    name: str  # of the entry, or the text
    found: str = ""
    wanted: str = ""
    reason: Reason | None = None
    refusal: Refusal | None = None

    def text(self, language: Language = "en") -> str:
        """One line of text."""
        told = translated(
            _SENTENCES[self.code], language, name=self.name, found=self.found, wanted=self.wanted
        )
        why = (
            word_gate(self.refusal, language)
            if self.refusal
            else word(self.reason, language)
            if self.reason
            else ""
        )
        return Listed([told, why], ": ").text(language) if why else told


_SENTENCES: Mapping[str, str] = translatable(
    {
        "fires": "'{name}' did not fire",
        "not_fires": "'{name}' fired",
        "extra": "'{name}' fired besides",
        "contains": "the prompt does not contain '{name}'",
        "lacks": "the prompt contains '{name}'",
        "order": "expected the order {wanted}, got {found}",
        "place": "'{name}' goes to {found}, not to {wanted}",
        "cost": "it costs {found} tokens, at most {wanted} are expected",
    }
)


def check(
    book: Lorebook, cases: Iterable[ExpectationCase], file: str = ""
) -> Iterator[tuple[ExpectationCase, list[Failure]]]:
    """Run each case and return its failures.

    Raises:
        FileError: an expectation names an entry that does not exist.
    """
    indexes = dict[ScanSettings, LoreIndex]()
    for case in cases:
        try:
            ids = {name: entry_named(book.entries, name).id for name in sorted(case.names)}
        except (UnknownNameError, AmbiguousNameError) as error:
            raise FileError(file, error.message, field=case.name) from error
        if case.settings not in indexes:
            indexes[case.settings] = LoreIndex([book], case.settings)
        index = indexes[case.settings]
        turns = enumerate(_played(case, index), 1)
        found = (
            failure
            for number, (step, given) in turns
            for failure in _CaseTurn(ids, index, given, case.name, number).failures(step)
        )
        yield case, list(found)


def _played(
    case: ExpectationCase, index: LoreIndex
) -> Iterator[tuple[ExpectationStep, Activation]]:
    """The turns, each with the timers of the one before."""
    state = TimedState()
    told = list[Message]()
    for step in case.steps:
        told += step.messages
        given = scan(
            index,
            told,
            card=case.character,
            state=state,
            trigger=step.trigger,
            chance=step.chance,
        )
        yield step, given
        state = given.state


@dataclass(frozen=True)
class _CaseTurn:
    ids: Mapping[str, str]  # by names in the case
    index: LoreIndex
    given: Activation
    case: str
    number: int

    @cached_property
    def fired(self) -> Sequence[str]:
        """Ids of the entries in the prompt, in order."""
        return in_prompt_order(self.given)

    @cached_property
    def awake(self) -> Mapping[str, Awake]:
        """The same by their ids."""
        return {one.entry.id: one for one in self.given.awake}

    def failures(self, step: ExpectationStep) -> Iterator[Failure]:
        """The failed expectations."""
        yield from self._of_entries(step)
        yield from self._of_text(step)
        yield from self._of_places(step)

    def _failure(self, code: str, name: str, **told: Any) -> Failure:
        return Failure(self.case, self.number, code, name, **told)

    def _fires(self, name: str) -> bool:
        return self.ids[name] in self.awake

    def _of_entries(self, step: ExpectationStep) -> Iterator[Failure]:
        for name in (*step.fires, *(step.exactly or ())):
            if not self._fires(name):
                yield self._failure("fires", name, refusal=self._why_not(self.ids[name]))
        for name in filter(self._fires, step.not_fires):
            yield self._failure("not_fires", name, reason=self.awake[self.ids[name]].why)
        if step.exactly is not None:
            wanted = {self.ids[name] for name in step.exactly}
            for one in (self.awake[each] for each in self.fired if each not in wanted):
                yield self._failure("extra", title(one.entry), reason=one.why)

    def _why_not(self, entry_id: str) -> Refusal | None:
        lore = next((lore for lore in self.index.entries if lore.entry.id == entry_id), None)
        refusal = self.given.explain(lore.id) if lore else None
        return refusal_by_title(refusal, self.index) if refusal else None

    def _of_text(self, step: ExpectationStep) -> Iterator[Failure]:
        text = "\n".join(placed_texts(self.given))
        most = step.costs_at_most
        yield from (self._failure("contains", one) for one in step.contains if one not in text)
        yield from (self._failure("lacks", one) for one in step.lacks if one in text)
        if most is not None and self.given.used > most:
            yield self._failure("cost", "", found=str(self.given.used), wanted=str(most))

    def _of_places(self, step: ExpectationStep) -> Iterator[Failure]:
        wanted = list(filter(self._fires, step.order))
        found = sorted(wanted, key=lambda name: self.fired.index(self.ids[name]))
        if wanted != found:
            yield self._failure("order", "", found=" < ".join(found), wanted=" < ".join(wanted))
        for name in filter(self._fires, step.places):
            place = target(self.awake[self.ids[name]].lore, self.index.rules)
            if place != step.places[name]:
                yield self._failure("place", name, found=place, wanted=step.places[name])


def placed_texts(given: Activation) -> list[str]:
    """Every text in prompt order, as far as it is defined: before, after, note, examples, depth, outlets."""
    at = given.placement
    listed = [*at.before, *at.after, *at.personality, *at.scenario, *at.em_top, *at.em_bottom]
    around = [*at.an_top, *at.an_bottom]
    deep = [
        text
        for group in sorted(at.depth, key=lambda group: -(group.depth or 0))
        for text in group.entries
    ]
    return [*listed, *around, *deep, *(text for texts in at.outlets.values() for text in texts)]


def in_prompt_order(given: Activation) -> list[str]:
    """Ids of the entries in that order; those without a position come last."""
    left = {one.entry.id: one.content for one in given.awake}
    found: list[str] = []
    for text in placed_texts(given):
        name = next((name for name, content in left.items() if content == text), None)
        if name is not None:
            found.append(name)
            del left[name]
    return [*found, *left]
