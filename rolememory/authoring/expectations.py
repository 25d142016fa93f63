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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from rapidfuzz import fuzz, process

from rolememory.errors import FileError, closest
from rolememory.locales import localized, translatable
from rolememory.recall.lore.rules import rules_named
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.settings import ScanSettings

SUFFIX = ".test.toml"


def _message(raw: Any) -> Message:
    if not isinstance(raw, Mapping):
        return Message.of(str(raw))
    return Message.of({"role": "user", **raw, "content": raw.get("text", raw.get("content", ""))})


def _listed(raw: Any) -> Any:
    return [raw] if isinstance(raw, str) else raw


Messages = Annotated[
    tuple[Annotated[Message, BeforeValidator(_message)], ...], BeforeValidator(_listed)
]
Names = tuple[str, ...]


class ExpectationStep(BaseModel):
    """One turn: what is said again, and what is expected then. Entries by title or uid; with a role, memories by id as well."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    messages: Messages
    chance: tuple[float, ...] | int = 0  # the numbers that decide, or a seed
    trigger: str = "normal"
    fires: Names = ()
    not_fires: Names = ()
    exactly: Names | None = None  # these and no others
    contains: Names = ()  # texts in the prompt
    lacks: Names = ()
    order: Names = ()  # as they stand in the prompt
    places: dict[str, str] = {}  # entry, where its text goes
    costs_at_most: int | None = None  # tokens of lore

    @property
    def names(self) -> Iterator[str]:
        """Every entry that is named."""
        yield from (*self.fires, *self.not_fires, *(self.exactly or ()), *self.order, *self.places)


@dataclass(frozen=True, slots=True)
class ExpectationCase:
    """A chat of one turn or several."""

    name: str
    steps: tuple[ExpectationStep, ...]
    settings: ScanSettings = field(default_factory=ScanSettings)
    character: Character = field(default_factory=Character)

    @property
    def names(self) -> frozenset[str]:
        """Every entry that is named."""
        return frozenset(name for step in self.steps for name in step.names)


_STEP = (*ExpectationStep.model_fields, "seed")
_CASE = (*_STEP, "name", "each", "turns", "rules", "settings", "character")
_TOP = ("case", "rules", "seed", "settings", "character")
_CHARACTER = tuple(one.name for one in fields(Character))


def beside(book: Path) -> Path:
    """Where a book's expectations stand.

    >>> beside(Path("books/harbour.json")).name
    'harbour.test.toml'
    """
    return book.with_name(book.stem + SUFFIX)


def read_expectations(text: str, file: str) -> list[ExpectationCase]:
    """The cases of a file.

    Raises:
        FileError: no TOML, or a field nobody knows or with a value that does not fit; names the case.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(file, "not TOML: {error}", remedy="correct it", error=error) from error
    return list(_ExpectationParser(file, raw).cases())


class _ExpectationParser:
    """Reads the cases of one file; problems name the file and the case."""

    def __init__(self, file: str, raw: Mapping[str, Any]) -> None:
        self._file, self._raw = file, raw

    def cases(self) -> Iterator[ExpectationCase]:
        self._check_names(self._raw, _TOP, "")
        listed = self._raw.get("case", [])
        if not isinstance(listed, list) or not listed:
            raise self._wrong("", "case", "no cases", "write [[case]]")
        for number, raw in enumerate(listed, 1):
            name = str(raw.get("name") or f"#{number}")
            self._check_names(raw, _CASE, name)
            yield from self._case(name, raw)

    def _case(self, name: str, raw: Mapping[str, Any]) -> Iterator[ExpectationCase]:
        settings, who = self._settings(name, raw), self._character(name, raw)
        said = {key: value for key, value in raw.items() if key in _STEP}
        said.setdefault("seed", self._raw.get("seed", 0))
        if "each" in raw:
            for one in self._list(name, "each", raw["each"]):
                step = self._step(name, {**said, "messages": [one]})
                yield ExpectationCase(f"{name} [{_short(one)}]", (step,), settings, who)
            return
        chance: dict[str, Any] = {
            key: said[key] for key in ("seed", "chance", "trigger") if key in said
        }
        turns = self._list(name, "turns", raw["turns"]) if "turns" in raw else [said]
        steps = (self._step(name, self._turn(name, one, chance)) for one in turns)
        yield ExpectationCase(name, tuple(steps), settings, who)

    def _turn(self, name: str, given: Any, chance: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(given, Mapping):
            raise self._unfit(name, "turns", "table", given)
        return {**chance, **given}

    def _list(self, name: str, where: str, given: Any) -> list[Any]:
        if not isinstance(given, list):
            raise self._unfit(name, where, "tuple_type", given)
        return given

    def _step(self, name: str, raw: Mapping[str, Any]) -> ExpectationStep:
        self._check_names(raw, _STEP, name)
        given = {"messages": None, "chance": raw.get("seed", 0), **raw}
        given.pop("seed", None)
        try:
            return ExpectationStep.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = str(first["loc"][0])
            kind = "message" if where == "messages" and len(first["loc"]) > 1 else first["type"]
            reason = first["msg"].lower()
            raise self._unfit(name, where, kind, first["input"], reason=reason) from error

    def _settings(self, name: str, raw: Mapping[str, Any]) -> ScanSettings:
        given = {**self._raw.get("settings", {}), **raw.get("settings", {})}
        if rules := raw.get("rules", self._raw.get("rules")):
            given["rules"] = rules_named(str(rules)).name
        try:
            return ScanSettings.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            unknown = first["type"] == "extra_forbidden"
            near = closest(place, ScanSettings.model_fields) if unknown else None
            remedy = translatable(
                "did you mean {near!r}?" if near else "see `rolememory settings lore`"
            )
            raise self._wrong(
                name,
                f"settings.{place}",
                "not a setting: {reason}",
                remedy,
                reason=first["msg"].lower(),
                near=near,
            ) from error

    def _character(self, name: str, raw: Mapping[str, Any]) -> Character:
        given = {**self._raw.get("character", {}), **raw.get("character", {})}
        self._check_names(given, _CHARACTER, f"{name}: character")
        told: dict[str, Any] = {
            key: tuple(value) if key == "tags" else str(value) for key, value in given.items()
        }
        return Character(**told)

    def _check_names(self, raw: Mapping[str, Any], known: Iterable[str], name: str) -> None:
        unknown = next((key for key in raw if key not in known), None)
        if unknown is not None:
            near, listed = _nearest(unknown, known), ", ".join(known)
            remedy = translatable("did you mean {near!r}?" if near else "known are {listed}")
            raise self._wrong(name, unknown, "no such field", remedy, near=near, listed=listed)

    def _unfit(
        self, name: str, where: str, kind: str, given: object, **values: object
    ) -> FileError:
        """The error for a value of another kind than the field takes."""
        problem, remedy = _UNFIT.get(kind, _UNFIT[""])
        values |= {"given": given, "named": where, "example": _MESSAGE}
        return self._wrong(name, where, problem, remedy, **values)

    def _wrong(
        self, name: str, where: str, problem: str, remedy: str, **values: object
    ) -> FileError:
        place = f"{name}: {where}" if name else where
        told = localized(problem, "", **values)
        return FileError(self._file, told, remedy=localized(remedy, "", **values), field=place)


_MESSAGE = '{ role = "assistant", text = "..." }'
_UNFIT = {
    "tuple_type": translatable(("expected a list, got {given!r}", 'write {named} = ["..."]')),
    "dict_type": translatable(
        ("expected a table, got {given!r}", 'write {{ "Title" = "before" }}')
    ),
    "table": translatable(("expected a table, got {given!r}", "write {{ messages = [...] }}")),
    "message": translatable(("not a message: {given!r}", "write {example}")),
    "": ("{reason}, got {given!r}", ""),
}
"""Problem and remedy, by pydantic's name for what is wrong."""


def _nearest(name: str, known: Iterable[str]) -> str | None:
    """The known field that is most likely meant, by similarity of the whole name."""
    found = process.extractOne(name, list(known), scorer=fuzz.ratio, score_cutoff=70)
    return str(found[0]) if found else None


def _short(said: Any) -> str:
    text = said.get("text", said.get("content", "")) if isinstance(said, Mapping) else said
    return str(text) if len(str(text)) <= 40 else str(text)[:39] + "…"
