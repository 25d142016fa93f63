"""Ends threads that run or load a model before the interpreter ends.

The interpreter kills daemon threads wherever they are. Killing one inside a model's C++ code aborts the process ("terminate
called without an active exception"), so threads in a model are waited for, no more are admitted, and a thread that imports
a model's library ends at the next import.
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
    """Admits threads to a model."""

    def shut(self) -> None:
        """Admit no more callers, and wait until none is inside."""
        ...


class ShutdownGuard:
    """Waits at exit for threads that use or load models. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entrances: WeakSet[Entrance] = WeakSet()
        self._loading: set[threading.Thread] = set()
        self._begun = False

    @property
    def near(self) -> bool:
        """Whether the interpreter is exiting: failures then say nothing about a model."""
        return self._begun or not threading.main_thread().is_alive()

    def watch(self, entrance: Entrance) -> bool:
        """Register an entrance to shut at exit; false if exiting already."""
        with self._lock:
            self._entrances.add(entrance)
            return not self._begun

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Work inside is waited for at exit, and stops at its next import."""
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
        """A finder on `sys.meta_path` that finds nothing, and ends a thread that is loading a model."""
        if threading.current_thread() in self._loading:
            raise SystemExit
        return None

    def begin(self) -> None:
        """Shut all entrances and wait for loading threads."""
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
