"""The event bus of the server for pages, frontends, the console. A slow listener does not delay others."""

import asyncio
import itertools
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

KEPT = 200  # newest events, for listeners that reconnect
WAITING = 1000  # queued events of a listener before the oldest are dropped


@dataclass(frozen=True, slots=True)
class Event:
    """An event. Never holds memory text; listeners request it separately."""

    number: int
    kind: str  # memory, role, settings, worldbook, chat, turn, learned, import, puzzle
    role: str = ""  # id of the role, "" = the home
    values: Mapping[str, Any] = field(default_factory=dict)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


class EventBus:
    """Thread-safe; `tell` from any thread, `listen` from any event loop."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._newest: deque[Event] = deque(maxlen=KEPT)
        self._listeners: dict[asyncio.Queue[Event | None], asyncio.AbstractEventLoop] = {}
        self._calls: list[Callable[[Event], None]] = []
        self._lock = threading.Lock()
        self._closed = False

    def tell(self, kind: str, role: str = "", /, **values: Any) -> Event:
        """Publish an event."""
        with self._lock:
            event = Event(next(self._numbers), kind, role, values)
            self._newest.append(event)
            for queue, loop in list(self._listeners.items()):
                _enqueue(loop, queue, event)
        for call in tuple(self._calls):
            call(event)
        return event

    def on(self, call: Callable[[Event], None]) -> None:
        """Register a callback for every event, called on the publishing thread."""
        self._calls.append(call)

    def listen(self, after: int = 0) -> "Listener":
        """A listener: events numbered above `after` if all of them are kept, then new ones until the server closes."""
        return Listener(self, after)

    def hear(self, queue: "asyncio.Queue[Event | None]", after: int) -> bool:
        """Subscribe a queue to the events above `after` and new ones; true if some are lost, then only to new ones."""
        with self._lock:
            gap = after > 0 and not self.unbroken(after)
            for event in self._newest:
                if after and not gap and event.number > after:
                    queue.put_nowait(event)
            if self._closed:
                queue.put_nowait(None)
            else:
                self._listeners[queue] = asyncio.get_running_loop()
        return gap

    def forget(self, queue: asyncio.Queue[Event | None]) -> None:
        """Unsubscribe a queue."""
        with self._lock:
            self._listeners.pop(queue, None)

    def unbroken(self, after: int) -> bool:
        """Whether every event since that number is still kept."""
        numbers = [event.number for event in tuple(self._newest)]
        return bool(numbers) and numbers[0] - 1 <= after <= numbers[-1]

    def close(self) -> None:
        """End all listeners."""
        with self._lock:
            self._closed = True
            for queue, loop in self._listeners.items():
                _enqueue(loop, queue, None)


class Listener:
    """A context manager and iterator over events.

    `gap`: events since the number were lost.

    Not a generator: an unclosed one would be finalized by the garbage collector, on any thread,
    outside of its event loop.
    """

    gap = False

    def __init__(self, bus: EventBus, after: int) -> None:
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._bus = bus
        self._after = after

    def __enter__(self) -> Self:
        self.gap = self._bus.hear(self._queue, self._after)
        return self

    def __exit__(self, *_: object) -> None:
        self._bus.forget(self._queue)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        if (event := await self._queue.get()) is None:
            raise StopAsyncIteration
        return event


def _enqueue(
    loop: asyncio.AbstractEventLoop, queue: "asyncio.Queue[Event | None]", event: Event | None
) -> None:
    def put() -> None:
        while queue.qsize() >= WAITING:
            queue.get_nowait()
        queue.put_nowait(event)

    if not loop.is_closed():
        loop.call_soon_threadsafe(put)
