"""Which language people are spoken to in, and the two wordings of everything the command line says."""

import locale
import os
import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from rolememory.schema.scene import Language

_NAMES = ("ROLEMEMORY_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
_CHINESE: dict[str, str] = {}


def language_from(arguments: Sequence[str], environment: Mapping[str, str]) -> Language:
    """The language of the person: `--lang`, then the environment, then the system's.

    >>> language_from(["roles", "--lang", "zh"], {}), language_from([], {"LANG": "zh_CN.GBK"}), language_from([], {"LC_ALL": "en_US"})
    ('zh', 'zh', 'en')
    """
    given = [value for name, value in pairwise(arguments) if name == "--lang"]
    given += [value.removeprefix("--lang=") for value in arguments if value.startswith("--lang=")]
    given += [environment[name] for name in _NAMES if environment.get(name)]
    if not given:
        given = [name for name in locale.getlocale() if name]
    return "zh" if given and given[0].lower().startswith(("zh", "chinese")) else "en"


class Tongue:
    """The language of this process, settled before anything is said."""

    language: Language = "en"


def settle(arguments: Sequence[str]) -> None:
    """Choose the language for this process."""
    Tongue.language = language_from(arguments, os.environ)


def settle_by_home(home: Path, arguments: Sequence[str]) -> None:
    """Speak as the home's settings say, where neither the command line nor ROLEMEMORY_LANG says otherwise."""
    if os.environ.get("ROLEMEMORY_LANG") or any(
        word.partition("=")[0] == "--lang" for word in arguments
    ):
        return
    try:
        told = tomllib.loads((home.expanduser() / "rolememory.toml").read_text("utf-8-sig")).get(
            "language"
        )
    except (OSError, ValueError, RecursionError):
        return  # whoever works with the file says what is wrong with it
    if told in ("zh", "en"):
        Tongue.language = told


def say(en: str, zh: str) -> str:
    """The wording in the person's language, now."""
    return zh if Tongue.language == "zh" else en


def both(en: str, zh: str) -> str:
    """A text that is written before the language is known (helps of commands); `told` gives it in the person's language.

    >>> both("a role", "一个角色")
    'a role'
    """
    _CHINESE[en] = zh
    return en


def told(en: str) -> str:
    """A text of `both` in the person's language; any other as it is."""
    return say(en, _CHINESE.get(en, en))
