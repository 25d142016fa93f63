"""Messages for invalid settings values: what was expected, what was found, what to write."""

import json
import re
import typing
from collections.abc import Mapping
from typing import Any

from rolememory.errors import closest
from rolememory.locales import Listed, LocalizedText, translatable
from rolememory.schema.json_types import JsonMapping
from rolememory.storage.settings_tree import default, leaves, type_name
from rolememory.upstream import bare, completed

_WRONG_KINDS = ("int_type", "float_type", "bool_type", "int_from_float")
_BOUNDS = translatable(
    {
        "ge": "at least {number}",
        "gt": "above {number}",
        "le": "at most {number}",
        "lt": "below {number}",
    }
)
translatable(
    ("a whole number", "a number", "a text", "a list of texts", "a table", "true or false")
)


def worded(found: JsonMapping, key: str, written: str) -> tuple[LocalizedText, LocalizedText]:
    """Problem and remedy for one of pydantic's errors on a settings key; `written`: its name in the file."""
    got = found["input"]
    if key.endswith("api_key_env"):  # it may be the key itself: never quoted (P20)
        return variable_expected(key)
    if key not in leaves():
        reason = f"{found['msg'][:1].lower()}{found['msg'][1:]}, got {quoted(got)}"
        return LocalizedText(reason), LocalizedText("")
    wanted = expected(found, key)
    problem = LocalizedText("expected {wanted}, got {got}", wanted=wanted, got=quoted(got))
    return problem, LocalizedText(
        "write {text}", text=f"{last(written)} = {literal(_instead(found, key, got))}"
    )


def variable_expected(key: str) -> tuple[LocalizedText, LocalizedText]:
    """Problem and remedy for a value that is not the name of an environment variable."""
    name = default(key) or default("learn.api_key_env")
    return LocalizedText(
        "expected the name of an environment variable, got something else"
    ), LocalizedText(
        "write {text} and put the key into {name}", text=f'{last(key)} = "{name}"', name=name
    )


def url_expected(written: str, got: str) -> tuple[LocalizedText, LocalizedText]:
    """Problem and remedy for a value that is not the base URL of a server; `written`: its name in the file, or ""."""
    named = f"{last(written)} = " if written else ""
    return LocalizedText(
        "expected a URL with http:// or https://, got {got}", got=quoted(bare(got))
    ), LocalizedText("write {text}", text=named + literal(completed(got)))


def expected(found: JsonMapping, key: str) -> LocalizedText:
    """The expected type of the key, with bounds."""
    if found["type"] in ("literal_error", "enum"):
        *most, final = _choices(found)
        if not most:
            return LocalizedText(final)
        return LocalizedText("{most} or {last}", most=Listed(most), last=final)
    kind = type_name(key).removesuffix(' or "unset"')
    named = LocalizedText("true or false" if kind == "true | false" else f"a {kind}")
    bounds = [
        LocalizedText(_BOUNDS[name], number=_number(getattr(part, name)))
        for part in _constraints(key)
        for name in _BOUNDS
        if hasattr(part, name)
    ]
    if not bounds:
        return named
    return LocalizedText("{kind} {bounds}", kind=named, bounds=Listed(bounds, " and "))


def _choices(found: JsonMapping) -> list[str]:
    """The values of a choice, in quotes."""
    return re.split(", | or ", str(found["ctx"]["expected"]))


def _constraints(key: str) -> list[Any]:
    """The bounds of a key, including those inside `... | None`."""
    field = leaves()[key]
    inner = [
        part
        for kind in typing.get_args(field.annotation)
        for part in getattr(kind, "__metadata__", ())
    ]
    nested = [part for info in inner for part in getattr(info, "metadata", [info])]
    return [*field.metadata, *nested]


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _instead(found: JsonMapping, key: str, got: Any) -> Any:
    """The suggested value: the intended one if clear, else the bound, else the default."""
    context = found.get("ctx", {})
    if found["type"] in ("literal_error", "enum"):
        words = [one.strip("'") for one in _choices(found)]
        near = closest(str(got), words) or words[0]
        return [near] if isinstance(default(key), list) else near
    if isinstance(got, str) and isinstance(default(key), list):
        return [got]
    meant = _unquoted(got) if found["type"] in _WRONG_KINDS else None
    if meant is not None:
        return meant
    return context.get("ge", context.get("le", default(key)))


def _unquoted(got: Any) -> bool | int | float | None:
    """The number or boolean inside quotes, or a float as a whole number; else None."""
    if isinstance(got, float) and got.is_integer():
        return int(got)
    if not isinstance(got, str):
        return None
    if got.casefold() in ("true", "yes", "on", "false", "no", "off"):
        return got.casefold() in ("true", "yes", "on")
    try:
        return float(got) if "." in got else int(got)
    except ValueError:
        return None


def last(key: str) -> str:
    """The last word of a dotted key."""
    return key.rpartition(".")[2]


def quoted(value: Any) -> str:
    """A value as in TOML, cut to fit on a line."""
    told = literal(value)
    return told if len(told) <= 60 else told[:57] + "..."


def literal(value: Any) -> str:
    """A value as in TOML; None as the word for unset.

    >>> literal(["a", True, 0.5]), literal(None)
    ('["a", true, 0.5]', '"unset"')
    """
    if value is None:
        return '"unset"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {literal(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
