"""Paths of shipped data: worldbook_rules/, templates/ and examples/, in a wheel and in a checkout."""

from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent


def shipped(*parts: str) -> Path:
    """The path of a shipped file or folder, e.g. `shipped("worldbook_rules", "presets")`.

    A wheel carries them under rolememory/_data; an editable install reads the checkout beside the package.

    >>> shipped("worldbook_rules").is_dir()
    True
    """
    inside = _PACKAGE / "_data"
    return (inside if inside.is_dir() else _PACKAGE.parent).joinpath(*parts)


def lexicon(name: str) -> dict[str, Any]:
    """A shipped lexicon of words or patterns: worldbook_rules/lexicons/{name}.json.

    >>> {"en", "zh"} <= lexicon("asking").keys()
    True
    """
    import orjson

    file = shipped("worldbook_rules", "lexicons", f"{name}.json")
    found: dict[str, Any] = orjson.loads(file.read_bytes())
    return found
