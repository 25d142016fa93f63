"""The messages that stand in the code, and the catalogue that says them in another language.

`python -m tests.locales.extract` writes the catalogues again: rows in order, what the code no longer says left out,
what has no translation yet at the end of its output. `make locales` is the same.
"""

import ast
import re
import string
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import rolememory
from rolememory import errors
from rolememory.locales.catalogue import entries
from rolememory.schema.described import descriptions
from rolememory.schema.memory import Memory
from rolememory.storage.settings_text import described
from rolememory.storage.settings_tree import leaves, sections
from tests.parsing import parsed

PACKAGE = Path(rolememory.__file__).parent
CATALOGUES = PACKAGE / "locales"
_FINDINGS = {"finding": 2, "good": 1, "note": 1, "warning": 1, "fault": 1}
_SAYS = {
    **_FINDINGS,
    "say": 0, "_say": 0, "LocalizedText": 0, "translated": 0, "localized": 0, "told": 0, "described": 0,
    "option": 1, "argument": 1, "_both": 0, "tell": 0, "damaged": 1, "_refused": 1, "_unfit": 0, "_expected": 0, "Verb": 2,
}  # fmt: skip
_PAIRS = {"_wrong": 2, "HttpRefusal": 2, "syntax_error": 0}  # where problem and remedy stand
_ERRORS = {name for name in vars(errors) if name.endswith("Error")} | {
    "UsageError",
    "CostlyPatternError",
}
_FILE_ERRORS = ("FileError", "SettingsError", "TemplateError")  # their first argument is the file
_PLACE = {"field", "line", "column"}  # where in a file; of others values like any
_NO_VALUES = {"msgctxt", "remedy", *_PLACE}
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
Key = tuple[str, str]  # context, English


@dataclass(frozen=True, slots=True)
class Message:
    """A text in the code that people may read."""

    context: str
    english: str
    place: str
    values: frozenset[str] | None = None  # names given with it; None where they are given elsewhere

    @property
    def says(self) -> bool:
        """Whether there is anything to translate: names in braces alone may stay as they are."""
        return bool(_PLACEHOLDER.sub("", self.english).strip())

    @property
    def key(self) -> Key:
        """What its row in a catalogue is found by."""
        return self.context, self.english


def messages(package: Path = PACKAGE) -> Iterator[Message]:
    """Every message of the code."""
    for key in (*leaves(), *sections()):
        yield Message("setting", described(key), f"setting {key}")
    for name, text in descriptions(Memory).items():
        yield Message("", text, f"field {name} of a memory")
    for file in sorted(package.rglob("*.py")):
        if "_data" not in file.parts:
            yield from of_source(
                file.read_text(encoding="utf-8"), str(file.relative_to(package.parent))
            )


def of_source(source: str, place: str = "") -> Iterator[Message]:
    """The messages of one module.

    >>> [one.english for one in of_source('say("a" if x else "b {n}", n=1); translatable({"k": ("c",)})')]
    ['a', 'b {n}', 'c']
    """
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Call):
            yield from _of_call(node, f"{place}:{node.lineno}")


def _of_call(node: ast.Call, place: str) -> Iterator[Message]:
    name = _name(node.func)
    given = {one.arg: one.value for one in node.keywords if one.arg}
    context = _text(given.get("msgctxt"))
    values = frozenset(given) - _NO_VALUES if len(given) == len(node.keywords) else None
    if name not in _FILE_ERRORS and values is not None:
        values |= given.keys() & _PLACE
    if name == "translatable":
        second = _text(node.args[1]) if len(node.args) > 1 else ""
        yield from (Message(second, text, place) for text in _texts(node.args[0]))
    elif name == "UnknownNameError" and node.args:
        yield from (Message("kind", text, place) for text in _texts(node.args[0]))
    elif (first := _PAIRS.get(name)) is not None:
        said = node.args[first : first + 2]
        yield from (Message("", text, place) for one in said for text in _texts(one))
    elif (at := _argument(name)) is not None and len(node.args) > at:
        if name in ("translated", "localized") and len(node.args) == 3 - (name == "localized"):
            context = _text(node.args[-1])
        for text in _texts(node.args[at]):
            known = not at or name in _ERRORS or name in _FINDINGS
            yield Message(context, text, place, values if known else None)
    if "remedy" in given:
        yield from (Message("", text, place, values) for text in _texts(given["remedy"]))


def assembled(source: str) -> Iterator[int]:
    """The lines where a message is put together before it is looked up: no catalogue has such a text.

    >>> list(assembled('say(f"{n} chats")'))
    [1]
    """
    for node in ast.walk(parsed(source)):
        if not isinstance(node, ast.Call):
            continue
        name = _name(node.func)
        first, many = _PAIRS.get(name), 2
        if first is None and not isinstance(node.func, ast.Attribute):
            first, many = _argument(name), 1  # `out.say` shows what was said already
        if first is not None:
            given = [
                *node.args[first : first + many],
                *(one.value for one in node.keywords if one.arg == "remedy"),
            ]
            yield from (one.lineno for one in given if isinstance(one, ast.JoinedStr))


def _argument(name: str) -> int | None:
    """Which argument of a call is a message."""
    if name in _ERRORS:
        return int(name in _FILE_ERRORS)
    return _SAYS.get(name)


def _name(function: ast.expr) -> str:
    """What is called; events are told as well, and are no messages."""
    if not isinstance(function, ast.Attribute):
        return ast.unparse(function)
    return "" if function.attr == "tell" else function.attr


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _texts(node: ast.expr) -> Iterator[str]:
    """The texts of an argument: itself, both sides of a choice, all of a table but its keys."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and node.value:
            yield node.value
    else:
        for part in _parts(node):
            yield from _texts(part)


def _parts(node: ast.expr) -> Sequence[ast.expr]:
    match node:
        case ast.IfExp(body=body, orelse=other):
            return body, other
        case ast.Dict(values=values) | ast.Tuple(elts=values) | ast.List(elts=values):
            return values
        case ast.DictComp(generators=[ast.comprehension(iter=inner)]):
            return (inner,)
        case ast.Call(func=ast.Attribute(value=inner)):
            return (inner,)
    return ()


def names(template: str) -> set[str]:
    """The names in braces.

    >>> sorted(names("{a!r} of {b:.1f}"))
    ['a', 'b']
    """
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def catalogue(file: Path) -> dict[Key, str]:
    """The rows of a catalogue."""
    return dict(entries(file.read_text("utf-8")))


def written(rows: Mapping[Key, str], language: str) -> str:
    """A catalogue as text, in the order of the English."""
    head = f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
    order = sorted(rows, key=lambda key: (key[1].casefold(), key[1], key[0]))
    return head + "".join(_row(key, rows[key]) for key in order)


def _row(key: Key, translation: str) -> str:
    context = f"msgctxt {_quoted(key[0])}\n" if key[0] else ""
    return f"\n{context}msgid {_quoted(key[1])}\nmsgstr {_quoted(translation)}\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def used(rows: Mapping[Key, str], said: Iterable[Message]) -> dict[Key, str]:
    """The rows that the code asks for; a setting may have a row of its own, with its key as context."""
    wanted = {one.key for one in said} | {(key, described(key)) for key in (*leaves(), *sections())}
    return {key: rows[key] for key in rows if key in wanted}


def missing(rows: Mapping[Key, str], said: Iterable[Message]) -> list[Message]:
    """The messages that a catalogue lacks."""
    return list({one.key: one for one in said if one.says and one.key not in rows}.values())


def main() -> int:
    """Write every catalogue again; 1 when something is not translated."""
    said = list(messages())
    lacking = 0
    for file in sorted(CATALOGUES.glob("*.po")):
        rows = catalogue(file)
        file.write_text(written(used(rows, said), file.stem), "utf-8")
        for one in missing(rows, said):
            sys.stdout.write(f"{one.place}: not in {file.name}: {one.context} {one.english!r}\n")
            lacking += 1
    return int(lacking > 0)


if __name__ == "__main__":
    sys.exit(main())
