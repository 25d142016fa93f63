"""Reads JSON files that users write: emotion lexicons, cleaning rules."""

from codecs import BOM_UTF8
from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from rolememory.errors import FileError
from rolememory.schema.explain_invalid import explained
from rolememory.schema.json_types import JsonObject
from rolememory.text.json_diagnostics import invalid_json

Model = TypeVar("Model", bound=BaseModel)


def own_object(path: Path, example: str) -> JsonObject:
    """The object in the file; `example` is shown in the error.

    Raises:
        FileError: it cannot be read, or is not an object.
    """
    try:
        data = path.read_bytes().removeprefix(BOM_UTF8)
        found = orjson.loads(data)
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    except orjson.JSONDecodeError as error:
        raise invalid_json(data, error, path) from error
    if not isinstance(found, dict):
        raise FileError(path, "expected an object", remedy="write {text}", text=example)
    return found


def checked(path: Path, raw: JsonObject, kind: type[Model]) -> Model:
    """The content of a file as this model. Raises: FileError; names the first invalid field."""
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        raise explained(error.errors(include_url=False)[0]).at(str(path)).error() from error
