"""Group chats: which roles observe a turn, and which messages each of them missed."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from rolememory.errors import AmbiguousNameError, UnknownChatError, UnknownRoleError
from rolememory.schema.learning import ChatMessage
from rolememory.schema.message import Message
from rolememory.text.fold import fold_name

if TYPE_CHECKING:
    from rolememory.engine import Home, RoleMemory

Words = tuple[str, str]  # role and text of a message


def others(role_memory: "RoleMemory", group: Iterable[str]) -> tuple[str, ...]:
    """The members of a group except this role."""
    return tuple(name for name in dict.fromkeys(group) if not is_called(role_memory, name))


def roles_named(home: "Home", names: Iterable[str]) -> "list[RoleMemory]":
    """The roles of these names; unknown and ambiguous names are skipped."""
    found: dict[str, RoleMemory] = {}
    for name in names:
        with suppress(UnknownRoleError, AmbiguousNameError):
            role_memory = home.role(home.folder.find(name).id)
            found[role_memory.id] = role_memory
    return list(found.values())


def as_told_by(speaker: "RoleMemory", messages: Sequence[Message]) -> list[Message]:
    """Messages for another member: replies without a name get that of `speaker`."""
    own = {"name": speaker.role.name}
    return [
        message.model_copy(update=own)
        if message.role == "assistant" and not message.name
        else message
        for message in messages
    ]


def missed(
    home: "Home",
    role_memory: "RoleMemory",
    messages: Sequence[Message],
    *,
    chat: str,
    user: str | None,
    group: Iterable[str],
) -> int:
    """The number of leading messages up to the last one that others of a group observed in this chat while this role was absent.

    The frontend sends the whole chat to a role that was muted or joined later, which was not present for all of it.
    """
    if not chat or not (witnesses := _witnesses(home, role_memory, messages, group)):
        return 0
    seen = role_memory.chats.preview(messages, chat=chat, user=user or "")
    new = {_words(said) for said in seen.entered}
    most = 2 * len(messages)
    paths = [said for one in witnesses for said in _path(one, seen.chat, most)]
    return _end_of(new & _told_without(role_memory, paths), messages)


def _witnesses(
    home: "Home", role_memory: "RoleMemory", messages: Sequence[Message], group: Iterable[str]
) -> "list[RoleMemory]":
    """The other roles that were present: those who spoke, and those named by the frontend."""
    named = {message.name for message in messages if message.role == "assistant" and message.name}
    return [one for one in roles_named(home, {*named, *group}) if one.id != role_memory.id]


def _end_of(gone: set[Words], messages: Sequence[Message]) -> int:
    """The number of messages up to the last of these before the newest user text."""
    told = [(message.role, _one_line(message.content)) for message in messages]
    newest = max((at for at, (role, _) in enumerate(told) if role == "user"), default=0)
    return max((at for at, one in enumerate(told[:newest], 1) if one in gone), default=0)


def _told_without(role_memory: "RoleMemory", paths: Iterable[ChatMessage]) -> set[Words]:
    """The messages that only occurred while this role was absent."""
    heard = set[Words]()
    without = set[Words]()
    for said in paths:
        (heard if any(is_called(role_memory, name) for name in said.members) else without).add(
            _words(said)
        )
    return without - heard


def is_called(role_memory: "RoleMemory", name: str) -> bool:
    """Whether a role has that name."""
    return fold_name(name) in {fold_name(own) for own in role_memory.role.names}


def _path(role_memory: "RoleMemory", chat: str, most: int) -> Iterator[ChatMessage]:
    """The last messages of that chat in this role's store."""
    with suppress(UnknownChatError):
        yield from role_memory.chats.path(chat)[-most:]


def _words(said: ChatMessage) -> Words:
    return said.role, _one_line(said.raw or said.text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
