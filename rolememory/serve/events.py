"""Events of the server for its listeners: pages, frontends, the console. A slow listener delays nobody."""

import asyncio
import itertools
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

KEPT = 200  # newest events, for those who come back after a broken line
WAITING = 1000  # events that one listener may lag behind before the oldest are dropped


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. Never holds memory text: who wants it asks for it."""

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
        """Let everybody know."""
        with self._lock:
            event = Event(next(self._numbers), kind, role, values)
            self._newest.append(event)
            for queue, loop in list(self._listeners.items()):
                _give(loop, queue, event)
        for call in tuple(self._calls):
            call(event)
        return event

    def on(self, call: Callable[[Event], None]) -> None:
        """Call back with every event, on the thread it happens on."""
        self._calls.append(call)

    def listen(self, after: int = 0) -> "Listener":
        """Inside its block: events with a number above `after` if all of them are kept, then every new one until the server closes."""
        return Listener(self, after)

    def hear(self, queue: "asyncio.Queue[Event | None]", after: int) -> bool:
        """Tell it these events and all that come; whether some of them are no longer known, and then it is told only what comes."""
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
        """Tell it nothing more."""
        with self._lock:
            self._listeners.pop(queue, None)

    def unbroken(self, after: int) -> bool:
        """Whether every event since that number is still known."""
        numbers = [event.number for event in tuple(self._newest)]
        return bool(numbers) and numbers[0] - 1 <= after <= numbers[-1]

    def close(self) -> None:
        """Send everybody home."""
        with self._lock:
            self._closed = True
            for queue, loop in self._listeners.items():
                _give(loop, queue, None)


class Listener:
    """Who hears the events, one after another, while the block lasts.

    `gap`: events since the number are no longer known.

    No generator: one that nobody closes would be ended by the garbage collector, on any thread,
    beside the loop that runs it.
    """

    gap = False

    def __init__(self, bus: EventBus, after: int) -> None:
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._bus, self._after = bus, after

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


def _give(
    loop: asyncio.AbstractEventLoop, queue: "asyncio.Queue[Event | None]", event: Event | None
) -> None:
    def put() -> None:
        while queue.qsize() >= WAITING:
            queue.get_nowait()
        queue.put_nowait(event)

    if not loop.is_closed():
        loop.call_soon_threadsafe(put)
