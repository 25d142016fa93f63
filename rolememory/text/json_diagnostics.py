"""Diagnoses invalid JSON: every distinct mistake, with its place and a suggested fix.

The fast parser stops at the first mistake; this one recovers, and knows typical slips: full-width punctuation of Chinese
and Japanese keyboards, comments, trailing commas, literals of Python and JavaScript.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from rolememory.errors import FileError
from rolememory.locales import LocalizedText
from rolememory.schema.json_types import JsonObject
from rolememory.schema.problem import Problem, quoted
from rolememory.text.json_walker import line_and_column, place_of_byte
from rolememory.text.late_pattern import late_pattern

MOST = 20  # problems reported at once

_TOKEN = late_pattern(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<wide_space>[\u3000\u00a0\ufeff\u200b]+)
    |(?P<text>"(?:[^"\\\n]++|\\.)*+")
    |(?P<open_text>"(?:[^"\\\n]++|\\.)*+)
    |(?P<wide_text>[“”「『＂][^“”「」『』＂\n"]*[“”」』＂])
    |(?P<single>'(?:[^'\\\n]++|\\.)*+')
    |(?P<comment>//[^\n]*|/\*.*?\*/|\#[^\n]*)
    |(?P<mark>[{}\[\],:])
    |(?P<wide_mark>[，：｛｝［］【】、；;])
    |(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-]))
    |(?P<word>[^\s{}\[\],:"'，：｛｝［］【】、；;“”「」『』＂/\#]+)
    |(?P<stray>.)""",
    re.VERBOSE | re.DOTALL,
)
_WIDE = {
    "，": (",", LocalizedText("comma")),
    "、": (",", LocalizedText("comma", msgctxt="enumeration")),
    "；": (",", LocalizedText("semicolon")),
    ";": (",", LocalizedText("semicolon")),
    "：": (":", LocalizedText("colon")),
    "｛": ("{", LocalizedText("brace")),
    "｝": ("}", LocalizedText("brace")),
    "［": ("[", LocalizedText("bracket")),
    "］": ("]", LocalizedText("bracket")),
    "【": ("[", LocalizedText("bracket")),
    "】": ("]", LocalizedText("bracket")),
}
_WORDS = {
    "True": "true",
    "False": "false",
    "None": "null",
    "undefined": "null",
    "TRUE": "true",
    "FALSE": "false",
    "NULL": "null",
    "nil": "null",
}
_NON_FINITE = frozenset({"NaN", "Infinity", "-Infinity", "nan", "inf", "-inf"})
_CLOSER = {"{": "}", "[": "]"}
_CLOSING = late_pattern(r'"(?=[ \t]*(?:[}\]]|,[ \t]*"|,?[ \t]*\r?$))', re.MULTILINE)
_MARKER = late_pattern(r"^(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n])", re.MULTILINE)
_BRACKET = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_INSIDE = late_pattern(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r'|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|\\(?P<bad>.?)|(?P<control>[\x00-\x1f])',
    re.DOTALL,
)
Slip = tuple[str, str, JsonObject]
"""Code of a problem ("" = none), the intended token ("" = none), values of the problem."""


def diagnose_json(data: bytes, error: json.JSONDecodeError, most: int = MOST) -> list[Problem]:
    """The first `most` mistakes in a text that a parser refused with `error`; at least one."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        return [not_utf8(data, wrong.start)]
    if b"\0" in data[:4]:  # every text of JSON begins with two signs of ASCII
        return [not_utf8(data, 0)]
    if "depth" in error.msg.lower() or "recursion" in error.msg.lower():
        return [too_deep(data, 100)]
    return (
        _merge_markers(text)
        or _JsonScanner(text, most).problems()
        or [Problem.of("not_json", line=error.lineno, column=error.colno, reason=error.msg)]
    )


def invalid_json(
    data: bytes, error: json.JSONDecodeError, file: Path | str, field: str = ""
) -> FileError:
    """The first mistake of a text that orjson refused with `error`, as an exception."""
    return diagnose_json(data, error, 1)[0].inside(field).at(str(file)).error()


def _merge_markers(text: str) -> list[Problem]:
    """Merge conflict markers of a version control system."""
    return [
        Problem.of(
            "merge_marker",
            line=line_and_column(text, found.start())[0],
            column=1,
            found=found.group(),
        )
        for found in islice(_MARKER.finditer(text), MOST)
    ]


def too_deep(data: bytes, limit: int) -> Problem:
    """The problem of a text nested deeper than `limit`, at the first bracket beyond it.

    >>> too_deep(b'{"a": [[1]]}', 2).column
    8
    """
    level = 0
    for found in _BRACKET.finditer(data):
        level += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found.group(), 0)
        if level > limit:
            return Problem.of("too_deep", "", *place_of_byte(data, found.start()), limit=limit)
    return Problem.of("too_deep", "", 1, 1, limit=limit)


def not_utf8(data: bytes, at: int) -> Problem:
    """The problem of the first byte that is not UTF-8, with the encoding it may be in."""
    return Problem.of("not_utf8", "", *place_of_byte(data, at), found=_encoding(data, at))


def _encoding(data: bytes, at: int) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data:
        return "UTF-16"
    try:
        data.decode("gb18030")
    except UnicodeDecodeError:
        return f"byte 0x{data[at]:02x}"
    return "GBK / GB18030?"


def _wide_mark(token: str) -> Slip:
    plain, name = _WIDE[token]
    return "fullwidth", plain, {"name": name, "found": token, "wanted": plain}


def _wide_space(token: str) -> Slip:
    found = {"name": LocalizedText("space"), "found": f"U+{ord(token[0]):04X}"}
    return "fullwidth", "", {**found, "wanted": "a plain space"}


def _word(token: str) -> Slip:
    found = {"found": quoted(token)[1:-1]}
    if token in _NON_FINITE:
        return "non_finite", token, found
    if token in _WORDS:
        return "python_word", token, {**found, "wanted": _WORDS[token]}
    if token[0] in "+-.0123456789":
        return "bad_number", token, found
    if token in ("true", "false", "null"):
        return "", token, {}
    return "unquoted", f'"{token}"', found


_SLIPS: Mapping[str, Callable[[str], Slip]] = {
    "wide_space": _wide_space,
    "open_text": lambda token: ("unclosed_text", "", {}),
    "wide_text": lambda token: (
        "fullwidth_quote",
        f'"{token[1:-1]}"',
        {"found": quoted(token)[1:-1]},
    ),
    "single": lambda token: ("single_quote", f'"{token[1:-1]}"', {}),
    "comment": lambda token: ("comment", "", {}),
    "wide_mark": _wide_mark,
    "word": _word,
    "stray": lambda token: ("stray", "", {"found": quoted(token)}),
}


@dataclass(slots=True)
class _Frame:
    """An open object or array and what is expected next: key, colon, value, comma; `first`: right after the opening."""

    opener: str
    at: int
    wants: str = ""
    first: bool = True
    name: str = ""
    comma_at: int = 0

    def __post_init__(self) -> None:
        self.go_on()

    def go_on(self) -> None:
        """Expect the next item."""
        self.wants = "key" if self.opener == "{" else "value"


class _JsonScanner:
    """Reads tokens, reports mistakes, and recovers."""

    def __init__(self, text: str, most: int) -> None:
        self._text, self._most = text, most
        self._found: list[Problem] = []
        self._stack: list[_Frame] = []
        self._done = False
        self._text_at = (-1, -1)  # of the last string
        self._after = 0  # problems before it are already reported

    def problems(self) -> list[Problem]:
        """The first problems, in text order."""
        for token in takewhile(self._wants_more, _TOKEN.finditer(self._text)):
            kind = str(token.lastgroup)
            if kind == "space" or token.start() < self._after or self._goes_on(kind, token):
                continue
            if not self._read(kind, token.group(), token.start()):
                return self._found[: self._most]
            self._text_at = token.span() if kind == "text" else (-1, -1)
        for frame in reversed(self._stack[-3:]):
            self._tell("unclosed", frame.at, found=frame.opener, wanted=_CLOSER[frame.opener])
        return self._found[: self._most]

    def _wants_more(self, _: re.Match[str]) -> bool:
        return len(self._found) < self._most

    def _tell(self, code: str, at: int, **values: Any) -> None:
        self._found.append(Problem.of(code, "", *line_and_column(self._text, at), **values))

    def _goes_on(self, kind: str, token: re.Match[str]) -> bool:
        """Whether a string continues after its end: unescaped quotes inside."""
        start, end = self._text_at
        if kind in ("mark", "wide_mark", "comment") or token.start() != end:
            return False
        closing = _CLOSING.search(self._text, token.start())
        if not self._stack or self._stack[-1].wants != "comma" or closing is None:
            return False
        inside = self._text[start + 1 : closing.start()]
        wanted = '"' + re.sub(r'(?<!\\)"', r"\"", inside[:90]) + '"'
        self._tell("inner_quotes", start, found=f'"{inside[:80]}"'[:80], wanted=wanted[:90])
        self._after = closing.start() + 1
        return True

    def _read(self, kind: str, token: str, at: int) -> bool:
        """Read a token as intended; false if parsing cannot usefully go on."""
        if kind in _SLIPS:
            code, token, values = _SLIPS[kind](token)
            if code:
                self._tell(code, at, **values)
        if kind == "text":
            self._look_inside(token, at)
        if token in _MARKS:
            _MARKS[token](self, token, at)
            return True
        go_on = self._value(token, at) if token else kind != "open_text"
        if token in _CLOSER:
            self._stack.append(_Frame(token, at))
        return go_on

    def _look_inside(self, token: str, at: int) -> None:
        for unit in _INSIDE.finditer(token):
            place, control = at + unit.start(), unit["control"]
            if unit["bad"] is not None:
                self._tell("bad_escape", place, found=unit["bad"])
            elif control is not None:
                self._tell("stray", place, found=f"control character U+{ord(control):04X}")
            elif unit["half"]:
                self._tell("half_character", place, found=unit["half"])

    def _value(self, word: str, at: int) -> bool:
        """Read a string, number, literal or opening bracket."""
        if not self._stack:
            if self._done:
                self._tell("trailing_text", at, found=quoted(word))
            before, self._done = self._done, True
            return not before
        frame = self._stack[-1]
        if frame.wants == "comma":
            self._tell("missing_comma", at, found=quoted(word)[:40])
            frame.go_on()
        elif frame.wants == "colon":
            self._tell("missing_colon", at, found=frame.name)
            frame.wants = "value"
        if frame.wants == "key":
            frame.name, frame.wants = quoted(word.strip('"')), "colon"
            if not word.startswith('"'):
                self._tell("unquoted", at, found=word)
        else:
            frame.wants = "comma"
        frame.first = False
        return True

    def _close(self, closer: str, at: int) -> None:
        if not self._stack:
            self._tell("stray_close", at, found=closer)
            return
        frame = self._stack.pop()
        opened, wanted = frame.opener, _CLOSER[frame.opener]
        if closer != wanted:
            line, _ = line_and_column(self._text, frame.at)
            self._tell(
                "mismatched", at, found=closer, opened=opened, opened_line=line, wanted=wanted
            )
        if frame.wants == "colon":
            self._tell("missing_colon", at, found=frame.name)
        elif frame.wants == "value" and opened == "{":
            self._tell("missing_value", at, found=closer)
        elif frame.wants != "comma" and not frame.first:
            self._tell("trailing_comma", frame.comma_at, found=closer)

    def _comma(self, mark: str, at: int) -> None:
        if not self._stack:
            self._tell("stray", at, found=mark)
            return
        frame = self._stack[-1]
        if frame.wants == "colon" or (frame.wants == "value" and frame.opener == "{"):
            self._tell("missing_value", at, found=mark)
        elif frame.wants != "comma":
            self._tell("extra_comma", at)
        frame.go_on()
        frame.comma_at = at

    def _colon(self, mark: str, at: int) -> None:
        if self._stack and self._stack[-1].wants == "colon":
            self._stack[-1].wants = "value"
        else:
            self._tell("stray", at, found=mark)


_MARKS: Mapping[str, Callable[[_JsonScanner, str, int], None]] = {
    **dict.fromkeys("}]", _JsonScanner._close),
    ",": _JsonScanner._comma,
    ":": _JsonScanner._colon,
}
