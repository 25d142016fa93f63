"""role.json: read generously, written back with its unknown fields and its order."""

from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from rolememory.errors import FileError
from rolememory.schema.role import Role

MAX_BYTES = 4 * 1024 * 1024
NAME = "role.json"


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object of a small file.

    Raises:
        FileError: unreadable, too large, or not an object; names line and column.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FileError(path, f"larger than {MAX_BYTES // 2**20} MB", remedy="keep long texts in memory.json or a worldbook")
        found = orjson.loads(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        problem = error.msg.split(": line")[0].lower()
        raise FileError(
            path, f"not JSON: {problem}", remedy="mend it, or restore a backup", line=error.lineno, column=error.colno
        ) from error
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from error
    if not isinstance(found, dict):
        raise FileError(path, f"expected an object {{...}}, got {type(found).__name__}")
    return found


def read_role(path: Path, role_id: str) -> Role:
    """The role of that folder; the folder's name is its id, whatever the file says, and `name` may be missing.

    Raises:
        FileError: with the field at fault.
    """
    raw = {"name": role_id[:8], **read_object(path), "id": role_id}
    try:
        return Role.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise FileError(path, f"{_lower(first['msg'])}, got {str(first['input'])[:60]!r}", field=field) from error


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def merged(raw: dict[str, Any], role: Role) -> dict[str, Any]:
    """The document with the role's fields set: order and unknown fields kept, fields at their default only where they stood."""
    defaults = Role(id=role.id, name="").model_dump(mode="json")
    for field, value in role.model_dump(mode="json").items():
        if field in raw or field not in defaults or value != defaults[field]:
            raw[field] = value
    return raw


def dump(document: dict[str, Any]) -> bytes:
    """The bytes of a JSON file that people edit: indented, a newline at the end."""
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
