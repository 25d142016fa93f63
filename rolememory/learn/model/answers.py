"""What models really answer, read generously: JSON in prose, in fences, behind thoughts, cut off in the middle.

Generous in form, strict in meaning: whatever is read still has to fit the shape that was asked for.
"""

import json
import re
from collections.abc import Generator, Iterator
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

MOST_CHARACTERS = 200_000  # of the text of one answer
MOST_VALUES = 64  # values of one text that are tried
_RESTARTS = 4  # how often a bracket that is never closed is stepped over

_THOUGHT_END = re.compile(
    r"</(?:think|thinking|thought|reasoning|reflection)\s*>|◁/think▷|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_TOKEN = re.compile(r'["\\{}\[\]]')
_CLOSES = {"}": "{", "]": "["}
_MENDS = (
    (re.compile(r"(?<=[{\[,:，：])(\s*)[“”]"), r'\1"'),
    (re.compile(r"[“”](?=\s*[:,：，}\]])"), '"'),
    (re.compile(r'"：'), '":'),
    (re.compile(r'(?<=["}\]\d])，(?=\s*["{\[])'), ","),
    (re.compile(r",(?=\s*[}\]])"), ""),
)


class UnreadableError(ValueError):
    """Nothing in the text has the shape that was asked for; the message says what is wrong, in words for the model."""


class Answer(BaseModel):
    """Base of what is asked for: unknown fields say nothing, numbers are finite."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, populate_by_name=True)

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """The answer out of plain words, for shapes that may be told so."""
        return None


Shape = TypeVar("Shape", bound=Answer)


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
            return shape.model_validate(value)
        except ValidationError as error:
            wrong = wrong or _first(error)
    plain = None if wrong else shape.of_text(_said(text).strip())
    if plain is not None:
        return plain
    raise UnreadableError(wrong or "there is no JSON in the answer")


def values(text: str) -> Iterator[Any]:
    r"""Every JSON value in a text, the likeliest first: what stands after the thoughts, in fences, then anywhere; last first.

    >>> list(values('<think>{"a": 1}?</think> Sure: ```json\n{"a": 2}\n```'))[0]
    {'a': 2}
    """
    spoken = _said(text)
    for part in dict.fromkeys((*reversed(_FENCE.findall(spoken)), spoken, text)):
        found = [value for value in _parsed(part) if isinstance(value, dict | list)]
        rows = [value for value in found if isinstance(value, dict)]
        if len(rows) > 1:
            yield rows  # one object per line, or a list that was cut off
        yield from reversed(found)


def _said(text: str) -> str:
    """The text without the thoughts before it."""
    ends = [end.end() for end in _THOUGHT_END.finditer(text)]
    return text[ends[-1] :] if ends else text


def _parsed(text: str) -> Iterator[Any]:
    for number, (start, end) in enumerate(_spans(text)):
        if number == MOST_VALUES:
            return
        try:
            yield json.loads(text[start:end], parse_constant=float, strict=False)
        except (ValueError, RecursionError):
            yield from _mended(text[start:end])


def _mended(text: str) -> Iterator[Any]:
    """Once more, without commas before brackets, and with straight quotes, colons and commas where Chinese ones were typed."""
    plain = text
    for pattern, straight in _MENDS:
        plain = pattern.sub(straight, plain)
    if plain != text:
        try:
            yield json.loads(plain, parse_constant=float, strict=False)
        except (ValueError, RecursionError):
            return


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where bracketed values stand, outermost first; of one that is never closed, the closed ones inside it."""
    start = 0
    for _ in range(_RESTARTS):
        opened = yield from _closed(text, start)
        if opened is None:
            return
        start = opened + 1


def _closed(text: str, start: int) -> Generator[tuple[int, int], None, int | None]:
    """Spans of closed values from `start` on; gives back the place of a bracket that was never closed, or None."""
    stack: list[int] = []
    in_string, skip = False, -1
    for token in _TOKEN.finditer(text, start):
        place, mark = token.start(), token.group()
        if place == skip:
            continue
        if mark == "\\":
            skip = place + 1 if in_string else -1
        elif mark == '"':
            in_string = bool(stack) and not in_string
        elif in_string:
            continue
        elif mark in "{[":
            stack.append(place)
        elif stack and text[stack[-1]] == _CLOSES[mark]:
            opened = stack.pop()
            if not stack:
                yield opened, place + 1
    return stack[0] if stack else None


def _first(error: ValidationError) -> str:
    """The first mistake as a person would tell it, without what was answered."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said
