"""Words for what the schema refuses: what was expected, what stands there, what to write instead."""

import json
import re
from collections.abc import Mapping
from typing import Any

from rolememory.locales import LocalizedText, translatable
from rolememory.storage.problem import Problem, quoted

#: pydantic's error type -> (expected, an example)
_EXPECTED = {
    "string_type": ("a text", '"..."'),
    "tuple_type": ("a list of strings", '["..."]'),
    "list_type": ("a list", "[...]"),
    "bool_type": ("true or false", "true"),
    "bool_parsing": ("true or false", "true"),
    "int_type": ("a whole number", "50"),
    "int_parsing": ("a whole number", "50"),
    "int_from_float": ("a whole number", "50"),
    "float_type": ("a number", "0.5"),
    "float_parsing": ("a number", "0.5"),
    "dict_type": ("an object", "{...}"),
    "model_type": ("an object", "{...}"),
    "model_attributes_type": ("an object", "{...}"),
}
translatable(
    (
        "a text",
        "a list of strings",
        "a list",
        "true or false",
        "a whole number",
        "a number",
        "an object",
    )
)
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
    "datetime_type": "bad_moment",
    "datetime_parsing": "bad_moment",
    "datetime_from_date_parsing": "bad_moment",
}


def explained(error: Mapping[str, Any]) -> Problem:
    """One row of pydantic's errors as a problem; the field's path as it stands in the file.

    >>> explained({"type": "tuple_type", "loc": ("keys",), "input": "storm, rain", "msg": ""}).text()
    'keys: expected a list of strings, got "storm, rain"; write ["storm", "rain"]'
    """
    kind, field, found = str(error["type"]), path(error["loc"]), quoted(error.get("input"))
    context = error.get("ctx") or {}
    if kind in _EXPECTED:
        told, example = _EXPECTED[kind]
        wanted, shown = LocalizedText(told), _example(kind, error.get("input"), example)
        return Problem.of("wrong_type", field=field, wanted=wanted, found=found, example=shown)
    if kind in _BOUNDS:
        sign, bound = _BOUNDS[kind]
        bounds = f"{sign} {context.get(bound)}"
        return Problem.of("out_of_range", field=field, found=found, bounds=bounds)
    if kind in ("enum", "literal_error"):
        choices = str(context.get("expected", "")).replace("'", "").replace(" or ", ", ")
        return Problem.of("unknown_choice", field=field, found=found, choices=choices)
    if kind in _CODES:
        length = context.get("min_length", context.get("max_length"))
        return Problem.of(_CODES[kind], field=field, found=found, bound=length)
    if kind == "finite_number":
        return Problem.of("non_finite", field=field, found=str(error.get("input")))
    return Problem.of("invalid", field=field, reason=str(error.get("msg", kind)).lower())


def path(location: tuple[int | str, ...]) -> str:
    """A place inside an entry.

    >>> path(("evidence", 0, "quote"))
    'evidence[0].quote'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")


def _example(kind: str, found: Any, example: str) -> str:
    """The author's own value in the right shape, where it is plain what was meant."""
    if kind == "tuple_type" and isinstance(found, str):
        return json.dumps(
            [part.strip() for part in re.split("[,，、;；]", found) if part.strip()],
            ensure_ascii=False,
        )
    if kind == "string_type" and isinstance(found, int | float) and not isinstance(found, bool):
        return f'"{found}"'
    return example
