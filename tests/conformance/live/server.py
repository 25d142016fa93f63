"""The real program, served to this machine's loopback alone for as long as a block runs."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import sample
from time import monotonic, sleep
from urllib.error import URLError
from urllib.request import urlopen

START_S = 240  # its first start builds its libraries
STOP_S = 10
KEPT = "_webpack"  # those libraries; everything else is laid out again


@contextmanager
def served(program: Path, home: Path, *, fresh: bool = True) -> Iterator[str]:
    """The address of the program in the folder `program`; its data stand in `home`, and are fresh unless they are to be kept."""
    if fresh:
        _furnish(program, home)
    port = free_port()
    log = home / "server.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            _command(program, home, port),
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=_environment(program),
        )
        try:
            yield _answering(f"http://127.0.0.1:{port}", server, log)
        finally:
            _stop(server)


def _command(program: Path, home: Path, port: int) -> list[str]:
    node = shutil.which("node")
    if node is None:
        raise SystemExit("node is not installed; install Node.js 20 or newer")
    switches = {
        "port": port,
        "listen": "false",
        "browserLaunchEnabled": "false",
        "dataRoot": home / "data",
        "configPath": home / "config.yaml",
    }
    return [
        node,
        str(program / "server.js"),
        *(str(part) for name, value in switches.items() for part in (f"--{name}", value)),
    ]


def _environment(program: Path) -> dict[str, str]:
    """It builds its libraries again for each commit of a repository it finds itself in: let it find none."""
    return {**os.environ, "GIT_CEILING_DIRECTORIES": str(program.parent)}


def _furnish(program: Path, home: Path) -> None:
    """A data folder as a new user has it, whom nobody greets; tokens are counted as the cases say."""
    data = home / "data"
    for old in data.iterdir() if data.exists() else ():
        if old.name != KEPT:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    settings = json.loads(
        (program / "default" / "content" / "settings.json").read_text(encoding="utf-8")
    )
    settings["firstRun"] = False
    settings["power_user"].update(tokenizer=0, persona_show_notifications=False, auto_connect=False)
    (data / "default-user").mkdir(parents=True)
    (data / "default-user" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def free_port() -> int:
    """A port that nobody listens on just now, and that no system gives to a connection before it is used."""
    for port in sample(range(20_000, 32_000), 100):
        with socket.socket() as door, suppress(OSError):
            door.bind(("127.0.0.1", port))
            return port
    raise SystemExit("no free port between 20000 and 32000")


def _answering(address: str, server: subprocess.Popen[bytes], log: Path) -> str:
    """The address, once the program answers there."""
    last = monotonic() + START_S
    while monotonic() < last and server.poll() is None:
        try:
            with urlopen(address, timeout=5):
                return address
        except (URLError, OSError):
            sleep(0.3)
    raise SystemExit(
        f"SillyTavern did not start; its last words, from {log}:\n{log.read_text(errors='replace')[-2000:]}"
    )


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(STOP_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
