"""What models really answer, read generously: JSON in prose, in fences, behind thoughts, with faults of every kind, cut off in the middle.

Generous in form, strict in meaning: whatever is read still has to fit the shape that was asked for.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from rolememory.llm.lenient_json import NOTHING, parse_leniently

MOST_CHARACTERS = 200_000  # of the text of one answer
MOST_VALUES = 64  # values of one text that are tried

_THOUGHT_END = re.compile(
    r"</(?:think|thinking|thought|reasoning|reflection)\s*>|◁/think▷|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENS = re.compile(r"[{\[｛［]")
_STRICT = json.JSONDecoder(strict=False, parse_constant=float)
_NO_LETTER = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")


class UnreadableError(ValueError):
    """Nothing in the text has the shape that was asked for; the message says what is wrong, in words for the model."""


class ModelAnswer(BaseModel):
    """Base of what is asked for: unknown fields say nothing, numbers are finite."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, populate_by_name=True)

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """The answer out of plain words, for shapes that may be told so."""
        return None

    @classmethod
    def of_row(cls, row: Any) -> Self | None:
        """One row of a list that a model gave; None where it is not of this shape."""
        try:
            return cls.model_validate(row)
        except ValidationError:
            return None


Shape = TypeVar("Shape", bound=ModelAnswer)


def read(text: str, shape: type[Shape]) -> Shape:
    """The first value in the text that has this shape.

    Raises:
        UnreadableError: there is none.
    """
    if len(text) > MOST_CHARACTERS:
        raise UnreadableError(f"the answer is longer than {MOST_CHARACTERS} characters")
    wrong = ""
    for value in values(text):
        try:
            return shape.model_validate(_evened(value))
        except ValidationError as error:
            wrong = wrong or _first(error)
    plain = None if wrong else shape.of_text(_said(text).strip())
    if plain is not None:
        return plain
    raise UnreadableError(wrong or "there is no JSON in the answer")


def values(text: str) -> Iterator[Any]:
    r"""Every object and list in a text, the likeliest first: what stands after the thoughts, in fences, then anywhere; last first.

    >>> list(values('<think>{"a": 1}?</think> Sure: ```json\n{"a": 2}\n```'))[0]
    {'a': 2}
    """
    spoken = _said(text)
    for part in dict.fromkeys((*reversed(_FENCE.findall(spoken)), spoken, text)):
        found = list(_parsed(part))
        rows = [value for value in found if isinstance(value, dict)]
        if len(rows) > 1:
            yield rows  # one object per line, or several lists
        yield from reversed(found)


def _said(text: str) -> str:
    """The text without the thoughts before it."""
    ends = [end.end() for end in _THOUGHT_END.finditer(text)]
    return text[ends[-1] :] if ends else text


def _parsed(text: str) -> Iterator[Any]:
    """What begins at each bracket that stands in nothing that was read already. Cost: O(length) for each of `MOST_VALUES`."""
    place = 0
    for _ in range(MOST_VALUES):
        opened = _OPENS.search(text, place)
        if opened is None:
            return
        place = opened.end()
        value, end = _value(text, opened.start())
        if value is not NOTHING:
            place = end
            yield value


def _value(text: str, start: int) -> tuple[Any, int]:
    """The value that begins there and where it ends."""
    try:
        return _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return parse_leniently(text, start)


def _evened(value: Any) -> Any:
    """With the names of fields as models vary them: `should_remember`, `shouldRemember`, `Should Remember`."""
    if isinstance(value, list):
        return [_evened(one) for one in value]
    if isinstance(value, dict):
        return {
            _NO_LETTER.sub("_", str(name)).strip("_").casefold(): _evened(one)
            for name, one in value.items()
        }
    return value


def _first(error: ValidationError) -> str:
    """The first mistake as a person would tell it, without what was answered."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said
