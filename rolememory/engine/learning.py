"""Learning: what was said becomes memory, a person has the last word, and may be forgotten."""

import logging
from collections.abc import Collection, Iterable
from time import monotonic
from typing import TYPE_CHECKING, Unpack

from rolememory.errors import RoleMemoryError
from rolememory.schema.learning import Observed
from rolememory.schema.memory import ChangedFields, Memory
from rolememory.schema.message import Message, TurnKind

if TYPE_CHECKING:
    from rolememory.storage.erase import Erased
    from rolememory.storage.review import Waiting

from rolememory.engine.chaptering import Chaptering
from rolememory.engine.said import (
    Name,
    Said,
    Time,
    as_reply,
    heard,
    name_of,
    names_of,
    time_of,
    user_of,
)
from rolememory.engine.writing import known

_LOOK_S = 3600.0  # a process asks so often whether upkeep is due
_log = logging.getLogger(__name__)


class Learning(Chaptering):
    """The write path of a role that begins with a chat."""

    def observe(
        self,
        messages: Iterable[Said] | Said,
        reply: Said | None = None,
        *,
        chat: Name = "",
        user: Name | None = None,
        present: Iterable[Name] | Name | None = None,
        members: Iterable[Name] | Name | None = None,
        kind: TurnKind = "normal",
        away: bool = False,
        now: Time | None = None,
        title: str | None = None,
    ) -> Observed:
        """Take in what was said: the whole visible chat, oldest first, the character's reply last or apart.

        One durable write: on return it survives a power cut. It can be recalled as it was said; commands ("remember that ...")
        are obeyed soon, and a model distils the rest where one is set. `learned` waits for the commands. Saying the same again changes nothing; a swipe, an
        edit or a deletion takes back what was learned from the words that went.

        `present` names the users who were there (left out: the owners of the messages, and `user`), `members` the other
        characters of a group (left out: those of the time before). `away`: the character was not there; what is new is kept, so
        that the chat stays whole, and never recalled. `kind`: "quiet" is not heard at all; an "impersonate" reply is the user's voice.

        Raises:
            NotWrittenError: the disk refused; nothing changed.
        """
        self.home.check_open()
        chat, user = name_of(chat), user_of(user)
        if kind == "quiet":
            return Observed(chat)
        said = [*heard(messages), *self._replied(reply, user, kind)]
        self.home.people.follow()
        seen = self.learner.observe(
            said,
            chat=chat,
            user=user,
            at=time_of(now),
            title=title,
            present=names_of(present),
            members=names_of(members),
            kind=kind,
            away=away,
        )
        if seen.entered or seen.returned:
            self._usage.replied(seen.chat)
            self._tend_when_due()
        return seen

    @staticmethod
    def _replied(reply: Said | None, user: str | None, kind: TurnKind) -> list[Message]:
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
        self.learned()
        chat = name_of(chat)
        path = self.chats.path(chat)
        end = path.find(version) if version else len(path) - 1
        if end is None or end < 0:
            return []
        start = end
        while start and not (path[start].role == "user" and path[start - 1].role == "assistant"):
            start -= 1
        said = {one.version for one in path[start : end + 1]}
        return [
            one
            for one in self.memories.values()
            if not one.chapter
            and any(
                proof.chat == chat and not said.isdisjoint(proof.version.split("+"))
                for proof in one.evidence
            )
        ]

    def waiting(self) -> "list[Waiting]":
        """What was learned and waits for a person's word, oldest first."""
        self.learned()
        return self.learner.keeper.review.waiting()

    def refused(self) -> "list[Waiting]":
        """What a model proposed or a command asked for lately and was not kept, each with its reason, oldest first; `accept` keeps it."""
        self.learned()
        return self.learner.keeper.review.refused()

    def accept(self, waiting_id: str, **mended: Unpack[ChangedFields]) -> Memory:
        """Let what waits, or was refused, become a memory, as it is or mended (`content`, `keys`, ...).

        Raises:
            UnknownNameError: nothing of that id waits or was refused.
        """
        return self.learner.keeper.accept(waiting_id, known(mended))

    def reject(self, *waiting_ids: str) -> None:
        """Send away what waits or was refused, for good: it is not learned again.

        Raises:
            UnknownNameError: nothing of that id waits or was refused.
        """
        for waiting_id in waiting_ids:
            self.learner.keeper.review.drop(waiting_id)

    def forget(self, user: Name, *, dry_run: bool = False) -> "Erased":
        """Remove everything of one person, under all names that were linked: memories, history, backups, what waits, uses, vectors.

        Chats of theirs go; of shared ones their messages go with the replies to them, and their name from everything else.

        Raises:
            FileError: a chat cannot be read; nothing was changed.
            ReadOnlyRoleError: memory.json is broken, so nobody can tell what is whose; nothing was changed.
            NotWrittenError: the disk refused; do it again, what is gone stays gone.
        """
        from rolememory.learn.oblivion import forget, preview
        from rolememory.text.names import Names

        names = Names(self.home.people.follow().names_of(name_of(user)))
        self.learned()
        if dry_run:
            return preview(names, self.learner, self.store)
        with self._lock:
            self._recollection.close()
            try:
                return forget(
                    self.space,
                    names,
                    self.learner,
                    self.store,
                    self._usage,
                    self.settings.storage,
                    self._keep_only,
                )
            finally:
                self._begin_recalling()

    def _keep_only(self, chats: Collection[str]) -> None:
        """Drop what is kept between turns of every other chat, and when upkeep met which memory."""
        self._recollection.chats.keep_only(chats)
        self._tended.save({})

    def _tend_when_due(self) -> None:
        """The upgrade of an older role, then daily upkeep, behind the chat."""
        if monotonic() - self._looked < _LOOK_S:
            return
        self._looked = monotonic()
        self.home.pool.submit(self._tended_quietly)

    def _tended_quietly(self) -> None:
        try:
            self.upgrade()
            self.tend()
        except (RoleMemoryError, OSError) as error:
            _log.warning("%s: upkeep has to wait: %s", self.space.name, error)
