"""The user's own cleaning rules and emotion lexicons, reloaded on change: {home}/cleaning.json, {home}/lexicons/feeling.*.json."""

import logging
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

from rolememory.errors import FileError, UnknownNameError
from rolememory.schema.settings import CleanSettings
from rolememory.storage import personas
from rolememory.storage.files.disk import signature
from rolememory.storage.look import Watched, this_look, watching_files
from rolememory.storage.port import Revision, Space
from rolememory.storage.settings import FILE
from rolememory.text.affect_lexicon import Lexicon, load_lexicon
from rolememory.text.clean import Cleaner, Rule, cleaner_for, load_rules, merged

LEXICONS = "feeling.*.json"
log = logging.getLogger(__name__)


class Cleaners:
    """Gives the same cleaner while rules and settings are unchanged, since it caches texts.

    A broken file keeps its last good rules; unknown rule names are ignored.
    """

    def __init__(self, own: Path | None) -> None:
        self._own = own
        self._mark: Revision | None = None
        self._look: object = None
        self._added: tuple[Rule, ...] = ()
        self._broken: FileError | None = None
        self._made = lru_cache(maxsize=8)(cleaner_for)
        self._last: tuple[CleanSettings, tuple[Rule, ...], Cleaner | None] | None = None

    def current(self, wanted: CleanSettings) -> Cleaner | None:
        """The cleaner for these settings; None if cleaning is off. One stat when nothing changed."""
        if (look := this_look().files) is not self._look:
            self._rules()
            self._look = look
        known, added = self._last, self._added
        if known is None or known[0] is not wanted or known[1] is not added:
            self._last = known = (wanted, added, self._made(wanted, added))
        return known[2]

    @property
    def watched(self) -> Watched:
        """The author's own rules."""
        return {str(self._own): partial(signature, self._own)} if self._own else {}

    def problems(self, wanted: CleanSettings) -> Iterator[FileError]:
        """Problems of the file, and unknown rules in the settings."""
        known = {rule.id for rule in merged(load_rules(), self._rules())}
        if self._broken:
            yield self._broken
        for name in wanted.rules:
            if name not in known:
                told = UnknownNameError("cleaning rule", name, known)
                yield FileError(FILE, told.message, field="clean.rules")

    def _rules(self) -> tuple[Rule, ...]:
        """The author's own rules."""
        mark = signature(self._own) if self._own else None
        if mark != self._mark:
            self._mark = mark
            try:
                self._added = load_rules(self._own) if mark else ()
                self._broken = None
            except FileError as error:
                self._broken = error
                log.warning("%s", error)
        return self._added


class Lexicons:
    """Gives the current lexicon, the user's words over the shipped ones; None without user files. A broken file keeps the last good one."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._seen: dict[str, Revision | None] = {}
        self._look: object = None
        self._lexicon: Lexicon | None = None
        self.problem: FileError | None = None

    def current(self) -> Lexicon | None:
        """The same object while no file changed."""
        if self._folder and (look := this_look().files) is not self._look:
            marks = {place: mark() for place, mark in self.watched.items()}
            if marks != self._seen:
                self._seen = marks
                self._read(sorted(self._folder.glob(LEXICONS)))
            self._look = look
        return self._lexicon

    @property
    def watched(self) -> Watched:
        """The files, and whether there are others."""
        return watching_files(self._folder, LEXICONS)

    def _read(self, files: list[Path]) -> None:
        try:
            self._lexicon = load_lexicon(files) if files else None
            self.problem = None
        except FileError as error:
            self.problem = error
            log.warning("words of feeling: %s", error)


def list_problems(home: Space, wanted: CleanSettings) -> Iterator[FileError]:
    """Problems of the user's cleaning rules, emotion lexicons and personas."""
    own = home.folder
    words = Lexicons(own and own / "lexicons")
    words.current()
    yield from Cleaners(own and own / "cleaning.json").problems(wanted)
    yield from filter(None, (words.problem, personas.problem(home)))
