"""The processes of one server, and what they tell each other.

what happened on a turn ─▶ the first ─▶ learns, tends, shows it
how a frontend words things ─▶ everybody
"""

import copyreg
import logging
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from types import MappingProxyType

_FOR_ALL = frozenset({"profile"})  # what the first passes on to the others
_BEGUN, _ENDED = "begins", "ends"  # a process that dies in between ends what it began
_SENT_S = 5.0  # so long a process that ends waits for what it still has to tell
_log = logging.getLogger(__name__)


class Peers:
    """The other processes of this server: nobody, where it is one. Thread-safe.

    The `first` alone learns, tends, watches the files and answers everything but turns.
    """

    def __init__(self, *, first: bool = True) -> None:
        self.first = first
        self._calls: dict[str, Callable[..., object]] = {}
        self._out: dict[Connection, SimpleQueue[bytes | None]] = {}
        self._senders: list[threading.Thread] = []

    def on(self, kind: str, call: Callable[..., object]) -> None:
        """Call this with what others tell of that kind, on a thread of its own."""
        self._calls[kind] = call

    def tell(self, kind: str, *values: object, but: Connection | None = None) -> None:
        """Let the others know; returns at once. Of the first: all others; of another: the first."""
        others = [queue for pipe, queue in tuple(self._out.items()) if pipe is not but]
        if others:
            try:
                told = pickle.dumps((kind, values))
            except Exception:  # whatever it is: the turn goes on
                _log.exception("not told to the other processes: %s", kind)
                return
            for queue in others:
                queue.put(told)

    def report(self, kind: str, *values: object) -> bool:
        """Tell the first, where this process is another one; whether it was told."""
        if not self.first:
            self.tell(kind, *values)
        return not self.first

    def listen(self, pipe: Connection) -> bool:
        """Hear another process until it is gone; whether it told anything."""
        queue = self._out[pipe] = SimpleQueue()
        sender = threading.Thread(target=_send, args=(pipe, queue), daemon=True)
        self._senders.append(sender)
        sender.start()
        begun, heard = 0, False
        try:
            while True:
                kind, values = pipe.recv()
                heard = True
                begun += (kind == _BEGUN) - (kind == _ENDED)
                if self.first and kind in _FOR_ALL:
                    self.tell(kind, *values, but=pipe)
                self._heard(kind, values)
        except (EOFError, OSError):
            del self._out[pipe]
            self._senders.remove(sender)
            queue.put(None)
            for _ in range(begun):
                self._heard(_ENDED, ())
            return heard

    def close(self) -> None:
        """What was told is on its way."""
        for queue in tuple(self._out.values()):
            queue.put(None)
        for sender in tuple(self._senders):
            sender.join(_SENT_S)

    def _heard(self, kind: str, values: tuple[object, ...]) -> None:
        try:
            self._calls[kind](*values)
        except Exception:  # whatever it is: the next thing that is told is heard
            _log.exception("not taken over from another process: %s", kind)


def _frozen(values: dict[object, object]) -> MappingProxyType[object, object]:
    return MappingProxyType(values)


copyreg.pickle(MappingProxyType, lambda mapping: (_frozen, (dict(mapping),)))


def _send(pipe: Connection, queue: "SimpleQueue[bytes | None]") -> None:
    """Whoever tells something waits for nobody."""
    with suppress(OSError):
        while (told := queue.get()) is not None:
            pipe.send_bytes(told)
