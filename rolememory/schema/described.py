"""Models whose fields are described by the docstrings below them, read from the source where a description is asked for."""

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema

_CLASS = re.compile(r"^class (\w+).*$", re.MULTILINE)
_FIELD = re.compile(
    r'^    (\w+): .*(?:\n(?: {5}.*| {4}[)\]}].*))*(?:\n    """((?:.|\n)*?)""")?', re.MULTILINE
)
"""A field, its value also over several lines, and what stands below it."""


class DescribedModel(BaseModel):
    """As `use_attribute_docstrings`, which parses the source while classes are made, at every start."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema, with the descriptions of its properties."""
        found = handler(core_schema)
        properties = handler.resolve_ref_schema(found).get("properties", {})
        for name, text in descriptions(cls).items():
            key = cls.model_fields[name].alias or name
            if key in properties:
                properties[key].setdefault("description", text)
        return found


@cache
def descriptions(model: type[BaseModel]) -> Mapping[str, str]:
    """What describes each field: its own text, or the docstring below it here or in a base."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        found |= _by_class(one.__module__).get(one.__name__, {})
    fields = model.model_fields.items()
    texts = {name: field.description or found.get(name, "") for name, field in fields}
    return {name: text for name, text in texts.items() if text}


@cache
def _by_class(module: str) -> Mapping[str, Mapping[str, str]]:
    """By class of a module: the text below each annotated name, "" if there is none.

    By lines: in Python 3.11 two threads that parse at once may fail ("AST constructor recursion depth mismatch"),
    and loading a model in another thread parses much.
    """
    if not module.startswith(__package__.partition(".")[0]):
        return {}
    _, *parts = _CLASS.split(inspect.getsource(sys.modules[module]))
    return {name: dict(_texts(body)) for name, body in zip(parts[::2], parts[1::2], strict=True)}


def _texts(body: str) -> Iterator[tuple[str, str]]:
    for name, text in _FIELD.findall(body):
        yield name, inspect.cleandoc(text)
