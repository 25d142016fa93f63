"""The stage: model, server and SillyTavern as processes of their own, a browser before them. Started once, for many stories."""

import json
import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Self

import httpx
from filelock import FileLock

from tests.conformance.live import server as program
from tests.conformance.live.page import BROWSERS, LOAD_MS, QUIET, READY
from tests.e2e.model import Body, Model, block

ROOT = Path(__file__).parents[2]
LIVE = ROOT / ".cache" / "live"
TAVERN = LIVE / "node_modules" / "sillytavern"
STAGE = Path(__file__).with_name("stage.js").read_text(encoding="utf-8")
PATIENCE_S = 30.0
LOOK_S = 0.03
HINT = (ROOT / "examples" / "integrations" / "sillytavern" / "hint.yaml").read_text(encoding="utf-8")


def installed() -> bool:
    """Whether the program and a browser are here."""
    import shutil

    return TAVERN.is_dir() and shutil.which("node") is not None and any(map(shutil.which, BROWSERS))


class Memory:
    """`rolememory serve` before the model, as a person starts it."""

    def __init__(self, home: Path, upstream: str) -> None:
        self.home, self.upstream, self.port = home, upstream, program.free_port()
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.home / ".token").read_text(encoding="ascii").strip()

    def start(self) -> Self:
        words = ["serve", "--json", "--home", str(self.home), "--upstream", self.upstream, "--port", str(self.port)]
        settings = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1"}
        log = (self.home.parent / "server.log").open("a")
        with log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "rolememory", *words], stdout=subprocess.PIPE, stderr=log, text=True, env=os.environ | settings
            )
        assert self._process.stdout
        first = self._process.stdout.readline()
        assert first, f"the server did not start: {(self.home.parent / 'server.log').read_text()[-2000:]}"
        threading.Thread(target=self._process.stdout.read, daemon=True).start()
        return self

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(20)
            if self._process.stdout:
                self._process.stdout.close()
            self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def learned(self, words: str) -> None:
        """Wait until a memory holds these words."""
        until(lambda: any(words in text for text in self.contents()), f"nothing was learned of {words!r}; there is {self.contents()}")

    def understands(self) -> None:
        """Wait until meaning works."""
        until(lambda: httpx.get(f"{self.url}/healthz", trust_env=False).json()["meaning"] == "ready", "meaning does not work here")

    def contents(self) -> list[str]:
        """The texts of all memories."""
        found = []
        for path in self.home.glob("*/memory.json"):
            document = json.loads(path.read_text(encoding="utf-8"))
            found += [one["content"] for one in _memories(document)]
        return found


def _memories(document: Any) -> Iterator[dict[str, Any]]:
    if isinstance(document, dict):
        if isinstance(document.get("content"), str):
            yield document
        for value in document.values():
            yield from _memories(value)
    if isinstance(document, list):
        for value in document:
            yield from _memories(value)


def until(holds: Callable[[], bool], otherwise: str) -> None:
    """Wait for a condition."""
    last, pause = monotonic() + PATIENCE_S, threading.Event()
    while not holds():
        assert monotonic() < last, otherwise
        pause.wait(LOOK_S)


class Stage:
    """Everything a story needs. Its characters are its own, so stories do not disturb one another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = Model()
        self.memory = Memory(folder / "memories", self.model.endpoint.url)
        self.tavern_home = LIVE / "e2e"
        self._taverns, self._browsers = ExitStack(), ExitStack()
        self._avatars: dict[str, str] = {}
        self._opened: dict[str, bool] = {}
        self._alone = FileLock(self.tavern_home.with_suffix(".lock"))  # one stage at a time: its libraries are built but once

    def open(self) -> None:
        self.memory.home.mkdir(parents=True, exist_ok=True)
        self.tavern_home.mkdir(parents=True, exist_ok=True)
        self._alone.acquire(timeout=600)
        self.model.endpoint.__enter__()
        self.address = self._taverns.enter_context(program.served(TAVERN, self.tavern_home))
        self.integrate()
        self.memory.start()
        self._browse()

    def close(self) -> None:
        self._browsers.close()
        self._taverns.close()
        self.memory.stop()
        self.model.endpoint.close()
        self._alone.release()

    def integrate(self) -> None:
        """Put the extension in, as the manual says."""
        self.rolememory("integrate", "sillytavern", str(self.tavern_home), "--address", self.address)

    def restart(self) -> None:
        """End everything but the model, and start it again."""
        self._browsers.close()
        self._taverns.close()
        self.memory.stop()
        self.address = self._taverns.enter_context(program.served(TAVERN, self.tavern_home, fresh=False))
        self.integrate()
        self.memory.start()
        self._browse()

    def lived(self, story: "Callable[[Stage], None]") -> str:
        """Live through a story; what went wrong, "" when nothing did. A page that is stuck is loaded anew."""
        try:
            story(self)
        except Exception as error:
            fault = f"{error!r:.2000}\n{''.join(traceback.format_tb(error.__traceback__)[-2:])}"
            self.load()
            return fault
        return ""

    def rolememory(self, *words: str) -> str:
        """Run the command line."""
        line = [sys.executable, "-m", "rolememory", "--home", str(self.memory.home), "--lang", "en", *words]
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _browse(self) -> None:
        import shutil

        browser = next(path for name in BROWSERS if (path := shutil.which(name)))
        folder = self._browsers.enter_context(TemporaryDirectory(prefix="rolememory-e2e-"))
        plays = self._browsers.enter_context(import_module("playwright.sync_api").sync_playwright())
        window = plays.chromium.launch_persistent_context(folder, executable_path=browser, headless=True, args=list(QUIET))
        self._browsers.callback(window.close)
        self.page = window.new_page()
        self.page.set_default_timeout(60_000)
        self.load()

    def load(self) -> None:
        """Load SillyTavern's page anew."""
        self.page.goto(self.address, timeout=LOAD_MS)
        self.page.evaluate(READY)
        self.page.evaluate(STAGE)
        self.call("connect", {"url": f"{self.memory.url}/v1"})

    def call(self, name: str, *values: Any) -> Any:
        """Do something in the page."""
        return self.page.evaluate("([name, values]) => stage[name](...values)", [name, list(values)])

    # ── ways to connect ──

    def through(self, way: str) -> None:
        """Connect as a user of this way does: nothing, the pasted parameters, the extension, the extension without the proxy."""
        direct = way in ("direct", "gone")
        mode = {"extension": "auto", "direct": "auto"}.get(way, "off")
        self.call("parameters", HINT if way == "pasted" else "")
        self.call("extension", {"server": self.memory.url, "token": self.memory.token, "mode": mode})
        self.call("connect", {"url": self.model.endpoint.url if direct else f"{self.memory.url}/v1"})
        self.call("persona", "Lin")

    # ── what people do ──

    def character(self, name: str, greeting: str = "The door creaks. Come in.", description: str | None = None) -> None:
        told = description or f"{name} keeps the lighthouse at Cape Morrow, is forty, dry and patient, and winds the lamp every four hours."
        self._avatars[name] = self.call("character", {"name": name, "description": told, "greeting": greeting})

    def group(self, *names: str) -> None:
        """A group of these, opened; all answer in this order."""
        self.call("group", {"name": " and ".join(names), "members": [self._avatars[name] for name in names]})

    def chat(self, name: str) -> None:
        """A new chat with this character; it is made when it is not there."""
        if name not in self._avatars:
            self.character(name)
        self.call("open", self._avatars[name])
        if self._opened.get(name):
            self.call("newChat")
        self._opened[name] = True

    def say(self, text: str, reply: str = "Mm.") -> Body:
        """Say something; what the model was asked."""
        return self.asked(lambda: self.call("say", text), reply)

    def asked(self, act: Callable[[], object], reply: str = "Mm.") -> Body:
        """What the model was asked when this was done."""
        before, self.model.reply = len(self.model.asked), reply
        act()
        asked = self.model.asked
        assert len(asked) == before + 1, f"the model was asked {len(asked) - before} times"
        return asked[-1]

    def recalls(self, text: str, words: str) -> bool:
        """Whether these words stand in the block when this is said."""
        return words in block(self.say(text))

    def tell(self, name: str, fact: str, words: str) -> None:
        """Tell a character something in a chat of its own, and wait until it is learned."""
        self.chat(name)
        self.say(fact)
        self.memory.learned(words)

    def chat_files(self) -> str:
        """All that SillyTavern has kept of chats."""
        folder = self.tavern_home / "data" / "default-user"
        kept = [*folder.glob("chats/**/*.jsonl"), *folder.glob("group chats/**/*.jsonl")]
        return "\n".join(path.read_text(encoding="utf-8") for path in kept)


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """A stage, open until the block ends."""
    made = Stage(folder)
    try:
        made.open()
        yield made
    finally:
        made.close()
