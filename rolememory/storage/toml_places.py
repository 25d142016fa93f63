"""Line and column of each key in a TOML text, for error messages."""

import re

from rolememory.text.json_walker import line_and_column
from rolememory.text.late_pattern import late_pattern

Place = tuple[int, int]
"""Line and column, both from 1."""

_STRING = r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'"
_KEY = rf"(?:[\w-]+|{_STRING})(?:[ \t]*\.[ \t]*(?:[\w-]+|{_STRING}))*"
_TOKEN = late_pattern(
    rf"^[ \t]*\[+[ \t]*(?P<table>{_KEY})[ \t]*\]"
    rf"|(?:^|(?P<inside>[{{,]))[ \t]*(?P<key>{_KEY})[ \t]*="
    rf'|"""(?:\\.|[^\\])*?"{{3,5}}|\'\'\'.*?\'{{3,5}}|{_STRING}|\#[^\n]*',
    re.DOTALL | re.MULTILINE,
)
_PART = late_pattern(rf"{_STRING}|[^\s.]+")


def places(text: str) -> dict[str, Place]:
    r"""Dotted key -> place, for a text that `tomllib` accepts; the place of a table is its header.

    Of tables inside a value only the outermost is scanned.

    >>> places('[recall]\nmax_items = 3 # three\ntags = ["a = 1"]\n[inject]\nper = {a.b = 1}')["inject.per.a.b"]
    (5, 8)
    """
    found: dict[str, Place] = {}
    table, outer = tuple[str, ...](), tuple[str, ...]()
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind is None:
            continue
        base = () if kind == "table" else outer if token["inside"] else table
        path = (*base, *(part.strip("\"'") for part in _PART.findall(token[kind])))
        if kind == "table":
            table = path
        elif not token["inside"]:
            outer = path
        place = line_and_column(text, token.start(kind))
        for end in range(len(base) + 1, len(path) + 1):
            found.setdefault(".".join(path[:end]), place)
    return found
