"""Explicit hints of a frontend: a field of the body, headers, the path, a suffix of the model's name.

Unexpanded macros ("{{char}}") are ignored.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from unicodedata import category
from urllib.parse import unquote

from rolememory.schema.json_types import object_of
from rolememory.serve.proxy.inject import HINT

_LONGEST = 200  # maximum characters of a name
_ENCODED = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]|%2[0-9A-Fa-f]")
_AT = "@"  # model suffix: "llama-3@Mira"
_VERSION = re.compile(  # suffixes after @ of model servers themselves: dates, quantisations, branches
    r"(?:v?\d[\w.\-]*|i?q\d\w*|[bf]p?f?\d+\w*|int\d+|\d+-?bit|latest|default|main|master|stable|mlx|gguf|awq|gptq|exl\d|preview\w*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hint:
    """The hints of a call; "" = not given."""

    role: str = ""
    role_uuid: str = ""
    avatar: str = ""  # file name of the card: distinguishes cards of one name
    user: str = ""
    group: tuple[str, ...] = ()  # members' names
    present: tuple[str, ...] | None = None  # the users present; None = not given
    owners: Mapping[str, str] = field(default_factory=dict)  # `name` of a message -> user
    chat: str = ""
    title: str = ""  # of the chat
    kind: str = ""
    task: str = ""
    where: str = ""  # hint, header, path, model


def hint_of(body: Mapping[str, Any], headers: Mapping[str, str], path_role: str | None) -> Hint:
    """The explicit hints, in order of precedence: body, header, path, model suffix.

    For the user a header has precedence: a gateway sets it for all requests that it forwards.
    """
    said = _in_body(body.get(HINT))
    read = {
        "role": header(headers, "x-rolememory-role"),
        "user": header(headers, "x-rolememory-user") or header(headers, "x-openwebui-user-name"),
        "chat": header(headers, "x-rolememory-chat") or header(headers, "x-openwebui-chat-id"),
        "task": header(headers, "x-openwebui-task"),
    }
    present = header(headers, "x-rolememory-present")
    suffix = _suffix(body.get("model"))
    role, where = next(
        (
            (name, place)
            for name, place in (
                (said.role, "hint"),
                (read["role"], "header"),
                (_text(path_role), "path"),
                (suffix, "model"),
            )
            if name
        ),
        ("", "hint" if said.role_uuid else ""),
    )
    return replace(
        said,
        role=role,
        where=where,
        user=read["user"] or said.user or _text(body.get("user")),
        chat=said.chat or read["chat"],
        present=_names(present) if present else said.present,
        task="" if read["task"].casefold() in ("none", "null", "false") else read["task"],
    )


def plain_model(body: dict[str, Any]) -> dict[str, Any]:
    """The body with the role suffix removed from the model's name."""
    suffix = _suffix(body.get("model"))
    return {**body, "model": str(body["model"])[: -len(suffix) - 1]} if suffix else body


def _in_body(raw: object) -> Hint:
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except ValueError:
            return Hint()
    if not isinstance(raw, Mapping):
        return Hint()
    texts = ("role", "role_uuid", "avatar", "user", "chat", "title")
    names = {name: _text(raw.get(name)) for name in texts}
    present = raw.get("present")
    return Hint(
        **names,
        kind=_text(raw.get("type")).casefold(),
        group=_names(raw.get("group")),
        present=_names(present) if isinstance(present, list) or _text(present) else None,
        owners=_owners(object_of(raw.get("owners"))),
    )


def header(headers: Mapping[str, str], name: str) -> str:
    """A header's text: headers carry Latin-1, so names come as UTF-8 bytes or percent-encoded (Open WebUI does that)."""
    raw = headers.get(name) or ""
    with suppress(ValueError):
        raw = raw.encode("latin-1").decode("utf-8")
    return _text(unquote(raw) if _ENCODED.search(raw) else raw)


def _text(raw: object) -> str:
    """A value as one line of text; "" for unexpanded macros."""
    if not isinstance(raw, str | int):
        return ""
    text = " ".join(
        "".join(
            one
            for one in str(raw)[: 4 * _LONGEST]
            if one.isspace() or category(one) not in ("Cc", "Cs")
        ).split()
    )[:_LONGEST].strip()
    return "" if "{{" in text or "}}" in text or text.casefold() in ("undefined", "null") else text


def _names(raw: object) -> tuple[str, ...]:
    found = (
        map(_text, raw) if isinstance(raw, list) else (one.strip() for one in _text(raw).split(","))
    )
    return tuple(name for name in found if name)


def _owners(raw: Mapping[str, Any]) -> dict[str, str]:
    read = {_text(name): _text(user) for name, user in raw.items()}
    return {name: user for name, user in read.items() if name and user}


def _suffix(model: object) -> str:
    text = _text(model)
    name, at, suffix = text.rpartition(_AT)
    return (
        suffix.strip()
        if at and name and suffix and "/" not in suffix and not _VERSION.fullmatch(suffix.strip())
        else ""
    )
