"""Expectations of a book in `NAME.test.toml` beside it: messages, and which entries should fire.

rules = "default"                         # or sillytavern; for all cases
[settings]                                # of scanning, where they differ from the defaults
scan_depth = 4

[[case]]
name = "the market, by any of its names"
each = ["Where is the market?", "A lantern market!"]     # each alone; `messages` makes one chat of them
fires = ["The market"]                    # by title, or by uid
not_fires = ["Moth, the broker"]
contains = ["four hundred boats"]         # of the prompt
places = { "The market" = "before" }
costs_at_most = 200                       # tokens

[[case]]
name = "the fog stays for three turns"
chance = [0.1]                            # or seed = 7
turns = [{ messages = ["What of the weather?"], fires = ["Fog"] }, { messages = ["It is thick.", "Go on."], fires = ["Fog"] }]
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ValidationError, model_validator
from rapidfuzz import fuzz, process

from rolememory.errors import FileError, InvalidValueError, RoleMemoryError, UnknownNameError
from rolememory.locales import Listed, LocalizedText, translatable
from rolememory.recall.lore.rules import under
from rolememory.schema.explain_invalid import explained
from rolememory.schema.json_types import JsonMapping, list_of, without
from rolememory.schema.message import Message, TurnKind
from rolememory.schema.role import Character
from rolememory.schema.settings import ScanSettings
from rolememory.schema.value_class import value_class
from rolememory.text.toml_diagnostics import invalid_toml

SUFFIX = ".test.toml"


def _message(raw: Any) -> Message:
    return Message.of({"role": "user", **raw} if isinstance(raw, Mapping) else str(raw))


def _listed(raw: Any) -> Any:
    return [raw] if isinstance(raw, str) else raw


Messages = Annotated[
    tuple[Annotated[Message, BeforeValidator(_message)], ...], BeforeValidator(_listed)
]
Names = tuple[str, ...]


def _chance(raw: Any) -> Any:
    numbers = list_of(raw)
    if type(raw) is int or all(isinstance(one, int | float) and 0 <= one < 1 for one in numbers):
        return raw
    raise InvalidValueError(
        "expected numbers from 0 up to 1, or a seed, got {found!r:.60}; write [0.1], or 7",
        found=raw,
    )


Chance = Annotated[tuple[float, ...] | int, BeforeValidator(_chance)]


class ExpectationStep(BaseModel, frozen=True, extra="forbid", coerce_numbers_to_str=True):
    """One turn: its new messages, and what is expected. Entries by title or uid."""

    messages: Messages
    chance: Chance = 0  # the random numbers, or a seed
    trigger: TurnKind = "normal"
    fires: Names = ()
    not_fires: Names = ()
    exactly: Names | None = None  # exactly these
    contains: Names = ()  # texts in the prompt
    lacks: Names = ()
    order: Names = ()  # in prompt order
    places: dict[str, str] = {}  # position of the entry's text
    costs_at_most: int | None = None  # tokens of lore

    @model_validator(mode="before")
    @classmethod
    def _seeded(cls, raw: Any) -> Any:
        """The seed decides if there are no numbers."""
        if not isinstance(raw, Mapping):
            return raw
        return {"chance": raw["seed"], **without(raw, "seed")} if "seed" in raw else raw

    @property
    def expected(self) -> list[str]:
        """The fields that expect something, as far as they are written."""
        return [name for name in _EXPECTING if name in self.model_fields_set]

    @property
    def names(self) -> Iterator[str]:
        """Every named entry."""
        yield from (*self.fires, *self.not_fires, *(self.exactly or ()), *self.order, *self.places)


class _CaseTable(ExpectationStep):
    """A case as written: one step, each of several messages alone, or turns."""

    name: str = ""
    messages: Messages = ()
    each: Messages | None = None
    turns: tuple[ExpectationStep, ...] = ()
    rules: str = ""
    settings: ScanSettings = ScanSettings()
    character: Character = Character()


@value_class
class ExpectationCase:
    """A chat of one turn or several."""

    name: str
    steps: tuple[ExpectationStep, ...]
    settings: ScanSettings = field(default_factory=ScanSettings)
    character: Character = field(default_factory=Character)

    @property
    def names(self) -> frozenset[str]:
        """Every named entry."""
        return frozenset(name for step in self.steps for name in step.names)


_EXPECTING = (
    "fires",
    "not_fires",
    "exactly",
    "contains",
    "lacks",
    "order",
    "places",
    "costs_at_most",
)
_TOP = ("case", "rules", "seed", "settings", "character")
_KNOWN: Mapping[str, Collection[str]] = {
    "": (*_CaseTable.model_fields, "seed"),
    "turns": (*ExpectationStep.model_fields, "seed"),
    "settings": tuple(ScanSettings.model_fields),
    "character": [one.name for one in fields(Character)],
}
"""What may stand in each table of a case."""
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")  # names in pydantic


def beside(book: Path) -> Path:
    """The path of a book's expectations.

    >>> beside(Path("books/harbour.json")).name
    'harbour.test.toml'
    """
    return book.with_name(book.stem + SUFFIX)


def read_expectations(text: str, file: str) -> list[ExpectationCase]:
    """The cases of a file.

    Raises:
        FileError: invalid TOML, or an unknown field or invalid value; names the case.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        remedy = translatable("compare with the example that `rolememory book new` writes")
        raise invalid_toml(text, error, file, remedy, FileError) from error
    if unknown := next((name for name in raw if name not in _TOP), None):
        raise _no_such_field(file, unknown, unknown, _TOP)
    cases = raw.get("case")
    if not cases or not isinstance(cases, list):
        raise FileError(file, "no cases", remedy="write [[case]]", field="case")
    return [
        found
        for number, case in enumerate(cases, 1)
        for found in _cases(file, raw, {"name": f"#{number}", **case})
    ]


def _cases(file: str, top: JsonMapping, raw: JsonMapping) -> Iterator[ExpectationCase]:
    """The cases of one table."""
    case = _table(file, top, raw)
    settings = _settings(file, case)
    _check_expecting(file, case)
    if case.each is not None:
        for one in case.each:
            alone = case.model_copy(update={"messages": (one,)})
            name = f"{case.name} [{_short(one.content)}]"
            yield ExpectationCase(name, (alone,), settings, case.character)
        return
    if not (case.messages or case.turns):
        raise FileError(
            file, "no messages", remedy='write messages = ["..."]', field=f"{case.name}: messages"
        )
    steps = tuple(_turn(case, one) for one in case.turns) or (case,)
    yield ExpectationCase(case.name, steps, settings, case.character)


def _check_expecting(file: str, case: _CaseTable) -> None:
    """Refuse a case that would pass whatever fires, and an expectation that no turn would check."""
    if case.turns and case.expected:
        raise FileError(
            file,
            "stands beside turns",
            remedy="write it into the turn that it is for",
            field=f"{case.name}: {case.expected[0]}",
        )
    if not any(step.expected for step in case.turns or (case,)):
        raise FileError(
            file,
            "expects nothing",
            remedy="write what should fire, as fires = [...], or one of {listed}",
            field=case.name,
            listed=", ".join(_EXPECTING[1:]),
        )


def _settings(file: str, case: _CaseTable) -> ScanSettings:
    """The settings of a case under its rules."""
    given = [name for name in ("messages", "each", "turns") if getattr(case, name)]
    if len(given) > 1:
        raise FileError(
            file,
            "{given} in one case",
            remedy="write one of them",
            field=case.name,
            given=Listed(given, " and "),
        )
    try:
        return under(case.rules, case.settings)
    except UnknownNameError as error:
        where = f"{case.name}: rules"
        raise FileError(file, LocalizedText("{told}", told=error), field=where) from error


def _table(file: str, top: JsonMapping, raw: JsonMapping) -> _CaseTable:
    """A case with the file's defaults."""
    shared = {name: top[name] for name in ("seed", "rules") if name in top}
    tables = {
        name: {**top.get(name, {}), **raw.get(name, {})} for name in ("settings", "character")
    }
    try:
        return _CaseTable.model_validate({**shared, **raw, **tables})
    except ValidationError as error:
        raise _misfit(file, str(raw["name"]), error.errors(include_url=False)) from error


def _turn(case: _CaseTable, turn: ExpectationStep) -> ExpectationStep:
    """A turn, with its case's chance and trigger as defaults."""
    of_case = {"chance": case.chance, "trigger": case.trigger}
    unsaid = of_case.keys() - turn.model_fields_set
    return turn.model_copy(update={name: of_case[name] for name in unsaid})


def _misfit(file: str, case: str, rows: Sequence[JsonMapping]) -> FileError:
    """The first validation error of a case; unknown names come before missing ones."""
    row = next((one for one in rows if one["type"] in _UNKNOWN), rows[0])
    where = tuple(part for part in row["loc"] if "[" not in str(part))  # in a union type
    problem = explained({**row, "loc": where})
    place = f"{case}: {problem.field}"
    if row["type"] in _UNKNOWN:
        return _no_such_field(file, where[-1], place, _KNOWN[where[0] if where[1:] else ""])
    told = (row.get("ctx") or {}).get("error")
    if isinstance(told, RoleMemoryError):
        return FileError(file, LocalizedText("{told}", told=told), field=place)
    return FileError(file, problem.message, remedy=problem.cure, field=place)


def _no_such_field(file: str, name: str, place: str, known: Collection[str]) -> FileError:
    """The error for an unknown name, with the most similar known one."""
    near = process.extractOne(name, known, scorer=fuzz.ratio, score_cutoff=70)
    return FileError(
        file,
        "no such field",
        remedy="did you mean {near!r}?" if near else "known are {listed}",
        field=place,
        near=near and near[0],
        listed=", ".join(known),
    )


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
