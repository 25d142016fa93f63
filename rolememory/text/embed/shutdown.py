"""Ends threads that run or load a model before the interpreter ends.

The interpreter kills daemon threads where they stand. One that stands in a model's C++ code takes the process down with it
("terminate called without an active exception"), so whoever is in a model is waited for, nobody is let in any more, and who is
importing a model's library ends at the next import.
"""

import atexit
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from typing import Protocol
from weakref import WeakSet


class Entrance(Protocol):
    """What lets threads into a model."""

    def shut(self) -> None:
        """Close the gate and wait until no caller is inside."""
        ...


class ShutdownGuard:
    """Who must have left before the interpreter ends. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entrances: WeakSet[Entrance] = WeakSet()
        self._loading: set[threading.Thread] = set()
        self._begun = False

    @property
    def near(self) -> bool:
        """Whether the interpreter ends or is about to: what fails now says nothing about a model."""
        return self._begun or not threading.main_thread().is_alive()

    def watch(self, entrance: Entrance) -> bool:
        """Register the gate to be closed at exit; false when the exit has begun."""
        with self._lock:
            self._entrances.add(entrance)
            return not self._begun

    @contextmanager
    def loading(self) -> Iterator[None]:
        """What this thread does here is waited for; at the end it stops at its next import."""
        thread = threading.current_thread()
        with self._lock:
            if self._begun:
                raise SystemExit
            self._loading.add(thread)
        try:
            yield
        finally:
            with self._lock:
                self._loading.discard(thread)

    def find_spec(self, *_: object) -> ModuleSpec | None:
        """A finder on `sys.meta_path` that finds nothing and ends the thread that is loading a model."""
        if threading.current_thread() in self._loading:
            raise SystemExit
        return None

    def begin(self) -> None:
        """Wait until everybody has left."""
        with self._lock:
            self._begun = True
            entrances, threads = list(self._entrances), list(self._loading)
        sys.meta_path.insert(0, self)
        for entrance in entrances:
            entrance.shut()
        for thread in threads:
            thread.join()
        sys.meta_path.remove(self)


ENDING = ShutdownGuard()
atexit.register(ENDING.begin)
