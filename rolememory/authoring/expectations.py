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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from rapidfuzz import fuzz, process

from rolememory.errors import FileError, RoleMemoryError, closest
from rolememory.locales import localized, translatable
from rolememory.recall.lore.rules import rules_named
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.settings import ScanSettings

SUFFIX = ".test.toml"


@dataclass(frozen=True, slots=True)
class Expect:
    """What is expected after a turn. Entries by title or uid; with a role, memories by id as well."""

    fires: tuple[str, ...] = ()
    not_fires: tuple[str, ...] = ()
    exactly: tuple[str, ...] | None = None  # these and no others
    contains: tuple[str, ...] = ()  # texts in the prompt
    lacks: tuple[str, ...] = ()
    order: tuple[str, ...] = ()  # as they stand in the prompt
    places: tuple[tuple[str, str], ...] = ()  # entry, where its text goes
    costs_at_most: int | None = None  # tokens of lore

    @property
    def names(self) -> Iterator[str]:
        """Every entry that is named."""
        yield from (
            *self.fires,
            *self.not_fires,
            *(self.exactly or ()),
            *self.order,
            *(name for name, _ in self.places),
        )


@dataclass(frozen=True, slots=True)
class ExpectationStep:
    """One turn: what is said again, and what must be so then."""

    messages: tuple[Message, ...]
    expect: Expect
    chance: tuple[float, ...] | int = 0  # the numbers that decide, or a seed
    trigger: str = "normal"


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
        return frozenset(name for step in self.steps for name in step.expect.names)


_EXPECT = tuple(one.name for one in fields(Expect))
_STEP = (*_EXPECT, "messages", "chance", "seed", "trigger")
_CASE = (*_STEP, "name", "each", "turns", "rules", "settings", "character")
_TOP = ("case", "rules", "seed", "settings", "character")


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
        self._known(self._raw, _TOP, "")
        listed = self._raw.get("case", [])
        if not isinstance(listed, list) or not listed:
            raise self._wrong("", "case", "no cases", "write [[case]]")
        for number, raw in enumerate(listed, 1):
            name = str(raw.get("name") or f"#{number}")
            self._known(raw, _CASE, name)
            yield from self._case(name, {"seed": self._raw.get("seed", 0), **raw})

    def _case(self, name: str, raw: Mapping[str, Any]) -> Iterator[ExpectationCase]:
        settings, who = self._settings(name, raw), self._character(name, raw)
        if "each" in raw:
            for said in self._listed(name, raw, "each"):
                step = self._step(name, {**raw, "messages": [said]})
                yield ExpectationCase(f"{name} [{_short(said)}]", (step,), settings, who)
        elif "turns" in raw:
            turns = [self._turn(name, raw, turn) for turn in self._listed(name, raw, "turns")]
            yield ExpectationCase(name, tuple(turns), settings, who)
        else:
            yield ExpectationCase(name, (self._step(name, raw),), settings, who)

    def _turn(self, name: str, raw: Mapping[str, Any], turn: Any) -> ExpectationStep:
        if not isinstance(turn, Mapping):
            raise self._wrong(
                name,
                "turns",
                "expected a table, got {given!r}",
                "write {{ messages = [...] }}",
                given=turn,
            )
        self._known(turn, _STEP, name)
        chance = {key: raw[key] for key in ("seed", "chance", "trigger") if key in raw}
        return self._step(name, {**chance, **turn})

    def _step(self, name: str, raw: Mapping[str, Any]) -> ExpectationStep:
        chance = raw.get("chance")
        numbers: tuple[float, ...] | int = (
            int(raw.get("seed", 0)) if chance is None else tuple(float(one) for one in chance)
        )
        messages = tuple(self._message(name, one) for one in self._listed(name, raw, "messages"))
        return ExpectationStep(
            messages, self._expect(name, raw), numbers, str(raw.get("trigger", "normal"))
        )

    def _message(self, name: str, raw: Any) -> Message:
        try:
            if isinstance(raw, Mapping):
                return Message.of(
                    {"role": "user", **raw, "content": raw.get("text", raw.get("content", ""))}
                )
            return Message.of(str(raw))
        except (RoleMemoryError, ValidationError, TypeError) as error:
            raise self._wrong(
                name,
                "messages",
                "not a message: {given!r}",
                "write {example}",
                given=raw,
                example='{ role = "assistant", text = "..." }',
            ) from error

    def _expect(self, name: str, raw: Mapping[str, Any]) -> Expect:
        told: dict[str, Any] = {
            field: self._names(name, raw, field)
            for field in _EXPECT
            if field in raw and field not in ("places", "costs_at_most")
        }
        places = raw.get("places", {})
        if not isinstance(places, Mapping):
            raise self._wrong(
                name,
                "places",
                "expected a table, got {given!r}",
                'write {{ "Title" = "before" }}',
                given=places,
            )
        cost = raw.get("costs_at_most")
        return Expect(
            **told,
            places=tuple((str(one), str(where)) for one, where in places.items()),
            costs_at_most=cost,
        )

    def _names(self, name: str, raw: Mapping[str, Any], field: str) -> tuple[str, ...]:
        return tuple(str(one) for one in self._listed(name, raw, field))

    def _listed(self, name: str, raw: Mapping[str, Any], field: str) -> list[Any]:
        value = raw.get(field)
        if field == "messages" and isinstance(value, str):
            return [value]
        if not isinstance(value, list):
            raise self._wrong(
                name,
                field,
                "expected a list, got {given!r}",
                'write {named} = ["..."]',
                given=value,
                named=field,
            )
        return value

    def _settings(self, name: str, raw: Mapping[str, Any]) -> ScanSettings:
        given = {**self._raw.get("settings", {}), **raw.get("settings", {})}
        if rules := raw.get("rules", self._raw.get("rules")):
            given["rules"] = rules_named(str(rules)).name
        try:
            return ScanSettings.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            near = (
                closest(place, ScanSettings.model_fields)
                if first["type"] == "extra_forbidden"
                else None
            )
            remedy = translatable(
                "did you mean {near!r}?" if near else "see `rolememory settings lore`"
            )
            told = first["msg"].lower()
            raise self._wrong(
                name, f"settings.{place}", "not a setting: {reason}", remedy, reason=told, near=near
            ) from error

    def _character(self, name: str, raw: Mapping[str, Any]) -> Character:
        given = {**self._raw.get("character", {}), **raw.get("character", {})}
        known = [one.name for one in fields(Character)]
        self._known(given, known, f"{name}: character")
        told: dict[str, Any] = {
            key: tuple(value) if key == "tags" else str(value) for key, value in given.items()
        }
        return Character(**told)

    def _known(self, raw: Mapping[str, Any], known: Iterable[str], name: str) -> None:
        unknown = next((key for key in raw if key not in known), None)
        if unknown is not None:
            near = _nearest(unknown, list(known))
            listed = ", ".join(known)
            remedy = translatable("did you mean {near!r}?" if near else "known are {listed}")
            raise self._wrong(name, unknown, "no such field", remedy, near=near, listed=listed)

    def _wrong(
        self, name: str, where: str, problem: str, remedy: str, **values: object
    ) -> FileError:
        place = f"{name}: {where}" if name else where
        return FileError(
            self._file,
            localized(problem, "", **values),
            remedy=localized(remedy, "", **values),
            field=place,
        )


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The known field that is most likely meant, by similarity of the whole name."""
    found = process.extractOne(name, known, scorer=fuzz.ratio, score_cutoff=70)
    return str(found[0]) if found else None


def _short(said: Any) -> str:
    text = (
        str(said.get("text", said.get("content", ""))) if isinstance(said, Mapping) else str(said)
    )
    return text if len(text) <= 40 else text[:39] + "…"
