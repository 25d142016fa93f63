"""Where recalled text stands among the messages. Memory text never goes into what the user said, save where a caller folds it in."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rolememory.schema.message import Message
from rolememory.schema.settings import Position

Voice = Literal["system", "user", "assistant"]
_INSTRUCTIONS = ("system", "developer")
_VOICES: tuple[Voice, ...] = ("assistant", "user", "system")  # top to bottom at one depth
_BLANK_LINE = "\n\n"
_OUTLET = re.compile(r"\{\{\s*outlet::([^{}]*)\}\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Placement:
    """A text and where it belongs.

    `merged`: before_character and after_character join the character's system message instead of standing beside it.
    """

    text: str
    position: Position = "system"
    depth: int = 0
    role: Voice = "system"
    merged: bool = False


def place(
    messages: Sequence[Message],
    block: str,
    position: Position = "system",
    depth: int = 1,
    role: Voice = "system",
    *,
    description: str = "",
    continuing: bool = False,
) -> tuple[Message, ...]:
    """The messages with one block of memories; see `place_all`. No block: the messages as they are."""
    return place_all(
        messages,
        [Placement(block, position, depth, role, merged=True)],
        description=description,
        continuing=continuing,
    )


def place_all(
    messages: Sequence[Message],
    placements: Iterable[Placement],
    *,
    description: str = "",
    continuing: bool = False,
) -> tuple[Message, ...]:
    """The messages with every placement that has a text.

    `description` finds the character's message among the leading system messages (without it: the last of them).
    `continuing`: the last message is a reply to be continued, so that nothing is put behind it.
    """
    wanted = [one for one in placements if one.text.strip()]
    if not wanted:
        return tuple(messages)
    roles = [message.role for message in messages]
    character = character_index(messages, description)
    merged = [one for one in wanted if _merges(one) and character is not None]
    new: dict[int, list[Message]] = {}
    for index, message in _own_messages(
        [one for one in wanted if one not in merged], roles, character, continuing
    ):
        new.setdefault(index, []).append(message)
    done: list[Message] = []
    for index, message in enumerate(messages):
        done += new.get(index, ())
        done.append(_with_texts(message, merged) if index == character else message)
    return (*done, *new.get(len(messages), ()))


def insertion(
    roles: Sequence[str],
    position: Position,
    depth: int = 1,
    *,
    character: int | None = None,
    continuing: bool = False,
) -> int:
    """The index before which a message of its own is put, for messages of any shape.

    A depth counts what was said: instructions behind the last of it (post-history) stay behind, and no result of a tool
    is parted from its call.

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


def character_index(messages: Sequence[Message], description: str = "") -> int | None:
    """Which leading system message tells the character: the first that holds the description, else the last; None without any."""
    leading = 0
    while leading < len(messages) and messages[leading].role in _INSTRUCTIONS:
        leading += 1
    wanted = " ".join(description.split())
    if wanted:
        for index in range(leading):
            if wanted in " ".join(messages[index].content.split()):
                return index
    return leading - 1 if leading else None


def fold_into_user(messages: Sequence[Message], block: str) -> tuple[Message, ...]:
    """For upstreams that know no system messages: the block, inside its marks, behind the newest user text.

    The one exception to the rule that memory text stays out of user content; `fence.strip` takes it out again.
    """
    if not block.strip():
        return tuple(messages)
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user":
            folded = _joined(messages[index], messages[index].content, block)
            return (*messages[:index], folded, *messages[index + 1 :])
    return (*messages, Message.user(block))


def with_input(history: Sequence[Message], current: str) -> tuple[Message, ...]:
    """The history with the current input once, last of what was said: frontends may or may not have put it there already."""
    newest = next(
        (message for message in reversed(history) if message.role in ("user", "assistant")), None
    )
    if not current or (
        newest is not None and newest.role == "user" and newest.content.strip() == current.strip()
    ):
        return tuple(history)
    return (*history, Message.user(current))


def fill_outlets(messages: Sequence[Message], outlets: Mapping[str, str]) -> tuple[Message, ...]:
    """The messages with {{outlet::name}} replaced by the text of that outlet; unknown names say nothing."""
    return tuple(_with_outlets(message, outlets) for message in messages)


def _with_outlets(message: Message, outlets: Mapping[str, str]) -> Message:
    text = _OUTLET.sub(lambda match: outlets.get(match[1].strip(), ""), message.content)
    return message if text == message.content else message.model_copy(update={"content": text})


def _merges(placement: Placement) -> bool:
    return placement.merged and placement.position in ("before_character", "after_character")


def _own_messages(
    placements: Sequence[Placement], roles: Sequence[str], character: int | None, continuing: bool
) -> Iterable[tuple[int, Message]]:
    """Index and message of each; at one depth the voices stand in their order, texts of one voice in one message."""
    at_depth: dict[int, dict[Voice, list[str]]] = {}
    for one in placements:
        index = insertion(
            roles, one.position, one.depth, character=character, continuing=continuing
        )
        if one.position == "depth":
            at_depth.setdefault(index, {}).setdefault(one.role, []).append(one.text)
        else:
            yield index, Message(role=_voice(one.position), content=one.text)
    for index, said in at_depth.items():
        yield from (
            (index, Message(role=voice, content="\n".join(said[voice])))
            for voice in _VOICES
            if voice in said
        )


def _voice(position: Position) -> Voice:
    return position if position in ("user", "assistant") else "system"


def _with_texts(message: Message, merged: Sequence[Placement]) -> Message:
    if not merged:
        return message
    before = [one.text for one in merged if one.position == "before_character"]
    after = [one.text for one in merged if one.position == "after_character"]
    return _joined(message, *before, message.content, *after)


def _joined(message: Message, *texts: str) -> Message:
    return message.model_copy(update={"content": _BLANK_LINE.join(text for text in texts if text)})
