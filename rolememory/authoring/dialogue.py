"""Parses a chat in plain text: `Name: text`, one message after the other."""

import re
from collections.abc import Collection, Iterator

from rolememory.schema.message import Message, Speaker

_SPEAKER = re.compile(
    r"\s*(?P<name>[^\s:：“”\"'。，！？,!?][^:：“”\"。，,；;！？!?\n]{0,39}?)\s*[:：]\s*(?P<said>.*)"
)
_USERS = frozenset({"user", "you", "me", "{{user}}", "我", "你", "用户", "玩家"})


def read_dialogue(
    text: str, user: str | None = None, characters: Collection[str] = ()
) -> list[Message]:
    r"""The messages of a chat in plain text, oldest first.

    A line without a name continues the message before it. The user is the one with that name (`user`, or User, You, 我),
    else everybody but the `characters`, else the last speaker, since the character answers next.

    >>> [(one.role, one.name, one.content) for one in read_dialogue("Mira: It is dark.\nLin: Why?\nTell me.")]
    [('assistant', 'Mira', 'It is dark.'), ('user', 'Lin', 'Why?\nTell me.')]
    >>> read_dialogue("灯塔为什么灭了？")[0].role
    'user'
    """
    told = list(_told(text))
    names = [name.casefold() for name, _ in told if name]
    own = {name.casefold() for name in characters}
    called = {user.casefold()} if user else _USERS
    if own:
        users = called.intersection(names) or set(names) - own
    else:
        users = called if user else called.intersection(names) or set(names[-1:])
    return [_message(name, said, users) for name, said in told]


def _message(name: str, said: str, users: Collection[str]) -> Message:
    role: Speaker = "user" if not name or name.casefold() in users else "assistant"
    return Message(role=role, content=said.strip(), name=name or None)


def _told(text: str) -> Iterator[tuple[str, str]]:
    """(name, text) of each message; lines before the first name have none."""
    name, said = "", ""
    for line in text.splitlines():
        begins = _SPEAKER.fullmatch(line)
        if begins is None:
            said = f"{said}\n{line}" if said or name else line
            continue
        if said.strip():
            yield name, said
        name, said = begins["name"], begins["said"]
    if said.strip():
        yield name, said
