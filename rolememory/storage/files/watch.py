"""Watches a home for external edits, reported per role once the editor has finished."""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from rolememory.schema.settings import StorageSettings
from rolememory.storage.debouncer import Debouncer
from rolememory.storage.files.changed import Changed, Kind, concerns

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver

__all__ = ["Changed", "Watch"]

QUIET_S = 0.15  # an editor that saves in several steps has finished
LONGEST_S = 0.6  # ... and one that keeps saving is reported anyway
_REMOTE = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "drvfs",
        "vboxsf",
        "prl_fs",
        "virtiofs",
        "afs",
        "ceph",
        "glusterfs",
    }
)
_log = logging.getLogger(__name__)

Mode = Literal["native", "polling", "off"]


class Watch:
    """Calls `on_change` in its own thread, once per role and burst of edits. A context manager.

    `mode` says how it watches, `notes` what did not work. Missed changes are found by the stat checks of the next turn.
    """

    def __init__(
        self,
        home: Path | str,
        on_change: Callable[[Changed], None],
        settings: StorageSettings | None = None,
        quiet_s: float = QUIET_S,
    ) -> None:
        self.home = Path(home).resolve()
        self.mode: Mode = "off"
        self.notes: list[str] = []
        self._settings = settings or StorageSettings()
        self._on_change, self._quiet_s = on_change, quiet_s
        self._burst = _Burst(on_change, quiet_s)
        self._observer: BaseObserver | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start watching, by polling if the system does not report changes."""
        if self._observer or self._settings.watch == "off":
            return
        self._burst = _Burst(self._on_change, self._quiet_s)
        if self._settings.watch != "polling" and self._native_will_do():
            self._begin("native")
        if self._observer is None:
            self._begin("polling")

    def stop(self) -> None:
        """Stop all threads; changes noticed so far are still reported."""
        observer, self._observer, self.mode = self._observer, None, "off"
        if observer:
            observer.stop()
            observer.join()
        self._burst.stop()

    def _native_will_do(self) -> bool:
        kind = "" if self._settings.watch == "native" else remote_kind(self.home)
        if kind:
            self.notes.append(
                f"{self.home}: lies on {kind}, which does not tell of changes; looking every {self._settings.poll_s:g} s"
            )
        return not kind

    def _begin(self, mode: Mode) -> None:
        observer: BaseObserver | None = None
        try:
            observer = _native() if mode == "native" else _polling(self.home, self._settings.poll_s)
            handler: Any = _EventHandler(self._on_event)
            observer.schedule(
                handler, str(self.home), recursive=True, event_filter=_edit_events(mode)
            )
            observer.start()
        except OSError as error:  # no more watches, no such folder, no permission
            self.notes.append(f"{self.home}: {mode} watching failed: {error.strerror or error}")
            if observer:
                observer.unschedule_all()
            return
        self._observer, self.mode = observer, mode

    def _on_event(self, event: "FileSystemEvent") -> None:
        for path in (event.src_path, event.dest_path):
            found = concerns(Path(os.fsdecode(path)), self.home) if path else None
            if found:
                self._burst.add(*found)


class _EventHandler:
    """The watchdog handler; its base class has a method per kind of event, this has one for all."""

    def __init__(self, heard: Callable[[Any], None]) -> None:
        self.dispatch = heard


class _Burst:
    """Collects changes until it has been quiet for a while, then reports them per role."""

    def __init__(self, tell: Callable[[Changed], None], quiet_s: float) -> None:
        self._tell = tell
        self._waiting: dict[str | None, frozenset[Kind]] = {}
        self._first = 0.0  # time.monotonic() of the first change
        self._lock = threading.Lock()
        self._rest = Debouncer(quiet_s, self._told, "rolememory-watch")

    def stop(self) -> None:
        self._rest.close()
        self._told()

    def add(self, role: str | None, kinds: frozenset[Kind]) -> None:
        with self._lock:
            self._first = self._first if self._waiting else time.monotonic()
            self._waiting[role] = self._waiting.get(role, frozenset[Kind]()) | kinds
            self._rest.touch(soon=time.monotonic() - self._first >= LONGEST_S)

    def _told(self) -> bool:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for role, kinds in waiting.items():
            try:
                self._tell(Changed(role, kinds))
            except Exception:  # a failing callback must not stop the watcher
                _log.exception("a listener failed on a change of %s", role)
        return True


def _edit_events(mode: Mode) -> list[type["FileSystemEvent"]]:
    """The event types that may mean an edit; reads and changes of a folder itself do not.

    Linux reports the closing of a written file, which gives fewer events for our own writes.
    """
    from watchdog import events

    closed = mode == "native" and sys.platform == "linux"
    written = "FileClosed" if closed else "FileModified"
    names = (written, "FileCreated", "FileMoved", "FileDeleted")
    folders = ("DirCreated", "DirMoved", "DirDeleted")
    return [getattr(events, f"{name}Event") for name in (*names, *folders)]


def _native() -> "BaseObserver":
    from watchdog.observers import Observer  # imported here: start-up does not watch

    return Observer()


def _polling(home: Path, every_s: float) -> "BaseObserver":
    """A polling observer that only checks relevant files."""
    from watchdog.observers.polling import PollingObserverVFS

    def entries(folder: str | None) -> Iterator["os.DirEntry[str]"]:
        here = Path(folder or home)
        with suppress(OSError), os.scandir(here) as found:
            yield from (
                entry for entry in found if not entry.is_dir() or concerns(here / entry.name, home)
            )

    return PollingObserverVFS(os.stat, entries, polling_interval=every_s)


def remote_kind(path: Path, mounts: Path = Path("/proc/mounts")) -> str:
    """The file system type if other machines may change it (network shares); "" if local or unknown."""
    if sys.platform == "win32":
        return "a network share" if str(path).startswith("\\\\") else ""
    with suppress(OSError):
        rows = [
            line.split()[1:3]
            for line in mounts.read_text("utf-8", "replace").splitlines()
            if len(line.split()) > 2
        ]
        above = [
            (where, kind)
            for where, kind in rows
            if path.is_relative_to(where.replace("\\040", " "))
        ]
        kind = max(above, key=lambda row: len(row[0]), default=("", ""))[1]
        return kind if kind in _REMOTE or kind.startswith("fuse.") else ""
    return ""
