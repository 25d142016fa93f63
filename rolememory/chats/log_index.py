"""An index of a role's chat logs, with change detection.

Writers announce changes, so two marks tell other processes whether and in which chats anything is new, at any number of chats.
"""

import re
import unicodedata
from functools import cached_property
from hashlib import blake2b
from itertools import takewhile

from rolememory.chats.log import ChatLog
from rolememory.storage.look import this_look
from rolememory.storage.port import Revision, Space

CHATS = "chats/"
_LOG = re.compile(r"chats/(?:.+-)?([0-9a-f]{16})")
_NO_WORD = re.compile(r"[\W_]+")
_SLUG = 40  # characters

Marks = tuple[Revision | None, Revision | None]


def log_name(chat: str) -> str:
    """The log name of a chat: a slug of its id, and a digest.

    >>> log_name("Harbour / Chat #5"), log_name("灯塔").startswith("chats/灯塔-")
    ('chats/harbour-chat-5-461be2fbd65af5a7', True)
    """
    slug = (
        _NO_WORD.sub("-", unicodedata.normalize("NFKC", chat).casefold())[:_SLUG].strip("-")
        or "chat"
    )
    return f"{CHATS}{slug}-{_key(chat)}"


def _key(chat: str) -> str:
    return blake2b(chat.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _key_of(log: ChatLog) -> str:
    match = _LOG.fullmatch(log.name)
    return match[1] if match else ""


_ASKED = 8  # remembered chats without a log


class ChatLogIndex:
    """Finds and reads logs. Not thread-safe: its owner synchronizes; any number of processes may share them."""

    def __init__(self, space: Space) -> None:
        self.generation = 0  # changes with every change of a chat
        self._space = space
        self._logs: dict[str, ChatLog] = {}
        self._asked: dict[str, ChatLog] = {}  # missing when last asked for
        self._changed: dict[
            str, tuple[ChatLog, int]
        ] = {}  # by name: generation of the last change, in order
        self._look: object = None
        self._seen: Marks | None = None  # None: check every log next time

    def log(self, chat: str) -> ChatLog:
        """The chat's current log; an empty one if there is none."""
        key = _key(chat)
        log = self._logs.get(key) or self._asked.get(key)
        if log is None:
            self.refresh()
            log = self._logs.get(key) or ChatLog(self._space.log(log_name(chat)))
        if (look := this_look()) is not log.look:
            self._refresh(log)
            log.look = look
        if log.exists:
            self._logs[key] = log
        elif key not in self._logs:
            self._ask(key, log)
        return log

    def _ask(self, key: str, log: ChatLog) -> None:
        """Cache a missing log: a turn asks for it more than once."""
        self._asked[key] = log
        if len(self._asked) > _ASKED:
            del self._asked[next(iter(self._asked))]

    def named(self, name: str) -> ChatLog:
        """The log with that name."""
        log = ChatLog(self._space.log(name))
        return self._logs.get(_key_of(log)) or log

    @cached_property
    def nobody(self) -> ChatLog:
        """The log of a chat without an id: always empty."""
        return ChatLog(self._space.log(f"{CHATS}none"))

    def known(self, chat: str) -> ChatLog:
        """The chat's current log, read-only; the empty one if there is none."""
        self.refresh()
        return self.log(chat) if _key(chat) in self._logs else self.nobody

    def logs(self) -> list[ChatLog]:
        """All logs as last read."""
        return list(self._logs.values())

    def refresh(self) -> None:
        """Read new lines of all chats, once a turn: two marks if there are none."""
        if (look := this_look()) is self._look:
            return
        marks = self._marks()
        if marks != self._seen or self._seen is None:
            self._read(marks)
        self._look = look

    def _read(self, marks: Marks) -> None:
        told = self._announced(marks)
        if told is None:
            self._list()
            told = dict(self._logs)
        for key, log in told.items():
            self._refresh(log)
            if not log.exists:  # chats that were only asked for are dropped
                del self._logs[key]
        self._seen = None if any(log.fault for log in told.values()) else marks

    def _announced(self, marks: Marks) -> dict[str, ChatLog] | None:
        """The logs announced as changed since the last check; None if it may be any."""
        (listed, since), (here, until) = self._seen or (None, None), marks
        if since is None or until is None or listed != here:
            return None
        signs = self._space.announced(CHATS, since, until)
        if signs is None:
            return None
        begin = {f"{sign:02x}" for sign in signs}
        return {key: log for key, log in self._logs.items() if key[:2] in begin}

    def written(self, log: ChatLog) -> None:
        """Apply what was just written to this log, and announce it."""
        before = self._seen
        if key := _key_of(log):
            self._logs[key] = log
        log.refresh()
        self._note(log)
        self._space.announce(CHATS, int(key[:2] or "0", 16))
        after = self._marks()
        (here, told), (listed, last) = after, before or (None, None)
        alone = told and last and told.size == last.size + 1 and here == listed
        self._seen = after if alone else before

    def drop(self, log: ChatLog) -> None:
        """Delete the log durably.

        Raises: NotWrittenError.
        """
        log.delete()
        self.written(log)

    def changed_since(self, generation: int) -> list[ChatLog]:
        """The logs changed after that generation, including removed ones; latest last."""
        newest = takewhile(lambda pair: pair[1] > generation, reversed(self._changed.values()))
        return [log for log, _ in newest][::-1]

    def _refresh(self, log: ChatLog) -> None:
        if log.refresh():
            self._note(log)

    def _note(self, log: ChatLog) -> None:
        self.generation += 1
        self._changed.pop(log.name, None)  # by name: a log only asked for is another object
        self._changed[log.name] = (log, self.generation)

    def _marks(self) -> Marks:
        return self._space.listed(CHATS), self._space.changes(CHATS)

    def _list(self) -> None:
        for name in self._space.logs(CHATS):
            match = _LOG.fullmatch(name)
            if match and match[1] not in self._logs:
                self._logs[match[1]] = ChatLog(self._space.log(name))
