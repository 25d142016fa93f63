"""Why a text is not JSON: every mistake that can be told apart, with its place and what to write instead.

The fast parser stops at the first mistake and names it in its own words; this one goes on, and knows what people
type: full-width punctuation of Chinese and Japanese keyboards, comments, trailing commas, Python's and JavaScript's words.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from rolememory.locales import LocalizedText
from rolememory.storage.problem import Problem, quoted

MOST = 20  # problems reported at once

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<wide_space>[\u3000\u00a0\ufeff\u200b]+)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<open_text>"(?:[^"\\\n]|\\.)*)
    |(?P<wide_text>[“”「『＂][^“”「」『』＂\n"]*[“”」』＂])
    |(?P<single>'(?:[^'\\\n]|\\.)*')
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
_CLOSING = re.compile(r'"(?=[ \t]*(?:[}\]]|,[ \t]*"|,?[ \t]*\r?$))', re.MULTILINE)
_MARKER = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n])", re.MULTILINE)
_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_INSIDE = re.compile(
    r'\\u(?P<unit>[0-9a-fA-F]{4})|\\(?P<good>["\\/bfnrt])|\\(?P<bad>.?)|(?P<control>[\x00-\x1f])',
    re.DOTALL,
)


def diagnose_json(data: bytes, error: json.JSONDecodeError) -> list[Problem]:
    """The mistakes in a text that orjson refused with `error`; at least one."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        return [_not_utf8(data, wrong)]
    if "depth" in error.msg.lower() or "recursion" in error.msg.lower():
        return [too_deep(data, 100)]
    return (
        _merge_markers(text)
        or _JsonScanner(text).problems()
        or [
            Problem.of(
                "not_json", line=error.lineno, column=error.colno, blocks=True, reason=error.msg
            )
        ]
    )


def _merge_markers(text: str) -> list[Problem]:
    """The lines that a version control system leaves where two versions were not brought together."""
    return [
        Problem.of(
            "merge_marker",
            line=text.count("\n", 0, found.start()) + 1,
            column=1,
            blocks=True,
            found=found.group(),
        )
        for found in islice(_MARKER.finditer(text), MOST)
    ]


def too_deep(data: bytes, limit: int) -> Problem:
    """The problem of a text with more than `limit` levels, at the bracket that is one too many.

    >>> too_deep(b'{"a": [[1]]}', 2).column
    8
    """
    level = 0
    for found in _BRACKET.finditer(data):
        level += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found.group(), 0)
        if level > limit:
            line, column = _place(data, found.start())
            return Problem.of("too_deep", line=line, column=column, blocks=True, limit=limit)
    return Problem.of("too_deep", line=1, column=1, blocks=True, limit=limit)


def _place(data: bytes, at: int) -> tuple[int, int]:
    """Line and column, in characters, of an offset in bytes."""
    start = data.rfind(b"\n", 0, at) + 1
    return data.count(b"\n", 0, at) + 1, len(
        data[start:at].decode("utf-8", "replace").removeprefix("\ufeff")
    ) + 1


def _not_utf8(data: bytes, error: UnicodeDecodeError) -> Problem:
    line, column = _place(data, error.start)
    return Problem.of(
        "not_utf8", line=line, column=column, blocks=True, found=_encoding(data, error.start)
    )


def _encoding(data: bytes, at: int) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "UTF-16"
    try:
        data.decode("gb18030")
    except UnicodeDecodeError:
        return f"byte 0x{data[at]:02x}"
    return "GBK / GB18030?"


@dataclass(slots=True)
class _Frame:
    """An open object or array and what may come next: key, colon, value, comma; `first` right after the opening."""

    opener: str
    at: int
    wants: str
    first: bool = True
    name: str = ""
    comma_at: int = 0


class _JsonScanner:
    """Reads tokens, reports mistakes, and goes on as if they were correct."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self._found: list[Problem] = []
        self._stack: list[_Frame] = []
        self._done = False
        self._text_at = (-1, -1)  # of the text that was read last
        self._after = 0  # what stands before was told already

    def problems(self) -> list[Problem]:
        """What is wrong, in the order of the text, at most MOST."""
        read: dict[str, Callable[[str, int], bool]] = {
            "wide_space": self._wide_space,
            "text": self._string,
            "open_text": self._open_text,
            "wide_text": self._wide_text,
            "single": self._single,
            "comment": self._comment,
            "mark": self._mark,
            "wide_mark": self._wide_mark,
            "number": self._value,
            "word": self._word,
            "stray": self._stray,
        }
        for token in _TOKEN.finditer(self._text):
            kind = str(token.lastgroup)
            if kind == "space" or token.start() < self._after or self._goes_on(kind, token):
                continue
            if not read[kind](token.group(), token.start()) or len(self._found) >= MOST:
                return self._found[:MOST]
            self._text_at = token.span() if kind == "text" else (-1, -1)
        for frame in reversed(self._stack[-3:]):
            self._tell("unclosed", frame.at, found=frame.opener, wanted=_CLOSER[frame.opener])
        return self._found[:MOST]

    def _tell(self, code: str, at: int, **values: Any) -> None:
        line = bisect_right(self._lines, at)
        column = at - self._lines[line - 1] + 1
        self._found.append(Problem.of(code, line=line, column=column, blocks=True, **values))

    def _goes_on(self, kind: str, token: re.Match[str]) -> bool:
        """Whether a value that seemed to end goes on: its author put quotes inside."""
        start, end = self._text_at
        if kind in ("mark", "wide_mark", "comment") or token.start() != end:
            return False
        closing = _CLOSING.search(self._text, token.start())
        if not self._stack or self._stack[-1].wants != "comma" or closing is None:
            return False
        inside = self._text[start + 1 : closing.start()]
        wanted = '"' + re.sub(r'(?<!\\)"', r"\"", inside) + '"'
        self._tell("inner_quotes", start, found=f'"{inside}"'[:80], wanted=wanted[:90])
        self._after = closing.start() + 1
        return True

    def _wide_space(self, token: str, at: int) -> bool:
        if at > 0:
            self._tell(
                "fullwidth",
                at,
                name=LocalizedText("space"),
                found=f"U+{ord(token[0]):04X}",
                wanted="a plain space",
            )
        return True

    def _string(self, token: str, at: int) -> bool:
        units = list(_INSIDE.finditer(token))
        for place, unit in enumerate(units):
            if unit["bad"] is not None:
                self._tell("bad_escape", at + unit.start(), found=unit["bad"])
            elif unit["control"] is not None:
                self._tell(
                    "stray",
                    at + unit.start(),
                    found=f"control character U+{ord(unit['control']):04X}",
                )
            elif unit["unit"] is not None and self._half(units, place):
                self._tell("half_character", at + unit.start(), found=unit.group())
        return self._value(token, at)

    @staticmethod
    def _half(units: list[re.Match[str]], place: int) -> bool:
        r"""Whether a \uD8xx or \uDCxx stands without its other half."""

        def code(index: int, after: int) -> int:
            whole = (
                0 <= index < len(units)
                and units[index]["unit"] is not None
                and units[index].start() == after
            )
            return int(units[index]["unit"], 16) if whole else 0

        here = units[place]
        number = int(here["unit"], 16)
        if 0xD800 <= number < 0xDC00:
            return not 0xDC00 <= code(place + 1, here.end()) < 0xE000
        return (
            0xDC00 <= number < 0xE000 and not 0xD800 <= code(place - 1, here.start() - 6) < 0xDC00
        )

    def _open_text(self, token: str, at: int) -> bool:
        self._tell("unclosed_text", at)
        return False  # what follows may be inside the text or outside: guessing would only confuse

    def _wide_text(self, token: str, at: int) -> bool:
        self._tell("fullwidth_quote", at, found=quoted(token)[1:-1])
        return self._value('"' + token[1:-1] + '"', at)

    def _single(self, token: str, at: int) -> bool:
        self._tell("single_quote", at)
        return self._value('"' + token[1:-1] + '"', at)

    def _comment(self, token: str, at: int) -> bool:
        self._tell("comment", at)
        return True

    def _wide_mark(self, token: str, at: int) -> bool:
        plain, name = _WIDE[token]
        self._tell("fullwidth", at, name=name, found=token, wanted=plain)
        return self._mark(plain, at)

    def _word(self, token: str, at: int) -> bool:
        if token in _NON_FINITE:
            self._tell("non_finite", at, found=token)
        elif token in _WORDS:
            self._tell("python_word", at, found=token, wanted=_WORDS[token])
        elif token[0] in "+-.0123456789":
            self._tell("bad_number", at, found=quoted(token)[1:-1])
        elif token not in ("true", "false", "null"):
            self._tell("unquoted", at, found=quoted(token)[1:-1])
            token = f'"{token}"'
        return self._value(token, at)

    def _stray(self, token: str, at: int) -> bool:
        self._tell("stray", at, found=quoted(token))
        return True

    def _mark(self, mark: str, at: int) -> bool:
        if mark in "{[":
            go_on = self._value(mark, at)
            self._stack.append(_Frame(mark, at, "key" if mark == "{" else "value"))
            return go_on
        if mark in "}]":
            return self._close(mark, at)
        return self._comma(at) if mark == "," else self._colon(at)

    def _value(self, word: str, at: int) -> bool:
        """A text, number, word or opening bracket."""
        if not self._stack:
            if self._done:
                self._tell("trailing_text", at, found=quoted(word))
                return False
            self._done = True
            return True
        frame = self._stack[-1]
        if frame.wants == "comma":
            self._tell("missing_comma", at, found=quoted(word)[:40])
            frame.wants = "key" if frame.opener == "{" else "value"
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

    def _close(self, closer: str, at: int) -> bool:
        if not self._stack:
            self._tell("stray_close", at, found=closer)
            return True
        frame = self._stack.pop()
        if closer != _CLOSER[frame.opener]:
            line = bisect_right(self._lines, frame.at)
            self._tell(
                "mismatched",
                at,
                found=closer,
                opened=frame.opener,
                opened_line=line,
                wanted=_CLOSER[frame.opener],
            )
        if frame.wants == "colon":
            self._tell("missing_colon", at, found=frame.name)
        elif frame.wants == "value" and frame.opener == "{":
            self._tell("missing_value", at, found=closer)
        elif frame.wants in ("key", "value") and not frame.first:
            self._tell("trailing_comma", frame.comma_at, found=closer)
        return True

    def _comma(self, at: int) -> bool:
        if not self._stack:
            self._tell("stray", at, found=",")
            return True
        frame = self._stack[-1]
        if frame.wants == "comma":
            frame.wants = "key" if frame.opener == "{" else "value"
        elif frame.opener == "{" and frame.wants in ("colon", "value"):
            self._tell("missing_value", at, found=",")
            frame.wants = "key"
        else:
            self._tell("extra_comma", at)
        frame.comma_at = at
        return True

    def _colon(self, at: int) -> bool:
        if self._stack and self._stack[-1].wants == "colon":
            self._stack[-1].wants = "value"
        else:
            self._tell("stray", at, found=":")
        return True
