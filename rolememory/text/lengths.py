"""Text lengths: exact in characters; in tokens by an estimate, a tokenizer file or any counter."""

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import accumulate, takewhile
from math import ceil
from pathlib import Path
from typing import Any, Literal

from rolememory.errors import FileError, InvalidValueError
from rolememory.schema.settings import LengthSettings
from rolememory.schema.value_class import value_class

Unit = Literal["characters", "tokens"]
LengthCounter = Callable[[str], int]
"""The length of a text; 0 for the empty text."""

_TOKENS = {"c": 0.8, "l": 1 / 4, "d": 1 / 2.5, "o": 1 / 2, "e": 2.0}
"""Tokens per character: CJK, Latin and blanks, digits, other, emoji. Current chat models use 0.6 to 1.1 for CJK; English is
overestimated by about 30 %, which is safe."""

_CJK = (
    (0x2E80, 0xA4D0),
    (0xAC00, 0xD7A4),
    (0xF900, 0xFB00),
    (0xFE30, 0xFE50),
    (0xFF00, 0xFFF0),
    (0x20000, 0x34000),
)
_CACHED_LENGTH = 65_536


@value_class
class TokenEstimate:
    """Estimates tokens by script, conservatively; cached for recent texts.

    >>> TokenEstimate(safety=1.0)("灯塔灭了。"), TokenEstimate(safety=1.1)("The beacon went dark.")
    (4, 7)
    """

    safety: float = 1.1

    def __call__(self, text: str) -> int:
        """The estimate times the safety factor, rounded up."""
        estimate = _estimate if len(text) <= _CACHED_LENGTH else _estimate.__wrapped__
        return ceil(round(self.safety * estimate(text), 6))


@value_class
class TokenizerFile:
    """Counts by a `tokenizer.json` (Hugging Face format), with the package `tokenizers`, loaded on first use.

    Raises (on first use):
        FileError: the file is missing or not a tokenizer.
        InvalidValueError: the package is not installed.
    """

    path: Path

    def __call__(self, text: str) -> int:
        """The number of tokens, without special tokens around the text."""
        return len(_tokenizer(self.path).encode(text, add_special_tokens=False).ids)


def counter_for(unit: Unit, settings: LengthSettings) -> LengthCounter:
    """The counter of the settings.

    >>> counter_for("characters", LengthSettings())("灯塔")
    2
    """
    if unit == "characters":
        return len
    if settings.counter == "estimate":
        return TokenEstimate(settings.safety)
    return TokenizerFile(Path(settings.counter).expanduser())


def fitting(lengths: Iterable[int], most: int) -> int:
    """How many of the first lengths sum up to at most `most`.

    >>> fitting([5, 3, 4], 8), fitting([9, 1], 8)
    (2, 0)
    """
    return sum(1 for _ in takewhile(lambda total: total <= most, accumulate(lengths)))


class _Kinds(dict[int, str]):
    """Code point -> kind of character, computed on first use."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(code)
        return kind


def _kind(code: int) -> str:
    if any(first <= code < end for first, end in _CJK):
        return "c"
    char = chr(code)
    if char.isdecimal():
        return "d"
    if char.isspace() or (char.isalpha() and code < 0x0250):
        return "l"
    return "e" if code >= 0x1F000 else "o"


_KINDS = _Kinds()


@lru_cache(maxsize=1024)
def _estimate(text: str) -> float:
    kinds = text.translate(_KINDS)
    return sum(kinds.count(kind) * tokens for kind, tokens in _TOKENS.items())


@cache
def _tokenizer(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise InvalidValueError(
            'lengths.counter: {path} cannot be used without the package tokenizers; install it, or set lengths.counter = "estimate"',
            path=path,
        ) from error
    if not path.is_file():
        raise FileError(
            path,
            "no such file",
            field="lengths.counter",
            remedy='give the path of a tokenizer.json, or "estimate"',
        )
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises plain Exception
        raise FileError(
            path,
            "not a tokenizer: {error}",
            remedy='give the path of a tokenizer.json, or "estimate"',
            error=error,
        ) from error
