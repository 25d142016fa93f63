"""Filters, tests, methods and operators for templates, each with a check of the size of its result."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from string import Formatter
from typing import Any

from jinja2 import Environment, Undefined, filters, pass_environment, tests

from rolememory.inject.meter import METER, SpentError, spoken, weighed

_WIDEST = 1_000  # maximum width of padding, in characters
_LONGEST_RANGE = 100_000
_LARGEST_EXPONENT = 64
_LARGEST_BITS = 256
_PERCENT = re.compile(
    r"%(?:\([^)]*\))?[#0\- +]*(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d+))?", re.ASCII
)
_SPEC = re.compile(
    r"(?:.?[<>=^])?[-+ ]?#?0?\d{0,3}[,_]?(?:\.\d{1,3})?[a-zA-Z%]?", re.ASCII | re.DOTALL
)

_TEXT_METHODS = (
    "capitalize casefold center count endswith find format index isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle "
    "isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split "
    "splitlines startswith strip swapcase title upper zfill"
).split()  # fmt: skip
TABLE_METHODS = frozenset({"get", "items", "keys", "values"})


class Plain(dict[Any, Any]):
    """An immutable dict of text, numbers, tuples and such dicts."""


METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset(_TEXT_METHODS),
    dict: TABLE_METHODS,
    Plain: TABLE_METHODS,
    list: frozenset({"count", "index"}),
    tuple: frozenset({"count", "index"}),
}


def refuse_wide(width: Any) -> None:
    """Raises SpentError for a padding width above the limit."""
    if isinstance(width, int) and abs(width) > _WIDEST:
        raise SpentError(f"it pads to {abs(width):,} characters, at most {_WIDEST:,} are allowed")


def replaced_size(text: str, old: str, new: str) -> int:
    """Longest possible result of a replacement.

    >>> replaced_size("banana", "a", "ooo")
    12
    """
    return len(text) + max(len(new) - len(old), 0) * text.count(old)


def joined_size(separator: str, values: Sequence[Any]) -> int:
    """Length of the values joined.

    >>> joined_size(", ", ["a", "b"])
    4
    """
    return sum(len(spoken(value)) for value in values) + len(separator) * max(len(values) - 1, 0)


def joined(values: Iterable[Any], separator: str = "") -> str:
    """Join texts, after charging the meter."""
    texts = weighed(values if isinstance(values, list | tuple) else iter(values))
    METER.get().make(joined_size(separator, texts))
    return separator.join(spoken(text) for text in texts)


def percent(text: str, values: Any) -> str:
    """`text % values`, widths bounded, single values only."""
    for match in _PERCENT.finditer(text):
        for part in match.groupdict().values():
            if part == "*":
                raise SpentError("a width of * is not allowed in a format")
            refuse_wide(int(part or 0) if len(part or "") < 9 else 10**9)
    parts = (
        values.values()
        if isinstance(values, Mapping)
        else values
        if isinstance(values, tuple)
        else (values,)
    )
    METER.get().make(
        len(text) * _LARGEST_EXPONENT
        + sum(len(spoken(part)) for part in parts) * max(text.count("%"), 1)
    )
    return str(text % values)


class _PlainFormatter(Formatter):
    """`str.format` without attributes, without items, with bounded widths."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if "." in field_name or "[" in field_name:
            raise SpentError(
                f"format field {field_name!r} reaches inside a value; pass the value itself"
            )
        return super().get_field(field_name, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> Any:
        text = spoken(value)
        if not _SPEC.fullmatch(format_spec):
            raise SpentError(f"format {format_spec[:20]!r} is not allowed")
        METER.get().make(len(text) + _WIDEST)
        return format(value, format_spec)


def formatted(text: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """`text.format(*args, **kwargs)`, safely."""
    return _PlainFormatter().vformat(text, args, kwargs)


def multiplied(left: Any, right: Any) -> Any:
    """`left * right`, after charging the meter."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(other, int):
            METER.get().make(len(one) * max(other, 0))
            return weighed(one * other)
    if (
        isinstance(left, int)
        and isinstance(right, int)
        and left.bit_length() + right.bit_length() > _LARGEST_BITS
    ):
        raise SpentError("its numbers grow too large")
    return left * right


def raised(left: Any, right: Any) -> Any:
    """`left ** right` for ordinary numbers."""
    if (
        isinstance(left, int)
        and isinstance(right, int)
        and (abs(right) > _LARGEST_EXPONENT or left.bit_length() * abs(right) > _LARGEST_BITS)
    ):
        raise SpentError(
            f"{left} ** {right} grows too large"
            if left.bit_length() < 64
            else "its numbers grow too large"
        )
    return left**right


def added(left: Any, right: Any) -> Any:
    """`left + right`, charging the meter for texts and lists."""
    if isinstance(left, str) and isinstance(right, str):
        METER.get().make(len(left) + len(right))
    return weighed(left + right)


def remainder(left: Any, right: Any) -> Any:
    """`left % right`, or a format."""
    return percent(left, right) if isinstance(left, str) else left % right


OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "*": multiplied,
    "**": raised,
    "+": added,
    "%": remainder,
}


def numbers(*bounds: int) -> range:
    """`range`, at most 100,000 long."""
    found = range(*bounds)
    if len(found) > _LONGEST_RANGE:
        raise SpentError(f"range of {len(found):,} is longer than {_LONGEST_RANGE:,}")
    return found


def call_method(method: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a method of a text, list or table, after checking the size of its result.

    Raises:
        SpentError: it is not in `METHODS`, or its result is too large.
    """
    owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
    if name not in METHODS.get(type(owner), ()):
        raise SpentError("it calls something that is no method of a text, list or table")
    if isinstance(owner, str):
        if name == "format":
            return formatted(owner, args, kwargs)
        if name == "join":
            return joined(args[0], owner)
        if name == "replace":
            METER.get().make(replaced_size(owner, *args[:2]))
        elif name in ("center", "ljust", "rjust", "zfill"):
            refuse_wide(args[0])
    return weighed(method(*args, **kwargs))


def _measured(function: Any) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return weighed(function(*args, **kwargs))

    return call


@pass_environment
def _join(
    environment: Environment, values: Iterable[Any], d: str = "", attribute: str | int | None = None
) -> str:
    chosen = (
        map(filters.make_attrgetter(environment, attribute), values)
        if attribute is not None
        else values
    )
    return joined(list(chosen), d)


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    METER.get().make(replaced_size(spoken(text), old, new))
    return spoken(text).replace(old, new, count)


def _center(text: str, width: int = 80) -> str:
    refuse_wide(width)
    return spoken(text).center(width)


def _indent(text: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    if isinstance(width, int):
        refuse_wide(width)
    size = width if isinstance(width, int) else len(width)
    METER.get().make(len(text) + size * (1 + text.count("\n")))
    return filters.do_indent(text, width, first, blank)


def _format(text: str, *args: Any, **kwargs: Any) -> str:
    return percent(text, kwargs or args)


def _round(value: float, precision: int = 0, method: str = "common") -> float:
    if abs(precision) > 20:
        raise SpentError("it rounds to more than 20 places")
    return float(filters.do_round(value, precision, method))  # type: ignore[arg-type]


def _sum(values: Iterable[Any]) -> float:
    total: float = 0
    for value in values:
        if not isinstance(value, int | float):
            raise SpentError("it sums what is no number")
        total += value
    return total


def _tojson(value: Any) -> str:
    return json.dumps(weighed(value), ensure_ascii=False)


def _default(value: Any, default_value: Any = "", boolean: bool = False) -> Any:
    return default_value if isinstance(value, Undefined) or (boolean and not value) else value


_OF_JINJA = (
    "abs capitalize count dictsort first float groupby int items last length list lower map max min reject rejectattr reverse select "
    "selectattr sort title trim truncate unique upper wordcount"
).split()  # fmt: skip
FILTERS: dict[str, Callable[..., Any]] = {
    name: _measured(filters.FILTERS[name]) for name in _OF_JINJA
} | {
    "center": _measured(_center),
    "d": _default,
    "default": _default,
    "format": _measured(_format),
    "indent": _measured(_indent),
    "join": _join,
    "replace": _measured(_replace),
    "round": _round,
    "string": spoken,
    "sum": _sum,
    "tojson": _measured(_tojson),
}
_JINJA_TESTS: Mapping[str, Any] = tests.TESTS
TESTS: dict[str, Callable[..., Any]] = {
    name: test
    for name, test in _JINJA_TESTS.items()
    if name not in ("callable", "escaped", "sameas", "filter", "test")
}
