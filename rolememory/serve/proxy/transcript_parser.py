"""Extracts chat messages from a frontend's request: without its prompt texts, with speakers, each message once.

Frontends merge, squash and prefix messages in several ways; `spoken` undoes what is unambiguous and leaves the rest.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from rolememory.inject.fence import strip
from rolememory.schema.json_types import objects_of
from rolememory.schema.message import Message, plain_text
from rolememory.serve.proxy.frontend_prompts import prompts, unwrapped
from rolememory.text.plain import longest_first

Voice = Literal["user", "assistant"]
_SAID: Mapping[str, Voice] = {"user": "user", "assistant": "assistant"}
_PREFIX = re.compile(r"(?P<name>[^\n:：]{1,60}+)(?:: |：)")
_PARAGRAPH = "\n\n"
_KEPT = 4096  # cached messages: a chat is sent again on every turn
_LONGEST_KEPT = 8_000  # characters of a cached message


@dataclass(frozen=True, slots=True)
class SpeakerNames:
    """The known names of the speakers."""

    char: str = ""
    user: str = ""
    members: tuple[str, ...] = ()  # of a group, including the character
    persona: str = (
        ""  # the prefix of the user's lines if it is another name; does not identify the user
    )
    others: tuple[str, ...] = ()  # other known users: a chat goes on with another persona

    @property
    def users(self) -> tuple[str, ...]:
        """All names of the user of this call."""
        return tuple(dict.fromkeys(name for name in (self.user, self.persona) if name))

    @property
    def chars(self) -> tuple[str, ...]:
        """All names that speak as assistant."""
        return tuple(dict.fromkeys(name for name in (self.char, *self.members) if name))


@dataclass(frozen=True, slots=True)
class ParsedTranscript:
    """A parsed request."""

    spoken: tuple[Message, ...]
    around: tuple[str, ...]  # prompt texts of the frontend: card, lore, instructions
    after: tuple[str, ...] = ()  # those after the last chat message
    one_message: bool = False  # the whole prompt is one user message

    @property
    def last_word(self) -> str:
        """The frontend's last prompt text."""
        return self.after[-1] if self.after else ""


def parse_request(body: Mapping[str, Any]) -> ParsedTranscript:
    """The messages of a chat request by role, separated from the frontend's prompt texts."""
    spoken: list[Message] = []
    around: list[str] = []
    after: list[str] = []
    for raw in objects_of(body.get("messages")):
        text = plain_text(raw.get("content"))
        voice = _SAID.get(str(raw.get("role")))
        if voice is None:
            text = strip(text).strip()
            own = [text] if text and raw.get("role") in ("system", "developer") else []
            around = [*around, *own]
            after = [*after, *own]
        elif message := _message_of(voice, text, raw.get("name")):
            spoken.append(message)
            after = []
    alone = len(spoken) == 1 and spoken[0].role == "user" and not around
    return ParsedTranscript(tuple(spoken), tuple(around), tuple(after), alone)


def _message_of(voice: Voice, text: str, name: object = None) -> Message | None:
    """The message without text that the frontend put around it; None if it is empty.

    Cached: the same object for the same text, so that only new messages of a chat are processed.
    """
    named = name if isinstance(name, str) and name.strip("_ ") else None
    read = _read if len(text) <= _LONGEST_KEPT else _read.__wrapped__
    return read(voice, text, named)


@lru_cache(_KEPT)
def _read(voice: Voice, text: str, name: str | None) -> Message | None:
    text = strip(text, lone=voice != "user").strip()
    text = unwrapped(text) if voice == "user" else text
    rest = prompts().scaffolding.sub("", text).strip()
    return Message(role=voice, content=rest, name=name) if rest else None


def spoken(
    talk: ParsedTranscript, names: SpeakerNames, owners: Mapping[str, str]
) -> ParsedTranscript:
    """The transcript with speakers: a single big message is split into turns, name prefixes are parsed and removed."""
    if talk.one_message and names.char:
        turns = in_lines(talk.spoken[0].content, names)
        if any(message.role == "user" for message in turns.spoken):
            return turns
    said = whose(talk.spoken, names, owners)
    prefixed = _common_prefix(said, names)
    said = tuple(_of_another(_named(message, names, prefixed), names, owners) for message in said)
    return replace(talk, spoken=_own(said, names))


def may_name_others(talk: ParsedTranscript, names: SpeakerNames) -> bool:
    """Whether a line of the user may begin with the name of somebody else."""
    known = {*names.users, *names.chars}
    starts = (_PREFIX.match(one.content) for one in talk.spoken if one.role == "user")
    return talk.one_message or any(one and one["name"].strip() not in known for one in starts)


def _of_another(message: Message, names: SpeakerNames, owners: Mapping[str, str]) -> Message:
    """A line of another user with that name: theirs if `owners` says so, else whose it is is not concluded from its text."""
    others = {*names.others, *owners}.difference(names.users)
    prefix = _PREFIX.match(message.content) if others and message.role == "user" else None
    name = prefix["name"].strip() if prefix else ""
    if prefix is None or message.name or message.owner or name not in others:
        return message
    rest = message.content[prefix.end() :].strip()
    owner = owners.get(name)
    told = {"owner": owner} if owner else {"name": name}
    return message.model_copy(update={"content": rest, **told}) if rest else message


def _own(said: Sequence[Message], names: SpeakerNames) -> tuple[Message, ...]:
    """The messages; beside lines of other users, the rest is marked as the user's of this call."""
    if not any(one.role == "user" and one.name in names.others for one in said):
        return tuple(said)
    own = {"owner": names.user}
    return tuple(
        one
        if one.role != "user" or one.name or one.owner is not None
        else one.model_copy(update=own)
        for one in said
    )


def whose(
    said: Sequence[Message], names: SpeakerNames, owners: Mapping[str, str]
) -> tuple[Message, ...]:
    """The messages with their users, from the `name` field if `owners` or the call knows the name.

    Several names without an owner stay unchanged: they are several unknown people. Message texts are not used.
    """
    several = len({message.name or "" for message in said if message.role == "user"}) > 1
    return tuple(
        _whose(message, names, owners, several) if message.role == "user" else message
        for message in said
    )


def _whose(
    message: Message, names: SpeakerNames, owners: Mapping[str, str], several: bool
) -> Message:
    if not (name := message.name):
        return message
    mapped = {owner for known, owner in owners.items() if _means(known, name)}
    if len(mapped) == 1:
        return message.model_copy(update={"owner": mapped.pop()})
    if names.user and any(_means(known, name) for known in names.users):
        return message.model_copy(update={"owner": names.user, "name": None})
    return message if several else message.model_copy(update={"name": None})


def in_lines(text: str, names: SpeakerNames) -> ParsedTranscript:
    """A transcript ("Lin: ...", "Asha: ...") as messages; text before its first line is the frontend's.

    The last line may be the bare name of the next speaker.
    """
    voices: dict[str, Voice] = {
        **dict.fromkeys(names.chars, "assistant"),
        **dict.fromkeys((*names.others, *names.users), "user"),
    }
    starts = _starts(text, voices)
    if not starts:
        return ParsedTranscript((), (text.strip(),) if text.strip() else ())
    around = text[: starts[0][0]].strip()
    said: list[Message] = []
    for (_, begin, name), end in zip(
        starts, [start for start, _, _ in starts[1:]] + [len(text)], strict=True
    ):
        words = prompts().scaffolding.sub("", text[begin:end]).strip()
        if words:
            known = name in names.others or (voices[name] == "assistant" and names.members)
            said.append(Message(role=voices[name], content=words, name=name if known else None))
    return ParsedTranscript(_own(said, names), (around,) if around else ())


def _starts(text: str, voices: Mapping[str, Voice]) -> list[tuple[int, int, str]]:
    """(start of the line, start of its text, speaker) of every turn."""
    if not voices:
        return []
    named = longest_first(voices)
    return [
        (found.start(), found.end(), found[1])
        for found in re.finditer(rf"^({named})[:：][ \t]?", text, re.MULTILINE)
    ]


def _common_prefix(said: Sequence[Message], names: SpeakerNames) -> frozenset[str]:
    """Name prefixes added by the frontend, not written in one message."""
    found: dict[str, list[str]] = {"user": [], "assistant": []}
    for message in said:
        prefix = _PREFIX.match(message.content)
        found[message.role].append(prefix["name"].strip() if prefix else "")
    known = {*names.chars, *names.users}
    habits = {name for voice in found.values() for name in voice if name in known}
    for voice, own in found.items():
        in_group = voice == "assistant" and names.members and not known.isdisjoint(own)
        if _is_habit(own, several=bool(in_group)):
            habits |= {*own}  # in a group including former members
    return frozenset(habits)


def _is_habit(prefixes: Sequence[str], *, several: bool) -> bool:
    """Whether all messages of a role have a prefix, at least two; the same one unless `several` may speak."""
    return len(prefixes) > 1 and all(prefixes) and (several or len(set(prefixes)) == 1)


def _named(message: Message, names: SpeakerNames, prefixed: Collection[str]) -> Message:
    """A message without its name prefix, with the name set if it distinguishes members of a group."""
    prefix = _PREFIX.match(message.content) if prefixed else None
    name = prefix["name"].strip() if prefix else ""
    if prefix is None or name not in prefixed:
        return _known(message, names)
    rest = message.content[prefix.end() :].strip()
    keep = (
        name
        if message.role == "assistant" and (len(names.members) > 1 or name != names.char)
        else message.name
    )
    return message.model_copy(update={"content": rest, "name": keep}) if rest else message


def _known(message: Message, names: SpeakerNames) -> Message:
    """A reply, its `name` field kept only if it matches exactly one known name."""
    if not message.name or message.role == "user":
        return message
    meant = {name for name in names.chars if _means(name, message.name)}
    if len(meant) != 1:
        return (
            message if message.name in names.members else message.model_copy(update={"name": None})
        )
    own = names.char in meant and len(names.members) < 2
    return message.model_copy(update={"name": None if own else meant.pop()})


def _means(name: str, field: str) -> bool:
    """Whether a `name` field matches a name: frontends reduce it to letters, digits and underscores."""
    return field in (name, sanitised(name))


def sanitised(name: str) -> str:
    """A name as in the `name` field.

    >>> sanitised("Dr. Bones"), sanitised("明月")
    ('Dr__Bones', '__')
    """
    return re.sub(r"[^A-Za-z0-9_]", "_", name)[:64]


class RecurringTails:
    """Detects instructions that a frontend appends to the newest user message only: they are missing in the next request.

    A tail that once disappeared is removed from then on. One per role; not thread-safe.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._last = ""

    def without(self, said: Sequence[Message]) -> tuple[Message, ...]:
        """The messages with known tails removed from the newest user text; detects new ones by comparison with the previous request."""
        place = next((at for at in range(len(said) - 1, -1, -1) if said[at].role == "user"), None)
        if place is None:
            return tuple(said)
        text = said[place].content
        if self._last:
            earlier = {message.content for message in said[:place] if message.role == "user"}
            self._learn(earlier, text)
        self._last = text
        for tail in sorted(self._known, key=len, reverse=True):
            if text.endswith(_PARAGRAPH + tail):
                text = text[: -len(tail)].rstrip()
        if text == said[place].content or not text:
            return tuple(said)
        return (*said[:place], said[place].model_copy(update={"content": text}), *said[place + 1 :])

    def _learn(self, earlier: set[str], newest: str) -> None:
        paragraphs = self._last.split(_PARAGRAPH)
        for cut in range(1, len(paragraphs)):
            head = _PARAGRAPH.join(paragraphs[:cut]).rstrip()
            tail = _PARAGRAPH.join(paragraphs[cut:])
            if head in earlier and newest.endswith(_PARAGRAPH + tail) and len(self._known) < 32:
                self._known.add(tail)
                return
