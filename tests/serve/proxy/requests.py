"""Requests as frontends send them, built from a chat and the way the frontend lays it out."""

from collections.abc import Sequence
from typing import Any

CARD = "Asha keeps the lighthouse at Cape Morrow. She is forty, dry, patient, and winds the lamp every four hours by hand."
CARD_ZH = (
    "明月是山中古观里的守夜人，四十岁，话少而耐心，每隔四个时辰要给长明灯添一次油，从不离开半步。"
)
Said = Sequence[tuple[str, str]]

MAIN = "Write {char}'s next reply in a fictional chat between {char} and {user}."


def request(
    said: Said,
    *,
    char: str = "Asha",
    user: str = "Traveller",
    card: str = CARD,
    main: str | None = MAIN,
    post: str = "Stay in the lighthouse.",
    stream: bool = True,
    hint: Any = None,
    **fields: Any,
) -> dict[str, Any]:
    """The default layout: one system message per block, the greeting first, instructions after the history."""
    before = [main.format(char=char, user=user)] if main else []
    messages = [
        {"role": "system", "content": text} for text in (*before, card, "[Start a new Chat]")
    ]
    messages += [{"role": role, "content": text} for role, text in said]
    messages += [{"role": "system", "content": post}] if post else []
    body = {
        "messages": messages,
        "model": "fake-rp-model",
        "temperature": 1,
        "stream": stream,
        **fields,
    }
    return {**body, "rolememory": hint} if hint is not None else body


def merged(body: dict[str, Any]) -> dict[str, Any]:
    """Neighbouring messages of one role joined."""
    out: list[dict[str, Any]] = []
    for message in body["messages"]:
        if out and out[-1]["role"] == message["role"]:
            out[-1] = {**out[-1], "content": f"{out[-1]['content']}\n\n{message['content']}"}
        else:
            out.append(message)
    return {**body, "messages": out}


def semi(body: dict[str, Any]) -> dict[str, Any]:
    """System text in the middle of the chat becomes the user's, then neighbours are joined."""
    seen, out = False, []
    for message in body["messages"]:
        seen = seen or message["role"] != "system"
        out.append({**message, "role": "user"} if seen and message["role"] == "system" else message)
    return merged({**body, "messages": out})


def strict(body: dict[str, Any]) -> dict[str, Any]:
    """Also the user first."""
    out = semi(body)["messages"]
    if len(out) > 1 and out[1]["role"] == "assistant":
        out = [out[0], {"role": "user", "content": "[Start a new chat]"}, *out[1:]]
    return {**body, "messages": out}


def single(body: dict[str, Any], char: str = "Asha", user: str = "Traveller") -> dict[str, Any]:
    """Everything in one user message."""
    names = {"user": f"{user}: ", "assistant": f"{char}: ", "system": ""}
    text = "\n\n".join(names[message["role"]] + message["content"] for message in body["messages"])
    return {**body, "messages": [{"role": "user", "content": text}]}


def squashed(body: dict[str, Any]) -> dict[str, Any]:
    """Neighbouring system messages joined by a newline."""
    out: list[dict[str, Any]] = []
    for message in body["messages"]:
        if out and out[-1]["role"] == message["role"] == "system":
            out[-1] = {**out[-1], "content": f"{out[-1]['content']}\n{message['content']}"}
        else:
            out.append(message)
    return {**body, "messages": out}


def prefixed(body: dict[str, Any], char: str = "Asha", user: str = "Traveller") -> dict[str, Any]:
    """Names in the content."""
    names = {"user": f"{user}: ", "assistant": f"{char}: ", "system": ""}
    return {
        **body,
        "messages": [
            {**one, "content": names[one["role"]] + one["content"]} for one in body["messages"]
        ],
    }


def named(body: dict[str, Any], char: str = "Asha", user: str = "Traveller") -> dict[str, Any]:
    """Names in the field that is for them."""
    names = {"user": {"name": user}, "assistant": {"name": char}, "system": {}}
    return {**body, "messages": [{**one, **names[one["role"]]} for one in body["messages"]]}


def as_prompt(
    said: Said, *, char: str = "Asha", user: str = "Traveller", card: str = CARD
) -> dict[str, Any]:
    """A text completion."""
    names = {"user": user, "assistant": char}
    lines = [f"{names[role]}: {text}" for role, text in said]
    return {
        "prompt": "\n".join([card, "***", *lines, f"{char}:"]),
        "stream": True,
        "stop": [f"\n{user}:"],
    }
