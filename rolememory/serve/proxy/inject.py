"""The block goes into the frontend's own request: dicts stay as they came, unknown fields untouched."""

from collections.abc import Mapping, Sequence
from typing import Any

from rolememory.inject.fence import strip
from rolememory.inject.place import insertion
from rolememory.schema.message import plain_text

Body = dict[str, Any]
_BLANK_LINE = "\n\n"
HINT = "rolememory"  # the field of the body that is ours; strict upstreams refuse unknown fields


def without_hint(body: Mapping[str, Any]) -> Body:
    """The body as the frontend would have sent it to the upstream."""
    return {name: value for name, value in body.items() if name != HINT}


def unmarked(body: Body) -> Body:
    """The body without blocks of ours that came back in it; the very same object when there are none."""
    if isinstance(body.get("prompt"), str):
        clean = strip(body["prompt"])
        return body if clean == body["prompt"] else {**body, "prompt": clean}
    messages = body.get("messages")
    if not isinstance(messages, list):
        return body
    kept = [_unmarked(message) for message in messages]
    if all(one is other for one, other in zip(kept, messages, strict=True)):
        return body
    return {**body, "messages": [message for message in kept if message is not None]}


def injected(
    body: Body, block: str, *, depth: int = 1, fold: bool = False, continuing: bool = False
) -> Body:
    """The body with a block as a system message of its own at that depth, or folded behind the newest user text.

    >>> [message["role"] for message in injected({"messages": [{"role": "user", "content": "hi"}]}, "x")["messages"]]
    ['system', 'user']
    """
    messages = body.get("messages")
    if not block or not isinstance(messages, list) or not messages:
        return body
    if fold:
        return {**body, "messages": _folded(messages, block)}
    roles = [
        str(message.get("role", "")) if isinstance(message, Mapping) else "" for message in messages
    ]
    at = insertion(roles, "depth", depth, continuing=continuing)
    return {
        **body,
        "messages": [*messages[:at], {"role": "system", "content": block}, *messages[at:]],
    }


def injected_prompt(body: Body, block: str, newest: str = "") -> Body:
    r"""A text completion with the block before the newest message of the user, whose text is `newest`; else before the last line.

    >>> injected_prompt({"prompt": "Asha keeps the light.\nLin: Hello\nAsha:"}, "X")["prompt"].splitlines()
    ['Asha keeps the light.', '', 'X', '', 'Lin: Hello', 'Asha:']
    """
    prompt = body.get("prompt")
    if not block or not isinstance(prompt, str) or not prompt.strip():
        return body
    said = prompt.rfind(newest) if newest else -1
    at = prompt.rfind("\n", 0, said) + 1 if said >= 0 else _last_turn(prompt)
    before, after = prompt[:at].rstrip("\n"), prompt[at:]
    return {
        **body,
        "prompt": (before + _BLANK_LINE if before else "") + block + _BLANK_LINE + after,
    }


def _last_turn(prompt: str) -> int:
    """Where the last but one line of a prompt begins: the newest message, the last line being the name of who answers."""
    end = prompt.rstrip("\n").rfind("\n")
    return prompt.rfind("\n", 0, max(end, 0)) + 1 if end >= 0 else 0


def _unmarked(message: Any) -> Any:
    """A message without our blocks; None when nothing else was in it."""
    if not isinstance(message, Mapping):
        return message
    content = message.get("content")
    if isinstance(content, str):
        clean: Any = strip(content)
    elif isinstance(content, list):
        clean = [_part(part) for part in content]
    else:
        return message
    if clean == content:
        return message
    return (
        {**message, "content": clean}
        if plain_text(clean).strip() or message.get("role") != "system"
        else None
    )


def _part(part: Any) -> Any:
    if not isinstance(part, Mapping) or not isinstance(part.get("text"), str):
        return part
    return {**part, "text": strip(part["text"])}


def _folded(messages: Sequence[Any], block: str) -> list[Any]:
    out = list(messages)
    for at in range(len(out) - 1, -1, -1):
        if isinstance(out[at], Mapping) and out[at].get("role") == "user":
            out[at] = _joined(out[at], block)
            return out
    return [*out, {"role": "user", "content": block}]


def _joined(message: Mapping[str, Any], block: str) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": block}]}
    return {**message, "content": f"{content or ''}{_BLANK_LINE}{block}".lstrip("\n")}
