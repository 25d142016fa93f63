"""The error for a text that is not TOML: its place, and a hint on full-width punctuation."""

import tomllib
from pathlib import Path
from typing import TypeVar

from rolememory.errors import FileError
from rolememory.locales import LocalizedText, translatable
from rolememory.text.late_pattern import late_pattern

_PLACE = late_pattern(r" ?\(at (?:line (\d+), column (\d+)|end of document)\)")
_FULL_WIDTH = dict(zip("“”‘’＝，［］【】", "\"\"''=,[][]", strict=True))
_STRING = late_pattern(r""""[^"]*"|'[^']*'""")
_REASONS = translatable(
    (
        "cannot overwrite a value",
        "expected '=' after a key in a key/value pair",
        "expected ']' at the end of a table declaration",
        "expected ']]' at the end of an array declaration",
        "expected newline or end of document after a statement",
        "invalid initial character for a key part",
        "invalid statement",
        "invalid value",
        "unclosed array",
        "unclosed inline table",
        "unterminated string",
    )
)
"""What the parser says, its first letter in lower case."""
_NAMED = translatable(
    {
        "cannot declare": "cannot declare {name} twice",
        "illegal character": "illegal character {name}",
    }
)
_Error = TypeVar("_Error", bound=FileError)


def invalid_toml(
    text: str, error: tomllib.TOMLDecodeError, file: Path | str, remedy: str, kind: type[_Error]
) -> _Error:
    """The error of that kind; `remedy` is told if the line has no full-width punctuation."""
    place = _PLACE.search(str(error))
    lines = text.split("\n")
    line = int(place[1]) if place and place[1] else len(lines)
    column = int(place[2]) if place and place[2] else len(lines[-1]) + 1
    slip = next((one for one in _STRING.sub("", lines[line - 1]) if one in _FULL_WIDTH), None)
    return kind(
        file,
        LocalizedText("not TOML: {reason}", reason=_reason(_PLACE.sub("", str(error)))),
        remedy="write {wanted} in place of the full-width {found}" if slip else remedy,
        line=line,
        column=column,
        found=slip,
        wanted=_FULL_WIDTH.get(slip or ""),
    )


def _reason(said: str) -> LocalizedText:
    told = said[:1].lower() + said[1:]
    for head, template in _NAMED.items():
        if told.startswith(head):
            name = told.removeprefix(head).removesuffix(" twice").strip()
            return LocalizedText(template, name=name)
    return LocalizedText(told)
