"""Scanner for the parts of the grammar: characters, escapes, classes, quantifiers, names."""

import re
import struct
from dataclasses import dataclass
from typing import Any

from rolememory.errors import PatternError
from rolememory.jsregex import sets
from rolememory.jsregex.nodes import Property, Ranges
from rolememory.jsregex.properties import known_property
from rolememory.locales import LocalizedText

FOREVER = 2**31 - 1  # JavaScript engines take a larger count as unbounded
_CONTROLS = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_QUANTIFIER = re.compile(r"\*|\+|\?|\{(?P<least>[0-9]+)(?P<comma>,(?P<most>[0-9]*))?\}")
_OCTAL = re.compile(r"[0-3][0-7]{0,2}|[4-7][0-7]?")
_HEX2 = re.compile(r"x([0-9A-Fa-f]{2})")
_HEX4 = re.compile(r"u([0-9A-Fa-f]{4})")
_BRACED = re.compile(r"u\{([0-9A-Fa-f]+)\}")
_CONTROL = re.compile(r"c([A-Za-z])")
_CLASS_CONTROL = re.compile(r"c([0-9_])")
_PROPERTY = re.compile(r"[pP]\{([A-Za-z0-9_=]*)\}")
_NAME = re.compile(r"(?P<name>(?:[^>\\]|\\u[0-9A-Fa-f]{4}|\\u\{[0-9A-Fa-f]+\})+)>")
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")


@dataclass(frozen=True, slots=True)
class ClassSet:
    """A class as written, before case folding."""

    ranges: Ranges
    properties: tuple[Property, ...] = ()
    negated: bool = False


class PatternScanner:
    """A position in a pattern body, and methods that read on from there."""

    def __init__(self, body: str, *, unicode: bool) -> None:
        self.body = paired(body) if unicode else in_units(body)
        self.unicode = unicode
        self.at = 0

    def syntax_error(
        self, problem: str, remedy: str, at: int | None = None, **values: Any
    ) -> PatternError:
        """The error to raise: problem, position and suggested fix."""
        return PatternError(
            "at character {place}: {problem}; {instead}",
            place=1 + (self.at if at is None else at),
            problem=LocalizedText(problem, **values),
            instead=LocalizedText(remedy, **values),
        )

    def peek(self) -> str:
        """The character here, "" at the end."""
        return self.body[self.at : self.at + 1]

    def ahead(self, count: int) -> str:
        """The next `count` characters."""
        return self.body[self.at : self.at + count]

    def starts(self, text: str) -> bool:
        """Whether the text is next."""
        return self.body.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Skip the text if it is next; whether it was."""
        found = self.starts(text)
        self.at += len(text) * found
        return found

    def next(self) -> int:
        """Read one character; its code."""
        self.at += 1
        return ord(self.body[self.at - 1])

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what the pattern matches here, or None."""
        found = pattern.match(self.body, self.at)
        if found:
            self.at = found.end()
        return found

    def groups(self) -> tuple[dict[str, tuple[int, ...]], int]:
        """Named groups and number of capturing groups of the whole body; does not move on."""
        names: dict[str, tuple[int, ...]] = {}
        total = 0
        for opening in re.finditer(
            r"\\.|\[(?:\\.|[^\]\\])*\]?|(?P<open>\((?!\?)|\(\?<(?![=!]))", self.body, re.DOTALL
        ):
            if opening["open"] is None:
                continue
            total += 1
            if opening["open"] == "(?<":
                name = self._name_at(opening.end())
                names[name] = (*names.get(name, ()), total)
        return names, total

    def _name_at(self, at: int) -> str:
        back = self.at
        self.at = at
        try:
            return self.group_name()
        finally:
            self.at = back

    def group_name(self) -> str:
        """The name up to '>'."""
        found = _NAME.match(self.body, self.at)
        name = (
            paired(re.sub(r"\\u\{?([0-9A-Fa-f]+)\}?", _written_out, found["name"])) if found else ""
        )
        if (
            not found
            or not re.sub("[$\u200c\u200d]", "_", name).isidentifier()
            or name[0] in "\u200c\u200d"
        ):
            raise self.syntax_error(
                "a group has no valid name",
                "write (?<name>...) with letters, digits and _, no digit first",
            )
        self.at = found.end()
        return name

    def at_quantifier(self) -> bool:
        """Whether a quantifier is next."""
        return _QUANTIFIER.match(self.body, self.at) is not None

    def quantifier(self) -> tuple[int, int | None] | None:
        """Least and most of the quantifier here (None = unbounded), or None without one."""
        start = self.at
        found = self.match(_QUANTIFIER)
        if found is None:
            if self.unicode and self.peek() == "{":
                raise self.syntax_error(
                    "incomplete quantifier",
                    r"write {2}, {2,} or {2,5}, or '\{' for a brace that is meant literally",
                )
            return None
        if found["least"] is None:
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[found[0]]
        least = _count(found["least"])
        most = (
            least if found["comma"] is None else _count(found["most"]) if found["most"] else FOREVER
        )
        if most < least:
            raise self.syntax_error(
                "the bounds of {found} are out of order",
                "write {wanted}",
                at=start,
                found=found[0],
                wanted=f"{{{most},{least}}}",
            )
        return least, None if most >= FOREVER else most

    def back_reference(self, total: int) -> int | None:
        r"""The group number of `\1` (after the backslash); without u a number above `total` is none."""
        found = re.compile(r"[1-9][0-9]*").match(self.body, self.at)
        if not found:
            return None
        number = _count(found[0])
        if number > total and self.unicode:
            raise self.syntax_error(
                r"\{found} names no group ({total} in this pattern)",
                r"refer to a group that exists, or write \xHH",
                found=found[0],
                total=total,
            )
        if number > total:
            return None
        self.at = found.end()
        return number

    def class_escape(self, ignore_case: bool) -> ClassSet | None:
        r"""The set of `\d`, `\w`, `\s`, `\p{...}` and their negations (after the backslash)."""
        letter = self.peek()
        words = sets.WIDE_WORDS if self.unicode and ignore_case else sets.WORDS
        known = {"d": sets.DIGITS, "w": words, "s": sets.SPACES}
        if letter and letter.lower() in known:
            self.at += 1
            ranges = known[letter.lower()]
            return ClassSet(ranges if letter.islower() else sets.complement(ranges))
        if letter in ("p", "P") and self.unicode:
            return self._property()
        return None

    def _property(self) -> ClassSet:
        start = self.at
        found = self.match(_PROPERTY)
        wanted = known_property(found[1]) if found else None
        if found is None or wanted is None:
            name = f"{{{found[1]}}}" if found else self.ahead(8)
            raise self.syntax_error(
                "JavaScript knows no property {name}",
                "write {wanted} in this exact spelling",
                at=start,
                name=name,
                wanted=r"\p{Script=Han}, \p{L}, \p{Lu}, \p{Emoji}, ...",
            )
        return ClassSet((), (Property(wanted.spelling, negated=found[0][0] == "P"),))

    def character_escape(self, *, in_class: bool = False) -> int:
        """The code of an escaped character (after the backslash)."""
        letter = self.peek()
        if not letter:
            raise self.syntax_error(
                r"a lone '\' at the end", r"write '\\' for a backslash that is meant literally"
            )
        if letter in _CONTROLS:
            self.at += 1
            return _CONTROLS[letter]
        if letter == "c":
            return self._control_escape(in_class)
        if letter.isdigit() and letter.isascii():
            return self._digit_escape(in_class)
        if letter in "xu" and (code := self._hex_escape()) is not None:
            return code
        return self._identity_escape(in_class)

    def _control_escape(self, in_class: bool) -> int:
        found = self.match(_CONTROL) or (
            self.match(_CLASS_CONTROL) if in_class and not self.unicode else None
        )
        if found:
            return ord(found[1]) % 32
        if self.unicode:
            raise self.syntax_error(r"\c wants a letter", r"write \cJ, or \x0A")
        return ord("\\")  # Annex B: the backslash itself; the c is read next

    def _digit_escape(self, in_class: bool) -> int:
        if self.unicode:
            if re.compile(r"0(?![0-9])").match(self.body, self.at):
                self.at += 1
                return 0
            raise self.syntax_error(
                "a number is no character with the flag u",
                r"write \xHH or \0" if in_class else r"write \xHH, \0 or the number of a group",
            )
        found = self.match(_OCTAL)
        return int(found[0], 8) if found else self.next()  # \8 and \9 are the digits

    def _hex_escape(self) -> int | None:
        if found := self.match(_HEX2):
            return int(found[1], 16)
        if self.unicode and (found := self.match(_BRACED)):
            if len(found[1].lstrip("0")) > 6 or int(found[1], 16) > sets.LAST:
                raise self.syntax_error(
                    "no character has the number {number}",
                    "write at most {most}",
                    number=found[1][:12],
                    most=r"\u{10FFFF}",
                )
            return int(found[1], 16)
        if found := self.match(_HEX4):
            return self._joined(int(found[1], 16))
        return None

    def _joined(self, high: int) -> int:
        r"""With u, `\uD83D\uDE00` is one character."""
        low = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})").match(self.body, self.at)
        if not (self.unicode and 0xD800 <= high < 0xDC00 and low):
            return high
        self.at = low.end()
        return 0x10000 + ((high - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)

    def _identity_escape(self, in_class: bool) -> int:
        letter = self.peek()
        if self.unicode and letter not in _SYNTAX and not (in_class and letter == "-"):
            raise self.syntax_error(
                r"\{letter} means nothing with the flag u",
                "write {letter!r} without the backslash",
                letter=letter,
            )
        if letter == "k" and self.groups()[0]:
            raise self.syntax_error(r"\k names no group", r"write \k<name> outside of a class")
        return self.next()

    def char_class(self, ignore_case: bool) -> ClassSet:
        """The set of `[...]`."""
        opening = self.at
        self.take("[")
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        properties: list[Property] = []
        while not self.take("]"):
            if not self.peek():
                raise self.syntax_error(
                    "a class is not closed",
                    r"add ']', or write '\[' for a bracket that is meant literally",
                    at=opening,
                )
            found = self._range(ignore_case)
            ranges.extend(found.ranges)
            properties.extend(found.properties)
        return ClassSet(tuple(ranges), tuple(properties), negated)

    def _range(self, ignore_case: bool) -> ClassSet:
        """One member of a class, or a range of two."""
        start = self.at
        low = self._member(ignore_case)
        if not (self.starts("-") and self.ahead(2) not in ("-", "-]")):
            return _as_set(low)
        self.take("-")
        high = self._member(ignore_case)
        if isinstance(low, int) and isinstance(high, int):
            if low > high:
                raise self.syntax_error(
                    "a range of a class is out of order",
                    "write the lower character first",
                    at=start,
                )
            return ClassSet(((low, high),))
        if self.unicode:
            raise self.syntax_error(
                "a class like \\d cannot be the end of a range with the flag u",
                r"write '\-' for a hyphen",
                at=start,
            )
        sides = (_as_set(low), _as_set(high), _as_set(ord("-")))
        return ClassSet(tuple(each for side in sides for each in side.ranges))

    def _member(self, ignore_case: bool) -> int | ClassSet:
        if not self.take("\\"):
            if not self.peek():
                raise self.syntax_error("a class is not closed", "add ']'")
            return self.next()
        if self.take("b"):
            return 0x08
        return self.class_escape(ignore_case) or self.character_escape(in_class=True)


def _as_set(member: int | ClassSet) -> ClassSet:
    return ClassSet(((member, member),)) if isinstance(member, int) else member


def _count(digits: str) -> int:
    return int(digits) if len(digits.lstrip("0")) < 11 else FOREVER


def _written_out(escape: re.Match[str]) -> str:
    code = int(escape[1], 16) if len(escape[1]) < 9 else sets.LAST
    return chr(min(code, sets.LAST))


def in_units(text: str) -> str:
    r"""The text with each character beyond U+FFFF as two UTF-16 units, as JavaScript counts.

    >>> in_units("a\U0001F600") == "a\ud83d\ude00"
    True
    """
    if text.isascii() or max(text) <= "\uffff":
        return text
    return "".join(
        chr(unit) for (unit,) in struct.iter_unpack("<H", text.encode("utf-16-le", "surrogatepass"))
    )


def paired(text: str) -> str:
    """The text with surrogate pairs joined."""
    return (
        text
        if text.isascii()
        else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    )
