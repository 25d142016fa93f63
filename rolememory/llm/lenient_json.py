"""Lenient JSON parser: other quotes, bare names, comments, Chinese punctuation, truncated ends.

A truncated value is dropped, complete values before it are kept: half a sentence is no fact.
"""

import re
from dataclasses import dataclass
from typing import Any

NOTHING = object()
"""Returned where no value can be parsed."""

_DEEPEST = 24
_SPACE = re.compile(r"(?:\s|//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z))+", re.DOTALL)
_BETWEEN = re.compile(r"[,，;；、]")
_COLON = re.compile(r"\s*(?::|：|=>|=)\s*")
_QUOTES = {
    '"': '"”“',
    "'": "'’‘",
    "“": '”"“',
    "”": '”"',
    "‘": "’'‘",
    "「": "」",
    "『": "』",
    "`": "`",
}
_ENDS = re.compile(r"\s*(?:[,，;；:：}\]｝］]|//|#|\Z|\n)")
_BARE = re.compile(r"[^,，:：={}\[\]｛｝［］\n]*")
_CLOSES = {"{": "}｝", "｛": "}｝", "[": "]］", "［": "]］"}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": ""}
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")


class _CutError(ValueError):
    """The text ends within a value, or contains none."""


def parse_leniently(text: str, start: int) -> tuple[Any, int]:
    """The object or list that opens at `start`, and its end; `NOTHING` if it is empty. Cost: O(length).

    >>> parse_leniently("{'a': “x”, b： [1, None,], /* no */ c: 'half", 0)[0]
    {'a': 'x', 'b': [1, None]}
    """
    reader = _LenientJsonParser(text, start)
    try:
        value = reader.bracketed(0)
    except _CutError:
        return NOTHING, start
    return (value, reader.place) if value else (NOTHING, start)


@dataclass
class _LenientJsonParser:
    text: str
    place: int

    def bracketed(self, depth: int) -> Any:
        """A list or an object; an unclosed one ends with the text."""
        if depth > _DEEPEST:
            raise _CutError
        opened = self.text[self.place]
        self.place += 1
        is_list = opened in "[［"
        closes = _CLOSES[opened]
        rows: list[Any] = []
        fields: dict[str, Any] = {}
        while self._more(closes):
            try:
                if is_list:
                    rows.append(self._value(depth))
                else:
                    name = self._name()
                    fields[name] = self._value(depth)
            except _CutError:
                if self.place < len(self.text):
                    raise
        found = rows if is_list else fields
        if not found and self.place >= len(self.text):
            raise _CutError
        return found

    def _more(self, closes: str) -> bool:
        """Whether another value follows before the bracket closes."""
        while True:
            self._skip(_SPACE)
            if not self._skip(_BETWEEN):
                break
        if self.place >= len(self.text):
            return False
        if self.text[self.place] in "}]｝］":  # a bracket of the wrong kind also closes this
            self.place += self.text[self.place] in closes
            return False
        return True

    def _name(self) -> str:
        name = self._quoted() if self.text[self.place] in _QUOTES else self._bare()
        if not self._skip(_COLON):
            raise _CutError
        return str(name)

    def _value(self, depth: int) -> Any:
        self._skip(_SPACE)
        mark = self.text[self.place : self.place + 1]
        if mark in _CLOSES and mark:
            return self.bracketed(depth + 1)
        if mark in _QUOTES and mark:
            return self._quoted()
        word = self._bare()
        if self.place >= len(self.text):
            raise _CutError  # a word that may be truncated
        if word.casefold() in _WORDS:
            return _WORDS[word.casefold()]
        if _NUMBER.fullmatch(word):
            return float(word) if "." in word else int(word)
        return word

    def _bare(self) -> str:
        found = _BARE.match(self.text, self.place)
        end = found.end() if found else self.place
        word = re.split(r"\s(?://|#)", self.text[self.place : end])[0].strip()
        if not word:
            raise _CutError
        self.place = end
        return word

    def _quoted(self) -> str:
        """A string; only a quotation mark followed by a delimiter closes it."""
        closes = _QUOTES[self.text[self.place]]
        out: list[str] = []
        place = self.place + 1
        while place < len(self.text):
            mark = self.text[place]
            if mark == "\\" and place + 1 < len(self.text):
                out.append(_ESCAPED.get(self.text[place + 1], self.text[place + 1]))
                place += 2
            elif mark in closes and _ENDS.match(self.text, place + 1):
                self.place = place + 1
                return "".join(out)
            else:
                out.append(mark)
                place += 1
        self.place = place
        raise _CutError

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self.text, self.place)
        if found:
            self.place = found.end()
        return bool(found)
