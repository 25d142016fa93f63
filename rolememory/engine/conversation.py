"""Learning: what was said becomes memory, a person has the last word, and may be forgotten."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Unpack

from rolememory.schema.learning import ChatMessage, Observed
from rolememory.schema.memory import ChangedFields, Evidence, Memory
from rolememory.schema.message import Message, TurnKind

if TYPE_CHECKING:
    from rolememory.storage.erase import Erased
    from rolememory.storage.review import Waiting

from rolememory.engine.context import RoleContext
from rolememory.engine.inputs import (
    MessageLike,
    Name,
    Time,
    as_reply,
    bounded,
    coerce_messages,
    name_of,
    names_of,
    time_of,
    user_of,
)
from rolememory.engine.learning import RoleLearning
from rolememory.engine.maintenance import RoleMaintenance
from rolememory.engine.memories import RoleMemories, known_fields
from rolememory.storage.memories import Edit


class RoleConversation:
    """What was said to a role: taken in, learned from, forgotten."""

    def __init__(
        self,
        context: RoleContext,
        learning: RoleLearning,
        memories: RoleMemories,
        maintenance: RoleMaintenance,
    ) -> None:
        self._context, self._learning = context, learning
        self._memories, self._maintenance = memories, maintenance

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
        title: str | None = None,
        own_file: bool = False,
    ) -> Observed:
        """Take in what was said: the whole visible chat, oldest first, the character's reply last or apart.

        One durable write: on return it survives a power cut. It can be recalled as it was said; commands ("remember that ...")
        are obeyed soon, and a model distils the rest where one is set. `learned` waits for the commands. Saying the same again changes nothing; a swipe, an
        edit or a deletion withdraws what was learned from text that no longer exists.

        `present` names the users who were there (left out: the owners of the messages, and `user`), `members` the other
        characters of a group (left out: those of the time before). `away`: the character was not there; what is new is kept, so
        that the chat stays whole, and never recalled. `kind`: "quiet" is not heard at all; an "impersonate" reply is the user's voice.
        `own_file`: it comes from a file of the user's own, which may be as long as it is.

        Raises:
            InvalidValueError: it is more than `serve.max_messages` and `serve.max_characters` allow at once.
            NotWrittenError: the disk refused; nothing changed.
        """
        self._context.home.check_open()
        chat, user = name_of(chat), user_of(user)
        if kind == "quiet":
            return Observed(chat)
        said = [*coerce_messages(messages), *self._replied(reply, user, kind)]
        settings = self._context.settings
        if not own_file:
            bounded(said, settings.serve)
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
        """Learn from what was observed, here or by another process, and tend the role where that is due."""
        self._learning.learner.noticed(seen)
        if seen.entered or seen.returned:
            self._maintenance.tend_when_due()

    @staticmethod
    def _replied(reply: MessageLike | None, user: str | None, kind: TurnKind) -> list[Message]:
        """The reply as it is heard: one that was written for the user is the user's."""
        if reply is None:
            return []
        told = as_reply(reply)
        return [Message.user(told.content, user=user)] if kind == "impersonate" else [told]

    def learned_from(self, chat: Name, version: str = "") -> list[Memory]:
        """What was learned from a reply and from what it answers, by the version of the reply ("" = the newest); chapters are no part of it.

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
        """What was learned and waits for a person's word, oldest first."""
        self._learning.learned()
        return self._learning.learner.keeper.review.waiting()

    def refused(self) -> "list[Waiting]":
        """What a model proposed or a command asked for lately and was not kept, each with its reason, oldest first; `accept` keeps it."""
        self._learning.learned()
        return self._learning.learner.keeper.review.refused()

    def accept(self, waiting_id: str, **mended: Unpack[ChangedFields]) -> Memory:
        """Let what waits, or was refused, become a memory, as it is or mended (`content`, `keys`, ...).

        Raises:
            UnknownNameError: nothing of that id waits or was refused.
        """
        return self._learning.learner.keeper.accept(waiting_id, known_fields(mended))

    def reject(self, *waiting_ids: str) -> None:
        """Send away what waits or was refused, for good: it is not learned again.

        Raises:
            UnknownNameError: nothing of that id waits or was refused.
        """
        for waiting_id in waiting_ids:
            self._learning.learner.keeper.review.drop(waiting_id)

    def forget(self, user: Name, *, dry_run: bool = False) -> "Erased":
        """Remove everything of one person, under all names that were linked: memories, history, backups, what waits, uses, vectors.

        Chats of theirs go; of shared ones their messages go with the replies to them, and their name from everything else.

        Raises:
            FileError: a chat cannot be read; nothing was changed.
            ReadOnlyRoleError: memory.json is broken, so nobody can tell what is whose; nothing was changed.
            NotWrittenError: the disk refused; do it again, what is gone stays gone.
        """
        from rolememory.engine.erase_user import erase_user, preview
        from rolememory.text.names import PersonNames

        names = PersonNames(self._context.home.people.follow().names_of(name_of(user)))
        self._learning.learned()
        if dry_run:
            return preview(names, self._learning.learner, self._context.store)
        role = self._context
        with self._learning.learner.keeper.lock, role.lock:
            role.pipeline.close()
            try:
                return erase_user(
                    role.space,
                    names,
                    self._learning.learner,
                    role.store,
                    role.usage,
                    role.settings.storage,
                    self._keep_only,
                )
            finally:
                role.begin_recalling()

    def forget_chat(self, chat: str, *, memories: bool = False) -> int:
        """Remove a chat with what is noted about it: timers, uses, how far it was read; how many memories went along.

        `memories`: what was learned from this chat alone goes as well, else it stands by itself, for the user of the chat.
        """
        role = self._context
        users, known = role.chats.info(chat).users, self._memories.current().values()
        found = (_freed(one, chat, users, gone=memories) for one in known)
        edits = [edit for edit in found if edit]
        if edits:
            self._memories.commit(edits)
        role.chats.remove(chat)
        self._learning.learner.drop([chat])
        role.usage.forget([chat])
        role.pipeline.chats.forget([chat])
        return sum(one.op == "remove" for one in edits)

    def _keep_only(self, chats: Collection[str]) -> None:
        """Drop what is kept between turns of every other chat, and when upkeep met which memory."""
        self._context.pipeline.chats.keep_only(chats)
        self._maintenance.forget_upkeep()


def _freed(memory: Memory, chat: str, users: Sequence[str], *, gone: bool) -> Edit | None:
    """What becomes of a memory whose chat is removed: a chat that begins under the same name later has no say in it."""
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
    """The same words, of no message where they were said in that chat: they stay quoted words of whoever said them."""
    also = tuple(one for one in proof.also if one.chat != chat)
    here = {"chat": "", "version": "", "adjoining": False} if proof.chat == chat else {}
    return proof.model_copy(update={"also": also, **here})


def _turn_start(path: Sequence[ChatMessage], end: int) -> int:
    """Where the user begins to speak after the reply before that of `end`."""
    start = end
    while start and not (path[start].role == "user" and path[start - 1].role == "assistant"):
        start -= 1
    return start
