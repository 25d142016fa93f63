"""Models whose fields are described by the docstrings below them, read from the source where a description is asked for."""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema


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
def descriptions(model: type[DescribedModel]) -> Mapping[str, str]:
    """What describes each field: its own text, or the docstring below it here or in a base."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        found |= _by_class(one.__module__).get(one.__name__, {})
    fields = model.model_fields.items()
    texts = {name: field.description or found.get(name, "") for name, field in fields}
    return {name: text for name, text in texts.items() if text}


@cache
def _by_class(module: str) -> Mapping[str, Mapping[str, str]]:
    """By class of a module: the text below each annotated name, "" if there is none."""
    if not module.startswith(__package__.partition(".")[0]):
        return {}
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return {one.name: dict(_texts(one.body)) for one in classes}


def _texts(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for one, below in pairwise([*body, ast.Pass()]):
        match one, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, inspect.cleandoc(text)
            case ast.AnnAssign(target=ast.Name(id=name)), _:
                yield name, ""
