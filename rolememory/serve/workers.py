"""`serve --workers N`: additional processes on the same home and port, started and ended by the first."""

import gc
import logging
import os
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from rolememory.engine import Home
from rolememory.serve.app_state import AppState
from rolememory.serve.peers import Peers
from rolememory.serve.relay import RelayAddress
from rolememory.serve.run import STOPPING_S, address, listening, server_of

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """The arguments of an additional process, pickled."""

    home: str
    overrides: Mapping[str, Any]
    language: str
    listener: socket.socket
    relay: RelayAddress
    begin: Callable[[], None]  # called at its start, e.g. to set up logging


class Workers:
    """The additional processes. One that ends is replaced; all end with the first, however it ends."""

    def __init__(self, peers: Peers, job: Job, count: int) -> None:
        self._peers = peers
        self._job = job
        self._count = count
        self._over = False
        self._running: dict[int, BaseProcess] = {}
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start all of them; returns at once."""
        self._peers.on("ready", lambda pid: _log.info("worker %d is ready", pid))
        for number in range(self._count):
            thread = threading.Thread(target=self._keep, args=(number,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """Let them finish their responses, then end."""
        self._over = True
        self._peers.tell("stop")
        for process in self._running.values():
            process.join(STOPPING_S + 5.0)
            process.kill()

    def _keep(self, number: int) -> None:
        while not self._over:
            ours, theirs = get_context("spawn").Pipe()
            process = get_context("spawn").Process(
                target=work, args=(self._job, theirs), name=f"rolememory-{number}", daemon=True
            )
            process.start()
            theirs.close()
            self._running[number] = process
            worked = self._peers.listen(ours)
            process.join()
            if not self._over:
                _log.warning("worker %d ended (%s)", process.pid, process.exitcode)
            if not worked:  # a new one would fail as well
                return


def serve_together(
    app_state: AppState,
    listener: socket.socket,
    ready: Callable[[], None],
    overrides: Mapping[str, Any],
    count: int,
    begin: Callable[[], None],
) -> None:
    """Serve with `count` processes until SIGINT or SIGTERM; each starts with `overrides` and `begin`."""
    private = listening("127.0.0.1", 0)
    relay = RelayAddress.of(address(private))
    home = str(app_state.home.path)
    job = Job(home, overrides, app_state.language, listener, relay, begin)
    workers = Workers(app_state.peers, job, count - 1)
    server = server_of(app_state, ready, relay, workers.close)
    workers.start()
    server.run(sockets=[listener, private])


def work(job: Job, pipe: Connection) -> None:
    """The main function of an additional process: serve until the first ends."""
    gc.disable()  # re-enabled once it listens
    job.begin()
    peers = Peers(first=False)
    app_state = AppState(Home.open(job.home, job.overrides), job.language, peers)

    def ready() -> None:
        peers.tell("ready", os.getpid())

    server = server_of(app_state, ready, job.relay)

    def stop() -> None:
        server.should_exit = True

    def follow() -> None:
        peers.listen(pipe)
        stop()

    peers.on("stop", stop)
    threading.Thread(target=follow, daemon=True).start()
    with suppress(KeyboardInterrupt):
        server.run(sockets=[job.listener])
    peers.close()
