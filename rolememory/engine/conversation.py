"""Observing chats and learning from them, review of what was learned, erasing a person."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Unpack

from rolememory.schema.learning import ChatMessage, Observed
from rolememory.schema.memory import ChangedFields, Evidence, Memory
from rolememory.schema.message import Message, TurnKind

if TYPE_CHECKING:
    from rolememory.storage.review import Waiting

from rolememory.engine.context import RoleContext
from rolememory.engine.inputs import (
    MessageLike,
    Name,
    Time,
    as_reply,
    check_size,
    coerce_messages,
    name_of,
    names_of,
    time_of,
    turn_kind_of,
    user_of,
)
from rolememory.engine.learning import RoleLearning
from rolememory.engine.maintenance import RoleMaintenance
from rolememory.engine.memories import RoleMemories, known_fields
from rolememory.storage.erase import Erased
from rolememory.storage.memories import Edit
from rolememory.text.names import PersonNames


class RoleConversation:
    """A role's chats: observed, learned from, forgotten."""

    def __init__(
        self,
        context: RoleContext,
        learning: RoleLearning,
        memories: RoleMemories,
        maintenance: RoleMaintenance,
    ) -> None:
        self._context = context
        self._learning = learning
        self._memories = memories
        self._maintenance = maintenance

    def observe(
        self,
        messages: Iterable[MessageLike] | MessageLike,
        reply: MessageLike | None = None,
        *,
        chat: Name = "",
        user: Name | None = None,
        present: Iterable[Name] | Name | None = None,
        members: Iterable[Name] | Name | None = None,
        kind: TurnKind = "normal",
        away: bool = False,
        now: Time | None = None,
        requested: Time | None = None,
        title: str | None = None,
        own_file: bool = False,
    ) -> Observed:
        """Observe what was said: the whole visible chat, oldest first, the character's reply last or separately.

        One durable write: on return it survives a power cut. It can be recalled as it was said; commands ("remember that ...")
        are obeyed soon, and a model, if set, extracts memories from the rest. `learned` waits for the commands. Repeating a call changes nothing; a swipe,
        an edit or a deletion withdraws what was learned from text that no longer exists.

        `present` names the users present (default: the owners of the messages, and `user`), `members` the other
        characters of a group (default: as last time). `away`: the character was absent; new messages are stored, so
        that the chat is complete, but never recalled. `kind`: "quiet" is ignored; an "impersonate" reply is the user's.
        `requested`: when the frontend sent these messages (default: now). Where turns end out of order, an older
        one then removes nothing of what a newer one added meanwhile.
        `own_file`: it comes from the user's own file, without a limit of length.

        Raises:
            InvalidValueError: it exceeds `serve.max_messages` or `serve.max_characters`.
            NotWrittenError: the write failed; nothing changed.
        """
        self._context.home.check_open()
        chat = name_of(chat)
        user = user_of(user)
        if turn_kind_of(kind) == "quiet":
            return Observed(chat)
        said = [*coerce_messages(messages), *self._replied(reply, user, kind)]
        settings = self._context.settings
        if not own_file:
            check_size(said, settings.serve)
        self._context.home.people.follow()
        learner = self._learning.learner if self._learning.here else None
        seen = self._context.chats.observe(
            said,
            chat=chat,
            user=user,
            clean=self._context.hearing(settings),
            at=time_of(now),
            title=title,
            present=names_of(present),
            members=names_of(members),
            kind=kind,
            away=away,
            requested=time_of(requested),
        )
        if learner:
            self.take_in(seen)
        elif hand_over := self._context.home.handed_over:
            hand_over(self._context.id, seen)
        if seen.entered or seen.returned:
            self._context.usage.replied(seen.chat)
            self._context.keep_up()
        return seen

    def take_in(self, seen: Observed) -> None:
        """Learn from what was observed, here or by another process, and run maintenance if due."""
        self._learning.learner.noticed(seen)
        if seen.entered or seen.returned:
            self._maintenance.tend_when_due()

    @staticmethod
    def _replied(reply: MessageLike | None, user: str | None, kind: TurnKind) -> list[Message]:
        """The reply as a list of messages; one that impersonates the user is the user's."""
        if reply is None:
            return []
        told = as_reply(reply)
        return [Message.user(told.content, user=user)] if kind == "impersonate" else [told]

    def learned_from(self, chat: Name, version: str = "") -> list[Memory]:
        """What was learned from a reply and the messages it answers, by the version of the reply ("" = the newest), without chapters.

        Raises:
            UnknownChatError: there is no such chat.
        """
        self._learning.learned()
        chat = name_of(chat)
        path = self._context.chats.path(chat)
        end = path.find(version) if version else len(path) - 1
        if end is None or end < 0:
            return []
        said = {one.version for one in path[_turn_start(path, end) : end + 1]}
        return [
            one
            for one in self._memories.current().values()
            if not one.chapter
            and any(
                proof.chat == chat and not said.isdisjoint(proof.versions) for proof in one.evidence
            )
        ]

    def waiting(self) -> "list[Waiting]":
        """What was learned and is pending review, oldest first."""
        self._learning.learned()
        return self._learning.learner.keeper.review.waiting()

    def refused(self) -> "list[Waiting]":
        """Recent proposals of a model or a command that were rejected, each with its reason, oldest first; `accept` keeps one."""
        self._learning.learned()
        return self._learning.learner.keeper.review.refused()

    def accept(self, waiting_id: str, **mended: Unpack[ChangedFields]) -> Memory:
        """Make a pending or refused proposal a memory, unchanged or edited (`content`, `keys`, ...).

        Raises:
            UnknownNameError: nothing of that id waits or was refused.
        """
        return self._learning.learner.keeper.accept(waiting_id, known_fields(mended))

    def reject(self, *waiting_ids: str) -> None:
        """Reject pending or refused proposals for good: they are not learned again.

        Raises:
            UnknownNameError: nothing of that id waits or was refused.
        """
        for waiting_id in waiting_ids:
            self._learning.learner.keeper.review.drop(waiting_id)

    def forget(self, user: Name, *, dry_run: bool = False) -> Erased:
        """Remove everything of one person, under all linked names: memories, history, backups, pending proposals, uses, vectors.

        Their chats are deleted; in shared ones their messages and the replies to them, and their name everywhere else.

        Raises:
            FileError: a chat cannot be read; nothing was changed.
            ReadOnlyRoleError: memory.json is broken, so owners of memories are unknown; nothing was changed.
            NotWrittenError: a write failed; call it again to remove the rest.
        """
        from rolememory.engine.erase_user import erase_user, preview

        role = self._context
        learner = self._learning.learner
        names = PersonNames(role.home.people.follow().names_of(name_of(user)))
        self._learning.learned()
        if dry_run:
            return preview(role, names, learner)
        with learner.keeper.lock, role.lock:
            role.pipeline.close()
            try:
                erased = erase_user(role, names, learner, self._maintenance)
            finally:
                role.begin_recalling()
            role.keep_vectors()
        return erased

    def forget_chat(self, chat: str, *, memories: bool = False) -> int:
        """Remove a chat and its state: timers, uses, how far it was read. Returns how many memories were removed with it.

        `memories`: also remove what was learned from this chat alone, else it is kept without evidence, for the user of the chat.
        """
        role = self._context
        users = role.chats.info(chat).users
        known = self._memories.current().values()
        found = (_freed(one, chat, users, gone=memories) for one in known)
        edits = [edit for edit in found if edit]
        if edits:
            role.commit(edits, "author")
        role.chats.remove(chat)
        self._learning.learner.drop([chat])
        role.usage.forget([chat])
        role.pipeline.chats.forget([chat])
        return sum(one.op == "remove" for one in edits)


def _freed(memory: Memory, chat: str, users: Sequence[str], *, gone: bool) -> Edit | None:
    """The edit of a memory whose chat is removed, so that a later chat of the same name does not affect it."""
    proofs = memory.evidence
    if gone and proofs and all(proof.chat == chat for proof in proofs):
        return Edit("remove", memory.id, reason="chat removed")
    told = [_without(proof, chat) for proof in proofs]
    if memory.chapter or told == [*proofs]:
        return None
    rows = [proof.model_dump(mode="json", exclude_defaults=True) for proof in told]
    fields: dict[str, object] = {"evidence": rows}
    if memory.user is None and len(users) == 1 and not any(proof.version for proof in told):
        fields["user"] = users[0]
    return Edit("set", memory.id, fields, reason="chat removed")


def _without(proof: Evidence, chat: str) -> Evidence:
    """The evidence without its message if that is in this chat; the quotation keeps its speaker."""
    also = tuple(one for one in proof.also if one.chat != chat)
    here = {"chat": "", "version": "", "adjoining": False} if proof.chat == chat else {}
    return proof.model_copy(update={"also": also, **here})


def _turn_start(path: Sequence[ChatMessage], end: int) -> int:
    """The index of the user's first message after the reply before that of `end`."""
    start = end
    while start and not (path[start].role == "user" and path[start - 1].role == "assistant"):
        start -= 1
    return start
