"""Debouncing: runs an action after a quiet time, on a thread that lives only while needed."""

import logging
import threading
from collections.abc import Callable
from time import monotonic

_log = logging.getLogger(__name__)


class Debouncer:
    """Runs `act` once `rest_s` have passed since the last `touch`; it returns whether it is done.

    If it is not done, or fails, it is retried with exponential backoff (at most a minute).
    """

    def __init__(self, rest_s: float, act: Callable[[], bool], name: str) -> None:
        self.rest_s = rest_s
        self._act, self._name = act, name
        self._due: float | None = None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def touch(self, soon: bool = False) -> None:
        """Schedule the action; `soon`: without waiting for quiet."""
        with self._changed:
            if self._closed:
                return
            self._due = monotonic() + (0.0 if soon else self.rest_s)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            elif soon:
                self._changed.notify()

    def close(self) -> None:
        """Stop, after the running act has ended."""
        with self._changed:
            self._closed, self._due = True, None
            self._changed.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        rest_s = self.rest_s
        while self._wait():
            if self._acted():
                rest_s = self.rest_s
                continue
            rest_s = min(rest_s * 2, 60.0)
            with self._changed:
                if not self._closed and self._due is None:
                    self._due = monotonic() + rest_s

    def _acted(self) -> bool:
        try:
            return self._act()
        except Exception:  # the thread must survive for the next try
            _log.exception("%s: not done", self._name)
            return False

    def _wait(self) -> bool:
        """Wait until the action is due; false if nothing is left to do."""
        with self._changed:
            while self._due is not None:
                left_s = self._due - monotonic()
                if left_s <= 0:
                    self._due = None
                    return True
                self._changed.wait(left_s)
            self._thread = None
            return False
