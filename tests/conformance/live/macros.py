"""Random texts with macros, and cases of kind `macros`: texts said one after the other, and what that leaves in the variables."""

from random import Random
from typing import Any

Case = dict[str, Any]

NOW = "2026-11-23T15:04:05.678Z"
NAMES = ("a", "b", "n-1", "place", "Mood_2")
VALUES = (
    "1",
    "007",
    "-2.5",
    "0",
    "true",
    "off",
    "oath",
    "a b",
    "",
    "0x1F",
    "1e3",
    "[1]",
    '{"k":2}',
    "Infinity",
    "灯",
    " x ",
    "{{1}}",
)
PLAIN = (
    *(
        "user",
        "char",
        "USER",
        " group ",
        "notChar",
        "charIfNotGroup",
        "noop",
        "newline",
        "space::2",
        "trim",
    ),
    *(
        "description",
        "charPersonality",
        "scenario",
        "persona",
        "creatorNotes",
        "charDepthPrompt",
        "charVersion",
        "charPrompt",
    ),
    *("charFirstMessage", "greeting::1", "greeting::7", "charInstruction", "mesExamplesRaw"),
    *(
        "lastMessage",
        "lastUserMessage",
        "lastCharMessage",
        "lastMessageId",
        "idle_duration",
        "input",
        "allChatRange",
    ),
    *(
        "time",
        "date",
        "weekday",
        "isotime",
        "isodate",
        "time_UTC+3",
        "time::UTC-5",
        "datetimeformat::dddd, D MMM YYYY HH:mm",
    ),
    *(
        "datetimeformat::[day] DDDo w E",
        "timeDiff::2026-01-01::2026-03-04",
        "timeDiff::2026-11-23 10:00::2026-11-23 08:10",
    ),
    *(
        "// soon",
        "//a::b",
        "comment::x",
        "random",
        "random::x",
        "random:y",
        "roll:1d1",
        "roll 3d1+2",
        "roll::0",
        "roll:1d6x",
    ),
    *(
        "reverse:abc",
        "reverse::a::b",
        "space:x",
        "unknown",
        "user!",
        "user x",
        "1",
        "",
        " ",
        "中",
        "else",
        "/if",
        "/trim",
    ),
)
ODD = (
    "{{",
    "}}",
    "{",
    "}",
    "\\{",
    "\\}",
    "\\{\\{user\\}\\}",
    "<USER>",
    "<bot>",
    "<Group>",
    "<charIfNotGroup>",
    "<x>",
    "::",
    "{{user}",
    "{{{",
)
OPERATORS = (
    "",
    "",
    "++",
    "--",
    " = {}",
    "={}",
    " += {}",
    " -= {}",
    " || {}",
    " ?? {}",
    " ||= {}",
    " ??= {}",
    " == {}",
    " != {}",
    " > {}",
    " >= {}",
    " < {}",
    " <= {}",
)
CONDITIONS = (
    "x",
    "",
    "0",
    "off",
    "user",
    "noop",
    ".a",
    "$b",
    ".place",
    "!.a",
    "! description",
    "char_version",
    "personality",
    "::",
    "FALSE",
)


def said(dice: Random, words: list[str], depth: int = 0) -> str:
    """A text with macros in it."""
    few = dice.choice
    return (
        "".join(_piece(dice, words, depth) for _ in range(few([1, 1, 2, 3])))
        if depth < 3
        else few(words)
    )


def _piece(dice: Random, words: list[str], depth: int) -> str:
    few, kind = dice.choice, dice.random()
    if kind < 0.25:
        return few([few(words), f" {few(words)}", f"{few(words)}\n", " ", "\n  "])
    if kind < 0.5:
        return f"{{{{{few(PLAIN)}}}}}"
    if kind < 0.57:
        return few(ODD)
    if kind < 0.72:
        return _variable(dice, words, depth)
    if kind < 0.8:
        return f"{{{{{few(['', '', ' ', '#'])}{few(['.', '$'])}{few(NAMES)}{few(OPERATORS).format(_value(dice, words, depth))}}}}}"
    if kind < 0.92:
        return _conditional(dice, words, depth)
    inner = said(dice, words, depth + 1)
    return few(
        [
            f"{{{{reverse:{inner}}}}}",
            f"{{{{reverse}}}}{inner}{{{{/reverse}}}}",
            f"{{{{trim}}}}{inner}{{{{/trim}}}}",
            f"{{{{//}}}}{inner}{{{{///}}}}",
            f"{{{{x {inner}}}}}",
            f"{{{{user}}}}{inner}{{{{/user}}}}",
        ]
    )


def _variable(dice: Random, words: list[str], depth: int) -> str:
    few = dice.choice
    where, name = few(["", "", "global"]), few(NAMES)
    verb = few(["set", "set", "add", "inc", "dec", "get", "get", "has", "delete"])
    told = (
        f"::{_value(dice, words, depth)}" if verb in ("set", "add") and dice.random() < 0.95 else ""
    )
    separator = "::" if told else few(["::", ":", " "])
    if told and dice.random() < 0.15:
        return f"{{{{{verb}{where}var::{name}}}}}{told[2:]}{{{{/{verb}{where}var}}}}"
    return f"{{{{{verb}{where}var{separator}{name}{told}}}}}"


def _value(dice: Random, words: list[str], depth: int) -> str:
    return dice.choice([*VALUES, dice.choice(words), said(dice, words, depth + 1)])


def _conditional(dice: Random, words: list[str], depth: int) -> str:
    few = dice.choice
    condition = few(
        [
            *CONDITIONS,
            f"{{{{.{few(NAMES)}}}}}",
            f"{{{{hasvar::{few(NAMES)}}}}}",
            f"{{{{.{few(NAMES)} == {few(VALUES)}}}}}",
        ]
    )
    other = f"{{{{else}}}}{said(dice, words, depth + 1)}" if dice.random() < 0.5 else ""
    return f"{{{{{few(['', '', '#'])}if {condition}}}}}{said(dice, words, depth + 1)}{other}{{{{/if}}}}"


def variables(dice: Random) -> Case:
    """What macros have kept before."""

    def some() -> Case:
        return {name: dice.choice([*VALUES, 3, 0.1]) for name in NAMES if dice.random() < 0.3}

    return {"local": some(), "global": some()}


def asked(dice: Random, world: Case) -> Case:
    """A case of its own from a world: its people and chat, and texts."""
    words = ["oath", "龙", "café", "a-b", "x y"]
    return {
        "kind": "macros",
        "now": NOW,
        "variables": variables(dice),
        "texts": [said(dice, words) for _ in range(12)],
        **{name: world[name] for name in ("user", "character", "chat")},
    }
