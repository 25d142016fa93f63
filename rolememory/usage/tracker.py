"""Tracks usage: keeps which memories a prompt held until the reply arrives, then records which of them it used.

recall ─ prompted ─▶ the newest turns of each chat ─ replied ─▶ references ─▶ store.uses ─ effects ─▶ the next recall
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures import Executor, Future
from functools import lru_cache
from itertools import takewhile

from rolememory.chats import BranchVisibility, Chats, VisiblePath
from rolememory.errors import UnknownChatError
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import Evidence, MemoriesById, Memory
from rolememory.schema.usage import UsageTally
from rolememory.schema.value_class import value_class
from rolememory.storage.port import Space
from rolememory.storage.usage_log import PLACES, UsageLog
from rolememory.usage.references import nearer, referenced
from rolememory.usage.weights import effects

_KEPT_CHATS, _KEPT_TURNS = 256, 4  # prompts kept until their replies arrive: chats, turns of each
_EARLIER = 3  # messages before a reply whose words prove nothing: the user's, and what led to it
_log = logging.getLogger(__name__)


Prompts = OrderedDict[str, tuple[str, ...]]
"""Version of the user's message -> ids of the memories in its prompt, for the newest turns."""


Near = Callable[[str, Sequence[str], Sequence[str]], Mapping[str, float]]
"""(chat, message versions, memory ids) -> for each memory the cosine of the nearest passage of these messages, -1..1.

Memories and messages without vectors are left out: a reply has its vectors by the next turn, and is compared again then.
"""


@value_class
class _CachedEffects:
    """The last result of `Usage.effects` for one place."""

    visibility: BranchVisibility
    tallies: Mapping[str, UsageTally]
    memories: MemoriesById
    added: Mapping[str, float]


class Usage:
    """Records which memories replies use, and gives the effect on their weights. Thread-safe; a turn never waits for it.

    `memories` gives the role's current memories, `names` the speakers of a chat, `pool` the thread that compares,
    `near` compares by vectors.
    """

    def __init__(
        self,
        space: Space,
        chats: Chats,
        memories: Callable[[], MemoriesById],
        names: Callable[[str], Collection[str]],
        pool: Callable[[], Executor],
        near: Near,
    ) -> None:
        self.uses = UsageLog(space)
        self._chats = chats
        self._memories = memories
        self._names = names
        self._pool = pool
        self._near = near
        self._prompts: OrderedDict[str, Prompts] = OrderedDict()  # by chat
        self._compared: dict[str, dict[str, object]] = {}  # by chat and version: the last inputs
        self._cached: OrderedDict[Hashable, _CachedEffects] = (
            OrderedDict()
        )  # by place, least recently used first
        self._work: Future[None] | None = None
        self._lock = threading.Lock()

    def prompted(self, chat: str, path: Sequence[ChatMessage], injected: Sequence[str]) -> None:
        """Record which memories the prompt for the path's newest user message held; a swipe of the same turn overwrites it."""
        asked = next((said for said in reversed(path) if said.role == "user"), None)
        if not chat or asked is None:
            return
        with self._lock:
            turns = self._prompts.setdefault(chat, OrderedDict())
            self._prompts.move_to_end(chat)
            turns[asked.version] = tuple(injected)
            turns.move_to_end(asked.version)
            while len(turns) > _KEPT_TURNS:
                turns.popitem(last=False)
            while len(self._prompts) > _KEPT_CHATS:
                self._prompts.popitem(last=False)

    def replied(self, chat: str) -> None:
        """The chat has a new message: compare the replies to its kept turns, on another thread."""
        with self._lock:
            turns = tuple(self._prompts.get(chat, {}).items())
            if turns:
                self._work = self._pool().submit(self._note, chat, turns)

    def effects(self, visibility: BranchVisibility, memories: MemoriesById) -> Mapping[str, float]:
        """What use adds to each memory's weight, counting the turns visible from there.

        Cost: O(rows recorded or moved since the last call), O(all rows) for a new place or changed memories.
        """
        before = self._cached.pop(visibility.place, None)
        moved = visibility.moved_since(before.visibility) if before else None
        tallies = self.uses.tallies(
            lambda chat, version: visibility.sees(_support(chat, version)),
            visibility.token,
            None
            if moved is None or before is None
            else (before.visibility.token, {chat for chat, _ in moved}),
        )
        counted, known, added = (
            (before.tallies, before.memories, before.added) if before else ({}, {}, {})
        )
        last_first = reversed([*tallies.items()])  # what changed comes last
        if counted is not tallies or known is not memories:
            if known is memories:
                news = dict(takewhile(lambda one: counted.get(one[0]) is not one[1], last_first))
            else:
                news = {
                    one: tally
                    for one, tally in last_first
                    if counted.get(one) is not tally or known.get(one) is not memories.get(one)
                }
            gone = news.keys() | (counted.keys() - tallies.keys())
            added = dict(added)
            for one in gone & added.keys():
                del added[one]
            added |= effects(news, memories)
        self._cached[visibility.place] = _CachedEffects(visibility, tallies, memories, added)
        while len(self._cached) > PLACES:
            self._cached.popitem(last=False)
        return added

    def forget(self, chats: Collection[str], alive: Collection[str] | None = None) -> None:
        """Forget everything of these chats, and of memories that are not `alive`."""
        with self._lock:
            for chat in chats:
                self._prompts.pop(chat, None)
                self._compared.pop(chat, None)
        self.uses.forget(chats, alive)

    def settle(self) -> None:
        """Wait until every reply seen so far is recorded."""
        work = self._work
        if work is not None:
            work.result()

    def close(self) -> None:
        """Finish pending comparisons and write pending records."""
        self.settle()
        self.uses.close()

    def _note(self, chat: str, turns: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        try:
            known = self._chats.chat(chat)
            if not known.info.teaches:
                return
            names = frozenset(self._names(chat))
            before = self._compared.pop(chat, {})
            memories = self._memories()  # those of other roles are weighted by those roles
            self._compared[chat] = {
                version: self._compare(
                    chat,
                    known.worded,
                    version,
                    [memories[one] for one in injected if one in memories],
                    names,
                    before.get(version),
                )
                for version, injected in turns
            }
            while len(self._compared) > _KEPT_CHATS:
                del self._compared[next(iter(self._compared))]
        except UnknownChatError:
            _log.debug("chat %r: removed before its replies were read", chat)
        except Exception:  # usage must fail neither a turn nor the shutdown
            _log.exception("chat %r: not noted what its replies used", chat)

    def _compare(
        self,
        chat: str,
        path: VisiblePath,
        version: str,
        held: Sequence[Memory],
        names: Collection[str],
        before: object,
    ) -> object:
        """Record what the replies to this message used, unless the inputs equal `before`; return the inputs."""
        place = path.find(version)
        if place is None:
            return None
        replies = _replies(path, place)
        reply = "\n".join(said.text for said in replies)
        if not reply or not held:
            return None
        earlier = path[max(place + 1 - _EARLIER, 0) : place + 1]
        query = "\n".join(said.text for said in earlier)
        near = nearer(
            *(
                self._near(chat, [one.version for one in said], [one.id for one in held])
                for said in (replies, earlier)
            )
        )
        compared = hash(reply), hash(query), held, names, near
        if compared != before:
            used = referenced(reply, held, query=query, names=names, near=near)
            ids = {one.id for one in used}
            at = path[place].at
            self.uses.note(chat, version, [one.id for one in held], ids, at)
        return compared


def _replies(path: VisiblePath, place: int) -> list[ChatMessage]:
    """The replies directly after the message at this place."""
    behind = (path[at] for at in range(place + 1, len(path)))
    return list(takewhile(lambda said: said.role == "assistant", behind))


@lru_cache(maxsize=4096)
def _support(chat: str, version: str) -> Evidence:
    return Evidence(chat=chat, version=version)
