"""One message of a chat, in the shape every frontend sends."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ValidationError

from rolememory.errors import InvalidValueError
from rolememory.schema.memory import Moment

Speaker = Literal["system", "user", "assistant", "tool", "developer"]
TurnKind = Literal["normal", "swipe", "regenerate", "continue", "impersonate", "quiet"]
"""What a frontend asks for: see `RoleMemory.observe` for what each means to memory."""


class Message(BaseModel, frozen=True, extra="allow"):
    """Who said what; `name` tells members of a group apart. Unknown fields are kept."""

    role: Speaker
    content: str = ""
    name: str | None = None
    sent: Moment | None = None
    owner: str | None = (
        None  # the user whose words these are, where one call holds several users' messages
    )

    @classmethod
    def user(
        cls,
        content: str,
        name: str | None = None,
        sent: datetime | None = None,
        *,
        user: str | None = None,
    ) -> Self:
        """What a user said; `user` says which one, where a chat has several."""
        return cls(role="user", content=content, name=name, sent=sent, owner=user)

    @classmethod
    def assistant(cls, content: str, name: str | None = None, sent: datetime | None = None) -> Self:
        """What the character replied."""
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
        owner = {"owner": str(raw["user"])} if raw.get("user") and "owner" not in raw else {}
        rest = {name: value for name, value in raw.items() if name != "user"}
        try:
            return cls.model_validate({**rest, **owner, "content": plain_text(raw.get("content"))})
        except ValidationError as error:
            field = str(error.errors(include_url=False)[0]["loc"][0])
            raise InvalidValueError(
                "message: {field}: {found!r:.60} is not read; roles are {roles}, a time is written 2026-05-01T18:00:00Z, all else is text",
                field=field,
                found=raw.get(field),
                roles=", ".join(get_args(Speaker)),
            ) from error


def plain_text(content: object) -> str:
    """The text of a message's content: text parts joined by newline; images and the like say nothing."""
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
