"""Files that come as the body of a request. Never unpacked, never named by the caller on disk."""

from dataclasses import field
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated

from fastapi import Depends, Query
from starlette.requests import Request

from rolememory.cards import limits
from rolememory.cards.role_parts import display_name
from rolememory.errors import InvalidValueError
from rolememory.schema.json_types import JsonObject
from rolememory.schema.value_class import value_class

_BINARY = {"schema": {"type": "string", "format": "binary"}}
TAKES_A_FILE: JsonObject = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": _BINARY,
            "application/json": {"schema": {"type": "object"}},
        },
    }
}
"""What the OpenAPI document says of such a body."""
FILE_TYPES = {".png": "image/png", ".json": "application/json", ".charx": "application/zip"}
GIVES_A_FILE: dict[int | str, JsonObject] = {
    200: {
        "description": "the file",
        "content": {
            "application/octet-stream": _BINARY,
            "image/png": _BINARY,
            "application/zip": _BINARY,
            "application/json": {"schema": {}},
        },
    }
}
"""What it says of an answer that is one."""


@value_class
class Upload:
    """A file as it came. `name` is for people: one line, no path."""

    data: bytes = field(repr=False)
    name: str = ""


async def _upload(
    request: Request,
    filename: Annotated[str, Query(max_length=500, description="the file's name")] = "",
) -> Upload:
    data = await request.body()
    if not data:
        raise InvalidValueError(
            "the file is empty: no bytes came; save it again where it comes from"
        )
    limits.check_size(data, "upload")
    return Upload(data, plain_name(filename))


def plain_name(filename: str) -> str:
    r"""The last part of a name, whatever system it is from; empty when nothing is left.

    >>> plain_name("../../etc/Mira\n.png"), plain_name("C:\\cards\\..\\x.json"), plain_name("..")
    ('Mira .png', 'x.json', '')
    """
    name = display_name(PureWindowsPath(PurePosixPath(filename.replace("\0", "")).name).name)
    return name if name.strip(". ") else ""


TheUpload = Annotated[Upload, Depends(_upload)]
