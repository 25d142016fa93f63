"""Messages for schema errors: what was expected, what was found, what to write instead."""

import json
import re
from typing import Any

from rolememory.locales import LocalizedText, translatable
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.problem import Problem, quoted

#: the first word of pydantic's error type -> what was expected
_EXPECTED = translatable(
    {
        "string": "a text",
        "tuple": "a list of strings",
        "list": "a list",
        "bool": "true or false",
        "int": "a whole number",
        "float": "a number",
        "dict": "an object",
        "model": "an object",
        "dataclass": "an object",
    }
)
_EXAMPLES = {
    "string": '"..."',
    "tuple": '["..."]',
    "list": "[...]",
    "bool": "true",
    "int": "50",
    "float": "0.5",
    "dict": "{...}",
    "model": "{...}",
    "dataclass": "{...}",
}
_OF_ANOTHER_TYPE = ("type", "parsing", "from_float", "attributes_type")  # how it goes on
_BOUNDS = {
    "greater_than_equal": ("≥", "ge"),
    "greater_than": (">", "gt"),
    "less_than_equal": ("≤", "le"),
    "less_than": ("<", "lt"),
}
#: pydantic's error type -> our code
_CODES = {
    "missing": "missing",
    "extra_forbidden": "extra",
    "string_too_short": "too_short",
    "string_too_long": "too_long",
    "too_short": "too_few",
    "too_long": "too_many",
    "datetime": "bad_moment",
}


def explained(error: JsonMapping) -> Problem:
    """One of pydantic's errors as a problem; the field's path as in the file.

    >>> explained({"type": "tuple_type", "loc": ("keys",), "input": "storm, rain", "msg": ""}).text()
    'keys: expected a list of strings, got "storm, rain"; write ["storm", "rain"]'
    """
    kind = str(error["type"])
    field = path(error["loc"])
    found = quoted(error.get("input"))
    context = error.get("ctx") or {}
    word, _, how = kind.partition("_")
    if word in _EXPECTED and how in _OF_ANOTHER_TYPE:
        wanted = LocalizedText(_EXPECTED[word])
        shown = _example(word, error.get("input"))
        return Problem.of("wrong_type", field=field, wanted=wanted, found=found, example=shown)
    if kind in _BOUNDS:
        sign, bound = _BOUNDS[kind]
        bounds = f"{sign} {context.get(bound)}"
        return Problem.of("out_of_range", field=field, found=found, bounds=bounds)
    if kind in ("enum", "literal_error"):
        choices = str(context.get("expected", "")).replace("'", "").replace(" or ", ", ")
        return Problem.of("unknown_choice", field=field, found=found, choices=choices)
    if code := _CODES.get(kind) or _CODES.get(word):
        length = context.get("min_length", context.get("max_length"))
        return Problem.of(code, field=field, found=found, bound=length)
    if kind == "finite_number":
        return Problem.of("non_finite", field=field, found=str(error.get("input")))
    return Problem.of("invalid", field=field, reason=str(error.get("msg", kind)).lower())


def path(location: tuple[int | str, ...]) -> str:
    """A field path inside an entry.

    >>> path(("evidence", 0, "quote"))
    'evidence[0].quote'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")


def _example(word: str, found: Any) -> str:
    """The author's value in the right form, if the intent is clear."""
    if word == "tuple" and isinstance(found, str):
        return json.dumps(
            [part.strip() for part in re.split("[,，、;；]", found) if part.strip()],
            ensure_ascii=False,
        )
    if word == "string" and isinstance(found, int | float) and not isinstance(found, bool):
        return f'"{found}"'
    return _EXAMPLES[word]
