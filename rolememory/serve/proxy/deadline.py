"""Runs memory work of turns on threads, with deadlines, and without piling up if something hangs."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from contextvars import copy_context
from pathlib import Path
from time import monotonic
from typing import TypeVar

from rolememory.errors import NotWrittenError
from rolememory.text.cancellation import cancel_when

THREADS = 8  # concurrent tasks
ALONE_S = 0.1  # maximum wait of a task for the previous one: run concurrently both take longer, which delays both replies
AT_ONCE = 2  # concurrent background tasks, which share the CPU with turns
LATE = 4  # limit of tasks still running after their deadline; beyond it turns go without memory
_log = logging.getLogger(__name__)
_T = TypeVar("_T")


def on_thread(threads: Executor, work: Callable[[], _T]) -> "asyncio.Future[_T]":
    """Run work on one of these threads, in the current context."""
    return asyncio.get_running_loop().run_in_executor(threads, copy_context().run, work)


class DeadlineRunner:
    """Runs work on threads. After its deadline it is cancelled at its next step and counted as late; abandoned work is only cancelled."""

    def __init__(self, alone_s: float = ALONE_S) -> None:
        self.late = 0
        self._threads = ThreadPoolExecutor(THREADS, "rolememory-turn")
        self._alone_s = alone_s
        self._core = asyncio.Semaphore()
        self._lock = threading.Lock()
        self._background = asyncio.Semaphore(AT_ONCE)
        self._waited_for, self._none = 0, asyncio.Event()  # number of awaited tasks; set if none
        self._none.set()

    def close(self) -> None:
        """Start no more tasks."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def idle(self, most_s: float) -> None:
        """Wait until no task is awaited, at most so long."""
        if self._waited_for:
            with suppress(TimeoutError):
                async with asyncio.timeout(most_s):
                    await self._none.wait()

    async def in_background(
        self, threads: Executor, work: Callable[[], None], most_s: float
    ) -> None:
        """Run background work: few tasks at once, each started when no turn waits for memory, or after so long."""
        until = monotonic() + most_s
        async with self._background:
            await self.idle(until - monotonic())
            await on_thread(threads, work)

    async def run(
        self,
        work: Callable[[], _T],
        otherwise: _T,
        allowed_s: float,
        longer: Callable[[], bool] = lambda: False,
    ) -> _T:
        """The result of the work; `otherwise` if it fails, times out, or too many earlier tasks still hang.

        `longer` is called at the timeout: whether to extend it by as much again.
        """
        if self.late >= LATE:
            _log.warning(
                "memory still hangs on %d earlier turns; this one goes on without it", self.late
            )
            return otherwise
        task = _Task()
        self._waited_for += 1
        self._none.clear()
        answer = asyncio.ensure_future(self._in_turn(work, task))
        try:
            while not (await asyncio.wait({answer}, timeout=allowed_s))[0]:
                if not longer():
                    self._leave(task)
                    _log.warning(
                        "memory took longer than %g s; the turn went on without it", allowed_s
                    )
                    return otherwise
            return answer.result()
        except asyncio.CancelledError:
            task.given_up = True
            raise
        except Exception as error:  # a fault of memory must not fail the chat
            _log.warning(
                "memory failed on this turn (%s); it went on without it", failure_reason(error)
            )
            _log.debug("how it failed", exc_info=True)
            return otherwise
        finally:
            answer.cancel()
            self._waited_for -= 1
            if not self._waited_for:
                self._none.set()

    async def _in_turn(self, work: Callable[[], _T], task: "_Task") -> _T:
        """Run the work once the previous task is done, or has run long enough."""
        await self._core.acquire()
        with ExitStack() as held:
            held.callback(self._core.release)
            next_one = asyncio.get_running_loop().call_later(self._alone_s, held.close)
            held.callback(next_one.cancel)
            return await on_thread(self._threads, lambda: self._cancellable(work, task))

    def _cancellable(self, work: Callable[[], _T], task: "_Task") -> _T:
        task.runs = True
        try:
            with cancel_when(lambda: task.given_up):
                return work()
        finally:
            with self._lock:
                task.runs = False
                self.late -= task.late

    def _leave(self, task: "_Task") -> None:
        task.given_up = True
        with self._lock:
            task.late = task.runs
            self.late += task.late


class Once:
    """Work that whoever comes first does; the others wait for its end."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work: Callable[[], None] | None = work
        self._doing = threading.Lock()

    def __call__(self) -> None:
        """Do it, or wait for it."""
        with self._doing:
            work = self._work
            self._work = None
            if work:
                work()


class TasksInOrder:
    """Background tasks, run in sequence per key."""

    def __init__(self) -> None:
        self._running = set[asyncio.Task[None]]()
        self._last = dict[Hashable, asyncio.Task[None]]()

    def begin(self, work: Callable[[], Awaitable[None]], key: Hashable = None) -> None:
        """Start a task; without a key, concurrently with all others."""
        before = self._last.get(key)
        task = asyncio.get_running_loop().create_task(_after(before, work))
        self._running.add(task)
        if key is not None:
            self._last[key] = task
        task.add_done_callback(lambda _: self._end(key, task))

    async def ended(self, most_s: float) -> None:
        """Wait until all tasks have ended, at most so long."""
        if self._running:
            await asyncio.wait(self._running, timeout=most_s)

    def _end(self, key: Hashable, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        if self._last.get(key) is task:
            del self._last[key]


async def _after(before: "asyncio.Task[None] | None", work: Callable[[], Awaitable[None]]) -> None:
    if before is not None:
        await asyncio.wait({before})
    await work()


class _Task:
    """The state of a task: whether it runs, is late, is cancelled."""

    runs = False
    late = False
    given_up = False


def failure_reason(error: BaseException) -> str:
    """The type and place of an error, without its message, which may contain chat text. For a failed write, the message.

    >>> try:
    ...     {}["secret"]
    ... except KeyError as error:
    ...     failure_reason(error).split(" ")[0]
    'KeyError'
    """
    if isinstance(error, NotWrittenError):
        return str(error)  # a path and the system's reason
    frame = error.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    place = f" at {Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else ""
    return f"{type(error).__name__}{place}"
