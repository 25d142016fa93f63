"""Loading templates: from the author's folder, then the shipped ones; compiled once, reloaded when the file changes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from rolememory.errors import TemplateError, UnknownNameError
from rolememory.inject.meter import LIMITS
from rolememory.inject.sandbox import Compiled, Sandbox, too_large
from rolememory.locales import LocalizedNote
from rolememory.schema.scene import Language
from rolememory.schema.value_class import value_class
from rolememory.shipped import shipped

_NAME = re.compile(r"\w[\w-]{0,63}")
BUILT_IN = "default"
_KEPT_TEXTS = 16
_LINES = "{memories}"  # as prompts in the settings have it


@value_class
class TemplateChoice:
    """The templates to try, best first, and errors of those that could not be loaded."""

    tries: tuple[Compiled, ...]
    notes: tuple[str, ...] = ()


@value_class
class Rendering:
    """A rendered text, with notes for the author of its template."""

    text: str
    notes: tuple[str, ...] = ()


class Templates:
    """Finds `KIND/NAME.LANGUAGE.jinja`: in the author's folder, then among the shipped. Thread-safe.

    `author` is the home's templates folder, or None. Without a file in the requested language,
    `NAME.jinja` is used, then English, then Chinese.
    """

    def __init__(self, author: Path | None = None, *, sandbox: Sandbox | None = None) -> None:
        self._author = author
        self._roots = tuple(root for root in (author, shipped("templates")) if root is not None)
        self._sandbox = sandbox or Sandbox()
        self._cache: dict[Path, tuple[tuple[int, int], Compiled | TemplateError]] = {}
        self._written = lru_cache(maxsize=_KEPT_TEXTS)(self._sandbox.compile)  # texts of settings
        self._lock = Lock()

    def beside(self, name: str) -> str | None:
        """The text of a file beside the author's templates folder; None if missing or unreadable."""
        if self._author is None:
            return None
        try:
            file = self._author.parent / name
            short = file.stat().st_size <= LIMITS.source_bytes
            return file.read_text(encoding="utf-8-sig") if short else None
        except (OSError, UnicodeDecodeError):
            return None

    def known(self, kind: str) -> list[str]:
        """Names of the templates of a kind ("inject", "learn").

        >>> "default" in Templates().known("inject")
        True
        """
        files = (file for root in self._roots for file in (root / kind).glob("*.jinja"))
        return sorted({file.name.split(".")[0] for file in files})

    def choose(self, kind: str, name: str, language: Language) -> TemplateChoice:
        """All usable templates, best first: the author's, the shipped one of that name, the built-in one.

        `name` may also be the text of a template.

        Raises:
            TemplateError: none compiles.
        """
        tries: list[Compiled] = []
        notes: list[str] = []
        files = list(self._files(kind, name, language))
        compiles = [partial(self._compiled, file) for file in files]
        text = name if "{{" in name else name.replace(_LINES, "{{ memories }}")
        if "{{" in text or "{%" in text:  # the text of a template, not its name
            compiles.insert(0, partial(self._written, f"{kind}.template", text))
        elif not self._exists(kind, name, files):
            notes.append(LocalizedNote(UnknownNameError("template", name, self.known(kind))))
        for compiled in compiles:
            try:
                tries.append(compiled())
            except TemplateError as error:
                notes.append(LocalizedNote(error))
        if not tries:
            raise _none_works(kind, name, notes)
        return TemplateChoice(tuple(tries), tuple(notes))

    def render(
        self, kind: str, name: str, language: Language, context: Mapping[str, Any]
    ) -> Rendering:
        """The text of the first template that renders; the notes have the errors of the ones before it.

        Raises:
            TemplateError: none renders.
        """
        choice = self.choose(kind, name, language)
        notes = list(choice.notes)
        for template in choice.tries:
            try:
                return Rendering(template.render(context), tuple(notes))
            except TemplateError as error:
                notes.append(LocalizedNote(error))
        raise _none_works(kind, name, notes)

    def _exists(self, kind: str, name: str, files: Iterable[Path]) -> bool:
        """Whether there is a template of that name in any language; `files`: the usable ones."""
        if any(file.name.split(".")[0] == name for file in files):
            return True
        return bool(_NAME.fullmatch(name)) and name in self.known(kind)

    def _files(self, kind: str, name: str, language: Language) -> Iterator[Path]:
        """Existing files: per root in the requested language, in none, in the other; last the built-in one."""
        names = [name, BUILT_IN] if _NAME.fullmatch(name) and name != BUILT_IN else [BUILT_IN]
        for wanted in names:
            for root in self._roots:
                spelt = (
                    f"{wanted}.{language}.jinja",
                    f"{wanted}.jinja",
                    f"{wanted}.{'zh' if language == 'en' else 'en'}.jinja",
                )
                found = (file for file in (root / kind / one for one in spelt) if file.is_file())
                yield from islice(found, 1)

    def _compiled(self, file: Path) -> Compiled:
        """The template of a file; cached until the file's time or size changes."""
        try:
            stat = file.stat()
        except OSError as error:
            raise TemplateError.unreadable(file, error) from None
        stamp = (stat.st_mtime_ns, stat.st_size)
        with self._lock:
            known = self._cache.get(file)
        if known is None or known[0] != stamp:
            known = (stamp, self._read(file, stat.st_size))
            with self._lock:
                self._cache[file] = known
        if isinstance(known[1], TemplateError):
            raise known[1].with_traceback(None)
        return known[1]

    def _read(self, file: Path, size: int) -> Compiled | TemplateError:
        limit = LIMITS.source_bytes
        try:
            if size > limit:
                raise too_large(file, limit)
            return self._sandbox.compile(str(file), file.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            return TemplateError(
                file, "not UTF-8 text (byte {start})", remedy="save it as UTF-8", start=error.start
            )
        except OSError as error:
            return TemplateError.unreadable(file, error)
        except TemplateError as error:
            return error


def _none_works(kind: str, name: str, notes: Iterable[str]) -> TemplateError:
    return TemplateError(
        f"{kind}/{name}", "no template of that name works", remedy="; ".join(notes)
    )
