"""
title: rolememory
description: The character remembers. Add this as a Filter function; it asks a running `rolememory serve`.
version: 0.1.0
requirements: httpx
"""

# 角色会记得：在 Open WebUI 里作为 Filter 函数添加，它会询问正在运行的 `rolememory serve`。
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel, Field


class Filter:
    """Before a reply: what comes to mind goes in front of the newest message. After it: what was said is kept."""

    class Valves(BaseModel):
        url: str = Field(
            "http://127.0.0.1:8787",
            description="where `rolememory serve` listens / rolememory serve 的地址",
        )
        token: str = Field(
            "",
            description="its token, if it runs on another machine / 令牌，服务在别的机器上时需要",
        )
        role: str = Field(
            "", description="the role; empty = the model's name / 角色；留空 = 模型名"
        )
        timeout_s: float = Field(
            3.0, description="the chat goes on without memory after so long / 超时则不带记忆继续"
        )

    def __init__(self) -> None:
        self.valves = self.Valves()

    async def inlet(
        self,
        body: dict[str, Any],
        __user__: dict[str, Any] | None = None,
        __metadata__: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Called with the request before it goes to the model."""
        if self._is_task(__metadata__):  # titles, tags, follow-ups: no turn of the character
            return body
        found = await self._ask(body, "recall", {**self._turn(body, __user__, __metadata__)})
        parts = (found.get(name) for name in ("persona", "story", "scene", "text"))
        block = "\n\n".join(text for text in parts if text)
        if block:
            messages = body["messages"]
            at = max(
                (at for at, one in enumerate(messages) if one["role"] == "user"),
                default=len(messages),
            )
            messages.insert(at, {"role": "system", "content": block})
        return body

    async def outlet(
        self,
        body: dict[str, Any],
        __user__: dict[str, Any] | None = None,
        __metadata__: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Called with the whole chat, reply included, once it is finished."""
        if not self._is_task(__metadata__):
            await self._ask(body, "observe", self._turn(body, __user__, __metadata__))
        return body

    @staticmethod
    def _is_task(metadata: dict[str, Any] | None) -> bool:
        return bool((metadata or {}).get("task"))

    @staticmethod
    def _turn(
        body: dict[str, Any], user: dict[str, Any] | None, metadata: dict[str, Any] | None
    ) -> dict[str, Any]:
        """The chat as the server takes it. Chats and users are told apart by their ids, so names may change."""
        said = [
            {"role": one["role"], "content": one.get("content")}
            for one in body.get("messages", ())
            if one.get("role") in ("user", "assistant", "system")
        ]
        chat = (metadata or {}).get("chat_id") or body.get("chat_id") or ""
        return {
            "messages": said,
            "chat": chat,
            **({"user": user["id"]} if user and user.get("id") else {}),
        }

    async def _ask(self, body: dict[str, Any], what: str, turn: dict[str, Any]) -> dict[str, Any]:
        """What the server says; nothing when it cannot be asked. A role that is not there yet is made."""
        role = self.valves.role or str(body.get("model", ""))
        headers = {"Authorization": f"Bearer {self.valves.token}"} if self.valves.token else {}
        path = f"/api/roles/{quote(role, safe='')}/{what}"
        try:
            async with httpx.AsyncClient(
                base_url=self.valves.url,
                timeout=self.valves.timeout_s,
                headers=headers,
                trust_env=False,
            ) as server:
                answer = await server.post(path, json=turn)
                if answer.status_code == 404 and role:
                    await server.post("/api/roles", json={"name": role})
                    answer = await server.post(path, json=turn)
                return answer.json() if answer.is_success else {}
        except (httpx.HTTPError, ValueError) as error:
            print(
                f"rolememory: {type(error).__name__}; the chat goes on without memory"
            )  # never the text
            return {}
