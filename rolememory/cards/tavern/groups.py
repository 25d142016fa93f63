"""Group chats, and who was present for each message."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rolememory.cards.tavern import files
from rolememory.cards.tavern.chat import TavernMessage
from rolememory.cards.tavern.files import texts_of
from rolememory.schema.json_types import list_of, object_of, text_of
from rolememory.schema.value_class import value_class


@value_class
class GroupChat:
    """A group's file. Members by avatar file."""

    id: str
    name: str
    members: tuple[str, ...]
    chats: tuple[str, ...]  # names of its chat files, without ending
    integrities: Mapping[str, str]  # of old groups, which stored chat metadata in the group's file


def read_group(path: Path) -> GroupChat:
    """The group in a file of `groups/`.

    Raises:
        FileError: unreadable, or no object.
    """
    raw = files.read_object(path, files.GROUP)
    current = str(raw.get("chat_id") or raw.get("id") or path.stem)
    about = {**object_of(raw.get("past_metadata")), current: object_of(raw.get("chat_metadata"))}
    return GroupChat(
        id=str(raw.get("id") or path.stem),
        name=text_of(raw.get("name")).strip() or path.stem,
        members=texts_of(raw.get("members")),
        chats=tuple(dict.fromkeys(str(one) for one in list_of(raw.get("chats")))) or (current,),
        integrities={
            name: text_of(object_of(known).get("integrity")).strip()
            for name, known in about.items()
        },
    )


def with_avatars(
    messages: Iterable[TavernMessage], by_name: Mapping[str, str]
) -> tuple[TavernMessage, ...]:
    """The messages with the speaker's avatar added, where old files have only the name."""
    return tuple(
        replace(one, avatar=by_name[one.name])
        if one.speaker == "assistant" and not one.avatar and one.name in by_name
        else one
        for one in messages
    )


def heard(
    messages: Sequence[TavernMessage],
    avatar: str,
    members: Collection[str],
    greets: Collection[str],
) -> tuple[TavernMessage, ...]:
    """The messages for which this character was present, its own included.

    A chat begins with the greetings of those present. Whoever has a greeting (`greets`) and did not use it while others did
    came later: present from its own first message; without one it was never present. Speakers who are no longer
    members were present up to their own last message. Otherwise unknown: a member was present throughout.

    >>> said = [TavernMessage(0, "assistant", "Hi.", avatar="a.png"), TavernMessage(1, "user", "So?"),
    ...         TavernMessage(2, "assistant", "I came late.", avatar="b.png"), TavernMessage(3, "user", "Ah.")]
    >>> [one.place for one in heard(said, "b.png", {"a.png", "b.png"}, {"a.png", "b.png"})]
    [2, 3]
    """
    own = [at for at, one in enumerate(messages) if one.avatar == avatar]
    since = 0
    until = len(messages)
    if _came_later(messages, avatar, greets):
        since = own[0] if own else until
    if avatar not in members:
        until = own[-1] + 1 if own else 0
    return tuple(messages[since:until])


def _came_later(messages: Sequence[TavernMessage], avatar: str, greets: Collection[str]) -> bool:
    greeted = set(_greeted(messages))
    return bool(greeted) and avatar not in greeted and avatar in greets


def _greeted(messages: Iterable[TavernMessage]) -> Iterable[str]:
    """The speakers before the first user message."""
    for one in messages:
        if one.speaker == "user":
            return
        if one.avatar:
            yield one.avatar
