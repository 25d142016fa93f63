"""The table of macros: number of arguments and expansion of each."""

import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from math import inf
from typing import TYPE_CHECKING

from rolememory.schema.value_class import value_class
from rolememory.text.boundaries import BLANKS
from rolememory.text.macros import moments
from rolememory.text.macros.parse import MacroCall
from rolememory.text.macros.variables import VariableSet

if TYPE_CHECKING:
    from rolememory.text.macros.expansion import MacroExpansion

MOST_DICE, MOST_SIDES, MOST_REPEATED = 1000, 1_000_000, 10_000
ELSE = "\0\x1fELSE\x1f\0"
HIDDEN = "\ue000\ue001", "\ue001\ue000"  # around the text of {{hidden_key:...}}

_DICE = re.compile(r"([1-9][0-9]*)?d([1-9][0-9]*)([+-][0-9]+)?", re.IGNORECASE)
_WHOLE = re.compile(r"-?[0-9]+")

OF_CARD = {  # name of a macro -> field of the character
    "charprompt": "system_prompt",
    "charinstruction": "post_history",
    **{name: name for name in ("description", "personality", "scenario", "persona")},
    **{f"char{name}": name for name in ("description", "personality", "scenario")},
    "mesexamplesraw": "mes_example",
    "creatornotes": "creator_notes",
    "charcreatornotes": "creator_notes",
    "chardepthprompt": "depth_prompt",
    "systemprompt": "system_prompt",  # never the operator's
}
ELSEWHERE = (  # known only to frontends: expand to ""
    "model lastswipeid currentswipeid firstincludedmessageid firstdisplayedmessageid defaultsystemprompt instructsystem "
    "instructsystemprompt input lastgenerationtype maxprompt maxprompttokens maxresponse maxresponsetokens summary "
    "chatstart exampleseparator chatseparator"
).split()  # fmt: skip


class MacroError(Exception):
    """The macro cannot be expanded and stays as written."""


@value_class
class MacroInvocation:
    """One macro with its arguments and position."""

    turn: "MacroExpansion"
    told: list[str]  # its arguments, the content before its closing macro last
    call: MacroCall
    base: int  # offset of its text

    def number(self, below: int, seed: int, place: str = "") -> int:
        """A pseudo-random number below `below`: equal for equal `place`, else different for each macro of the text."""
        self.turn.met += 1
        said = f"{seed}\0{place or self.turn.met}".encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(said, digest_size=8).digest(), "big") % below

    def integer(self, default: int = 0) -> int:
        """The argument as an integer."""
        if self.told and not _WHOLE.fullmatch(self.told[0].strip(BLANKS)):
            raise MacroError
        return int(self.told[0].strip(BLANKS)[:9]) if self.told else default


@value_class
class MacroDefinition:
    """One macro."""

    least: int  # arguments
    most: float
    say: Callable[[MacroInvocation], str]
    late: bool = False  # gets its arguments unexpanded
    scoped: bool = True  # may have content and a closing macro


Work = Callable[..., str | bool | None]
"""(variables, *arguments) -> expansion: a bool as a word, None = ""."""


def trimmed(text: str) -> str:
    r"""A text stripped, and dedented by the indentation of its first line.

    >>> trimmed("\n  a\n    b\n")
    'a\n  b'
    """
    lines = text.split("\n")
    first = next((line for line in lines if line.strip(BLANKS)), "")
    indent = len(first) - len(first.lstrip(" \t"))
    if indent:
        lines = [
            line[indent:] if len(line) - len(line.lstrip(" \t")) >= indent else line.lstrip(BLANKS)
            for line in lines
        ]
    return "\n".join(lines).strip(BLANKS)


def _listed(text: str) -> list[str]:
    r"""The options of a list: split at `::`, else at commas (`\,` is a literal comma).

    >>> _listed("a, b\\, c"), _listed("a::b, c")
    (['a', 'b, c'], ['a', 'b, c'])
    """
    if "::" in text:
        return [one.strip(BLANKS) for one in text.split("::")]
    return [one.strip(BLANKS).replace("\\,", ",") for one in re.split(r"(?<!\\),", text)]


def _random(asked: MacroInvocation) -> str:
    options = _listed(asked.told[0]) if len(asked.told) == 1 else asked.told
    return options[asked.number(len(options), asked.turn.macros.seed)] if options else ""


def _pick(asked: MacroInvocation) -> str:
    options = _listed(asked.told[0]) if len(asked.told) == 1 else asked.told
    place = f"{asked.turn.text}\0{asked.base + asked.call.start}"
    return options[asked.number(len(options), asked.turn.macros.chat, place)] if options else ""


def _roll(asked: MacroInvocation) -> str:
    """Dice: `2d6+1`, `20`."""
    formula, macros = asked.told[0], asked.turn.macros
    written = _DICE.fullmatch(f"1d{formula}" if re.fullmatch("[0-9]+", formula) else formula)
    if written is None:
        return ""
    count, sides, added = (
        int((part or default)[:9]) for part, default in zip(written.groups(), "110", strict=True)
    )
    if count > MOST_DICE or sides > MOST_SIDES:
        return ""

    def thrown() -> int:
        return int(macros.dice() * sides) if macros.dice else asked.number(sides, macros.seed)

    return str(added + sum(1 + thrown() for _ in range(count)))


def _repeated(text: str) -> Callable[[MacroInvocation], str]:
    def say(asked: MacroInvocation) -> str:
        count = asked.integer(1)
        if count < 0:
            raise MacroError
        return text * min(count, MOST_REPEATED)

    return say


def _trim(asked: MacroInvocation) -> str:
    alone = len(asked.told) == len(asked.call.arguments)
    return "{{trim}}" if alone else asked.told[-1]  # trimmed after the whole expansion


def _hidden_key(asked: MacroInvocation) -> str:
    if not asked.turn.macros.card_macros:
        raise MacroError
    return asked.told[0].join(HIDDEN)


def _greeting(asked: MacroInvocation) -> str:
    """The first message, or one of the others."""
    macros, number = asked.turn.macros, asked.integer()
    if macros.card is None or number == 0:
        return macros.of_card(macros.card.first_mes) if macros.card else ""
    others = [macros.of_card(text) for text in macros.card.alternate_greetings]
    return others[number - 1] if 0 < number <= len(others) else ""


def _examples(asked: MacroInvocation) -> str:
    """The example dialogues, each after its separator."""
    macros = asked.turn.macros
    text = macros.of_card(macros.card.mes_example) if macros.card else ""
    if text in ("", "<START>"):
        return ""
    marked = text if text.startswith("<START>") else f"<START>\n{text}"
    parts = re.split("<START>", marked, flags=re.IGNORECASE)[1:]
    return "".join(f"<START>\n{part.strip(BLANKS)}\n" for part in parts)


def _time(form: str = "") -> Callable[[MacroInvocation], str]:
    """A macro for the time in this format, else in the format or zone of its argument."""

    def say(asked: MacroInvocation) -> str:
        now, told = asked.turn.macros.now, "".join(asked.told)
        if now is None:
            raise MacroError
        return (
            moments.formatted(moments.shifted(now, told), form)
            if form
            else moments.formatted(now, told)
        )

    return say


def _on_variables(count: int, work: Work, sign: str) -> MacroDefinition:
    def say(asked: MacroInvocation) -> str:
        if not asked.told[0]:
            raise MacroError
        said = work(asked.turn.macros.variables.of_sign(sign), *asked.told)
        return str(said).lower() if isinstance(said, bool) else said or ""

    return MacroDefinition(count, count, say)


def _add(kept: VariableSet, name: str, value: str) -> None:
    kept.add(name, value)


def _says(text: str, least: int = 0) -> MacroDefinition:
    return MacroDefinition(least, least, lambda asked: text)


_TIMES = {
    "time": MacroDefinition(0, 1, _time("LT")),
    "date": MacroDefinition(0, 0, _time("LL")),
    "weekday": MacroDefinition(0, 0, _time("dddd")),
    "isotime": MacroDefinition(0, 0, _time("HH:mm")),
    "isodate": MacroDefinition(0, 0, _time("YYYY-MM-DD")),
    "datetimeformat": MacroDefinition(1, 1, _time()),
    "timediff": MacroDefinition(2, 2, lambda asked: moments.difference(*asked.told)),
}
_WORKS: Mapping[str, tuple[int, Work]] = {  # arguments, function
    "set{}var": (2, VariableSet.set),
    "add{}var": (2, _add),
    "inc{}var": (1, lambda kept, name: kept.add(name, 1)),
    "dec{}var": (1, lambda kept, name: kept.add(name, -1)),
    "get{}var": (1, VariableSet.get),
    **dict.fromkeys(("has{}var", "{}varexists"), (1, VariableSet.has)),
    **dict.fromkeys(("delete{}var", "flush{}var"), (1, VariableSet.delete)),
    **dict.fromkeys(("set{}varkey", "set{}varindex"), (3, VariableSet.set_member)),
    **dict.fromkeys(("get{}varkey", "get{}varindex"), (2, VariableSet.get)),
}
_VARIABLES = {
    name.format(kind): _on_variables(count, work, sign)
    for sign, kind in ((".", ""), ("$", "global"))
    for name, (count, work) in _WORKS.items()
}
TABLE: Mapping[str, MacroDefinition] = {
    "if": MacroDefinition(2, 2, lambda asked: "", late=True),
    "else": _says(ELSE),
    "noop": _says(""),
    **dict.fromkeys(("//", "comment", "banned"), _says("", 1)),
    "hasextension": _says("false", 1),
    "newline": MacroDefinition(0, 1, _repeated("\n")),
    "space": MacroDefinition(0, 1, _repeated(" ")),
    "trim": MacroDefinition(0, 1, _trim),
    "reverse": MacroDefinition(1, 1, lambda asked: asked.told[0][::-1]),
    "random": MacroDefinition(0, inf, _random, scoped=False),
    "pick": MacroDefinition(0, inf, _pick, scoped=False),
    "roll": MacroDefinition(1, 1, _roll),
    "outlet": MacroDefinition(1, 1, lambda asked: asked.turn.macros.outlets.get(asked.told[0], "")),
    "hidden_key": MacroDefinition(1, 1, _hidden_key),
    **dict.fromkeys(("charfirstmessage", "greeting"), MacroDefinition(0, 1, _greeting)),
    "mesexamples": MacroDefinition(0, 0, _examples),
    **_TIMES,
    **_VARIABLES,
}
CHANGING = frozenset(
    (
        ".",
        "$",
        "if",
        "random",
        "roll",
        *_TIMES,
        *_VARIABLES,
        *OF_CARD,
        "mesexamples",
        "greeting",
        "charfirstmessage",
    )
)
"""Macros with changing results, or side effects."""
