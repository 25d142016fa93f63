"""role.json: lenient reading; writing keeps unknown fields and order."""

import orjson
from pydantic import ValidationError

from rolememory.locales import LocalizedText
from rolememory.schema.explain_invalid import explained
from rolememory.schema.json_types import JsonObject
from rolememory.schema.problem import Problem, quoted
from rolememory.schema.role import Role
from rolememory.storage.json_places import located
from rolememory.storage.port import Blob, Space
from rolememory.text.json_diagnostics import invalid_json

MAX_BYTES = 4 * 1024 * 1024
NAME = "role.json"


def object_in(kept: Blob) -> JsonObject:
    """The JSON object of a small document.

    Raises:
        FileError: unreadable, too large, or not an object; with line and column.
    """
    return _parsed(kept.place, _bytes(kept))


def role_in(space: Space) -> Role:
    """The role of that space; its id is always the space's name, and `name` may be missing.

    Raises:
        FileError: names the invalid field.
    """
    kept = space.document(NAME)
    data = _bytes(kept)
    raw = {"name": space.name[:8], **_parsed(kept.place, data), "id": space.name}
    try:
        return Role.model_validate(raw)
    except ValidationError as error:
        wrong = explained(error.errors(include_url=False)[0])
        raise located(data, [wrong], kept.place)[0].error() from error


def _bytes(kept: Blob) -> bytes:
    mark = kept.mark()
    if mark is not None and mark.size > MAX_BYTES:
        raise Problem.of(
            "too_large", kept.place, size=mark.size // 2**20, limit=MAX_BYTES // 2**20
        ).error()
    try:
        return kept.read()
    except OSError as error:
        raise Problem.of(
            "unreadable", kept.place, reason=error.strerror or str(error)
        ).error() from error


def _parsed(place: str, data: bytes) -> JsonObject:
    try:
        found = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise invalid_json(data, error, place) from error
    if not isinstance(found, dict):
        raise Problem.of(
            "wrong_type",
            place,
            1,
            1,
            wanted=LocalizedText("an object"),
            found=quoted(found),
            example='{"name": "..."}',
        ).error()
    return found


def merged(raw: JsonObject, role: Role) -> JsonObject:
    """The document with the role's fields set: order and unknown fields kept, defaults only where already present."""
    defaults = Role(id=role.id, name="").model_dump(mode="json")
    for field, value in role.model_dump(mode="json").items():
        if field in raw or field not in defaults or value != defaults[field]:
            raw[field] = value
    return raw


def dump(document: JsonObject) -> bytes:
    """The bytes of a JSON file that people edit: indented, a newline at the end."""
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
