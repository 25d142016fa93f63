"""The stage: model, server and SillyTavern as processes of their own, a browser before them. Started once, for many stories."""

import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from filelock import FileLock

from rolememory.storage.settings_text import set_value
from tests.conformance.live import server as program
from tests.conformance.live.page import BROWSERS, LOAD_MS, QUIET, READY
from tests.e2e.model import Body, Model, block
from tests.e2e.server import PATIENCE_S, Memory, until

ROOT = Path(__file__).parents[2]
LIVE = ROOT / ".cache" / "live"
TAVERN = LIVE / "node_modules" / "sillytavern"
STAGE = Path(__file__).with_name("stage.js").read_text(encoding="utf-8")
HINT = (ROOT / "examples" / "integrations" / "sillytavern" / "hint.yaml").read_text(
    encoding="utf-8"
)


ACT_MS = 120_000  # far more than anything takes: machines may be busy
CALL = f"""([name, values]) => Promise.race([
    stage[name](...values),
    new Promise((_, fail) => setTimeout(() => fail(new Error(`${{name}} did not come to an end`)), {ACT_MS})),
])"""


def missing() -> str:
    """What is not here of what the stage needs; "" when all of it is."""
    tools = {
        "node": shutil.which("node"),
        f"SillyTavern (no folder {TAVERN.relative_to(ROOT)}; `make tavern` installs it)": TAVERN.is_dir(),
        f"a browser ({', '.join(BROWSERS)})": any(map(shutil.which, BROWSERS)),
    }
    return ", ".join(name for name, found in tools.items() if not found)


class Stage:
    """Everything a story needs. Its characters are its own, so stories do not disturb one another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = Model()
        self.memory = Memory(folder / "memories", self.model.endpoint.url)
        self.tavern_home = LIVE / "e2e"
        self._taverns, self._browsers = ExitStack(), ExitStack()
        self._avatars: dict[str, str] = {}
        self._called: dict[str, str] = {}  # SillyTavern takes some signs out of names
        self._opened: dict[str, bool] = {}
        self._alone = FileLock(
            self.tavern_home.with_suffix(".lock")
        )  # one stage at a time: its libraries are built but once

    def open(self) -> None:
        self.memory.home.mkdir(parents=True, exist_ok=True)
        self.tavern_home.mkdir(parents=True, exist_ok=True)
        self._alone.acquire(timeout=3600)
        self.model.endpoint.__enter__()
        self.address = self._taverns.enter_context(program.served(TAVERN, self.tavern_home))
        self.integrate()
        self._patient()
        self.memory.start()
        self._browse()

    def close(self) -> None:
        self._browsers.close()
        self._taverns.close()
        self.memory.stop()
        self.model.endpoint.close()
        self._alone.release()

    def home_anew(self, *, integrated: bool = True, **settings: str) -> None:
        """A home folder in which nothing stands but these settings; `integrated`: after the extension was put in, as the manual says."""
        self.memory.stop()
        self.memory.home = self.folder / f"memories-{len(list(self.folder.glob('memories*')))}"
        self.memory.home.mkdir()
        if integrated:
            self.integrate()
        self._patient()
        for name, value in settings.items():
            set_value(self.memory.home, name.replace("__", "."), value)
        self.memory.start()

    def _patient(self) -> None:
        """Machines may be busy: a turn waits for memory."""
        set_value(self.memory.home, "serve.recall_timeout_s", PATIENCE_S)

    def integrate(self) -> None:
        """Put the extension in and let SillyTavern's page ask."""
        self.rolememory(
            "integrate", "sillytavern", str(self.tavern_home), "--address", self.address
        )

    def restart(self) -> None:
        """End everything but the model, and start it again."""
        self._browsers.close()
        self._taverns.close()
        self.memory.stop()
        self.address = self._taverns.enter_context(
            program.served(TAVERN, self.tavern_home, fresh=False)
        )
        self.integrate()
        self.memory.start()
        self._browse()

    def lived(self, story: "Callable[[Stage], None]") -> str:
        """Live through a story; what went wrong, "" when nothing did. A page that is stuck is loaded again."""
        try:
            story(self)
        except Exception as error:
            fault = f"{error!r:.2000}\n{''.join(traceback.format_tb(error.__traceback__)[-2:])}"
            self.load()
            return fault
        return ""

    def rolememory(self, *words: str) -> str:
        """Run the command line."""
        line = [
            sys.executable,
            "-m",
            "rolememory",
            "--home",
            str(self.memory.home),
            "--lang",
            "en",
            *words,
        ]
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _browse(self) -> None:
        browser = next(path for name in BROWSERS if (path := shutil.which(name)))
        folder = self._browsers.enter_context(TemporaryDirectory(prefix="rolememory-e2e-"))
        plays = self._browsers.enter_context(import_module("playwright.sync_api").sync_playwright())
        window = plays.chromium.launch_persistent_context(
            folder, executable_path=browser, headless=True, args=list(QUIET)
        )
        self._browsers.callback(window.close)
        self.page = window.new_page()
        self.page.set_default_timeout(ACT_MS)
        self.load()

    def load(self) -> None:
        """Load SillyTavern's page again."""
        self.page.goto(self.address, timeout=LOAD_MS)
        self.page.evaluate(READY)
        self.page.evaluate(STAGE)
        self.call("connect", {"url": f"{self.memory.url}/v1"})

    def speak(self, language: str) -> None:
        """Load it in another language."""
        self.page.evaluate("language => localStorage.setItem('language', language)", language)
        self.load()

    def call(self, name: str, *values: Any) -> Any:
        """Do something in the page."""
        return self.page.evaluate(CALL, [name, list(values)])

    # ── ways to connect ──

    def through(self, way: str) -> None:
        """Connect as a user of this way does: nothing, the pasted parameters, the extension, the extension without the proxy."""
        direct = way in ("direct", "gone")
        mode = {"extension": "auto", "direct": "auto"}.get(way, "off")
        self.call("parameters", HINT if way == "pasted" else "")
        server = self.memory.url if direct else ""  # else it is found where the API leads
        self.call("extension", {"server": server, "token": self.memory.token, "mode": mode})
        self.call(
            "connect", {"url": self.model.endpoint.url if direct else f"{self.memory.url}/v1"}
        )
        self.call("persona", "Lin")

    # ── what people do ──

    def character(self, name: str, card: str = "") -> None:
        """Make a character; `card` is what the stories call it where several have one name."""
        told = f"{name} keeps the lighthouse at Cape Morrow, is forty, dry and patient, and winds the lamp every four hours."
        greeting = "The door creaks. Come in."
        avatar, called = self.call(
            "character", {"name": name, "description": told, "greeting": greeting}
        )
        self._avatars[card or name], self._called[name] = avatar, called

    def group(self, *names: str) -> None:
        """A group of these, opened; all answer in this order."""
        self.call(
            "group",
            {"name": " and ".join(names), "members": [self._avatars[name] for name in names]},
        )

    def mute(self, name: str, *, muted: bool = True) -> None:
        """Mute a member of the open group, or let them speak again."""
        self.call("mute", self._avatars[name], muted)

    def chat(self, name: str) -> None:
        """A new chat with this character, or card; it is made when it is not there."""
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
        assert "rolememory" not in asked[-1], "the hint went on to the model"
        return asked[-1]

    def recalls(self, text: str, words: str) -> bool:
        """Whether these words stand in the block when this is said."""
        return words in block(self.say(text))

    def comes_to_mind(self, text: str, words: str) -> Body:
        """Say it, and have it answered again until these words stand in the block; what the model was asked then.

        Vectors are made behind, and a turn of a page on a busy machine goes on without memory rather than wait.
        """
        asked = self.say(text)

        def again() -> bool:
            nonlocal asked
            asked = asked if words in block(asked) else self.asked(lambda: self.call("regenerate"))
            return words in block(asked)

        until(again, lambda: f"{words!r} does not come to mind; what does is {block(asked)!r}")
        return asked

    def tell(self, name: str, fact: str, words: str) -> None:
        """Tell a character something in a chat of its own, and wait until it was heard."""
        self.chat(name)
        self.say(fact)
        self.heard(words, name)

    def heard(self, words: str, name: str) -> None:
        """Wait until this character has heard something with these words."""
        self.memory.heard(words, self._called[name])

    def remember(self, words: str, name: str) -> None:
        """Write a memory of this character."""
        self.memory.remember(words, self._called[name])

    def delete(self, name: str) -> None:
        """Delete this character's role, as the server's page does."""
        self.memory.delete(self._called[name])

    def said(self, name: str) -> list[str]:
        """The texts of all that stands in this character's chats."""
        return self.memory.said(self._called[name])

    def contents(self, name: str) -> list[str]:
        """The texts of all memories of this character."""
        return self.memory.contents(self._called[name])

    def files(self) -> dict[str, str]:
        """Everything that SillyTavern has kept of its user, without the extension itself: path -> text."""
        folder = self.tavern_home / "data" / "default-user"
        kept = [
            path
            for path in folder.rglob("*")
            if path.is_file() and "extensions" not in path.relative_to(folder).parts
        ]
        return {
            str(path.relative_to(folder)): path.read_text(encoding="utf-8", errors="replace")
            for path in kept
        }


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """A stage, open until the block ends."""
    made = Stage(folder)
    try:
        made.open()
        yield made
    finally:
        made.close()
