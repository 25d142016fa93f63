"""The user's own cleaning rules and emotion lexicons, reloaded on change: {home}/cleaning.json, {home}/lexicons/feeling.*.json."""

import logging
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

from rolememory.errors import FileError, UnknownNameError
from rolememory.schema.settings import CleanSettings
from rolememory.storage import personas
from rolememory.storage.files.disk import signature
from rolememory.storage.look import FollowedFiles, Watched, watching_files
from rolememory.storage.port import Space
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
        self._own = FollowedFiles(
            lambda: load_rules(own) if own and own.exists() else (),
            lambda _: {str(own): partial(signature, own)} if own else {},
            log,
        )
        self._made = lru_cache(maxsize=8)(cleaner_for)
        self._last: tuple[CleanSettings, tuple[Rule, ...], Cleaner | None] | None = None

    def current(self, wanted: CleanSettings) -> Cleaner | None:
        """The cleaner for these settings; None if cleaning is off. One stat when nothing changed."""
        known, added = self._last, self._own.current().content or ()
        if known is None or known[0] is not wanted or known[1] is not added:
            self._last = known = (wanted, added, self._made(wanted, added))
        return known[2]

    @property
    def watched(self) -> Watched:
        """The author's own rules."""
        return self._own.watched

    def problems(self, wanted: CleanSettings) -> Iterator[FileError]:
        """Problems of the file, and unknown rules in the settings."""
        own = self._own.current()
        known = {rule.id for rule in merged(load_rules(), own.content or ())}
        if own.problem:
            yield own.problem
        for name in wanted.rules:
            if name not in known:
                told = UnknownNameError("cleaning rule", name, known)
                yield FileError(FILE, told.message, field="clean.rules")


def own_lexicon(folder: Path | None) -> FollowedFiles[Lexicon | None]:
    """The user's words of feeling over the shipped ones; None without user files. A broken file keeps the last good ones."""

    def read() -> Lexicon | None:
        files = sorted(folder.glob(LEXICONS)) if folder else []
        return load_lexicon(files) if files else None

    return FollowedFiles(read, lambda _: watching_files(folder, LEXICONS), log)


def list_problems(home: Space, wanted: CleanSettings) -> Iterator[FileError]:
    """Problems of the user's cleaning rules, emotion lexicons and personas."""
    own = home.folder
    words = own_lexicon(own and own / "lexicons").current()
    yield from Cleaners(own and own / "cleaning.json").problems(wanted)
    yield from filter(None, (words.problem, personas.problem(home)))
