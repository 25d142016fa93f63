"""Message catalogues: gettext `.po` files, read when a language is first used."""

import logging
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

_log = logging.getLogger(__name__)
_SHIPPED = Path(__file__).parent
_folders: list[Path] = [_SHIPPED]
_TEXT = r'((?:"[^\n]*"\s*)+)'
_ENTRY = re.compile(rf"^(?:msgctxt {_TEXT})?msgid {_TEXT}msgstr {_TEXT}", re.MULTILINE)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def lookup(template: str, language: str, msgctxt: str = "") -> str:
    """The template in that language, or unchanged if the catalogue lacks it."""
    if language == "en":
        return template
    return catalogue(language).get((msgctxt, template)) or template


@cache
def languages() -> tuple[str, ...]:
    """The available languages.

    >>> languages()
    ('en', 'zh')
    """
    found = {file.stem for folder in _folders for file in folder.glob("*.po")}
    return tuple(sorted(found | {"en"}))


def add_folder(folder: Path) -> None:
    """Add a folder of catalogues; they override the shipped ones."""
    if folder not in _folders and folder.is_dir():
        _folders.insert(0, folder)
        catalogue.cache_clear()
        languages.cache_clear()


@cache
def catalogue(language: str) -> Mapping[tuple[str, str], str]:
    """All translations into a language, by context and English template."""
    found: dict[tuple[str, str], str] = {}
    for folder in reversed(_folders):
        file = folder / f"{language}.po"
        if file.is_file():
            found.update(entries(_read(file)))
    return found


def _read(file: Path) -> str:
    """The text of a catalogue, "" if it cannot be read, so that messages stay English."""
    try:
        return file.read_text("utf-8-sig")
    except (OSError, UnicodeError) as error:
        _log.warning("%s: left out: %s; save it as UTF-8", file, error)
        return ""


def entries(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    r"""The entries of a `.po` file: context and English, then the translation.

    >>> list(entries('msgctxt "list"\nmsgid ", "\nmsgstr "、"\n'))
    [(('list', ', '), '、')]
    """
    for row in _ENTRY.finditer(text):
        context, english, other = map(_unquoted, row.groups())
        if english and other:
            yield (context, english), other


def _unquoted(text: str | None) -> str:
    joined = "".join(_QUOTED.findall(text or ""))
    return _ESCAPE.sub(_plain, joined) if "\\" in joined else joined


def _plain(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[1])
