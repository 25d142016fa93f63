"""The text of our own templates, to detect it when it leaked into a message."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from jinja2 import Environment, nodes

from rolememory.shipped import shipped
from rolememory.text.late_pattern import late_pattern
from rolememory.text.plain import plain

_HOLE, _OF_MEMORY = "\0", "\1"  # what a template fills in, and what it fills in of a memory
_ANY = ".{0,60}?"  # the name that a template fills in
_LEADING = late_pattern(r"^[\s#*>-]+")
_LETTERS = late_pattern(r"[^\W\d_]")
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
    texts = Environment(autoescape=False).parse(template)  # noqa: S701  # it is only read
    for node in texts.find_all((nodes.Output, nodes.Concat, nodes.Const)):
        for line in _written(node).split("\n"):
            yield from _line(line)


def _written(node: nodes.Node) -> str:
    """The text of a part of a template, with its holes."""
    if isinstance(node, nodes.TemplateData):
        return node.data
    if isinstance(node, nodes.Const):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, nodes.Output | nodes.Concat):
        return "".join(map(_written, node.nodes))
    named = nodes.Output([node]).find_all(nodes.Name)
    return _OF_MEMORY if any(one.name == "memory" for one in named) else _HOLE


def _line(line: str) -> Iterator[tuple[str, int]]:
    if _OF_MEMORY in line:  # a memory's own line
        return
    parts = _LEADING.sub("", line).split(_HOLE)
    words = [plain(part).strip() for part in parts if part.strip(" -#*>")]
    letters = sum(
        3 if letter > "\u2e80" else 1 for part in words for letter in _LETTERS.findall(part)
    )
    if letters >= 6:
        yield _ANY.join(re.escape(part) for part in words), letters
