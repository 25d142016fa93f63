"""The tools: plain calls of a role, run on threads by the server."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from mcp_types import CallToolResult

from rolememory.engine import Home, RoleMemory
from rolememory.errors import InvalidValueError, UnknownMemoryError
from rolememory.inject.fence import strip, tame
from rolememory.locales import translated
from rolememory.recall.active_set import standing
from rolememory.schema.memory import Memory
from rolememory.schema.message import Message
from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class
from rolememory.serve.mcp.schemas import (
    Archived,
    Before,
    ChatName,
    Explained,
    FoundMemory,
    Kind,
    Memories,
    MemoryId,
    MemoryWritten,
    MessageText,
    RecalledNow,
    RoleName,
    UserName,
    Words,
    answer,
    described,
    listed,
)
from rolememory.text.secrets import secrets_in

Changed = Callable[[RoleMemory], Any]


@value_class
class Tools:
    """The tools for a home."""

    home: Home
    language: Language
    changed: Changed  # called after every write, with the role
    only_own: bool  # a user may read shared memories, but not forget them

    def remember(
        self,
        role: RoleName,
        content: Annotated[
            str,
            described(
                "one thing worth keeping, in one or two sentences", min_length=1, max_length=4000
            ),
        ],
        type: Annotated[  # noqa: A002  # the field's own name
            Kind, described("what happened, is known, the role is like, or wants")
        ] = "episodic",
        keys: Annotated[Words, described("words that wake it")] = [],  # noqa: B006  # never changed
        subject: Annotated[
            str | None,
            described(
                'whom it is about: nothing = the role, "user" = the user, else a name',
                max_length=200,
            ),
        ] = None,
        user: UserName = None,
        salience: Annotated[float, described("how much it matters, 0..1", ge=0.0, le=1.0)] = 0.5,
    ) -> Annotated[CallToolResult, MemoryWritten]:
        """Keep one memory. What the role knows already is not written twice."""
        role_memory = self.home.role(role)
        text = strip(content).strip()
        if not text:
            raise InvalidValueError("content: there is nothing to remember; write a sentence")
        if secrets_in(text):
            raise InvalidValueError(
                "content: it seems to hold a key, card or account number, which would be in prompts; leave the number out"
            )
        people = self.home.people.follow()
        for one in self._current(role_memory, user):
            if people.are_one(one.user, user) and _same(one.content, text):
                known = self._say("known already as {id}", id=one.id)
                return answer(known, MemoryWritten(id=one.id, added=False))
        fields = {
            "content": text,
            "type": type,
            "keys": keys,
            "subject": subject,
            "user": user,
            "salience": salience,
            "source": "summary",  # written by a model, so they may decay
            "created": datetime.now(UTC),
        }
        told = {name: value for name, value in fields.items() if value not in (None, [])}
        made = role_memory.remember_all([told], actor="model")[0]
        self.changed(role_memory)
        written = MemoryWritten(id=made.id, added=True)
        return answer(self._say("remembered as {id}", id=made.id), written)

    def recall(
        self,
        role: RoleName,
        message: MessageText,
        before: Before = [],  # noqa: B006
        user: UserName = None,
        chat: ChatName = None,
    ) -> Annotated[CallToolResult, RecalledNow]:
        """What comes to the role's mind at a message, as it would stand in its prompt. Looks only: no turn is counted."""
        turn = self._turn(role, message, before, user, chat)
        found = [FoundMemory.of(one.memory, one.score) for one in turn.recalled]
        nothing = self._say("nothing comes to mind")
        return answer(turn.text or nothing, RecalledNow(text=turn.text, memories=found))

    def search(
        self,
        role: RoleName,
        query: Annotated[
            str, described("what to look for: words or a question", min_length=1, max_length=2000)
        ],
        limit: Annotated[int, described("at most so many", ge=1, le=100)] = 10,
        user: UserName = None,
        chat: ChatName = None,
    ) -> Annotated[CallToolResult, Memories]:
        """The memories nearest to a query, best first, however weak; with a chat only what its story knows."""
        found = self.home.role(role).search(query, limit=limit, user=user, chat=chat)
        return listed(found, None, self._say("nothing is remembered about this"))

    def listing(
        self,
        role: RoleName,
        type: Annotated[Kind | None, described("only of this kind")] = None,  # noqa: A002
        user: UserName = None,
        limit: Annotated[int, described("at most so many", ge=1, le=200)] = 50,
        offset: Annotated[int, described("how many to pass over", ge=0)] = 0,
    ) -> Annotated[CallToolResult, Memories]:
        """The memories that count, newest first; archived and outdated ones are left out."""
        heard = self._current(self.home.role(role), user)
        found = [one for one in heard if type in (None, one.type.value)]
        nothing = (
            self._say("no more; {count} in all", count=len(found))
            if found
            else self._say("nothing is remembered")
        )
        return listed(found[offset : offset + limit], len(found), nothing)

    def forget(
        self,
        role: RoleName,
        id: MemoryId,  # noqa: A002
        reason: Annotated[str, described("why, for the history", max_length=500)] = "",
        user: UserName = None,
    ) -> Annotated[CallToolResult, Archived]:
        """Take one memory out of recall by its exact id. It stays in the file, and `undo` or `edit` brings it back."""
        role_memory = self.home.role(role)
        mine = self._readable(role_memory, user)
        if self.only_own:
            mine = {one: memory for one, memory in mine.items() if memory.user is not None}
        if id not in mine:
            raise UnknownMemoryError(id, mine)
        if not mine[id].archived:
            role_memory.archive(id, reason=reason)
            self.changed(role_memory)
        return answer(self._say("{id} is archived", id=id), Archived(id=id, archived=True))

    def explain(
        self,
        role: RoleName,
        message: MessageText,
        ids: Annotated[Words, described("also these memories, that did not come to mind")] = [],  # noqa: B006
        before: Before = [],  # noqa: B006
        user: UserName = None,
        chat: ChatName = None,
    ) -> Annotated[CallToolResult, Explained]:
        """Why each memory comes to mind at a message, and why others do not and what would let them in."""
        role_memory = self.home.role(role)
        mine = self._readable(role_memory, user)
        for unknown in (one for one in ids if one not in mine):
            raise UnknownMemoryError(unknown, mine)
        turn = self._turn(role, message, before, user, chat)
        lines = [
            tame(line) for line in str(turn.explain(*ids, language=self.language)).splitlines()
        ]
        return answer(
            "\n".join(lines) or self._say("nothing comes to mind"), Explained(lines=lines)
        )

    def _turn(
        self, role: str, message: str, before: "Before", user: str | None, chat: str | None
    ) -> Any:
        said = [Message(role=one.role, content=one.content) for one in before]
        return self.home.role(role).recall(
            [*said, Message.user(message)], user=user, chat=chat or "", dry_run=True
        )

    def _current(self, role_memory: RoleMemory, user: str | None) -> list[Memory]:
        """The current memories for this user, newest first; undated ones last."""
        stand = standing(role_memory.memories, role_memory.chats.visible_from(None))
        mine = self._readable(role_memory, user).values()
        return sorted(
            (one for one in mine if not one.archived and stand.holds(one.id)),
            key=lambda one: (
                one.created is None,
                -(one.created.timestamp() if one.created else 0.0),
                one.id,
            ),
        )

    def _readable(self, role_memory: RoleMemory, user: str | None) -> dict[str, Memory]:
        """The memories of this user, under all linked names, and shared ones, by id."""
        people = self.home.people.follow()
        return {
            one.id: one for one in role_memory.memories.values() if people.is_for(one.user, user)
        }

    def _say(self, template: str, **values: object) -> str:
        return translated(template, self.language, **values)


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
