"""Which language people are spoken to in."""

import locale
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from rolememory.locales import languages
from rolememory.schema.scene import Language

_NAMES = ("ROLEMEMORY_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def language_from(arguments: Sequence[str], environment: Mapping[str, str]) -> Language:
    """The language of the person: `--lang`, then the environment, then the system's.

    >>> language_from(["roles", "--lang", "zh"], {}), language_from([], {"LANG": "zh_CN.GBK"}), language_from([], {"LC_ALL": "en_US"})
    ('zh', 'zh', 'en')
    """
    given = [*_named(arguments), *filter(None, map(environment.get, _NAMES))]
    given = given or [name for name in locale.getlocale() if name]
    return spoken((given or ["en"])[0]) or "en"


def spoken(name: str) -> Language:
    """The code of a language that there is a catalogue for, by its code or a locale's name; "" for others.

    >>> spoken("zh_CN.UTF-8"), spoken("Chinese (Simplified)_China"), spoken("tlh")
    ('zh', 'zh', '')
    """
    word = re.split("[^a-z]", name.lower())[0]
    code = {"chinese": "zh", "english": "en"}.get(word, word)
    return code if code in languages() else ""


def _named(arguments: Sequence[str]) -> list[str]:
    """What the command line asks for."""
    words = (word for one in arguments for word in one.split("=", 1))
    return [value for name, value in pairwise(words) if name == "--lang"]


class ProcessLanguage:
    """The language of this process, settled before anything is said."""

    language: Language = "en"


def settle(arguments: Sequence[str]) -> None:
    """Choose the language for this process."""
    ProcessLanguage.language = language_from(arguments, os.environ)


def settle_by_home(home: Path, arguments: Sequence[str]) -> None:
    """Speak as the home's settings say, where neither the command line nor ROLEMEMORY_LANG says otherwise.

    A home may have catalogues of its own, in `locales/`.
    """
    settle(arguments)
    if os.environ.get("ROLEMEMORY_LANG") or _named(arguments):
        return
    try:
        told = tomllib.loads((home.expanduser() / "rolememory.toml").read_text("utf-8-sig")).get(
            "language"
        )
    except (OSError, ValueError, RecursionError):
        return  # whoever works with the file says what is wrong with it
    if told in languages():
        ProcessLanguage.language = told
