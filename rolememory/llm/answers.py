"""Lenient parsing of model answers: JSON in prose, in fences, after reasoning, with syntax errors, truncated.

Lenient in syntax, strict in schema: the value found must still validate.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ValidationError

from rolememory.llm.lenient_json import NOTHING, parse_leniently

MOST_CHARACTERS = 200_000  # of the text of one answer
MOST_VALUES = 64  # values tried per text

_THOUGHT_END = re.compile(
    r"</(?:think|thinking|thought|reasoning|reflection)\s*>|◁/think▷|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENS = re.compile(r"[{\[｛［]")
_STRICT = json.JSONDecoder(strict=False, parse_constant=float)
_NO_LETTER = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")


class UnreadableError(ValueError):
    """No value in the text has the shape that was asked for; the message tells the model what is wrong."""


class ModelAnswer(BaseModel, allow_inf_nan=False, populate_by_name=True):
    """Base of answer shapes: unknown fields are ignored, numbers are finite."""

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """The answer from plain text, for shapes that allow it."""
        return None

    @classmethod
    def of_row(cls, row: Any) -> Self | None:
        """One row of a list in the answer; None if it is not of this shape."""
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
            return shape.model_validate(_snake_cased(value))
        except ValidationError as error:
            wrong = wrong or _first_error(error)
    plain = None if wrong else shape.of_text(_after_reasoning(text).strip())
    if plain is not None:
        return plain
    raise UnreadableError(wrong or "there is no JSON in the answer")


def values(text: str) -> Iterator[Any]:
    r"""Every object and list in a text, likeliest first: after the reasoning in fences, then anywhere; last first.

    >>> list(values('<think>{"a": 1}?</think> Sure: ```json\n{"a": 2}\n```'))[0]
    {'a': 2}
    """
    spoken = _after_reasoning(text)
    for part in dict.fromkeys((*reversed(_FENCE.findall(spoken)), spoken, text)):
        found = list(_parsed(part))
        rows = [value for value in found if isinstance(value, dict)]
        if len(rows) > 1:
            yield rows  # one object per line, or several lists
        yield from reversed(found)


def _after_reasoning(text: str) -> str:
    """The text after the model's reasoning."""
    ends = [end.end() for end in _THOUGHT_END.finditer(text)]
    return text[ends[-1] :] if ends else text


def _parsed(text: str) -> Iterator[Any]:
    """Values at each opening bracket outside those already parsed. Cost: O(length) for each of `MOST_VALUES`."""
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
    """The value that begins at `start`, and its end."""
    try:
        return _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return parse_leniently(text, start)


def _snake_cased(value: Any) -> Any:
    """The value with field names in snake case: `should_remember` for `shouldRemember`, `Should Remember`."""
    if isinstance(value, list):
        return [_snake_cased(one) for one in value]
    if isinstance(value, dict):
        return {
            _NO_LETTER.sub("_", str(name)).strip("_").casefold(): _snake_cased(one)
            for name, one in value.items()
        }
    return value


def _first_error(error: ValidationError) -> str:
    """The first validation error in words, without the input."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said
