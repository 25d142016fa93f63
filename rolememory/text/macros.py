"""Macros in double braces: names, chance, small edits of text. Pure: chance comes from seeds, so a turn can be replayed.

Source: the macros of Character Card V3 (spec/frontends.md 7.4) and the common ones of SillyTavern. Names are read without case;
a macro nobody knows stays as it is written.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b

from rolememory.schema.role import Character
from rolememory.text.edges import JS_SPACE

_INNERMOST = re.compile(r"\{\{([^{}]*)\}\}")
_LEGACY = re.compile(r"<(user|bot|char)>", re.IGNORECASE)
_TRIM = re.compile(r"(?:\r?\n)*\x02trim\x03(?:\r?\n)*")
_DICE = re.compile(r"\s*(\d*)\s*d\s*(\d+)\s*([+-]\s*\d+)?\s*|\s*(\d+)\s*", re.IGNORECASE)
_OPEN, _CLOSE = (
    "\ue000\ue001",
    "\ue001\ue000",
)  # stand for braces in inserted text, so that nobody's name becomes a macro
_DEEPEST = 12  # macros inside macros
_MOST_DICE, _MOST_SIDES = 1000, 1_000_000
_OF_CARD = {  # name of a macro -> field of the character
    **{name: name for name in ("description", "personality", "scenario", "persona")},
    **{f"char{name}": name for name in ("description", "personality", "scenario")},
    "creatornotes": "creator_notes",
    "charcreatornotes": "creator_notes",
    "chardepthprompt": "depth_prompt",
}
_BLANKS = "".join(JS_SPACE)


@dataclass(frozen=True, slots=True)
class Macros:
    r"""What macros say in one turn.

    >>> Macros({"user": "Ann", "char": "Mira"}).expand("{{USER}} owes {{char}} {{roll:1d1}} coin{{// soon}}. {{weather}}?")
    'Ann owes Mira 1 coin. {{weather}}?'
    >>> Macros().expand("{{reverse:{{noop}}live}}{{newline}}{{hidden_key:dark}}")
    'evil\n'
    """

    values: Mapping[str, str] = field(default_factory=dict)  # name in lower case -> text
    seed: int = 0  # of this turn: random, roll
    chat: int = 0  # of the chat: pick stays the same in it
    outlets: Mapping[str, str] = field(default_factory=dict)
    card_macros: bool = True  # hidden_key, which SillyTavern does not know

    def expand(self, text: str, *, hidden: bool = False) -> str:
        """The text with its macros said; `hidden` shows what {{hidden_key:...}} holds, for texts that are only searched."""
        if not has_macros(text):
            return text
        turn = _Turn(self, text, hidden)
        said = _LEGACY.sub(turn.legacy, text)
        for _ in range(_DEEPEST):
            before, said = said, _INNERMOST.sub(turn.say, said)
            if said == before:
                break
        said = _TRIM.sub("", said)
        return said.replace(_OPEN, "{{").replace(_CLOSE, "}}")

    def knowing(self, **values: str) -> "Macros":
        """The same with more names."""
        return replace(self, values={**self.values, **values})


def has_macros(text: str) -> bool:
    """Whether anything in the text looks like a macro.

    >>> has_macros("{{char}}"), has_macros("<USER>"), has_macros("a < b")
    (True, True, False)
    """
    return "{{" in text or ("<" in text and _LEGACY.search(text) is not None)


def for_character(
    who: Character,
    *,
    now: datetime | None = None,
    seed: int = 0,
    chat: int = 0,
    card_macros: bool = True,
) -> Macros:
    """The macros of a turn with this character."""
    group = dict.fromkeys(("group", "charifnotgroup", "groupnotmuted"), who.name)
    names = Macros(
        {"user": who.user, "char": who.name, "notchar": who.user, **group},
        seed,
        chat,
        card_macros=card_macros,
    )
    said = {name: of_card(getattr(who, field), names) for name, field in _OF_CARD.items()}
    clock = (
        {}
        if now is None
        else {"time": f"{now:%H:%M}", "date": f"{now:%Y-%m-%d}", "weekday": f"{now:%A}"}
    )
    iso = {} if now is None else {"isotime": f"{now:%H:%M}", "isodate": f"{now:%Y-%m-%d}"}
    return names.knowing(**said, **clock, **iso)


def of_card(text: str, macros: Macros) -> str:
    r"""A text of the card as prompts show it: blanks around it cut, macros said. Those that stand for texts of the card say nothing.

    >>> of_card(" {{char}}, a smith.{{scenario}}\n", Macros({"char": "Mira", "scenario": "At the forge."}))
    'Mira, a smith.'
    """
    return (
        macros.knowing(**dict.fromkeys(_OF_CARD, "")).expand(text.strip(_BLANKS)).replace("\r", "")
    )


class _Turn:
    """One expansion: counts the macros it meets, so that two equal ones do not say the same by chance."""

    def __init__(self, macros: Macros, text: str, hidden: bool) -> None:
        self._macros, self._text, self._hidden = macros, text, hidden
        self._met = 0

    def legacy(self, match: re.Match[str]) -> str:
        name = match[1].lower()
        value = self._macros.values.get("char" if name == "bot" else name)
        return match[0] if value is None else _quoted(value)

    def say(self, match: re.Match[str]) -> str:
        body = match[1]
        if body.lstrip().startswith("//"):
            return ""
        name, argument = _parts(body)
        if not argument and (value := self._macros.values.get(name)) is not None:
            return _quoted(value)
        if name == "hidden_key" and not self._macros.card_macros:
            return match[0]
        saying = _SAYINGS.get(name)
        said = saying(self, argument) if saying else None
        return match[0] if said is None else said

    def nothing(self, _: str) -> str:
        return ""

    def newline(self, count: str) -> str:
        return "\n" * (int(count) if count.strip().isdigit() else 1)

    def space(self, count: str) -> str:
        return " " * (int(count) if count.strip().isdigit() else 1)

    def trim(self, _: str) -> str:
        return "\x02trim\x03"

    def random(self, listed: str) -> str | None:
        return self._one_of(listed, self._macros.seed, "")

    def pick(self, listed: str) -> str | None:
        return self._one_of(listed, self._macros.chat, self._text)

    def roll(self, formula: str) -> str | None:
        dice = _DICE.fullmatch(formula)
        if dice is None:
            return None
        count, sides = int(dice[1] or 1), int(dice[2] or dice[4])
        if not (1 <= count <= _MOST_DICE and 1 <= sides <= _MOST_SIDES):
            return None
        added = int((dice[3] or "0").replace(" ", ""))
        return str(
            added + sum(1 + self._number(sides, self._macros.seed, "") for _ in range(count))
        )

    def hidden_key(self, text: str) -> str:
        return f" {text.strip()} " if self._hidden else ""  # a word of its own

    def reverse(self, text: str) -> str:
        return text.strip()[::-1]

    def outlet(self, name: str) -> str:
        return _quoted(self._macros.outlets.get(name.strip(), ""))

    def _one_of(self, listed: str, seed: int, place: str) -> str | None:
        options = _options(listed)
        return options[self._number(len(options), seed, place)] if options else None

    def _number(self, below: int, seed: int, place: str) -> int:
        self._met += 1
        told = f"{seed}\0{self._met}\0{place}".encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(told, digest_size=8).digest(), "big") % below


_SAYINGS: Mapping[str, Callable[[_Turn, str], str | None]] = {
    "noop": _Turn.nothing,
    "comment": _Turn.nothing,
    "newline": _Turn.newline,
    "space": _Turn.space,
    "trim": _Turn.trim,
    "random": _Turn.random,
    "pick": _Turn.pick,
    "roll": _Turn.roll,
    "hidden_key": _Turn.hidden_key,
    "reverse": _Turn.reverse,
    "outlet": _Turn.outlet,
}


def _parts(body: str) -> tuple[str, str]:
    """Name in lower case, and what follows it: `roll 2d6`, `roll:2d6`, `random::a::b`."""
    name, mark, rest = body.partition(":")
    if not mark:
        name, _, rest = body.strip().partition(" ")
    return name.strip().lower(), rest[1:] if mark and rest.startswith(":") else rest


def _options(listed: str) -> list[str]:
    r"""What one may be taken of: parted by `::`, else by commas (`\,` is a comma in the text).

    >>> _options("a, b\\, c"), _options("a::b, c")
    (['a', 'b, c'], ['a', 'b, c'])
    """
    if "::" in listed:
        return listed.split("::")
    return (
        [one.strip().replace("\\,", ",") for one in re.split(r"(?<!\\),", listed)] if listed else []
    )


def _quoted(value: str) -> str:
    return value.replace("{{", _OPEN).replace("}}", _CLOSE)
