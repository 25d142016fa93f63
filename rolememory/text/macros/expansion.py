"""Expands the macros of one text."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rolememory.text.boundaries import BLANKS
from rolememory.text.late_pattern import late_pattern
from rolememory.text.macros.parse import FLAGS, MacroCall, Place, Scoped, calls, scoped
from rolememory.text.macros.table import ELSE, OF_CARD, TABLE, MacroError, MacroInvocation, trimmed
from rolememory.text.macros.variables import VariableSet, number_of

if TYPE_CHECKING:
    from rolememory.text.macros.macros import Macros

MOST_SAID = 200_000  # characters that the macros of one text may expand to

OLD = late_pattern(r"<(user|bot|char|group|charifnotgroup)>", re.IGNORECASE)
ESCAPED = late_pattern(r"\\([{}])")
_OLD_NAMES = {"bot": "char", "charifnotgroup": "charIfNotGroup"}  # with the client's case
_UTC = late_pattern(r"\{\{time_(UTC[+-][0-9]+)\}\}", re.IGNORECASE)
_TRIM = late_pattern(r"(?:\r?\n)*\{\{trim\}\}(?:\r?\n)*", re.IGNORECASE)
_BEGUN = late_pattern(
    rf"(\{{\{{(?:[{re.escape(BLANKS)}]*[{re.escape(FLAGS)}])*)([{re.escape(BLANKS)}]*[.$])?"
)
_SHORT = late_pattern(r"([.$])([a-zA-Z](?:[\w-]*\w)?)", re.ASCII)


class MacroExpansion:
    """Expands one text, with limits on length and number of macros."""

    def __init__(self, macros: "Macros", text: str) -> None:
        self.macros: Macros = macros
        self.text = text
        self.met = self._long = 0
        self._card: dict[str, str] = {}  # texts of the card, expanded on first use

    def whole(self, text: str) -> str:
        """Expand a top-level text: old spellings, macros, then escaped braces and {{trim}}."""
        text = _UTC.sub(r"{{time::\1}}", text)
        text = OLD.sub(
            lambda old: f"{{{{{_OLD_NAMES.get(old[1].lower(), old[1].lower())}}}}}", text
        )
        said = ESCAPED.sub(r"\1", self.part(text))
        return _TRIM.sub("", said).replace(ELSE, "") if "{{" in said or ELSE in said else said

    def part(self, text: str, base: int = 0, *, of_variable: bool = False) -> str:
        """Expand a text inside a macro, or the value of a variable. `base`: its offset."""
        done, at, found = "", 0, calls(text)
        between = _ended if of_variable else str
        for one in map(Scoped, found) if of_variable else scoped(found, self._takes_more):
            call = one.call
            done += between(text[at : call.start])
            if one.raw:
                done += text[call.start : call.end]
            else:
                done += self._bounded(self._said(text, one, base))
            at = max(call.end, one.end)
        return done + between(text[at:])

    def _takes_more(self, call: MacroCall) -> bool:
        """Whether the text before its closing macro may be one more argument."""
        name = call.name.lower()
        row = TABLE.get(name)
        if row is None:
            return name not in self.macros.values and name not in OF_CARD
        return row.scoped and row.least <= len(call.arguments) + 1 <= row.most

    def _bounded(self, said: str) -> str:
        self._long += len(said)
        return said if self._long <= MOST_SAID else ""

    def _said(self, text: str, one: Scoped, base: int) -> str:
        call = one.call
        if not call.name:
            return self._variable(text, call, base)
        row = TABLE.get(call.name.lower())
        raw = [text[start:end] for start, end in call.arguments]
        places: list[Place] = list(call.arguments)
        if one.content is not None:
            raw.append(text[slice(*one.content)])
            places.append(one.content)
        late = row is not None and row.late
        told = raw if late else self._evaluated(raw, places, one, base)
        try:
            if late and row and row.least <= len(told) <= row.most:
                return self._when(*told, keep="#" in call.flags)
            return self._answer(call, told, base)
        except MacroError:
            return "{{" + _put(text, call, dict(zip(places, told, strict=True))) + "}}"

    def _evaluated(self, raw: list[str], places: list[Place], one: Scoped, base: int) -> list[str]:
        told = [self.part(part, base + at) for part, (at, _) in zip(raw, places, strict=True)]
        if one.content is not None and "#" not in one.call.flags:
            told[-1] = trimmed(told[-1])
        return told

    def _answer(self, call: MacroCall, told: list[str], base: int) -> str:
        name = call.name.lower()
        row = TABLE.get(name)
        if row is None:
            value = self._value(name)
            if value is None or told:
                raise MacroError
            return value
        if not row.least <= len(told) <= row.most:
            raise MacroError
        return row.say(MacroInvocation(self, told, call, base))

    def _value(self, name: str) -> str | None:
        found = self.macros.values.get(name)
        if found is None and self.macros.card is not None and (asked := OF_CARD.get(name)):
            if asked not in self._card:
                self._card[asked] = self.macros.of_card(getattr(self.macros.card, asked))
            found = self._card[asked]
        return "" if found is None and name.startswith("instruct") else found

    # ── variables ──

    def _variable(self, text: str, call: MacroCall, base: int) -> str:
        kept = self.macros.variables.of_sign(call.sign)
        name, operator, place = call.variable, call.operator, next(iter(call.arguments), (0, 0))

        def value() -> str:
            return self.part(text[slice(*place)], base + place[0], of_variable=True).strip(BLANKS)

        if operator in ("", "++", "--"):
            if not operator:
                return kept.get(name)
            return kept.add(name, 1 if operator == "++" else -1)
        if operator in ("=", "+=", "-="):
            return _assigned(kept, name, operator, value())
        now = kept.get(name)
        if operator.startswith(("||", "??")):
            there = kept.has(name) if operator[0] == "?" else not _is_false(now, zero=True)
            if there:
                return now
            told = value()
            if operator.endswith("="):
                kept.set(name, told)
            return told
        return "true" if _compares(now, operator, value()) else "false"

    # ── conditions ──

    def _when(self, condition: str, content: str, *, keep: bool) -> str:
        """{{if condition}}...{{else}}...{{/if}}: only the chosen branch is expanded."""
        bare = condition.lstrip(BLANKS)
        inverted = bare.startswith("!")
        holds = self._holds(bare[1:].lstrip(BLANKS) if inverted else condition)
        then, other = _branches(content)
        chosen = then if holds is not inverted else other
        if chosen is None:
            return ""
        said = self.whole(chosen)
        return said if keep else trimmed(said)

    def _holds(self, condition: str) -> bool:
        said = self.whole(condition)
        short = _SHORT.fullmatch(said)
        if short:
            said = self.macros.variables.of_sign(short[1]).get(short[2])
        elif (row := TABLE.get(said.lower())) and row.least == 0:
            said = self.whole("{{" + said + "}}")
        elif (value := self._value(said.lower())) is not None:
            said = value
        return said != "" and not _is_false(said)


def _assigned(kept: VariableSet, name: str, operator: str, value: str) -> str:
    if operator == "=":
        kept.set(name, value)
    elif operator == "+=":
        kept.add(name, value)
    elif (number := number_of(value)) is not None:
        kept.add(name, -number)
    return ""


def _ended(text: str) -> str:
    """Close unfinished macros in the value of a variable; a variable macro without a name becomes empty.

    >>> _ended("a {{1 {{!b {{.2")
    'a {{}}1 {{!}}b 2'
    """
    return _BEGUN.sub(lambda begun: "" if begun[2] else begun[1] + "}}", text)


def _put(text: str, call: MacroCall, told: Mapping[Place, str]) -> str:
    """The text between the braces, with arguments replaced by their expansion."""
    done, at = "", call.start + 2
    for place in sorted(told):
        done += text[at : place[0]] + told[place] if place[0] >= at else told[place]
        at = max(at, place[1])
    return done + text[at : call.end - 2]


def _branches(content: str) -> tuple[str, str | None]:
    depth = 0
    for call in calls(content):
        if call.loose:
            continue
        if call.name == "else" and depth == 0:
            return content[: call.start], content[call.end :]
        if call.name == "if":
            depth += -1 if call.closes else len(call.arguments) == 1
    return content, None


def _is_false(said: str, *, zero: bool = False) -> bool:
    return (zero and not said) or said.strip(BLANKS).lower() in ("off", "false", "0")


def _compares(now: str, operator: str, value: str) -> bool:
    if operator in ("==", "!="):
        return (now == value) is (operator == "==")
    one, other = number_of(now), number_of(value)
    if one is None or other is None:
        return False
    return {">": one > other, ">=": one >= other, "<": one < other, "<=": one <= other}[operator]
