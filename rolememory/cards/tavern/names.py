"""SillyTavern's normalization of names."""

import re

_STRIPPED = re.compile(r'[":/\\?*<>|\x00-\x1f\x7f-\x9f]')


def as_stored(name: str) -> str:
    r"""A character's name as SillyTavern stores it on import: without characters invalid in file names.

    >>> as_stored('Dr. "Bones" O\'Hara: the 2nd')
    "Dr. Bones O'Hara the 2nd"
    """
    return " ".join(_STRIPPED.sub("", name).split())
