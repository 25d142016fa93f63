"""The author's own words of feeling, laid over the shipped ones: {home}/lexicons/feeling.*.json, read again when they change."""

import logging
from pathlib import Path
from time import monotonic

from rolememory.errors import FileError
from rolememory.storage.files.disk import signature
from rolememory.storage.port import Revision
from rolememory.text.affect_lexicon import Lexicon, load_lexicon

LOOK_AGAIN_S = 0.5  # how long an edit may go unnoticed
log = logging.getLogger(__name__)


class Lexicons:
    """Gives the lexicon as it stands; None while the author has no words of their own. A broken file keeps the last good one."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._seen: dict[Path, Revision | None] = {}
        self._lexicon: Lexicon | None = None
        self._looked_at = -1.0
        self.problem: FileError | None = None

    def current(self) -> Lexicon | None:
        """The same object while no file changed."""
        if self._folder and (now := monotonic()) - self._looked_at >= LOOK_AGAIN_S:
            self._looked_at = now
            marks = {path: signature(path) for path in sorted(self._folder.glob("feeling.*.json"))}
            if marks != self._seen:
                self._seen = marks
                self._read(list(marks))
        return self._lexicon

    def _read(self, files: list[Path]) -> None:
        try:
            self._lexicon = load_lexicon(files) if files else None
            self.problem = None
        except FileError as error:
            self.problem = error
            log.warning("words of feeling: %s", error)
