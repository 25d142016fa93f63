"""Node.js as the judge of JavaScript patterns; tests that need it skip where it is absent."""

import json
import shutil
import subprocess
from collections.abc import Sequence

import pytest

from rolememory.jsregex.escapes import in_units, paired

Row = tuple[str, str, str]  # body, flags, text
_SCRIPT = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(rows.map(([body, flags, text]) => {
  let pattern;
  try { pattern = new RegExp(body, flags); } catch (error) { return error.message; }
  const found = pattern.exec(text);
  return found ? [found.index, found.index + found[0].length] : null;
})));
"""


def verdicts(rows: Sequence[Row]) -> list[tuple[int, int] | str | None]:
    """For each row the span in characters, None for no match, or the message of a SyntaxError; asked in one process."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed here")
    told = subprocess.run(
        [node, "-e", _SCRIPT],
        input=json.dumps(list(rows)),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return [
        _in_characters(place, text) if isinstance(place, list) else place
        for place, (_, _, text) in zip(json.loads(told.stdout), rows, strict=True)
    ]


def _in_characters(place: list[int], text: str) -> tuple[int, int]:
    """UTF-16 offsets as character offsets; half a character counts as the whole one."""
    units = in_units(text)
    start, end = place
    first = len(paired(units[:start])) - _cuts(units, start)
    return first, first if start == end else len(paired(units[:end]))


def _cuts(units: str, offset: int) -> bool:
    inside = 0 < offset < len(units)
    return (
        inside
        and "\ud800" <= units[offset - 1] <= "\udbff"
        and "\udc00" <= units[offset] <= "\udfff"
    )
