"""Placement of recalled text among the messages. Memory text is never put into a user's message."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from rolememory.schema.message import Message
from rolememory.schema.settings import Position
from rolememory.schema.value_class import value_class

Voice = Literal["system", "user", "assistant"]
_INSTRUCTIONS = ("system", "developer")
_VOICES: tuple[Voice, ...] = ("assistant", "user", "system")  # top to bottom at one depth
_BLANK_LINE = "\n\n"
_BESIDE = ("before_character", "after_character")
_OUTLET = re.compile(r"\{\{\s*outlet::([^{}]*)\}\}", re.IGNORECASE)


@value_class
class Placement:
    """A text and its position.

    `merged`: before_character and after_character are merged into the character's system message.
    """

    text: str
    position: Position = "system"
    depth: int = 0
    role: Voice = "system"
    merged: bool = False


def place_all(
    messages: Sequence[Message],
    placements: Iterable[Placement],
    *,
    description: str = "",
    continuing: bool = False,
) -> tuple[Message, ...]:
    """The messages with all non-empty placements inserted.

    `description` identifies the character's message among the leading system messages (default: the last of them).
    `continuing`: the last message is a reply to be continued, so nothing is put after it.
    """
    wanted = [one for one in placements if one.text.strip()]
    if not wanted:
        return tuple(messages)
    plan = planned(
        [message.role for message in messages],
        [message.content for message in messages],
        wanted,
        description=description,
        continuing=continuing,
    )
    done = list(messages)
    if plan.character is not None:
        done[plan.character] = _with_texts(done[plan.character], plan)
    for index in sorted(plan.own, reverse=True):  # backwards: earlier indexes stay valid
        done[index:index] = [Message(role=voice, content=text) for voice, text in plan.own[index]]
    return tuple(done)


@value_class
class PlacementPlan:
    """The insertions of texts into messages of any format."""

    own: Mapping[int, Sequence[tuple[Voice, str]]]  # new messages, by the index of the next one
    character: int | None = None  # the message that these texts are merged into
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def planned(
    roles: Sequence[str],
    texts: Sequence[str],
    placements: Sequence[Placement],
    *,
    description: str = "",
    continuing: bool = False,
) -> PlacementPlan:
    """The plan for all placements; `roles` and `texts` are those of the messages. See `place_all`."""
    character = _character(roles, texts, description)
    merged = [
        one
        for one in placements
        if one.merged and one.position in _BESIDE and character is not None
    ]
    own: dict[int, list[tuple[Voice, str]]] = {}
    rest = [one for one in placements if one not in merged]
    for index, voice, text in _own_messages(rest, roles, character, continuing):
        own.setdefault(index, []).append((voice, text))
    before, after = (
        tuple(one.text for one in merged if one.position == where) for where in _BESIDE
    )
    return PlacementPlan(own, character, before, after)


def insertion(
    roles: Sequence[str],
    position: Position,
    depth: int = 1,
    *,
    character: int | None = None,
    continuing: bool = False,
) -> int:
    """The index at which a new message is inserted, for messages of any format.

    A depth counts chat messages: post-history instructions stay at the end, and tool results
    stay with their calls.

    >>> insertion(["system", "assistant", "user", "system"], "depth", 1)
    2
    >>> insertion(["system", "assistant", "user", "system"], "depth", 0)
    3
    >>> insertion(["system", "assistant", "user"], "system")
    1
    """
    start = next(
        (index for index, role in enumerate(roles) if role not in _INSTRUCTIONS), len(roles)
    )
    if position == "depth":
        return _at_depth(roles, max(depth, 1) if continuing else depth, start)
    if position == "before_character":
        return character if character is not None else 0
    if position == "after_character" and character is not None:
        return character + 1
    return start


def _at_depth(roles: Sequence[str], depth: int, start: int) -> int:
    said = [index for index, role in enumerate(roles) if role not in _INSTRUCTIONS]
    if not said:
        return len(roles)
    index = said[-1] + 1 if depth == 0 else said[-depth] if depth <= len(said) else start
    while 0 < index < len(roles) and roles[index] == "tool":
        index -= 1
    return index


def _character(roles: Sequence[str], texts: Sequence[str], description: str) -> int | None:
    """The index of the character's message: the first leading system message with the description, else the last; None without any."""
    leading = 0
    while leading < len(roles) and roles[leading] in _INSTRUCTIONS:
        leading += 1
    wanted = " ".join(description.split())
    if wanted:
        for index in range(leading):
            if wanted in " ".join(texts[index].split()):
                return index
    return leading - 1 if leading else None


def fill_outlets(messages: Sequence[Message], outlets: Mapping[str, str]) -> tuple[Message, ...]:
    """The messages with {{outlet::name}} replaced by the text of that outlet; unknown names become "".

    Only in system messages of a frontend or author, never in chat messages or tool results.
    """
    return tuple(
        _with_outlets(one, outlets) if one.role in _INSTRUCTIONS else one for one in messages
    )


def _with_outlets(message: Message, outlets: Mapping[str, str]) -> Message:
    text = _OUTLET.sub(lambda match: outlets.get(match[1].strip(), ""), message.content)
    return message if text == message.content else message.model_copy(update={"content": text})


def _own_messages(
    placements: Sequence[Placement], roles: Sequence[str], character: int | None, continuing: bool
) -> Iterable[tuple[int, Voice, str]]:
    """Index, role and text of each new message; at one depth ordered by role, texts of one role in one message."""
    at_depth: dict[int, dict[Voice, list[str]]] = {}
    for one in placements:
        index = insertion(
            roles, one.position, one.depth, character=character, continuing=continuing
        )
        if one.position == "depth":
            at_depth.setdefault(index, {}).setdefault(one.role, []).append(one.text)
        else:
            voice: Voice = one.position if one.position in ("user", "assistant") else "system"
            yield index, voice, one.text
    for index, said in at_depth.items():
        yield from ((index, voice, "\n".join(said[voice])) for voice in _VOICES if voice in said)


def _with_texts(message: Message, plan: PlacementPlan) -> Message:
    texts = (*plan.before, message.content, *plan.after)
    if len(texts) == 1:
        return message
    return message.model_copy(update={"content": _BLANK_LINE.join(filter(None, texts))})
