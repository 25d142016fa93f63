"""State shared by all routers: the home, its token, the event bus, recent turns, and the upstream."""

import logging
import threading
from collections import Counter, deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rolememory.engine import Home
from rolememory.locales import LocalizedText, translated
from rolememory.plugins import allow
from rolememory.recall.turn import Stats, Turn
from rolememory.schema.learning import Learned
from rolememory.schema.settings import ServeSettings
from rolememory.serve.admission import Admission
from rolememory.serve.events import EventBus
from rolememory.serve.guard import AccessRules
from rolememory.serve.keys import ApiKeys
from rolememory.serve.peers import Peers
from rolememory.serve.token import token_of
from rolememory.text.names import PersonNames

if TYPE_CHECKING:
    from rolememory.storage.files.watch import Changed, Watch

KEPT_TURNS = 100  # per role
_PASTE = "\n\n  rolememory:\n    role: |-\n      {{char}}\n    user: |-\n      {{user}}\n"
_CURE = LocalizedText(
    'name it in the URL (/r/NAME/v1), after the model (MODEL@NAME), with --role NAME; in SillyTavern in "Include Body Parameters":'
)
_WHOSE = LocalizedText(
    'say it in the field "user", the header X-Rolememory-User, or in SillyTavern in "Include Body Parameters":'
)
_UNIDENTIFIED = {
    "none": LocalizedText("a call names no role and passes without memory; {cure}", cure=_CURE),
    "several": LocalizedText(
        "a call may mean several roles and passes without memory; {cure}", cure=_CURE
    ),
    "user": LocalizedText(
        "a call names its user only within a message, which anybody can write: memories of that user stay out, and nothing is learned; {cure}",
        cure=_WHOSE,
    ),
}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnNote:
    """A turn that the server handled, for the log and the page."""

    role_id: str
    role: str  # its name
    chat: str
    kind: str  # normal, swipe, regenerate, continue, impersonate, quiet, task
    recalled: int
    characters: int  # of the injected block
    ms: float
    user: str | None = None
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    turn: Turn | None = field(default=None, repr=False, compare=False)  # `Turn.bare`; never logged

    def names(self, names: PersonNames) -> bool:
        """Whether the turn belonged to these people, recalled something of theirs, or names them."""
        recalled = self.turn.recalled if self.turn is not None else ()
        return names.found(self.chat) or any(
            one.memory.user in names.all or names.found(one.memory.content) for one in recalled
        )

    def line(self, language: str = "en") -> str:
        """The log line: messages in view (short term), recalled memories (long term), length. Source: S4.26.

        >>> TurnNote("id", "Asha", "", "normal", 3, 412, 4.2).line()
        'Asha · 0 messages · 3 recalled · 412 characters, 0 tokens · 4 ms'
        """
        stats = self.turn.stats if self.turn else Stats()
        return translated(
            "{role} · {messages} messages · {recalled} recalled · {characters} characters, {tokens} tokens · {ms:.0f} ms",
            language,
            role=self.role,
            messages=stats.short_term_count,
            recalled=self.recalled,
            characters=self.characters,
            tokens=stats.total_tokens,
            ms=self.ms,
        )


@dataclass(frozen=True, slots=True)
class UnidentifiedCall:
    """A call whose role or user could not be identified, reported once, with a fix."""

    why: str  # of the role: none, several; user: the role is known, the user is not
    names: tuple[str, ...] = ()
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


class AppState:
    """The state of the application, one per process. Thread-safe. Of several processes the first learns and has the displayed turns."""

    def __init__(self, home: Home, language: str = "en", peers: Peers | None = None) -> None:
        self.home = home
        self.language = language
        self.peers = peers or Peers()
        self.token, self.fresh_token = token_of(home.path)
        self.keys = ApiKeys(home.path, self.token)
        allow(self.settings.plugins if self.settings.service else None)
        self.bus = EventBus()
        self.admission = Admission()
        self.unidentified: dict[tuple[str, tuple[str, ...]], UnidentifiedCall] = {}
        self._turns: dict[str, deque[TurnNote]] = {}
        self._lock = threading.Lock()
        self._keeping = 0
        self._kept = threading.Condition()
        self._watch: Watch | None = None
        self._meet_peers()

    def _meet_peers(self) -> None:
        """Report events to the first process, or, in the first one, handle those of the others."""
        peers = self.peers
        if not peers.first:
            self.home.hand_over(lambda role_id, seen: peers.tell("observed", role_id, seen))
            self.bus.on(lambda event: peers.tell("event", event))
            return
        self.home.on_learned(self._learned)
        peers.on("observed", self.home.take_in)
        peers.on("event", lambda event: self.bus.tell(event.kind, event.role, **event.values))
        peers.on("note", self.note)
        peers.on("unidentified", self.report_unidentified)
        peers.on("begins", self.model_begins)
        peers.on("model", self.model_named)
        peers.on("ends", self.model_ends)

    @property
    def settings(self) -> ServeSettings:
        """The current settings of the server."""
        return self.home.settings.serve

    def rules(self) -> AccessRules:
        """The current rules of the access guard."""
        settings = self.settings
        caller = self.keys.caller if settings.service else None
        return AccessRules(self.token, settings, self.language, caller)

    def open(self) -> None:
        """Start watching files and preload what the first turn needs."""
        if self.peers.first:
            self._watch = self.home.watch(self._changed)
            self._watch.start()
            for note in self._watch.notes:
                _log.warning("%s", note)
        self.home.preload()

    def note(self, note: TurnNote) -> None:
        """Record a turn: log a line at INFO, keep `Turn.bare`, publish an event."""
        kept = replace(note, turn=note.turn.bare() if note.turn else None)
        if self.peers.report("note", kept):
            return
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

    def forget_turns(self, people: Collection[str]) -> None:
        """Drop the turns that concern this person (see `TurnNote.names`)."""
        names = PersonNames(people)
        with self._lock:
            for role_id, notes in self._turns.items():
                kept = [note for note in notes if note.user not in people and not note.names(names)]
                self._turns[role_id] = deque(kept, maxlen=notes.maxlen)

    def drop_turns(self, role_id: str) -> None:
        """Drop the turns of a deleted role."""
        with self._lock:
            self._turns.pop(role_id, None)

    def model_begins(self) -> None:
        """A chat uses the upstream model: learning pauses."""
        if not self.peers.report("begins"):
            self.home.upstreams.traffic.begins()

    def model_named(self, name: str) -> None:
        """Record the model that a chat uses."""
        if not self.peers.report("model", name):
            self.home.upstreams.traffic.model = name

    def model_ends(self) -> None:
        """The chat's request to the model has ended."""
        if not self.peers.report("ends"):
            self.home.upstreams.traffic.ends()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Within the block a turn's response is streamed: from its first byte on, `settle` waits for it."""
        self.keep_begun()
        try:
            yield
        finally:
            self.keep_done()

    def keep_begun(self) -> None:
        """A finished turn is about to be observed."""
        with self._kept:
            self._keeping += 1

    def keep_done(self) -> None:
        """It was observed."""
        with self._kept:
            self._keeping -= 1
            self._kept.notify_all()

    def settle(self, timeout: float | None = None) -> bool:
        """Wait until every finished turn is observed; false on timeout."""
        with self._kept:
            return self._kept.wait_for(lambda: self._keeping == 0, timeout)

    def report_unidentified(self, why: str, names: tuple[str, ...] = ()) -> bool:
        """Record that a call's role or user could not be identified; true the first time."""
        if self.peers.report("unidentified", why, names):
            return False
        key = (why, tuple(sorted(names)))
        with self._lock:
            first = key not in self.unidentified
            self.unidentified[key] = UnidentifiedCall(*key)
        if first:
            self.bus.tell("puzzle", why=why, names=list(names))
            _log.warning("%s", _UNIDENTIFIED[why].text(self.language) + _PASTE)
        return first

    def close(self) -> None:
        """Stop watching files, end event streams, checkpoint journals."""
        if self._watch:
            self._watch.stop()
        self.bus.close()
        self.home.close()
        allow(None)

    def _learned(self, role_id: str, chat: str, learned: Learned) -> None:
        """Publish how much was learned; never the text."""
        actions = Counter(str(verdict.action) for verdict in learned.verdicts)
        if actions or learned.refused:
            self.bus.tell(
                "learned",
                role_id,
                chat=chat,
                memories=len(learned.memories),
                refused=len(learned.refused),
                **actions,
            )

    def _changed(self, changed: "Changed") -> None:
        for kind in sorted(changed.kinds):
            self.bus.tell(kind, changed.role or "")
