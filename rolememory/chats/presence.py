"""Who was present when something was said, and who may recall it.

A message may be recalled if everybody who will read the reply was present when it was said. Users are compared by the
person they are (`Same`: names that a person has linked count as one), characters by their folded names.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import field, fields, replace
from operator import attrgetter

from rolememory.schema.learning import ChatMessage, MarkedSpan, ScopeCommand
from rolememory.schema.message import Message, TurnKind
from rolememory.schema.value_class import value_class
from rolememory.storage.people import Same, alone
from rolememory.text.fold import fold_name
from rolememory.text.marks import marks

Scopes = Callable[[str], Sequence[ScopeCommand]]
"""The commands of a message to the memory of its chat: how far it goes, where a chapter ends."""
AWAY: tuple[str, ...] = ()
"""`ChatMessage.users` of what the character was not there for: nobody can be reminded of it."""


@value_class
class Attendance:
    """The users and other characters in a chat."""

    users: tuple[str, ...] = ()
    members: tuple[str, ...] = ()

    @classmethod
    def of(cls, users: Iterable[str], members: Iterable[str]) -> "Attendance":
        """Each name once, sorted."""
        return cls(tuple(sorted(set(users))), tuple(sorted(set(members))))


@value_class
class Audience:
    """The readers of a reply, in comparable form."""

    users: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()
    same: Same = field(default=alone, compare=False)
    links: Hashable = None  # changes when `same` may

    @classmethod
    def of(
        cls,
        users: Iterable[str],
        members: Iterable[str] = (),
        same: Same = alone,
        links: Hashable = None,
    ) -> "Audience":
        """The audience of these names."""
        return cls(frozenset(map(same, users)), frozenset(map(fold_name, members)), same, links)

    def heard(self, said: ChatMessage, *, here: bool) -> bool:
        """Whether all were present; messages of unknown speakers or with scope "here" stay in their chat (`here`)."""
        if said.stays_here and not here:
            return False
        present = frozenset(map(self.same, said.users or ()))
        return self.users <= present and self.members <= frozenset(map(fold_name, said.members))

    def may_have_heard(self, present: Iterable[str]) -> bool:
        """Whether all these users are among those present for any message."""
        return self.users <= frozenset(map(self.same, present))

    def are(self, user: str) -> bool:
        """Whether only this user reads."""
        return self.users == {self.same(user)}


@value_class
class Window:
    """The speakers in a window of messages, to attribute users' messages.

    A message's own owner; else the call's user, if the window has only one person or the message bears that
    name; else unknown (None). Never derived from the message text.
    """

    user: str  # user of the call, "" = nameless
    names: frozenset[str]  # names on user messages without an owner, "" = none
    same: Same = alone
    told: bool = False  # if other messages have one: another name is another person

    @classmethod
    def of(cls, messages: Iterable[Message], user: str, same: Same) -> "Window":
        """The window of these messages."""
        mine = [one for one in messages if one.role == "user"]
        untold = [one for one in mine if one.owner is None]
        names = frozenset(one.name or "" for one in untold)
        return cls(user, names, same, len(untold) < len(mine))

    def owner(self, name: str, told: str | None = None) -> str | None:
        """The owner of a user's message of that name."""
        if told is not None:
            return told
        alone = len(self.names) < 2 and not (name and self.told)
        mine = bool(name) and self.same(name) == self.same(self.user)
        return self.user if alone or mine else None


@value_class
class Participants:
    """The participants of one observation."""

    present: Attendance
    window: Window
    kind: TurnKind = "normal"
    away: bool = False  # the character was absent
    scopes: Scopes = lambda text: ()

    def complete(self, said: ChatMessage) -> ChatMessage:
        """Add owner, presence, authorship and scene to a new version."""
        owner = self.window.owner(said.name, said.owner) if said.role == "user" else None
        kind: TurnKind = self.kind if said.role == "assistant" else "normal"
        users, members = self.present.users, self.present.members
        if self.away:
            users, members = AWAY, ()
        elif owner and owner not in users:  # whoever left was present for their own messages
            users = tuple(sorted({*users, owner}))
        ordered = self.scopes(said.text) if said.role == "user" else ()
        told = [one.scope for one in ordered if one.scope]
        return replace(
            said,
            spans=_with_commands(said.text, marks(said.text), ordered),
            scope=told[-1] if told else said.scope,
            owner=owner,
            users=users,
            members=members,
            kind=kind,
        )


def _with_commands(
    text: str, spans: Sequence[MarkedSpan], ordered: Sequence[ScopeCommand]
) -> tuple[MarkedSpan, ...]:
    """The marks including commands; a remark with nothing else becomes the command."""
    found = [MarkedSpan(one.kind, one.start, one.end) for one in ordered]
    kept = list[MarkedSpan]()
    for span in spans:
        inside = [one for one in found if one.start < span.end and span.start < one.end]
        outside = (
            at
            for at in range(span.start, span.end)
            if not any(one.start <= at < one.end for one in inside)
        )
        if inside and not any(text[at].isalnum() for at in outside):
            found = [one for one in found if one not in inside]
            kept.append(MarkedSpan(inside[-1].kind, span.start, span.end))
        else:
            kept.append(span)
    return tuple(sorted([*kept, *found], key=lambda one: one.start))


def shortened(said: ChatMessage, voice: str, present: Attendance) -> ChatMessage:
    """A version as in a log line: without what presence and user tell; `filled` restores that."""
    if said.role == "user" and said.owner is None:
        return said
    usual = (said.users, said.members) == (present.users, present.members)
    owner = None if said.owner == voice else said.owner
    return replace(said, owner=owner, users=None, members=()) if usual else said


_FIELDS = [field.name for field in fields(ChatMessage)]
_VALUES = attrgetter(*_FIELDS)
_OWNER, _USERS, _MEMBERS = map(_FIELDS.index, ("owner", "users", "members"))


def filled(
    said: ChatMessage, voice: str, present: Attendance, *, named_apart: bool = False
) -> ChatMessage:
    """A version with default fields restored. `named_apart`: another name than the user's is another person."""
    if said.users is not None:
        return said
    unknown = named_apart and bool(said.name) and said.name != voice
    owner = said.owner if said.owner is not None else None if unknown else voice
    users, members = present.users, present.members
    mine = owner if said.role == "user" else None
    values = list(_VALUES(said))
    values[_OWNER], values[_USERS], values[_MEMBERS] = mine, users, members
    return ChatMessage(*values)
