"""The language of messages."""

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
    """The code of a language with a catalogue, by its code or a locale name; "" for others.

    >>> spoken("zh_CN.UTF-8"), spoken("Chinese (Simplified)_China"), spoken("tlh")
    ('zh', 'zh', '')
    """
    word = re.split("[^a-z]", name.lower())[0]
    code = {"chinese": "zh", "english": "en"}.get(word, word)
    return code if code in languages() else ""


def _named(arguments: Sequence[str]) -> list[str]:
    """The language on the command line."""
    words = (word for one in arguments for word in one.split("=", 1))
    return [value for name, value in pairwise(words) if name == "--lang"]


class ProcessLanguage:
    """The language of this process, set before any output."""

    language: Language = "en"


def set_from_arguments(arguments: Sequence[str]) -> None:
    """Set the language of this process."""
    ProcessLanguage.language = language_from(arguments, os.environ)


def set_from_home(home: Path, arguments: Sequence[str]) -> None:
    """Use the language in the home's settings, unless the command line or ROLEMEMORY_LANG sets one.

    A home may have its own catalogues, in `locales/`.
    """
    set_from_arguments(arguments)
    if os.environ.get("ROLEMEMORY_LANG") or _named(arguments):
        return
    try:
        told = tomllib.loads((home.expanduser() / "rolememory.toml").read_text("utf-8-sig")).get(
            "language"
        )
    except (OSError, ValueError, RecursionError):
        return  # whatever uses the file reports the error
    if told in languages():
        ProcessLanguage.language = told
