"""Learning: what was said becomes memory, a person has the last word, and may be forgotten."""

import logging
from collections.abc import Sequence
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from rolememory.errors import RoleMemoryError
from rolememory.recall.recollection import Recollection
from rolememory.schema.learning import Observed
from rolememory.schema.memory import Memory

if TYPE_CHECKING:
    from rolememory.store.erase import Erased
    from rolememory.store.review import Waiting

from rolememory.engine.said import Said, as_reply, heard
from rolememory.engine.tending import Tending

_LOOK_S = 3600.0  # a process asks so often whether upkeep is due
_log = logging.getLogger(__name__)


class Learning(Tending):
    """The write path of a role that begins with a chat."""

    def observe(
        self,
        messages: Sequence[Said],
        reply: Said | None = None,
        *,
        chat: str = "",
        user: str | None = None,
        now: datetime | None = None,
        title: str | None = None,
    ) -> Observed:
        """Take in what was said: the whole visible chat, oldest first, the character's reply last or apart.

        One durable write: on return it survives a power cut. What is to be remembered of it is found by itself, at once by rules,
        later by a model where one is set; `learned` waits for the rules. Saying the same again changes nothing; a swipe, an
        edit or a deletion takes back what was learned from the words that went.

        Raises:
            NotWrittenError: the disk refused; nothing changed.
        """
        said = [*heard(messages), *((as_reply(reply),) if reply is not None else ())]
        seen = self.learner.observe(said, chat=chat, user=user, at=now, title=title)
        if seen.entered or seen.returned:
            self._usage.replied(seen.chat)
            self._tend_when_due()
        return seen

    def waiting(self) -> "list[Waiting]":
        """What was learned and waits for a person's word, oldest first."""
        self.learned()
        return self.learner.keeper.review.waiting()

    def accept(self, waiting_id: str, **mended: Any) -> Memory:
        """Let what waits become a memory, as it is or mended (`content`, `keys`, ...).

        Raises:
            UnknownNameError: nothing of that id waits.
        """
        return self.learner.keeper.accept(waiting_id, mended)

    def reject(self, *waiting_ids: str) -> None:
        """Send away what waits, for good: it is not learned again.

        Raises:
            UnknownNameError: nothing of that id waits.
        """
        for waiting_id in waiting_ids:
            self.learner.keeper.review.drop(waiting_id)

    def forget(self, user: str) -> "Erased":
        """Remove everything of one person: memories, chats, history, backups, what waits, uses, vectors.

        Raises:
            ReadOnlyRoleError: memory.json is broken, so nobody can tell what is whose; nothing was changed.
            NotWrittenError: the disk refused; do it again, what is gone stays gone.
        """
        from rolememory.learn.oblivion import forget

        self.learned()
        with self._lock:
            done = forget(self.folder, user, self.learner, self._usage, self.settings.storage)
            self._recollection.chats.forget(done.chats)
            self._recollection.close()
            self._recollection = Recollection(self.folder, self.home.surroundings, self.settings)
        return done

    def _tend_when_due(self) -> None:
        """Daily upkeep, behind the chat."""
        if monotonic() - self._looked < _LOOK_S:
            return
        self._looked = monotonic()
        self.home.pool.submit(self._tended_quietly)

    def _tended_quietly(self) -> None:
        try:
            self.tend()
        except (RoleMemoryError, OSError) as error:
            _log.warning("%s: upkeep has to wait: %s", self.folder.name, error)
