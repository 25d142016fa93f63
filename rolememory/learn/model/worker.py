"""The background worker of a role: models read final exchanges in batches, and nothing waits for them.

    touch ─▶ a thread of its own ─▶ exchanges that are due ─▶ extractor ─▶ keep ─▶ progress, on disk
                                 └▶ what has left the window ─▶ summary       └▶ every few conversations ─▶ conclusions

Failed exchanges stay in the queue, which consists of the chat and the progress. One request at a time per role, also
with two processes.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from time import monotonic

from rolememory.errors import BusyError, RoleMemoryError
from rolememory.inject.environment import Templates
from rolememory.learn.model.models import Models, where
from rolememory.learn.model.progress import Progress
from rolememory.learn.model.prompter import StepPrompter
from rolememory.learn.model.prompts import Prompts
from rolememory.learn.model.report import LearningReport, Look, NoTimeLeftError
from rolememory.learn.model.run import ExtractionContext, ExtractionRun, reads, writes_chapters
from rolememory.learn.model.scene_states import Scenes
from rolememory.llm.errors import BUSY, NOT_SET, said_of
from rolememory.llm.traffic import Traffic
from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.memory import Memory
from rolememory.schema.settings import LearnSettings
from rolememory.storage.debouncer import Debouncer
from rolememory.storage.port import Space

TEACHES_NOTHING = LocalizedText("nothing is learned from this chat, so no chapter is written")
LOCK = "state/model"
LOCK_WAIT_S = 30.0
_TOMORROW_LOOK_S = 600.0  # interval of checks for a new day once the daily tokens are spent


class ExtractionWorker:
    """Learns from the chats of one role by models, in the background. Thread-safe.

    With shared servers, a dead server is detected once for all roles.
    """

    def __init__(self, space: Space, context: ExtractionContext, templates: Templates) -> None:
        self._space, self._context = space, context
        self._models = Models(context.upstreams)
        self._ask = StepPrompter(self._models, Prompts(templates), lambda: self._context.learn)
        self._extraction = ExtractionRun(self._context, self._ask, Progress(space), Scenes(space))
        self._soon = Debouncer(0.0, self._read_touched, "rolememory-learn")
        self._final = Debouncer(60.0, self._read_quiet, "rolememory-learn-final")
        self._late = Debouncer(600.0, self._read_quiet, "rolememory-learn-late")
        self._again = Debouncer(60.0, self._read_touched, "rolememory-learn-again")
        self._at_work = threading.Lock()
        self._changed = threading.Condition()
        self._touched: dict[str, None] = {}
        self._postponed: set[str] = set()  # another process was running
        self._busy = False
        self._closed = False
        self._resumed = False  # whether this process has processed all chats once
        self._last_error = LocalizedText("")
        self._nothing_for: LearnSettings | None = (
            None  # settings without readers: detected on the thread, which may block
        )

    def touch(self, chat: str) -> None:
        """Schedule a pass over this chat. Returns at once, never raises."""
        if learn := self._wanted():
            self._models.upstreams.turn()
            with self._changed:
                self._touched[chat] = None
                self._extraction.spoken_at[chat] = self._context.clock()
            self._wake(learn)

    def resume(self) -> None:
        """Schedule what an earlier process left, in all chats. Returns at once, never raises."""
        if learn := self._wanted():
            with self._changed:
                self._postponed.add("")
            self._wake(learn)

    def _wanted(self) -> LearnSettings | None:
        """The settings, if anything learns with them."""
        try:
            learn = self._context.learn
        except (RoleMemoryError, OSError) as error:
            self._last_error = said_of(error)
            return None
        idle = self._closed or learn is self._nothing_for
        return None if idle or not learn.enabled or learn.extractor == "rules" else learn

    def _wake(self, learn: LearnSettings) -> None:
        """Schedule passes: soon, when the newest exchange is final, and once the chat is quiet."""
        for quiet, rest_s in ((self._final, learn.delay_s), (self._late, learn.idle_minutes * 60)):
            quiet.rest_s = rest_s
            quiet.touch()
        self._soon.touch(soon=True)

    def run(self, *, force: bool = False, deadline_s: float | None = None) -> LearningReport:
        """Run a pass and wait for it. `force`: also partial batches and chats that are not quiet yet.

        Since a person asks, a dead server is probed once its pause is over. Never raises for server errors.
        """
        until = None if deadline_s is None else monotonic() + deadline_s
        look = Look(forced=force, patient=False, until=until)
        if not reads(self._context.learn):
            return LearningReport()
        return self._report(partial(self._extraction.look, None, look), look)

    def infer(self) -> LearningReport:
        """Draw conclusions now, even if few conversations are new or they are disabled."""
        look = Look(patient=False)
        if where(self._context.learn, "inference") is None:
            return LearningReport(finished=False, notes=(NOT_SET,))
        conclude = partial(self._extraction.conclude, look)
        return self._report(partial(self._extraction.quietly, conclude, look), look)

    def chapter(self, chat: str, again: Sequence[Memory] = ()) -> LearningReport:
        """Write due chapters of this chat, or rewrite these, and wait for it. Never raises for server errors."""
        look = Look(patient=False)
        if not writes_chapters(self._context.learn):
            return LearningReport(finished=False, notes=(NOT_SET,))
        try:
            one = self._context.chats.info(chat)
        except (RoleMemoryError, OSError) as error:
            return LearningReport(finished=False, notes=(said_of(error),))
        if not one.teaches:
            return LearningReport(notes=(TEACHES_NOTHING,))

        def act() -> None:
            for chapter in again:
                self._extraction.chapters.again(one, chapter, look)
            self._extraction.chapters.write(one, look)

        return self._report(partial(self._extraction.quietly, act, look), look)

    @property
    def progress(self) -> Progress:
        """The progress of the models."""
        return self._extraction.progress

    def status(self, language: str = "en") -> JsonMapping:
        """The status: whether anything learns, waiting exchanges by chat, servers, last error ("" = none)."""
        return {
            "on": reads(self._context.learn),
            "busy": self._busy,
            "queue": self._queue(),
            "requests": self._models.requests,
            "upstreams": {
                base: {"state": str(one.breaker.state), "reason": one.breaker.reason}
                for base, one in sorted(self._models.upstreams.all().items())
            },
            "last_error": self._last_error.text(language),
            "notes": list(self._ask.notes),
            "shared": self._context.learn is not self._context.settings().learn,
            "today": dict(
                zip(("calls", "tokens"), self._models.upstreams.spending.today(), strict=True)
            ),
            "daily_tokens": self._context.learn.daily_tokens,
            "exchanges_since_conclusions": self._extraction.progress.exchanges,
        }

    def settle(self, timeout: float | None = None) -> bool:
        """Wait until everything scheduled was processed; false on timeout. Paused or failed work is not awaited."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._touched and not self._busy, timeout)

    def close(self) -> None:
        """Stop: running requests are cancelled and stay in the queue."""
        self._closed = True
        self._models.cut()
        with self._changed:
            self._touched.clear()
            self._changed.notify_all()
        for quiet in (self._again, self._final, self._late, self._soon):
            quiet.close()

    @property
    def _traffic(self) -> Traffic:
        return self._models.upstreams.traffic

    def _queue(self) -> dict[str, int]:
        """Waiting final exchanges by chat; chats without any are left out."""
        try:
            chats = self._context.chats.chats() if reads(self._context.learn) else ()
            counted = {chat.id: len(self._extraction.waiting(chat, Look())) for chat in chats}
        except (RoleMemoryError, OSError) as error:
            self._last_error = said_of(error)
            return {}
        return {chat: count for chat, count in counted.items() if count}

    def _report(self, act: Callable[[], None], look: Look) -> LearningReport:
        before = self._models.requests
        self._alone(act, look, wait_s=look.left_s, lock_s=LOCK_WAIT_S)
        left = sum(self._queue().values())
        return replace(look.report, requests=self._models.requests - before, left=left)

    def _read_touched(self) -> bool:
        """The main thread: process scheduled chats; the first time, all chats."""
        with self._changed:
            ids = {*self._touched, *self._postponed}
            self._busy = bool(ids)
            self._touched.clear()
            self._postponed.clear()
        try:
            self._look(ids)
        finally:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
        return True

    def _read_quiet(self) -> bool:
        """The other thread: chats that became quiet."""
        with self._changed:
            ids = set(self._extraction.spoken_at)
        self._look(ids)
        return True

    def _look(self, ids: Collection[str]) -> None:
        """Process these chats; the first time, all."""
        turned_away = self._traffic.turned_away
        look = Look()
        done = bool(ids) and self._alone(partial(self._read, ids, look), look)
        held_back = done and (self._traffic.turned_away > turned_away or self._models.spent)
        if done and not held_back:
            self._resumed = True
        else:
            with self._changed:
                self._postponed.update(ids)
        if held_back:
            wait_s = self._traffic.wait_s(self._context.learn.idle_s)
            self._again.rest_s = _TOMORROW_LOOK_S if self._models.spent else max(wait_s, 0.05)
            self._again.touch()

    def _read(self, ids: Collection[str], look: Look) -> None:
        learn = self._context.learn
        if not reads(learn):
            self._nothing_for = learn
            return
        spoken_at = self._extraction.spoken_at
        idle = {chat: spoken_at.get(chat) for chat in ids if self._extraction.is_idle(chat)}
        self._extraction.look(ids if self._resumed else None, look)
        for chat, spoken in idle.items():  # before the pass: one that becomes idle in it is due
            with self._changed:  # not processed again until somebody writes
                if spoken_at.get(chat) == spoken:
                    spoken_at.pop(chat, None)

    def _alone(
        self,
        act: Callable[[], None],
        look: Look,
        *,
        wait_s: float | None = None,
        lock_s: float = 0.0,
    ) -> bool:
        """Run it exclusively among threads and processes; false if not run. The only place that catches everything."""
        asked = self._models.requests
        try:
            with self._sole(wait_s, lock_s if wait_s is None else wait_s):
                act()
            return True
        except NoTimeLeftError:
            look.unfinished()
        except BusyError:
            look.unfinished()
            look.note(BUSY)
        except Exception as error:
            look.note(said_of(error))
        finally:
            notes = look.report.notes
            if notes or self._models.requests > asked:
                self._last_error = notes[-1] if notes else LocalizedText("")
        return False

    @contextmanager
    def _sole(self, wait_s: float | None, lock_s: float) -> Iterator[None]:
        """Lock among threads, waiting this long (None = unlimited), and among processes.

        Raises:
            BusyError: another one is running.
        """
        with ExitStack() as stack:
            if not self._at_work.acquire(timeout=-1 if wait_s is None else wait_s):
                raise BusyError(self._space.place)
            stack.callback(self._at_work.release)
            stack.enter_context(self._space.lock(LOCK, lock_s))
            yield
