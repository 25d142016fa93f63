"""The user's emotion lexicons, overriding the shipped ones: {home}/lexicons/feeling.*.json, reloaded on change."""

import logging
from pathlib import Path

from rolememory.errors import FileError
from rolememory.storage.look import Watched, this_look, watching_files
from rolememory.storage.port import Revision
from rolememory.text.affect_lexicon import Lexicon, load_lexicon

FILES = "feeling.*.json"
log = logging.getLogger(__name__)


class Lexicons:
    """Gives the current lexicon; None without user files. A broken file keeps the last good one."""

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
                self._read(sorted(self._folder.glob(FILES)))
            self._look = look
        return self._lexicon

    @property
    def watched(self) -> Watched:
        """The files, and whether there are others."""
        return watching_files(self._folder, FILES)

    def _read(self, files: list[Path]) -> None:
        try:
            self._lexicon = load_lexicon(files) if files else None
            self.problem = None
        except FileError as error:
            self.problem = error
            log.warning("words of feeling: %s", error)
