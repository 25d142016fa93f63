"""The settings tree by dotted keys: types, defaults, descriptions."""

import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache, reduce
from operator import getitem
from typing import Any

from pydantic.fields import FieldInfo

from rolememory.errors import closest
from rolememory.locales import LocalizedText, translatable, translated
from rolememory.schema.aliases import ALIASES
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.settings import Section, Settings


def _sub(field: FieldInfo) -> type[Section] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None


def _walk(section: type[Section], path: str) -> Iterator[tuple[str, FieldInfo | type[Section]]]:
    for name, field in section.model_fields.items():
        below = _sub(field)
        if below is None:
            yield path + name, field
        else:
            yield path + name, below
            yield from _walk(below, f"{path}{name}.")


@cache
def leaves() -> Mapping[str, FieldInfo]:
    """Every key that takes a value, by its dotted name."""
    return {name: found for name, found in _walk(Settings, "") if isinstance(found, FieldInfo)}


@cache
def sections() -> Mapping[str, type[Section]]:
    """Every table of the file, by its dotted name."""
    return {name: found for name, found in _walk(Settings, "") if not isinstance(found, FieldInfo)}


def dotted(tree: JsonMapping, above: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a tree by its dotted name.

    >>> list(dotted({"settings": {"recall": {"max_items": 3}}}))
    [('settings.recall.max_items', 3)]
    """
    for name, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from dotted(value, f"{above}{name}.")
        else:
            yield above + name, value


def value_at(tree: JsonMapping, key: str) -> Any:
    """The value of a dotted key.

    >>> value_at({"recall": {"max_items": 3}}, "recall.max_items")
    3
    """
    return reduce(getitem, key.split("."), tree)


def default(key: str) -> Any:
    """The default of a key as in TOML: lists, plain words, None for unset."""
    value = leaves()[key].get_default(call_default_factory=True)
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return plain(value)


def plain(value: Any) -> Any:
    """An enum's value; other values unchanged."""
    return value.value if isinstance(value, Enum) else value


def nullable(key: str) -> bool:
    """Whether the key may be unset."""
    return type(None) in typing.get_args(leaves()[key].annotation)


def type_name(key: str, language: str = "en") -> str:
    """The accepted type of a key, in words.

    >>> type_name("recall.mode"), type_name("recall.max_items"), type_name("recall.tags")
    ('"inject" | "hybrid"', 'whole number or "unset"', 'list of texts')
    >>> type_name("recall.max_items", "zh")
    '整数 或 "unset"'
    """
    return _worded(leaves()[key].annotation, language)


def _worded(kind: Any, language: str) -> str:
    while typing.get_origin(kind) is typing.Annotated:
        kind = typing.get_args(kind)[0]
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        kinds = ('"unset"' if one is type(None) else _worded(one, language) for one in inside)
        return f" {translated('or', language, 'type')} ".join(kinds)
    if origin is tuple and inside[0] is str:
        return translated("list of texts", language, "type")
    if origin is tuple:
        item = _worded(inside[0], language)
        return translated("list of {item}", language, "type", item=item)
    if origin is typing.Literal:
        return _listed(inside)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"({_listed(word.value for word in kind)})"
    return translated(_WORDS.get(origin or kind, str(kind)), language, "type")


def _listed(words: Iterable[Any]) -> str:
    return " | ".join(f'"{word}"' for word in words)


_WORDS: Mapping[Any, str] = translatable(
    {bool: "true | false", int: "whole number", float: "number", str: "text", dict: "table"}, "type"
)


def meant(name: str) -> str | None:
    """The key most likely meant: the same last word elsewhere in the tree, else the most similar spelling.

    >>> meant("max_items"), meant("recall.max_item"), meant("injekt.position")
    ('recall.max_items', 'recall.max_items', 'inject.position')
    """
    known = [*leaves(), *sections()]
    last = name.rpartition(".")[2]
    same = [key for key in known if key.rpartition(".")[2] == last]
    near = closest(name, same) or (same[0] if len(same) == 1 else None)
    return near or closest(name, [*known, *ALIASES, *_FOREIGN_SECTIONS])


_FOREIGN_SECTIONS = frozenset(name.rpartition(".")[0] for name in ALIASES) - {""}


def remedy_of_unknown(name: str) -> LocalizedText:
    """What to do about a key that does not exist: the one that was probably meant, else where to see them.

    >>> remedy_of_unknown("recal").text(), remedy_of_unknown("recall.limit").text()
    ("did you mean 'recall'?", 'see `rolememory settings recall`')
    >>> remedy_of_unknown("retreival").text()
    "did you mean 'retrieval'?"
    >>> remedy_of_unknown("a.b").text()
    'see `rolememory settings --all`'
    """
    near = meant(name)
    if near and not name.startswith(f"{near}."):
        return LocalizedText("did you mean {near!r}?", near=near)
    return LocalizedText("see `rolememory settings {which}`", which=near or "--all")
