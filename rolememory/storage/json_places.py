"""Line and column of fields in a JSON text, for messages."""

import json
import re
from collections.abc import Iterable

from rolememory.storage.problem import Problem

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def located(data: bytes, problems: Iterable[Problem], file: str) -> list[Problem]:
    """The problems with file, line and column of their field; a duplicate name gives one per occurrence."""
    wanted = list(problems)
    doubles = any(problem.code == "duplicate_key" for problem in wanted)
    walk = _JsonWalker(data.decode("utf-8-sig"), {problem.field for problem in wanted}, doubles)
    found = [problem for problem in wanted if problem.code != "duplicate_key"]
    found += [
        Problem.of("duplicate_key", field=field, found=json.dumps(name, ensure_ascii=False))
        for field, name in walk.doubles
    ]
    return [problem.at(file, *walk.place(problem.field)) for problem in found]


def entries_in(data: bytes, arrays: Iterable[str]) -> list[tuple[str, int]]:
    """Array name and byte offset of each entry of these arrays of a JSON object, in order.

    >>> entries_in('{"语": 1, "a": [{"语": 2}, 3]}'.encode(), ["a", "b"])
    [('a', 17), ('a', 29)]
    """
    walk = _JsonWalker(data.decode("latin-1"), {f"{name}[]" for name in arrays}, doubles=False)
    return [(path.partition("[")[0], at) for path, at in walk.offsets.items() if path[-1:] == "]"]


class _JsonWalker:
    """Finds fields in a JSON text; other values are skipped by the C parser."""

    def __init__(self, text: str, wanted: set[str], doubles: bool) -> None:
        self._text = text
        self._prefixes = {
            "",
            *(path[: cut.start()] for path in wanted for cut in re.finditer(r"\.|\[|$", path)),
        }
        self._everything = doubles
        self.offsets: dict[str, int] = {}
        self.doubles: list[tuple[str, str]] = []
        self._value(self._skip(0), "")

    def place(self, path: str) -> tuple[int | None, int | None]:
        """Line and column of the field, or of the nearest enclosing value."""
        while path and path not in self.offsets:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        offset = self.offsets.get(path)
        if offset is None:
            return None, None
        return self._text.count("\n", 0, offset) + 1, offset - self._text.rfind("\n", 0, offset)

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at

    def _value(self, at: int, path: str) -> int:
        """Skip the value at `at`; its end."""
        self.offsets.setdefault(path, at)
        opener = self._text[at]
        if opener not in "{[" or not (self._everything or path in self._prefixes):
            return _DECODER.raw_decode(self._text, at)[1]
        at = self._skip(at + 1)
        index, names = 0, set[str]()
        while self._text[at] not in "}]":
            inner = f"{path}[{index}]"
            if opener == "{":
                at, inner = self._name(at, path, names)
            at = self._skip(self._value(at, inner))
            if self._text[at] == ",":
                at = self._skip(at + 1)
            index += 1
        return at + 1

    def _name(self, at: int, path: str, names: set[str]) -> tuple[int, str]:
        name, end = _DECODER.raw_decode(self._text, at)
        inner = f"{path}.{name}" if path else name
        if name in names:
            self.offsets[inner] = at
            self.doubles.append((inner, name))
        names.add(name)
        self.offsets.setdefault(inner, at)
        return self._skip(self._skip(end) + 1), inner
