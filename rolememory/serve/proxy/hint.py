"""What a frontend says outright: a field of the body, headers, the path, a suffix of the model's name.

Macros that the frontend did not fill in ("{{char}}") say nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rolememory.serve.proxy.inject import HINT

_LONGEST = 300  # characters of a name that are believed
_AT = "@"  # model suffix: "llama-3@Mira"


@dataclass(frozen=True, slots=True)
class Hint:
    """Everything a call may say of itself; "" = unsaid."""

    role: str = ""
    role_uuid: str = ""
    avatar: str = ""  # file name of the card: tells two cards of one name apart
    user: str = ""
    group: tuple[str, ...] = ()  # members' names
    chat: str = ""
    kind: str = ""
    task: str = ""
    where: str = ""  # hint, header, path, model


def hint_of(body: Mapping[str, Any], headers: Mapping[str, str], path_role: str | None) -> Hint:
    """The explicit hints, the surest place first: body, header, path, model suffix."""
    said = _in_body(body.get(HINT))
    read = {
        "role": _text(headers.get("x-rolememory-role")),
        "user": _text(headers.get("x-rolememory-user")) or _text(headers.get("x-openwebui-user-name")),
        "chat": _text(headers.get("x-rolememory-chat")) or _text(headers.get("x-openwebui-chat-id")),
        "task": _text(headers.get("x-openwebui-task")),
    }
    suffix = _suffix(body.get("model"))
    role, where = next(
        (
            (name, place)
            for name, place in ((said.role, "hint"), (read["role"], "header"), (_text(path_role), "path"), (suffix, "model"))
            if name
        ),
        ("", "hint" if said.role_uuid else ""),
    )
    return replace(
        said,
        role=role,
        where=where,
        user=said.user or read["user"] or _text(body.get("user")),
        chat=said.chat or read["chat"],
        task="" if read["task"].casefold() in ("none", "null", "false") else read["task"],
    )


def plain_model(body: dict[str, Any]) -> dict[str, Any]:
    """The body with the model's own name, where a role was written behind it."""
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
    names = {name: _text(raw.get(name)) for name in ("role", "role_uuid", "avatar", "user", "chat")}
    return Hint(**names, kind=_text(raw.get("type")).casefold(), group=_names(raw.get("group")))


def _text(raw: object) -> str:
    """A value as one line of text; what was never filled in is nothing."""
    if not isinstance(raw, str | int):
        return ""
    text = " ".join(str(raw).split())[:_LONGEST]
    return "" if "{{" in text or "}}" in text or text.casefold() in ("undefined", "null") else text


def _names(raw: object) -> tuple[str, ...]:
    found = map(_text, raw) if isinstance(raw, list) else (one.strip() for one in _text(raw).split(","))
    return tuple(name for name in found if name)


def _suffix(model: object) -> str:
    text = _text(model)
    name, at, suffix = text.rpartition(_AT)
    return suffix.strip() if at and name and suffix and "/" not in suffix else ""
