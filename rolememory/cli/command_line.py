"""The options common to all verbs, at any position of the line."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from rolememory.cli.language import spoken
from rolememory.errors import InvalidValueError
from rolememory.locales import Listed, add_folder, languages, translatable
from rolememory.schema.value_class import value_class

DEFAULT_HOME = "memories"

OPTIONS = (
    ("--home PATH", translatable('the folder of all roles (or ROLEMEMORY_HOME); default: memories')),
    ("--json", translatable('the result as one JSON value on standard output')),
    ("--lang zh|en", translatable('the language of messages (or ROLEMEMORY_LANG)')),
)  # fmt: skip


class UsageError(InvalidValueError):
    """A usage error: exit code 2."""


@value_class
class CommandLine:
    """A command line without the common options, and their values."""

    rest: tuple[str, ...]
    home: Path
    as_json: bool = False


def read(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> CommandLine:
    """Parse --home, --json and --lang anywhere before a lone `--`; the last of each wins.

    >>> read(["roles", "--json", "--home=h"], {}).rest
    ('roles',)

    Raises:
        UsageError: an option without its value, or an unsupported language.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    rest = []
    given = {"--home": environment.get("ROLEMEMORY_HOME", ""), "--lang": "", "--json": ""}
    words = iter(arguments[:end])
    for word in words:
        name, joint, value = word.partition("=")
        if name not in given:
            rest.append(word)
        elif name == "--json":
            given[name] = "yes"
        else:
            given[name] = value if joint else _value(name, next(words, None))
    home = Path(given["--home"] or DEFAULT_HOME)
    add_folder(home.expanduser() / "locales")
    if given["--lang"] and not spoken(given["--lang"]):
        known = Listed(languages())
        value = given["--lang"]
        raise UsageError(
            "{name}: expected one of {known}, got {value!r}",
            name="--lang",
            known=known,
            value=value,
        )
    return CommandLine((*rest, *arguments[end:]), home, bool(given["--json"]))


def _value(name: str, value: str | None) -> str:
    if not value or value.startswith("--"):
        example = f"{name} {'zh' if name == '--lang' else DEFAULT_HOME}"
        raise UsageError("option {name} needs a value; write {example}", name=name, example=example)
    return value
