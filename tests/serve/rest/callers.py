"""A role over REST, as a test speaks to it."""

from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Caller:
    """Calls under one role's address."""

    api: httpx.Client
    id: str
    name: str

    def __call__(
        self, method: str, path: str = "", json: Any = None, **kwargs: Any
    ) -> httpx.Response:
        given = {"json": json} if json is not None else {}
        return self.api.request(method, f"/roles/{self.id}{path}", **given, **kwargs)

    def get(self, path: str = "", **kwargs: Any) -> Any:
        """What stands there."""
        return good(self("GET", path, **kwargs))

    def post(self, path: str, json: Any = None, **kwargs: Any) -> Any:
        """What came of it."""
        return good(self("POST", path, {} if json is None else json, **kwargs))

    def remember(self, content: str, **fields: Any) -> dict[str, Any]:
        """A memory."""
        made: dict[str, Any] = self.post("/memories", {"content": content, **fields})
        return made

    def say(self, *texts: str, chat: str = "harbour", user: str = "lin", **fields: Any) -> Any:
        """A chat: user and character in turn, beginning with the user; its commands are obeyed when this returns."""
        messages = [
            {"role": "user" if place % 2 == 0 else "assistant", "content": text}
            for place, text in enumerate(texts)
        ]
        return self.post(
            "/observe", {"messages": messages, "chat": chat, "user": user, "wait_s": 10, **fields}
        )


def caller(api: httpx.Client, name: str) -> Caller:
    """A new role of that name."""
    made = good(api.post("/roles", json={"name": name}))
    return Caller(api, made["id"], name)


def good(response: httpx.Response) -> Any:
    """The answer, if it is one."""
    assert response.status_code < 300, f"{response.status_code} {response.text[:500]}"
    return response.json() if response.content else None


def asks(*texts: str) -> list[dict[str, str]]:
    """Messages, oldest first, the newest from the user."""
    speakers = ["user" if (len(texts) - place) % 2 else "assistant" for place in range(len(texts))]
    return [{"role": role, "content": text} for role, text in zip(speakers, texts, strict=True)]
