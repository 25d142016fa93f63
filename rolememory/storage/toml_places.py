"""Where each key of a TOML text stands, so that a complaint can point at it."""

import re
from collections.abc import Iterator

Place = tuple[int, int]
"""Line and column, both from 1."""

_TOKEN = re.compile(
    r'''(?P<string>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')'''
    r"""|\#[^\n]*|(?P<mark>[\[\]{}=,\n])|(?P<bare>[^\s\[\]{}=,.\#"']+)""",
    re.DOTALL,
)
_BEFORE_KEYS = {("", "\n"), ("{", "{"), ("{", ",")}  # inside what, behind what
_Path = tuple[str, ...]


def places(text: str) -> dict[str, Place]:
    r"""Dotted key -> where it stands, for a text that `tomllib` accepts; tables stand where their header is.

    >>> places('[recall]\nmax_items = 3 # three\ntags = ["a = 1"]\n[inject]\nper = {a.b = 1}')["inject.per.a.b"]
    (5, 8)
    """
    found: dict[str, Place] = {}
    for path, offset in _KeyScanner().keys(text):
        line = text.count("\n", 0, offset) + 1
        found.setdefault(".".join(path), (line, offset - (text.rfind("\n", 0, offset) + 1) + 1))
    return found


class _KeyScanner:
    """Reads keys and headers; of values only the brackets."""

    def __init__(self) -> None:
        self._table, self._path = _Path(), _Path()
        self._key, self._begin = list[str](), 0
        self._wanted = True  # whether a key comes now
        self._opened = list[tuple[str, _Path]]()  # brackets around a value, each with its key

    def keys(self, text: str) -> Iterator[tuple[_Path, int]]:
        """Every key with its whole path and its offset, in the order of the text."""
        for token in _TOKEN.finditer(text):
            kind, word = token.lastgroup, token.group()
            if self._wanted and kind in ("bare", "string"):
                self._begin = self._begin if self._key else token.start()
                self._key.append(word[1:-1] if kind == "string" else word)
            elif self._wanted and self._key and word in ("=", "]"):
                yield from ((path, self._begin) for path in self._ended(header=word == "]"))
            elif kind == "mark":
                self._mark(word)

    def _ended(self, *, header: bool) -> list[_Path]:
        """The paths that a key stands for: of a header one, else each of its parts has one."""
        self._wanted, key = False, tuple(self._key)
        if header:
            self._table = key
            return [key]
        base = self._opened[-1][1] if self._opened else self._table
        self._path = (*base, *key)
        return [self._path[:end] for end in range(len(base) + 1, len(self._path) + 1)]

    def _mark(self, word: str) -> None:
        if word == "[" and self._wanted:
            return  # of a header
        inside, path = self._opened[-1] if self._opened else ("", self._path)
        if word in "[{":
            self._opened.append((word, path if inside == "[" else self._path))
        elif word in "]}":
            self._opened = self._opened[:-1]
        self._key, inside = [], self._opened[-1][0] if self._opened else ""
        self._wanted = (inside, word) in _BEFORE_KEYS
