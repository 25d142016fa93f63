"""The messages of a chat that one role receives, with times."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from rolememory.authoring.importer.plan import ChatPlan, RolePlan
from rolememory.cards.tavern.chat import ChatFile, TavernMessage
from rolememory.cards.tavern.groups import heard, with_avatars
from rolememory.schema.message import Message
from rolememory.schema.value_class import value_class

_STEP = timedelta(seconds=1)


@value_class
class RoleTranscript:
    """The messages for a role. `places` are their places in the chat's file."""

    messages: tuple[Message, ...]
    places: tuple[int, ...]
    since: int | None  # the first place at which it was present, hidden or not; None = never
    sent: tuple[datetime | None, ...] = ()  # by place in the file

    def before(self, place: int) -> int | None:
        """The index of the message at that place, or of the last one before."""
        at = bisect_right(self.places, place) - 1
        return at if at >= 0 else None


class ChatTranscripts:
    """A chat as each of its roles received it. `hidden` includes messages hidden from the model."""

    def __init__(
        self, chat: ChatFile, plan: ChatPlan, roles: Mapping[str, RolePlan], *, hidden: bool
    ) -> None:
        self._chat = chat
        self._plan = plan
        self._roles = roles
        self._hidden = hidden
        self._messages = chat.messages
        if plan.group:
            names = Counter(role.name for role in roles.values())
            avatars = {one.name: one.avatar for one in roles.values() if names[one.name] == 1}
            self._messages = with_avatars(chat.messages, avatars)

    def listeners(self) -> list[RolePlan]:
        """The roles that receive it; in a group also former members who speak in it."""
        spoke = sorted({one.avatar for one in self._messages}) if self._plan.group else ()
        known = (avatar for avatar in (*self._plan.listeners, *spoke) if avatar in self._roles)
        return [self._roles[avatar] for avatar in dict.fromkeys(known)]

    def of(self, role: RolePlan, begun: datetime) -> RoleTranscript:
        """The chat as present to the role. `begun` dates a chat without times."""
        listed = self._heard_by(role)
        told = [one for one in listed if _is_said(one, self._hidden)]
        times = dated([one.sent for one in told], begun)
        return RoleTranscript(
            tuple(
                Message(role=one.speaker, content=one.text, name=one.name or None, sent=at)
                for one, at in zip(told, times, strict=True)
            ),
            tuple(one.place for one in told),
            listed[0].place if listed else None,
            tuple(one.sent for one in self._chat.messages),
        )

    def _heard_by(self, role: RolePlan) -> Sequence[TavernMessage]:
        """The messages since the role joined the chat."""
        if not self._plan.group:
            return self._messages
        greeting = {one.avatar for one in self._roles.values() if one.greets}
        return heard(self._messages, role.avatar, self._plan.members, greeting)


def _is_said(message: TavernMessage, hidden: bool) -> bool:
    """Whether a message is part of the story; `hidden` includes those hidden from the model."""
    return bool(message.text.strip()) and not message.program and (hidden or not message.hidden)


def hidden_in(chat: ChatFile) -> int:
    """How many messages of the story are hidden from the model."""
    return sum(one.hidden and not one.program for one in chat.messages)


def dated(times: Sequence[datetime | None], begun: datetime) -> Iterator[datetime]:
    """A time for every message: its own, else a second after the previous one; before the first known time, counted backwards.

    >>> from datetime import UTC
    >>> known = datetime(2024, 5, 1, 12, tzinfo=UTC)
    >>> [str(one.time()) for one in dated([None, known, None], known)]
    ['11:59:59', '12:00:00', '12:00:01']
    """
    at, first = next(((at, time) for at, time in enumerate(times) if time), (0, begun))
    before = first - (at + 1) * _STEP
    for time in times:
        before = time or before + _STEP
        yield before
