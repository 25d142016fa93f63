"""Injection into the frontend's request; dicts and unknown fields stay unchanged."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal

from rolememory.inject.fence import strip
from rolememory.inject.place import Placement, PlacementPlan, planned
from rolememory.schema.json_types import object_of
from rolememory.schema.message import plain_text

Body = dict[str, Any]
How = Literal["placed", "head", "folded", "none"]
_BLANK_LINE = "\n\n"
HINT = "rolememory"  # our field of the body; removed, since strict upstreams refuse unknown fields


def unmarked(body: Body) -> Body:
    """The body without memory blocks of earlier turns; the same object if there are none."""
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
    body: Body,
    placements: Sequence[Placement],
    *,
    how: How = "placed",
    continuing: bool = False,
) -> Body:
    """The body with these texts at their positions: as new messages, or merged into the character's system message.

    `how`: "head" joins them all to the first instructions, for upstreams that take none later; "folded" puts them behind the newest
    user text, which only a person asks for; "none" leaves them out.

    >>> [one["role"] for one in injected({"messages": [{"role": "user", "content": "hi"}]}, [Placement("x")])["messages"]]
    ['system', 'user']
    """
    messages = body.get("messages")
    told = [one for one in placements if one.text.strip()]
    if how == "none" or not told or not isinstance(messages, list) or not messages:
        return body
    if how == "folded":
        return {**body, "messages": _folded(messages, _BLANK_LINE.join(one.text for one in told))}
    if how == "head":
        told = [Placement(one.text, "after_character", merged=True) for one in told]
    read = list(map(object_of, messages))
    plan = planned(
        [_role(message) for message in read],
        [plain_text(message.get("content")) for message in read],
        told,
        continuing=continuing,
    )
    return {**body, "messages": _put_in(messages, plan)}


def _role(message: Mapping[str, Any]) -> str:
    """The role of a message; "tool" for tool results of any format."""
    given = str(message.get("type", "")).endswith("_output")
    return "tool" if given else str(message.get("role", ""))


def _put_in(messages: Sequence[Any], plan: PlacementPlan) -> list[Any]:
    """The messages with the texts inserted by the plan."""
    out: list[Any] = []
    for index in range(len(messages) + 1):
        out += [{"role": voice, "content": text} for voice, text in plan.own.get(index, ())]
        if index == plan.character:
            out.append(_joined(messages[index], before=plan.before, after=plan.after))
        else:
            out += messages[index : index + 1]
    return out


def injected_prompt(
    body: Body, placements: Sequence[Placement], spoken: Sequence[str] = ()
) -> Body:
    r"""A text completion with these texts, each before the line of the message at its depth, or before the oldest one.

    `spoken`: the messages, oldest first. If their lines are not found, texts go before the last line but one.

    >>> body = {"prompt": "Asha keeps the light.\nLin: Hello\nAsha:"}
    >>> injected_prompt(body, [Placement("X", "depth", 1)])["prompt"].splitlines()
    ['Asha keeps the light.', '', 'X', '', 'Lin: Hello', 'Asha:']
    """
    prompt = body.get("prompt")
    told = [one for one in placements if one.text.strip()]
    if not told or not isinstance(prompt, str) or not prompt.strip():
        return body
    lines = _lines(prompt, spoken)
    places = [(_place(one, prompt, lines), one.text) for one in told]
    places.sort(key=itemgetter(0))
    for at, text in reversed(places):
        before = prompt[:at].rstrip("\n")
        after = prompt[at:]
        prompt = f"{before + _BLANK_LINE if before else ''}{text}{_BLANK_LINE}{after}"
    return {**body, "prompt": prompt}


def _lines(prompt: str, spoken: Sequence[str]) -> list[int]:
    """The start offsets of the messages' lines, newest first, as far back as they are found."""
    found = list[int]()
    end = len(prompt)
    for text in reversed(spoken):
        said = prompt.rfind(text, 0, end) if text else -1
        if said < 0:
            break
        end = prompt.rfind("\n", 0, said) + 1
        found.append(end)
    return found


def _place(one: Placement, prompt: str, lines: Sequence[int]) -> int:
    if one.position == "before_character":
        return 0
    if not lines:
        return _last_turn(prompt)
    deep = max(one.depth, 1) if one.position == "depth" else len(lines)
    return lines[min(deep, len(lines)) - 1]


def _last_turn(prompt: str) -> int:
    """The start offset of the last but one line of a prompt: the newest message, before the name of the next speaker."""
    end = prompt.rstrip("\n").rfind("\n")
    return prompt.rfind("\n", 0, max(end, 0)) + 1 if end >= 0 else 0


def _unmarked(message: Any) -> Any:
    """A message without our blocks; None if it had nothing else."""
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
            out[at] = _joined(out[at], after=[block])
            return out
    return [*out, {"role": "user", "content": block}]


def _joined(
    message: Mapping[str, Any], *, before: Sequence[str] = (), after: Sequence[str] = ()
) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, list):
        first, last = ([{"type": "text", "text": one} for one in some] for some in (before, after))
        return {**message, "content": [*first, *content, *last]}
    texts = (*before, content or "", *after)
    return {**message, "content": _BLANK_LINE.join(text for text in texts if text)}
