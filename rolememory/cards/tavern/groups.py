"""Group chats: who was present when a message was sent."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rolememory.cards.json_read import list_of, object_of
from rolememory.cards.tavern import files
from rolememory.cards.tavern.chat import TavernMessage
from rolememory.cards.tavern.files import text_of, texts_of
from rolememory.schema.value_class import value_class


@value_class
class GroupChat:
    """A group as its file tells. Members by their avatar files."""

    id: str
    name: str
    members: tuple[str, ...]
    chats: tuple[str, ...]  # names of its chat files, without ending
    integrities: Mapping[
        str, str
    ]  # of old groups, which kept what is known about their chats in the group's own file


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
    """The messages with the avatar of who speaks, where old files have only the name."""
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
    """What this character heard of a group chat, itself included.

    A chat begins with the greetings of those who are there. Who has a greeting (`greets`) and said none while others did came
    later: it heard from its own first word on; without a word of its own nothing shows that it was ever there. Who spoke and is
    no member any more heard up to its own last word. Anything else the file does not tell: the member heard everything.

    >>> said = [TavernMessage(0, "assistant", "Hi.", avatar="a.png"), TavernMessage(1, "user", "So?"),
    ...         TavernMessage(2, "assistant", "I came late.", avatar="b.png"), TavernMessage(3, "user", "Ah.")]
    >>> [one.place for one in heard(said, "b.png", {"a.png", "b.png"}, {"a.png", "b.png"})]
    [2, 3]
    """
    own = [at for at, one in enumerate(messages) if one.avatar == avatar]
    since, until = 0, len(messages)
    if _came_later(messages, avatar, greets):
        since = own[0] if own else until
    if avatar not in members:
        until = own[-1] + 1 if own else 0
    return tuple(messages[since:until])


def _came_later(messages: Sequence[TavernMessage], avatar: str, greets: Collection[str]) -> bool:
    greeted = set(_greeted(messages))
    return bool(greeted) and avatar not in greeted and avatar in greets


def _greeted(messages: Iterable[TavernMessage]) -> Iterable[str]:
    """Who spoke before the user did."""
    for one in messages:
        if one.speaker == "user":
            return
        if one.avatar:
            yield one.avatar
