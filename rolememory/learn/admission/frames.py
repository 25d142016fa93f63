"""The text of our own templates, to detect it when it leaked into a message."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rolememory.shipped import shipped
from rolememory.text.plain import plain

_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_TEXTS = re.compile(
    r"\"([^\"\n]{2,})\"(?:\s*~\s*\w+\s*~\s*\"([^\"\n]*)\")?|\w+\s*~\s*\"([^\"\n]{2,})\""
)
_STATEMENT = re.compile(r"\{%.*?%\}", re.DOTALL)
_HOLE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_ANY = ".{0,60}?"  # the name that a template fills in
_LEADING = re.compile(r"^[\s#*>-]+")
_LETTERS = re.compile(r"[^\W\d_]")
_LONG = (
    18  # letters a line needs to be searched inside others too; a Chinese character counts as three
)


class Frames:
    """The lines that templates produce."""

    def __init__(self, templates: Iterable[str]) -> None:
        lines = sorted({line for template in templates for line in _lines(template)})
        self._whole = _any_of(line for line, _ in lines)
        self._inside = _any_of(line for line, letters in lines if letters >= _LONG)

    def found(self, even: str) -> bool:
        """Whether a line of the plain text comes from a template.

        >>> Frames(["What {{ char }} remembers (notes):"]).found("what mira remembers (notes):")
        True
        """
        return bool(self._inside.search(even)) or any(
            self._whole.fullmatch(_LEADING.sub("", line).strip()) for line in even.split("\n")
        )


def _any_of(lines: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{line})" for line in lines) or "(?!)")


@lru_cache(maxsize=1)
def shipped_frames() -> Frames:
    """The lines of the shipped templates."""
    folder = shipped("templates")
    return Frames(
        path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.jinja"))
        if "learn" not in path.relative_to(folder).parts
    )


def _lines(template: str) -> Iterator[tuple[str, int]]:
    """(pattern, letters) of every line with text that the template may produce."""
    text = _COMMENT.sub("", template)
    for statement in _STATEMENT.findall(text):
        for first, last, alone in _TEXTS.findall(statement):
            yield from _line(f"{first}{{{{}}}}{last}" if last else first or f"{{{{}}}}{alone}")
    for line in _STATEMENT.sub("", text).split("\n"):
        yield from _line(line)


def _line(line: str) -> Iterator[tuple[str, int]]:
    holes = _HOLE.findall(line)
    if any("memory" in hole for hole in holes):  # a memory's own line
        return
    words = [
        plain(part).strip() for part in _HOLE.split(_LEADING.sub("", line)) if part.strip(" -#*>")
    ]
    letters = sum(
        3 if letter > "\u2e80" else 1 for part in words for letter in _LETTERS.findall(part)
    )
    if letters >= 6:
        yield _ANY.join(re.escape(part) for part in words), letters
