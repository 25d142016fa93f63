"""Runs expectations against a book by the public scan; failures say why."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rolememory.authoring.books import entry_named, title
from rolememory.authoring.expectations import Expect, ExpectationCase, ExpectationStep
from rolememory.authoring.scan import refusal_by_title, target
from rolememory.errors import AmbiguousNameError, FileError, UnknownNameError
from rolememory.locales import Listed, translatable, translated
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.index import LoreIndex
from rolememory.recall.lore.scan import scan
from rolememory.schema.evidence import Reason, Refusal
from rolememory.schema.lorebook import Lorebook, TimedState
from rolememory.schema.message import Message
from rolememory.schema.scene import Language
from rolememory.schema.settings import ScanSettings
from rolememory.schema.wording import word, word_gate


class Played(Protocol):
    """The outcome of one turn, as expectations ask it."""

    def fired(self) -> Sequence[str]:
        """Ids of everything in the prompt, in its order."""
        ...

    def place(self, name: str) -> str:
        """Where its text stands."""
        ...

    def text(self) -> str:
        """All that was put into the prompt."""
        ...

    def cost(self) -> int:
        """Tokens of it."""
        ...

    def why(self, name: str) -> Reason | None:
        """Why it is in the prompt."""
        ...

    def why_not(self, name: str) -> Refusal | None:
        """Why it is not."""
        ...


class CaseRunner(Protocol):
    """What runs the cases: a book alone, or a role."""

    def play(self, case: ExpectationCase) -> Iterator[tuple[ExpectationStep, Played]]:
        """Its turns, one after the other."""
        ...

    def id_of(self, name: str) -> str:
        """The id of what goes by this name.

        Raises:
            UnknownNameError, AmbiguousNameError: nothing or too much does.
        """
        ...

    def name_of(self, one: str) -> str:
        """What people call the entry with this id."""
        ...


@dataclass(frozen=True, slots=True)
class Failure:
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
    stage: CaseRunner, cases: Iterable[ExpectationCase], file: str = ""
) -> Iterator[tuple[ExpectationCase, list[Failure]]]:
    """Each case with what failed in it.

    Raises:
        FileError: an expectation names an entry that does not exist.
    """
    for case in cases:
        known(stage, case, file)
        yield case, list(failures(stage, case))


def known(stage: CaseRunner, case: ExpectationCase, file: str) -> None:
    """Refuse a case that names what does not exist.

    Raises:
        FileError: with the case.
    """
    for name in sorted(case.names):
        try:
            stage.id_of(name)
        except (UnknownNameError, AmbiguousNameError) as error:
            raise FileError(file, error.message, field=case.name) from error


def failures(stage: CaseRunner, case: ExpectationCase) -> Iterator[Failure]:
    """What fails in a case, turn by turn; nothing is computed beyond the first that is asked for."""
    for number, (step, played) in enumerate(stage.play(case), 1):
        yield from _of_step(_CaseTurn(stage, played, case.name, number), step.expect)


@dataclass(frozen=True, slots=True)
class _CaseTurn:
    stage: CaseRunner
    played: Played
    case: str
    number: int

    def failure(self, code: str, name: str, *, found: str = "", wanted: str = "") -> Failure:
        reason = self.played.why(self.stage.id_of(name)) if code == "not_fires" else None
        refusal = self.played.why_not(self.stage.id_of(name)) if code == "fires" else None
        return Failure(self.case, self.number, code, name, found, wanted, reason, refusal)

    def besides(self, one: str) -> Failure:
        return Failure(
            self.case, self.number, "extra", self.stage.name_of(one), reason=self.played.why(one)
        )


def _of_step(turn: _CaseTurn, expect: Expect) -> Iterator[Failure]:
    fired = turn.played.fired()
    yield from _of_entries(turn, expect, fired)
    yield from _of_text(turn, expect)
    yield from _of_places(turn, expect, fired)
    most = expect.costs_at_most
    if most is not None and (cost := turn.played.cost()) > most:
        yield turn.failure("cost", "", found=str(cost), wanted=str(most))


def _of_entries(turn: _CaseTurn, expect: Expect, fired: Sequence[str]) -> Iterator[Failure]:
    id_of = turn.stage.id_of
    for name in (*expect.fires, *(expect.exactly or ())):
        if id_of(name) not in fired:
            yield turn.failure("fires", name)
    for name in expect.not_fires:
        if id_of(name) in fired:
            yield turn.failure("not_fires", name)
    if expect.exactly is not None:
        wanted = set(map(id_of, expect.exactly))
        yield from (turn.besides(one) for one in fired if one not in wanted)


def _of_text(turn: _CaseTurn, expect: Expect) -> Iterator[Failure]:
    text = turn.played.text() if expect.contains or expect.lacks else ""
    yield from (turn.failure("contains", one) for one in expect.contains if one not in text)
    yield from (turn.failure("lacks", one) for one in expect.lacks if one in text)


def _of_places(turn: _CaseTurn, expect: Expect, fired: Sequence[str]) -> Iterator[Failure]:
    id_of = turn.stage.id_of
    wanted = [name for name in expect.order if id_of(name) in fired]
    found = sorted(wanted, key=lambda name: fired.index(id_of(name)))
    if wanted != found:
        yield turn.failure("order", "", found=" < ".join(found), wanted=" < ".join(wanted))
    for name, where in expect.places:
        if id_of(name) in fired and (place := turn.played.place(id_of(name))) != where:
            yield turn.failure("place", name, found=place, wanted=where)


class BookRunner:
    """A book alone, by the public scan."""

    def __init__(self, book: Lorebook) -> None:
        self.book = book
        self._names: dict[str, str] = {}
        self._indexes: dict[ScanSettings, LoreIndex] = {}

    def id_of(self, name: str) -> str:
        """An entry's id by its title or uid."""
        if name not in self._names:
            self._names[name] = entry_named(self.book.entries, name).id
        return self._names[name]

    def name_of(self, one: str) -> str:
        """The title of the entry with this id."""
        return next(title(entry) for entry in self.book.entries if entry.id == one)

    def index(self, settings: ScanSettings) -> LoreIndex:
        """The book prepared for these settings."""
        if settings not in self._indexes:
            self._indexes[settings] = LoreIndex([self.book], settings)
        return self._indexes[settings]

    def play(self, case: ExpectationCase) -> Iterator[tuple[ExpectationStep, "PlayedLore"]]:
        """The turns, with the timers that each leaves to the next."""
        index, state = self.index(case.settings), TimedState()
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
            yield step, PlayedLore(given, index)
            state = given.state


class PlayedLore:
    """The answers of a scan to an expectation."""

    def __init__(self, given: Activation, index: LoreIndex) -> None:
        self.given, self._index = given, index
        self._awake = {one.entry.id: one for one in given.awake}

    def fired(self) -> Sequence[str]:
        """Ids inside the book: those with a place in the order of the prompt, then those without."""
        if len(self._awake) < 2:
            return list(self._awake)
        return in_prompt_order(self.given)

    def place(self, name: str) -> str:
        """Where its text goes (`authoring.scan.target`)."""
        return target(self._awake[name].lore, self._index.rules)

    def text(self) -> str:
        """The texts of all entries that have a place."""
        return "\n".join(placed_texts(self.given))

    def cost(self) -> int:
        """Tokens of the entries."""
        return self.given.used

    def why(self, name: str) -> Reason | None:
        """Why an entry fired."""
        return self._awake[name].why if name in self._awake else None

    def why_not(self, name: str) -> Refusal | None:
        """The gate that was closed."""
        lore = next((lore for lore in self._index.entries if lore.entry.id == name), None)
        refusal = self.given.explain(lore.id) if lore else None
        return refusal_by_title(refusal, self._index) if refusal else None


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
