"""What all doors share: the home, its token, the bus of events, the newest turns, and the way to the upstream."""

import logging
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rolememory.engine import Home
from rolememory.plugins import allow
from rolememory.schema.settings import ServeSettings
from rolememory.serve.events import Bus
from rolememory.serve.guard import Rules, local
from rolememory.serve.keys import Keys
from rolememory.serve.token import token_of

if TYPE_CHECKING:
    from rolememory.recall.turn import Turn
    from rolememory.storage.files.watch import Changed, Watch

KEPT_TURNS = 100  # of each role
_PASTE = "\n\n  rolememory:\n    role: |-\n      {{char}}\n    user: |-\n      {{user}}\n"
_CURE = {
    "en": f'say it in the URL (/r/NAME/v1), behind the model (MODEL@NAME), with --role NAME; in SillyTavern in "Include Body Parameters":{_PASTE}',
    "zh": f"可以写在地址里（/r/名字/v1）、模型名后（模型@名字），或用 --role 名字；在 SillyTavern 里写进“Include Body Parameters”：{_PASTE}",
}
_WHOSE = {
    "en": f'say it in the field "user", the header X-Rolememory-User, or in SillyTavern in "Include Body Parameters":{_PASTE}',
    "zh": f"可以写在 user 字段、请求头 X-Rolememory-User，或在 SillyTavern 里写进“Include Body Parameters”：{_PASTE}",
}
_WHYS = ("none", "several", "user")
_PUZZLES = {
    "en": (
        f"a call names no role and passes without memory; {_CURE['en']}",
        f"a call may mean several roles and passes without memory; {_CURE['en']}",
        f"a call names its user only within a message, which anybody can write: memories of that user stay out, and nothing is learned; {_WHOSE['en']}",
    ),
    "zh": (
        f"有一次调用没有说明角色，已原样通过、不带记忆；{_CURE['zh']}",
        f"有一次调用可能指多个角色，已原样通过、不带记忆；{_CURE['zh']}",
        f"有一次调用只在消息正文里提到用户名，而正文谁都能写：不带这个用户的记忆，也不从中学习；{_WHOSE['zh']}",
    ),
}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnNote:
    """One turn as it went through a door: what the console says of it, and what a panel asks for."""

    role_id: str
    role: str  # its name
    chat: str
    kind: str  # normal, swipe, regenerate, continue, impersonate, quiet, task
    recalled: int
    characters: int  # of the injected block
    ms: float
    user: str | None = None
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    turn: "Turn | None" = field(
        default=None, repr=False, compare=False
    )  # bare, with its reasons; never logged

    def line(self, language: str = "en") -> str:
        """What stands on the console. Source: S4.26.

        >>> TurnNote("id", "Asha", "", "normal", 3, 412, 4.2).line()
        'Asha · 3 recalled · 412 characters · 4 ms'
        """
        if language == "zh":
            return (
                f"{self.role} · 想起 {self.recalled} 条 · {self.characters} 字 · {self.ms:.0f} 毫秒"
            )
        return f"{self.role} · {self.recalled} recalled · {self.characters} characters · {self.ms:.0f} ms"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A call whose role or user nobody could tell, said once, with what cures it."""

    why: str  # of the role: none, several; user: the role is known, the user is not
    names: tuple[str, ...] = ()
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


class House:
    """Opened once per process. Thread-safe."""

    def __init__(self, home: Home, language: str = "en") -> None:
        self.home, self.language = home, language
        self.token, self.fresh_token = token_of(home.path)
        self.keys = Keys(home.path, self.token)
        allow(self.settings.plugins if self.settings.service else None)
        self.bus = Bus()
        self.puzzles: dict[tuple[str, tuple[str, ...]], Puzzle] = {}
        self._turns: dict[str, deque[TurnNote]] = {}
        self._lock = threading.Lock()
        self._keeping = 0
        self._kept = threading.Condition()
        self._watch: Watch | None = None

    @property
    def settings(self) -> ServeSettings:
        """The server's settings as they stand now."""
        return self.home.settings.serve

    def rules(self) -> Rules:
        """What the guard goes by now."""
        settings = self.settings
        return Rules(
            token=self.token,
            hosts=frozenset(name.lower() for name in settings.allowed_hosts),
            origins=frozenset(origin.rstrip("/") for origin in settings.allowed_origins),
            max_body=int(settings.max_body_mb * 2**20),
            open_to_others=not local(settings.host),
            language=self.language,
            caller=self.keys.caller if settings.service else None,
            proxies=settings.trusted_proxies,
        )

    def open(self) -> None:
        """Begin to watch the files and to load what the first turn needs."""
        self._watch = self.home.watch(self._changed)
        self._watch.start()
        for note in self._watch.notes:
            _log.warning("%s", note)
        self.home.preload()

    def note(self, note: TurnNote) -> None:
        """A turn went through: one line at INFO, kept bare for panels, told on the bus."""
        kept = replace(note, turn=note.turn.bare() if note.turn else None)
        with self._lock:
            self._turns.setdefault(note.role_id, deque(maxlen=KEPT_TURNS)).appendleft(kept)
        _log.info("%s", note.line(self.language))
        values = {
            "chat": note.chat,
            "kind": note.kind,
            "recalled": note.recalled,
            "characters": note.characters,
            "ms": round(note.ms, 1),
        }
        self.bus.tell("turn", note.role_id, **values)

    def turns(self, role_id: str) -> list[TurnNote]:
        """The newest turns of a role, newest first."""
        with self._lock:
            return list(self._turns.get(role_id, ()))

    @contextmanager
    def answering(self) -> Iterator[None]:
        """A turn whose answer is on its way to the frontend: from its first byte on, `settle` waits for it."""
        self.keep_begun()
        try:
            yield
        finally:
            self.keep_done()

    def keep_begun(self) -> None:
        """A turn that went through is about to be kept."""
        with self._kept:
            self._keeping += 1

    def keep_done(self) -> None:
        """It is."""
        with self._kept:
            self._keeping -= 1
            self._kept.notify_all()

    def settle(self, timeout: float | None = None) -> bool:
        """Wait until every turn that went through is kept; false when that takes longer."""
        with self._kept:
            return self._kept.wait_for(lambda: self._keeping == 0, timeout)

    def puzzled(self, why: str, names: tuple[str, ...] = ()) -> bool:
        """A call's role or user could not be told; true when this is said for the first time."""
        key = (why, tuple(sorted(names)))
        with self._lock:
            first = key not in self.puzzles
            self.puzzles[key] = Puzzle(*key)
        if first:
            self.bus.tell("puzzle", why=why, names=list(names))
            _log.warning(
                "%s",
                _PUZZLES[self.language if self.language == "zh" else "en"][_WHYS.index(why)],
            )
        return first

    def close(self) -> None:
        """Stop watching, send listeners home, fold journals."""
        if self._watch:
            self._watch.stop()
        self.bus.close()
        self.home.close()
        allow(None)

    def _changed(self, changed: "Changed") -> None:
        for kind in sorted(changed.kinds):
            self.bus.tell(kind, changed.role or "")
