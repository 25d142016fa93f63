"""Parsing of chat completions: one JSON object or a stream of events, in any charset."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from rolememory.upstream import ResponseHead, UpstreamCall

_CHARSET = re.compile(r"charset=[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_CHARSETS = frozenset(
    "gbk gb2312 gb18030 big5 shift_jis euc-jp euc-kr iso-8859-1 latin-1 windows-1252".split()
)


class EnvelopeError(ValueError):
    """The server's answer is not a chat completion."""


class _MessagePart(BaseModel):
    """A message, or a delta of one."""

    content: str | list[Any] | None = None

    @property
    def text(self) -> str:
        """The content; parts of a list joined."""
        if isinstance(self.content, list):
            return "".join(
                str(part.get("text", "")) if isinstance(part, dict) else str(part)
                for part in self.content
            )
        return self.content or ""


class _Choice(BaseModel):
    message: _MessagePart | None = None
    delta: _MessagePart | None = None
    text: str | None = None  # of legacy completions servers

    @property
    def said(self) -> str:
        """The text of the message, the delta or the legacy field."""
        piece = self.message or self.delta
        return piece.text if piece else self.text or ""


class _Completion(BaseModel):
    """The fields that are used."""

    choices: list[_Choice] = []
    usage: Any = None

    @property
    def tokens(self) -> int:
        """Tokens used, 0 if the server does not say."""
        told = self.usage.get("total_tokens") if isinstance(self.usage, dict) else 0
        return told if isinstance(told, int) and 0 < told < 10**9 else 0


class CompletionText(NamedTuple):
    """A whole answer."""

    text: str  # empty when the model said nothing
    tokens: int  # question and answer together, as the server counts; 0 = unknown


def completion_text(call: UpstreamCall, head: ResponseHead) -> CompletionText:
    """The whole answer.

    Raises:
        EnvelopeError: it is no chat completion.
        TimeoutError, CutError, ValueError, Exception: as `UpstreamCall` says.
    """
    pieces = list(_completions(call, head))
    said = "".join(one.choices[0].said for one in pieces if one.choices)
    return CompletionText(said, max((one.tokens for one in pieces), default=0))


def streamed(call: UpstreamCall, head: ResponseHead) -> Iterator[str]:
    """The text of the answer, in pieces if the server streams it."""
    return (one.choices[0].said for one in _completions(call, head) if one.choices)


def _completions(call: UpstreamCall, head: ResponseHead) -> Iterator[_Completion]:
    if "event-stream" in head.headers.get("content-type", "").lower():
        yield from _events(_lines(call.pieces(head)))
    else:
        body = b"".join(call.pieces(head))
        text = _decoded(body, head)
        yield from (
            _events(iter(text.splitlines()))
            if text.startswith("data:")
            else [_completion(text, whole=True)]
        )


def _events(lines: Iterable[str]) -> Iterator[_Completion]:
    for line in lines:
        if line.startswith("data:") and (value := line[5:].strip()) and value != "[DONE]":
            yield _completion(value, whole=False)


def _completion(text: str, *, whole: bool) -> _Completion:
    try:
        said = _Completion.model_validate(json.loads(text))
    except (ValueError, RecursionError, ValidationError):
        raise EnvelopeError from None
    if whole and not said.choices:
        raise EnvelopeError
    return said


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """Lines of a UTF-8 stream; the last one may be unterminated."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    for piece in pieces:
        *whole, rest = re.split(r"\r\n|\n|\r", rest + decoder.decode(piece))
        yield from whole
    yield rest


def _decoded(body: bytes, head: ResponseHead) -> str:
    """The text: UTF-8 if valid, else UTF-16 or UTF-32 by its zero bytes, else the declared charset."""
    declared = _CHARSET.search(head.headers.get("content-type", ""))
    named = declared[1].lower() if declared else ""
    detected = json.detect_encoding(body)
    for guess in (
        detected if not detected.startswith("utf-8") else "utf-8-sig",
        *([named] if named in _CHARSETS else []),
    ):
        try:
            return body.decode(guess).strip()
        except UnicodeError:
            continue
    raise EnvelopeError
