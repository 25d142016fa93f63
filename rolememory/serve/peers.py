"""Messages between the processes of one server.

what happened on a turn ─▶ the first ─▶ learning, maintenance, page
a frontend's prompt format ─▶ all
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

_FOR_ALL = frozenset({"profile"})  # forwarded by the first to the others
_BEGUN, _ENDED = "begins", "ends"  # if a process dies in between, the end is added
_SENT_S = 5.0  # timeout of sending the rest when a process ends
_log = logging.getLogger(__name__)


class Peers:
    """The other processes of this server, if any. Thread-safe.

    Only the `first` learns, runs maintenance, watches the files and handles everything but turns.
    """

    def __init__(self, *, first: bool = True) -> None:
        self.first = first
        self._calls: dict[str, Callable[..., object]] = {}
        self._out: dict[Connection, SimpleQueue[bytes | None]] = {}
        self._senders: list[threading.Thread] = []

    def on(self, kind: str, call: Callable[..., object]) -> None:
        """Register a handler for messages of that kind, called on the receiving thread."""
        self._calls[kind] = call

    def tell(self, kind: str, *values: object, but: Connection | None = None) -> None:
        """Send a message without waiting: from the first to all others; from another to the first."""
        others = [queue for pipe, queue in tuple(self._out.items()) if pipe is not but]
        if others:
            try:
                told = pickle.dumps((kind, values))
            except Exception:  # a fault here must not fail the turn
                _log.exception("not told to the other processes: %s", kind)
                return
            for queue in others:
                queue.put(told)

    def report(self, kind: str, *values: object) -> bool:
        """Send a message to the first process; false if this is the first."""
        if not self.first:
            self.tell(kind, *values)
        return not self.first

    def listen(self, pipe: Connection) -> bool:
        """Receive messages of another process until it ends; true if there were any."""
        queue = self._out[pipe] = SimpleQueue()
        sender = threading.Thread(target=_send, args=(pipe, queue), daemon=True)
        self._senders.append(sender)
        sender.start()
        begun = 0
        heard = False
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
        """Flush the outgoing messages."""
        for queue in tuple(self._out.values()):
            queue.put(None)
        for sender in tuple(self._senders):
            sender.join(_SENT_S)

    def _heard(self, kind: str, values: tuple[object, ...]) -> None:
        try:
            self._calls[kind](*values)
        except Exception:  # a fault of one message must not stop the next
            _log.exception("not taken over from another process: %s", kind)


def _frozen(values: dict[object, object]) -> MappingProxyType[object, object]:
    return MappingProxyType(values)


copyreg.pickle(MappingProxyType, lambda mapping: (_frozen, (dict(mapping),)))


def _send(pipe: Connection, queue: "SimpleQueue[bytes | None]") -> None:
    """The sending thread, so that `tell` does not block."""
    with suppress(OSError):
        while (told := queue.get()) is not None:
            pipe.send_bytes(told)
