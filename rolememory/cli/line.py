"""The options that hold for every verb, wherever on the line they stand."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rolememory.cli.words import both
from rolememory.errors import InvalidValueError

DEFAULT_HOME = "memories"

OPTIONS = (
    ("--home PATH", both("the folder of all roles (or ROLEMEMORY_HOME); default: memories", "存放所有角色的文件夹（或 ROLEMEMORY_HOME），默认 memories")),
    ("--json", both("the result as one JSON value on standard output", "结果以一个 JSON 值写到标准输出")),
    ("--lang zh|en", both("the language to be spoken to in (or ROLEMEMORY_LANG)", "使用的语言（或 ROLEMEMORY_LANG）")),
)  # fmt: skip


class UsageError(InvalidValueError):
    """The command line itself is wrong: exit code 2."""


@dataclass(frozen=True, slots=True)
class Line:
    """A command line with what holds for every verb taken out of it."""

    rest: tuple[str, ...]
    home: Path
    as_json: bool = False


def read(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> Line:
    """Take --home, --json and --lang from anywhere before a lone `--`; the last of each counts.

    >>> read(["roles", "--json", "--home=h"], {}).rest
    ('roles',)

    Raises:
        UsageError: an option without its value, or a language that is not spoken.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    rest, given = [], {"--home": environment.get("ROLEMEMORY_HOME", ""), "--lang": "", "--json": ""}
    words = iter(arguments[:end])
    for word in words:
        name, joint, value = word.partition("=")
        if name not in given:
            rest.append(word)
        elif name == "--json":
            given[name] = "yes"
        else:
            given[name] = value if joint else _value(name, next(words, None))
    _check_language(given["--lang"])
    return Line(
        (*rest, *arguments[end:]), Path(given["--home"] or DEFAULT_HOME), bool(given["--json"])
    )


def _value(name: str, value: str | None) -> str:
    if not value or value.startswith("--"):
        example = f"{name} {'zh' if name == '--lang' else DEFAULT_HOME}"
        raise UsageError(
            f"option {name} needs a value; write {example}",
            zh=f"选项 {name} 后面要有一个值，例如 {example}",
        )
    return value


def _check_language(value: str) -> None:
    if value and not value.lower().startswith(("zh", "en", "chinese", "english")):
        raise UsageError(
            f"--lang: expected zh or en, got {value!r}", zh=f"--lang：应为 zh 或 en，却是“{value}”"
        )
