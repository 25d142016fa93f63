"""A finding: a code with its values, in an entry and a field. `words` has the sentences."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict

from rolememory.authoring.books import title
from rolememory.cards.character_book import snake
from rolememory.cards.sillytavern import FIELD_NAMES
from rolememory.locales import Localized
from rolememory.recall.lore.index import Lore
from rolememory.schema.evidence import Value
from rolememory.schema.value_class import value_class


class Severity(StrEnum):
    """How likely it is unintended."""

    ERROR = "error"  # cannot work as written
    WARNING = "warning"  # most likely unintended


@value_class
class LintFinding:
    """A finding. `entry` and `title` are empty if it is about the book."""

    code: str
    field: str  # by our name
    values: tuple[tuple[str, Value | Localized], ...] = ()
    entry: str = ""
    title: str = ""


@value_class
class WordedFinding:
    """A finding as shown."""

    __pydantic_config__: ClassVar = ConfigDict(use_attribute_docstrings=True)

    severity: Literal["error", "warning"]
    code: str
    uid: str
    """of the entry; "" = the book or card itself"""
    title: str
    field: str
    """as the file has it"""
    ours: str
    """by our name"""
    why: str
    write: str
    values: Mapping[str, Value]


Findings = Iterator[LintFinding]

_WORLD = {**FIELD_NAMES, "enabled": "disable", "match_sources": "match...", "id": "uid"}
_EXTENDED = {*_WORLD, *("depth", "probability", "group", "sticky", "cooldown", "delay", "role")}
_CARD = (
    "keys",
    "secondary_keys",
    "content",
    "comment",
    "constant",
    "selective",
    "enabled",
    "insertion_order",
    "id",
    "use_regex",
    "priority",
)


def written(field: str, form: str) -> str:
    """A field's name in a file of this format.

    >>> written("scan_depth", "sillytavern"), written("scan_depth", "character_book"), written("keys", "character_book")
    ('scanDepth', 'extensions.scan_depth', 'keys')
    """
    if form == "sillytavern":
        return _WORLD.get(field, field)
    if form == "character_book" and field in _EXTENDED and field not in _CARD:
        return f"extensions.{snake(_WORLD.get(field, field))}"
    return field


def of(lore: Lore, code: str, field: str, /, **values: Any) -> LintFinding:
    """A finding on an entry."""
    return LintFinding(code, field, tuple(values.items()), lore.entry.id, title(lore.entry))


def of_book(code: str, field: str, /, **values: Any) -> LintFinding:
    """A finding on the book."""
    return LintFinding(code, field, tuple(values.items()))
