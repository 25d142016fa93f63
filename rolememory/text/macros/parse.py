"""Parser of macros: `{{name::argument}}`, nested, pairs like `{{if x}}...{{/if}}`, variables like `{{.x += 1}}`.

Incomplete macros are text. Source: the macro engine of SillyTavern 1.19, by its answers (tests/text/macro_rows.json).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from rolememory.schema.value_class import value_class
from rolememory.text.boundaries import BLANKS, JS_SPACE
from rolememory.text.late_pattern import late_pattern

DEEPEST = 50  # maximum nesting; deeper macros are text
MOST = 2_000  # macros per text; the rest is text

FLAGS = "!?~#/>"
_SPACE = late_pattern(f"[{re.escape(BLANKS)}]*")
_NAME = late_pattern(r"//|[a-zA-Z][\w-]*", re.ASCII)
_NAME_END = late_pattern(rf"\}}\}}|[{re.escape(BLANKS)}:|}}]")
_VARIABLE = late_pattern(r"[a-zA-Z](?:[\w-]*\w)?", re.ASCII)
_OPERATOR = late_pattern(r"\+\+|--|\?\?=|\?\?|\|\|=|\|\||-=|==|!=|>=|>|<=|<|\+=|=")
_STRAY = late_pattern(rf"[a-zA-Z][\w-]*[{re.escape(BLANKS)}]*(?=\}}\}})", re.ASCII)
_STOP = late_pattern(r"\{\{|\}\}|::")

Place = tuple[int, int]
"""Start and end in characters of the text."""


@value_class
class MacroCall:
    """One macro."""

    start: int
    end: int
    name: str  # as written; "" for a variable
    flags: str = ""
    arguments: tuple[Place, ...] = ()  # stripped
    variable: str = ""
    sign: str = ""  # of a variable: `.x` of the chat, `$x` global
    operator: str = ""
    closes: bool = False  # {{/name}}
    loose: bool = False  # after the start of an unclosed macro


@value_class
class Scoped:
    """A macro with the place of its content up to its closing macro, and the end of that; None = without one."""

    call: MacroCall
    content: Place | None = None
    end: int = 0
    raw: bool = False  # stays as written


Takes = Callable[[MacroCall], bool]
"""Whether a macro may have content and a closing macro."""


class UnclosedError(Exception):
    """The text ends inside a macro."""


class _MacroParser:
    def __init__(self, text: str) -> None:
        self.text = text
        self._read: dict[int, MacroCall | None] = {}  # by where it starts
        self._unclosed: set[int] = set()

    def calls(self) -> Iterator[MacroCall]:
        at, loose = self.text.find("{{"), False
        while at >= 0:
            while self.text.startswith("{{{", at):
                at += 1
            try:
                call = self.call(at, 0)
            except UnclosedError:
                call, loose = None, True
            if call:
                yield replace(call, loose=True) if loose else call
            at = self.text.find("{{", call.end if call else at + 2)

    def call(self, start: int, depth: int) -> MacroCall | None:
        """The macro that begins at `start`, or None."""
        if start in self._unclosed:
            raise UnclosedError
        if start not in self._read:
            try:
                self._read[start] = None if depth > DEEPEST else self._call(start, depth)
            except UnclosedError:
                self._unclosed.add(start)
                raise
        return self._read[start]

    def _call(self, start: int, depth: int) -> MacroCall | None:
        at, flags = self._blanks(start + 2), ""
        while (one := self.text[at : at + 1]) and one in FLAGS and not self._starts("//", at):
            flags, at = flags + one, self._blanks(at + 1)
        if one in (".", "$"):
            return self._variable(start, at, depth)
        named = _NAME.match(self.text, at)
        if named is None:
            return None
        comment = named[0] == "//"
        arguments, end = self._arguments(named.end() if comment else self._past(named), depth)
        ends_comment = comment and bool(arguments) and self._starts("/", arguments[0][0])
        closes = "/" in flags or ends_comment
        return MacroCall(start, end, named[0], flags, arguments, closes=closes)

    def _past(self, named: re.Match[str]) -> int:
        """The place after a name and an ignored suffix."""
        over = _NAME_END.search(self.text, named.end())
        if over is None:
            raise UnclosedError
        return over.start()

    def _arguments(self, at: int, depth: int) -> tuple[tuple[Place, ...], int]:
        at = self._blanks(at)
        if self._starts("}}", at):
            return (), at + 2
        several = self._starts("::", at)
        at += 2 if several else self._starts(":", at)
        found: list[Place] = []
        while True:
            begins = at
            at = self._until(at, depth, "::" if several else "")
            found.append(self._cut(begins, at))
            if self._starts("}}", at):
                return tuple(found), at + 2
            at += 2

    def _variable(self, start: int, at: int, depth: int) -> MacroCall | None:
        sign, at = self.text[at], self._blanks(at + 1)
        named = _VARIABLE.match(self.text, at)
        if named is None and not self._starts("}}", at):
            return None
        name, at = (named[0], self._blanks(named.end())) if named else ("", at)
        operator = _OPERATOR.match(self.text, at)
        value: tuple[Place, ...] = ()
        if operator:
            at = self._blanks(operator.end())
            if operator[0] not in ("++", "--"):
                begins, at = at, self._until(at, depth, "")
                value = (self._cut(begins, at),)
        if stray := _STRAY.match(self.text, at):
            at = stray.end()
        if not self._starts("}}", at):
            return None
        done = operator[0] if operator else ""
        return MacroCall(start, at + 2, "", "", value, variable=name, sign=sign, operator=done)

    def _until(self, at: int, depth: int, separator: str) -> int:
        """The end of the argument: the separator or closing braces outside of nested macros."""
        while found := _STOP.search(self.text, at):
            if found[0] == "{{":
                inner = self.call(found.start(), depth + 1)
                at = inner.end if inner else found.end()
            elif found[0] == "}}" or found[0] == separator:
                return found.start()
            else:
                at = found.end()
        raise UnclosedError

    def _starts(self, text: str, at: int) -> bool:
        return self.text.startswith(text, at)

    def _blanks(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def _cut(self, start: int, end: int) -> Place:
        while start < end and self.text[start] in JS_SPACE:
            start += 1
        while start < end and self.text[end - 1] in JS_SPACE:
            end -= 1
        return start, end


@lru_cache(maxsize=1024)
def calls(text: str) -> tuple[MacroCall, ...]:
    """The outermost macros of a text, in order. Cost: O(text).

    >>> [(one.name, one.closes) for one in calls("{{a {{b}}}} {{/c}} {{d")]
    [('a', False), ('c', True)]
    """
    return tuple(islice(_MacroParser(text).calls(), MOST))


def scoped(found: Sequence[MacroCall], takes: Takes) -> list[Scoped]:
    """The outermost macros with their content up to the closing macro. `takes`: whether a macro may have content."""
    done: list[Scoped] = []
    closed: set[int] = set()
    named = {call.name.lower() for call in found if call.closes}
    at = 0
    while at < len(found):
        call = found[at]
        opens = not call.closes and call.name.lower() in named
        end = _closing(found, at, closed, takes) if opens else None
        if end is None:
            done.append(Scoped(call, raw=call.closes))
        elif takes(call):
            over = found[end]
            done.append(Scoped(call, (call.end, over.start), over.end))
            at = end
        else:
            closed.add(end)
            done.append(Scoped(call, raw=True))
        at += 1
    return done


def _closing(found: Sequence[MacroCall], at: int, closed: set[int], takes: Takes) -> int | None:
    name, depth = found[at].name.lower(), 1
    for number in range(at + 1, len(found)):
        call = found[number]
        if call.name.lower() != name or number in closed:
            continue
        if call.closes:
            depth -= 1
            if depth == 0:
                return number
        elif takes(call):
            depth += 1
    return None
