"""A wrong value in people's words: what was expected, what stands there, what to write."""

import typing
from collections.abc import Mapping
from typing import Any

from rolememory.errors import closest
from rolememory.storage.said import EXPECTED, PUT_KEY, SILENT, VARIABLE, WRITE, Said
from rolememory.storage.tree import default, leaves, type_name

_BOUNDS = {
    "ge": Said("at least", "不小于"),
    "gt": Said("above", "大于"),
    "le": Said("at most", "不大于"),
    "lt": Said("below", "小于"),
}
_CHINESE = {
    "true | false": " true 或 false",
    "whole number": "整数",
    "number": "数字",
    "text": "文字",
    "list of texts": "文字列表",
    "table": "表",
}


def worded(found: Mapping[str, Any], key: str) -> tuple[Said, Said]:
    """Problem and remedy of one of pydantic's complaints about a settings key."""
    got = found["input"]
    if key.endswith("api_key_env"):  # it may be the key itself: never quoted (P20)
        return variable_expected(key)
    if key not in leaves():
        reason = f"{found['msg'][:1].lower()}{found['msg'][1:]}, got {quoted(got)}"
        return Said(reason, reason), SILENT
    wanted = expected(found, key)
    problem = EXPECTED.filled(wanted=wanted.en, wanted_zh=wanted.zh, got=quoted(got))
    return problem, WRITE.filled(text=f"{last(key)} = {literal(_instead(found, key, got))}")


def variable_expected(key: str) -> tuple[Said, Said]:
    """Problem and remedy where something else stands than the name of an environment variable."""
    name = default(key) or default("learn.api_key_env")
    return VARIABLE, PUT_KEY.filled(text=f'{last(key)} = "{name}"', name=name)


def expected(found: Mapping[str, Any], key: str) -> Said:
    """What the key takes, with its bounds."""
    if found["type"] in ("literal_error", "enum"):
        words = str(found["ctx"]["expected"])
        return Said(words, words.replace(" or ", "、").replace(", ", "、"))
    kind = type_name(key).removesuffix(' or "unset"')
    named = "true or false" if kind == "true | false" else f"a {kind}"
    bounds = [
        (name, _number(getattr(part, name)))
        for part in _constraints(key)
        for name in _BOUNDS
        if hasattr(part, name)
    ]
    en = " and ".join(f"{_BOUNDS[name].en} {bound}" for name, bound in bounds)
    zh = "、".join(f"{_BOUNDS[name].zh} {bound} " for name, bound in bounds)
    return Said(
        f"{named} {en}".strip(),
        f"{zh}的{_CHINESE.get(kind, kind)}" if zh else _CHINESE.get(kind, kind),
    )


def _constraints(key: str) -> list[Any]:
    """The bounds of a key, also those inside `... | None`."""
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


def _instead(found: Mapping[str, Any], key: str, got: Any) -> Any:
    """What to write: the value as it was meant where that can be told, else the bound, else the default."""
    context = found.get("ctx", {})
    if found["type"] in ("literal_error", "enum"):
        words = [
            word.strip("'") for word in str(context["expected"]).replace(" or ", ", ").split(", ")
        ]
        near = closest(str(got), words) or words[0]
        return [near] if isinstance(default(key), list) else near
    if isinstance(got, str) and isinstance(default(key), list):
        return [got]
    meant = _unquoted(got)
    if meant is not None and found["type"] in (
        "int_type",
        "float_type",
        "bool_type",
        "int_from_float",
    ):
        return meant
    bound = next((context[name] for name in ("ge", "le") if name in context), None)
    return default(key) if bound is None else bound


def _unquoted(got: Any) -> bool | int | float | None:
    """A number or a switch that was written in quotes, or a whole number with a point."""
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
    """A value as TOML writes it, cut to what fits on a line."""
    told = literal(value)
    return told if len(told) <= 60 else told[:57] + "..."


def literal(value: Any) -> str:
    """A value as TOML writes it; None as the word for unset.

    >>> literal(["a", True, 0.5]), literal(None)
    ('["a", true, 0.5]', '"unset"')
    """
    if value is None:
        return '"unset"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {literal(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, int | float):
        return repr(value)
    return _text(str(value))


def _text(value: str) -> str:
    escapes = {
        "\\": "\\\\",
        '"': '\\"',
        "\n": "\\n",
        "\t": "\\t",
        "\r": "\\r",
        "\b": "\\b",
        "\f": "\\f",
    }
    return (
        '"'
        + "".join(
            escapes.get(letter)
            or (letter if letter >= " " and letter != "\x7f" else f"\\u{ord(letter):04x}")
            for letter in value
        )
        + '"'
    )
