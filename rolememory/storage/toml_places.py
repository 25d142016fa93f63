"""Where each key of a TOML text stands, so that a complaint can point at it."""

import re
from collections.abc import Iterator

Place = tuple[int, int]
"""Line and column, both from 1."""

_TOKEN = re.compile(
    r'''(?P<string>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\n])*"|'[^'\n]*')'''
    r"""|(?P<comment>\#[^\n]*)|(?P<space>[ \t\r]+)|(?P<mark>\[\[|\]\]|[\[\]{}=,.\n])|(?P<bare>[^\s\[\]{}=,.\#"']+)""",
    re.DOTALL,
)
Token = tuple[str, str, int]
"""Kind, text, offset."""


def places(text: str) -> dict[str, Place]:
    r"""Dotted key -> where it stands, for a text that `tomllib` accepts; tables stand where their header is.

    >>> places('[recall]\nmax_items = 3 # three\ntags = ["a = 1"]\n[inject]\nper = {a.b = 1}')["inject.per.a.b"]
    (5, 8)
    """
    found: dict[str, Place] = {}
    for path, offset in _TomlScanner(text).found():
        line = text.count("\n", 0, offset) + 1
        found.setdefault(".".join(path), (line, offset - (text.rfind("\n", 0, offset) + 1) + 1))
    return found


class _TomlScanner:
    """Reads keys and headers; values are only skipped."""

    def __init__(self, text: str) -> None:
        self._tokens = [token for token in _tokens(text) if token[0] not in ("space", "comment")]
        self._end = ("end", "", len(text))
        self._at = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else self._end

    def found(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Every key with its whole path and its offset, in the order of the text."""
        table: tuple[str, ...] = ()
        while self._at < len(self._tokens):
            mark = self._next[1]
            if mark in ("[", "[["):
                self._at += 1
                table, offset = self._key()
                yield table, offset
                self._at += 1  # the closing bracket
            elif mark == "\n":
                self._at += 1
            else:
                yield from self._pair(table)

    def _pair(self, table: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
        key, offset = self._key()
        path = table + key
        for length in range(len(table) + 1, len(path) + 1):
            yield path[:length], offset
        self._at += 1  # the equals sign
        yield from self._value(path)

    def _key(self) -> tuple[tuple[str, ...], int]:
        parts, offset = [], self._next[2]
        while self._next[0] in ("bare", "string"):
            kind, text, _ = self._next
            parts.append(text[1:-1] if kind == "string" else text)
            self._at += 1
            self._at += self._next[1] == "."
        if not parts:
            self._at += 1  # not TOML after all: step on, never stand still
        return tuple(parts), offset

    def _value(self, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
        """Skip a value; the keys of an inline table are yielded."""
        depth = 0
        while self._at < len(self._tokens):
            mark = self._next[1]
            if depth == 0 and mark in ("\n", ",", "}"):
                return
            self._at += 1
            if mark == "{":
                yield from self._inline(path)
            depth += {"[": 1, "[[": 2, "]": -1, "]]": -2}.get(mark, 0)

    def _inline(self, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
        while self._next[1] not in ("}", ""):
            if self._next[1] in (",", "\n"):
                self._at += 1
            else:
                yield from self._pair(path)
        self._at += 1


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match:
            yield match.lastgroup or "", match.group(), at
        at = match.end() if match else at + 1
