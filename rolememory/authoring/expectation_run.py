"""Runs expectations against a book by the public scan; failures say why."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rolememory.authoring.books import entry_named, title
from rolememory.authoring.expectations import ExpectationCase, ExpectationStep
from rolememory.authoring.scan import refusal_by_title, target
from rolememory.errors import AmbiguousNameError, FileError, UnknownNameError
from rolememory.locales import Listed, Localized, translatable, translated
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.index import LoreIndex
from rolememory.recall.lore.scan import scan
from rolememory.schema.evidence import Reason, Refusal
from rolememory.schema.lorebook import Lorebook, TimedState
from rolememory.schema.message import Message
from rolememory.schema.scene import Language
from rolememory.schema.settings import ScanSettings
from rolememory.schema.wording import word, word_gate


@dataclass(frozen=True, slots=True)
class Played:
    """The outcome of one turn, as expectations ask it."""

    fired: Sequence[str]  # ids of everything in the prompt, in its order
    text: str  # all that was put into the prompt
    cost: int  # tokens of it
    place: Callable[[str], str]  # where the text of an id stands
    why: Callable[[str], Reason | None]  # why it is in the prompt
    why_not: Callable[[str], Refusal | None]


@dataclass(frozen=True, slots=True)
class Failure(Localized):
    """An expectation that was not met, and why."""

    case: str
    turn: int  # from 1
    code: str  # fires, not_fires, extra, contains, lacks, order, place, cost
    name: str  # of the entry, or the text
    found: str = ""
    wanted: str = ""
    reason: Reason | None = None
    refusal: Refusal | None = None

    def text(self, language: Language = "en") -> str:
        """In one line."""
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
    stage: "BookRunner", cases: Iterable[ExpectationCase], file: str = ""
) -> Iterator[tuple[ExpectationCase, list[Failure]]]:
    """Each case with what failed in it.

    Raises:
        FileError: an expectation names an entry that does not exist.
    """
    for case in cases:
        try:
            ids = {name: stage.id_of(name) for name in sorted(case.names)}
        except (UnknownNameError, AmbiguousNameError) as error:
            raise FileError(file, error.message, field=case.name) from error
        yield (
            case,
            [
                failure
                for number, (step, played) in enumerate(stage.play(case), 1)
                for failure in _CaseTurn(stage, ids, played, case.name, number).failures(step)
            ],
        )


@dataclass(frozen=True, slots=True)
class _CaseTurn:
    stage: "BookRunner"
    ids: Mapping[str, str]  # by the names in the case
    played: Played
    case: str
    number: int

    def failures(self, step: ExpectationStep) -> Iterator[Failure]:
        """What is not met."""
        yield from self._of_entries(step)
        yield from self._of_text(step)
        yield from self._of_places(step)

    def _failure(self, code: str, name: str, **told: Any) -> Failure:
        return Failure(self.case, self.number, code, name, **told)

    def _fires(self, name: str) -> bool:
        return self.ids[name] in self.played.fired

    def _of_entries(self, step: ExpectationStep) -> Iterator[Failure]:
        for name in (*step.fires, *(step.exactly or ())):
            if not self._fires(name):
                why_not = self.played.why_not(self.ids[name])
                yield self._failure("fires", name, refusal=why_not)
        for name in filter(self._fires, step.not_fires):
            yield self._failure("not_fires", name, reason=self.played.why(self.ids[name]))
        if step.exactly is not None:
            wanted = {self.ids[name] for name in step.exactly}
            for one in self.played.fired:
                if one not in wanted:
                    name = self.stage.name_of(one)
                    yield self._failure("extra", name, reason=self.played.why(one))

    def _of_text(self, step: ExpectationStep) -> Iterator[Failure]:
        text, cost, most = self.played.text, self.played.cost, step.costs_at_most
        yield from (self._failure("contains", one) for one in step.contains if one not in text)
        yield from (self._failure("lacks", one) for one in step.lacks if one in text)
        if most is not None and cost > most:
            yield self._failure("cost", "", found=str(cost), wanted=str(most))

    def _of_places(self, step: ExpectationStep) -> Iterator[Failure]:
        wanted = list(filter(self._fires, step.order))
        found = sorted(wanted, key=lambda name: self.played.fired.index(self.ids[name]))
        if wanted != found:
            yield self._failure("order", "", found=" < ".join(found), wanted=" < ".join(wanted))
        for name in filter(self._fires, step.places):
            place = self.played.place(self.ids[name])
            if place != step.places[name]:
                yield self._failure("place", name, found=place, wanted=step.places[name])


class BookRunner:
    """A book, by the public scan."""

    def __init__(self, book: Lorebook) -> None:
        self.book = book
        self._indexes: dict[ScanSettings, LoreIndex] = {}

    def id_of(self, name: str) -> str:
        """An entry's id by its title or uid.

        Raises:
            UnknownNameError, AmbiguousNameError: nothing or too much goes by this name.
        """
        return entry_named(self.book.entries, name).id

    def name_of(self, one: str) -> str:
        """The title of the entry with this id."""
        return next(title(entry) for entry in self.book.entries if entry.id == one)

    def play(self, case: ExpectationCase) -> Iterator[tuple[ExpectationStep, Played]]:
        """The turns, with the timers that each leaves to the next."""
        index = self._indexes.get(case.settings) or LoreIndex([self.book], case.settings)
        self._indexes[case.settings] = index
        state = TimedState()
        told: list[Message] = []
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
            yield step, _played(given, index)
            state = given.state


def _played(given: Activation, index: LoreIndex) -> Played:
    awake = {one.entry.id: one for one in given.awake}

    def why_not(name: str) -> Refusal | None:
        lore = next((lore for lore in index.entries if lore.entry.id == name), None)
        refusal = given.explain(lore.id) if lore else None
        return refusal_by_title(refusal, index) if refusal else None

    return Played(
        fired=in_prompt_order(given),
        text="\n".join(placed_texts(given)),
        cost=given.used,
        place=lambda name: target(awake[name].lore, index.rules),
        why=lambda name: awake[name].why if name in awake else None,
        why_not=why_not,
    )


def placed_texts(given: Activation) -> list[str]:
    """Every text in the order of the prompt, as far as places stand in one: before, after, note, examples, depth, outlets."""
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
    """Ids of the entries in that order; those whose text has no place come last."""
    left = {one.entry.id: one.content for one in given.awake}
    found: list[str] = []
    for text in placed_texts(given):
        name = next((name for name, content in left.items() if content == text), None)
        if name is not None:
            found.append(name)
            del left[name]
    return [*found, *left]
