"""Parses a chat in plain text: `Name: text`, one message after the other."""

import re
from collections.abc import Collection, Iterator
from datetime import datetime

from rolememory.schema.message import Message, Speaker
from rolememory.text.timestamps import moment

_SPEAKER = re.compile(
    r"\s*(?P<name>[^\s:：“”\"'。，！？,!?][^:：“”\"。，,；;！？!?\n]{0,39}?)\s*[:：]\s*(?P<said>.*)"
)
_STAMP = re.compile(
    r"\s*[\[【(（]?(?P<at>\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?[ T\u3000]+\d{1,2}[:：]\d{2}(?:[:：]\d{2})?)"
    r"[\]】)）]?[\s,，|–-]*"
)
_USERS = frozenset({"user", "you", "me", "{{user}}", "我", "你", "用户", "玩家"})


def read_dialogue(
    text: str, user: str | None = None, characters: Collection[str] = ()
) -> list[Message]:
    r"""The messages of a chat in plain text, oldest first.

    A line without a name continues the message before it. The user is the one with that name (`user`, or User, You, 我),
    else everybody but the `characters`, else the last speaker, since the character answers next.

    A time before a name is when it was said; the name may then stand on a line of its own.

    >>> [(one.role, one.name, one.content) for one in read_dialogue("Mira: It is dark.\nLin: Why?\nTell me.")]
    [('assistant', 'Mira', 'It is dark.'), ('user', 'Lin', 'Why?\nTell me.')]
    >>> read_dialogue("灯塔为什么灭了？")[0].role
    'user'
    """
    told = list(_told(text))
    names = [name.casefold() for name, _, _ in told if name]
    own = {name.casefold() for name in characters}
    called = {user.casefold()} if user else _USERS
    if own:
        users = called.intersection(names) or set(names) - own
    else:
        users = called if user else called.intersection(names) or set(names[-1:])
    return [_message(name, said, sent, users) for name, said, sent in told]


def _message(name: str, said: str, sent: datetime | None, users: Collection[str]) -> Message:
    role: Speaker = "user" if not name or name.casefold() in users else "assistant"
    return Message(role=role, content=said.strip(), name=name or None, sent=sent)


def _told(text: str) -> Iterator[tuple[str, str, datetime | None]]:
    """(name, text, time) of each message; lines before the first name have none."""
    name = ""
    said = ""
    sent = None
    for line in text.splitlines():
        at, rest = _stamped(line)
        begins = _SPEAKER.fullmatch(rest) or (_SPEAKER.fullmatch(f"{rest}:") if at else None)
        if begins is None:
            said = f"{said}\n{line}" if said or name else line
            continue
        if said.strip():
            yield name, said, sent
        name = begins["name"]
        said = begins["said"]
        sent = at
    if said.strip():
        yield name, said, sent


def _stamped(line: str) -> tuple[datetime | None, str]:
    """The time at the beginning of a line, by the clock of this machine, and the rest."""
    found = _STAMP.match(line)
    try:
        at = moment(found["at"].replace("：", ":"), None) if found else None
    except ValueError:
        return None, line
    return (at, line[found.end() :]) if found else (None, line)
