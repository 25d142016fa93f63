"""Positions of the parts of a JSON text: for messages with line and column, and to read or write one part alone."""

import json
import re
from collections.abc import Collection

DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


def skip_space(text: str, at: int) -> int:
    """The place of the next character that is no white space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def line_and_column(text: str, at: int) -> tuple[int, int]:
    """Of the character in this place, both from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def place_of_byte(data: bytes, at: int) -> tuple[int, int]:
    """Line and column, in characters, of a byte of a text."""
    before = data[:at].decode("utf-8", "replace").removeprefix("\ufeff")
    return line_and_column(before, len(before))


class JsonWalker:
    """Finds fields in a valid JSON text; other values are skipped by the C parser."""

    def __init__(self, text: str, wanted: Collection[str] = (), *, doubles: bool) -> None:
        self._text = text
        self._prefixes = {
            "",
            *(path[: cut.start()] for path in wanted for cut in re.finditer(r"\.|\[|$", path)),
        }
        self._everything = doubles
        self.offsets: dict[str, int] = {}
        self.doubles: list[tuple[str, str, int]] = []  # path, name and place
        self._value(skip_space(text, 0), "")

    def place(self, path: str) -> tuple[int, int] | tuple[None, None]:
        """Line and column of the field, or of the nearest enclosing value."""
        while path and path not in self.offsets:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        offset = self.offsets.get(path)
        return (None, None) if offset is None else line_and_column(self._text, offset)

    def _value(self, at: int, path: str) -> int:
        """Skip the value at `at`; its end."""
        self.offsets.setdefault(path, at)
        opener = self._text[at]
        if opener not in "{[" or not (self._everything or path in self._prefixes):
            return DECODER.raw_decode(self._text, at)[1]
        at = skip_space(self._text, at + 1)
        index, names = 0, set[str]()
        while self._text[at] not in "}]":
            inner = f"{path}[{index}]"
            if opener == "{":
                at, inner = self._name(at, path, names)
            at = skip_space(self._text, self._value(at, inner))
            if self._text[at] == ",":
                at = skip_space(self._text, at + 1)
            index += 1
        return at + 1

    def _name(self, at: int, path: str, names: set[str]) -> tuple[int, str]:
        name, end = DECODER.raw_decode(self._text, at)
        inner = f"{path}.{name}" if path else name
        if name in names:
            self.offsets[inner] = at
            self.doubles.append((inner, name, at))
        names.add(name)
        self.offsets.setdefault(inner, at)
        return skip_space(self._text, skip_space(self._text, end) + 1), inner
