"""Messages of a chat, in the format that frontends send."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ValidationError

from rolememory.errors import InvalidValueError
from rolememory.schema.json_types import without
from rolememory.schema.memory import Moment

Speaker = Literal["system", "user", "assistant", "tool", "developer"]
TurnKind = Literal["normal", "swipe", "regenerate", "continue", "impersonate", "quiet"]
"""The kind of generation: see `RoleMemory.observe` for its effect on memory."""

_MAY_SAY = {"content", "text", "tool_calls", "function_call", "refusal", "audio"}
"""Fields of which a message has at least one, as OpenAI's clients send it."""
_NO_TEXT = {"user", "id", "type"}


class Message(BaseModel, frozen=True, extra="allow"):
    """One message; `name` distinguishes members of a group. Unknown fields are kept."""

    role: Speaker
    content: str = ""
    name: str | None = None
    sent: Moment | None = None
    owner: str | None = None  # the author, if a call has messages of several users

    @classmethod
    def user(
        cls,
        content: str,
        name: str | None = None,
        sent: datetime | None = None,
        *,
        user: str | None = None,
    ) -> Self:
        """A user's message; `user` says which one, if a chat has several."""
        return cls(role="user", content=content, name=name, sent=sent, owner=user)

    @classmethod
    def assistant(cls, content: str, name: str | None = None, sent: datetime | None = None) -> Self:
        """A reply of the character."""
        return cls(role="assistant", content=content, name=name, sent=sent)

    @classmethod
    def system(cls, content: str, name: str | None = None) -> Self:
        """An instruction."""
        return cls(role="system", content=content, name=name)

    @classmethod
    def of(cls, raw: "Message | Mapping[str, Any] | str") -> "Message":
        """Read a message as frontends send it: an OpenAI dict (content text, a list of parts, or null), or plain user text.

        >>> Message.of({"role": "user", "content": [{"type": "text", "text": "hi"}]}).content
        'hi'
        >>> Message.of({"role": "user", "text": "hi"}).content
        'hi'
        """
        if isinstance(raw, Message):
            return raw
        if isinstance(raw, str):
            return cls.user(raw)
        given: object = raw
        if not isinstance(given, Mapping) or "role" not in raw:
            raise InvalidValueError(
                'expected a message like {{"role": "user", "content": "..."}}, got {raw!r}',
                raw=str(raw)[:80],
            )
        if not raw.keys() & _MAY_SAY:
            raise _without_content(raw)
        owner = {"owner": str(raw["user"])} if raw.get("user") and "owner" not in raw else {}
        rest = without(raw, "user")
        try:
            return cls.model_validate(
                {**rest, **owner, "content": plain_text(raw.get("content", raw.get("text")))}
            )
        except ValidationError as error:
            field = str(error.errors(include_url=False)[0]["loc"][0])
            raise InvalidValueError(
                "message: {field}: {found!r:.60} is not read; roles are {roles}, a time is written 2026-05-01T18:00:00Z, all else is text",
                field=field,
                found=raw.get(field),
                roles=", ".join(get_args(Speaker)),
            ) from error


def _without_content(raw: Mapping[str, Any]) -> InvalidValueError:
    """The error for a message without text; names the field that may hold it."""
    other = [
        name
        for name, value in raw.items()
        if isinstance(value, str) and name not in Message.model_fields and name not in _NO_TEXT
    ]
    return InvalidValueError(
        "a message without content: {raw}; write 'content' in place of {field!r}"
        if other
        else "a message without content: {raw}; write 'content': '...'",
        raw=str(dict(raw))[:80],
        field=other[0] if other else "",
    )


def plain_text(content: object) -> str:
    """The text of a message's content: text parts joined by newline, without images and the like."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = (
            part.get("text", "") if isinstance(part, Mapping) else str(part) for part in content
        )
        return "\n".join(part for part in parts if part)
    return str(content)
