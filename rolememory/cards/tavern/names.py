"""What SillyTavern makes of a name."""

import re

_STRIPPED = re.compile(r'[":/\\?*<>|\x00-\x1f\x7f-\x9f]')


def as_stored(name: str) -> str:
    r"""A character's name as SillyTavern keeps it when it imports a card: without what no file's name may hold.

    >>> as_stored('Dr. "Bones" O\'Hara: the 2nd')
    "Dr. Bones O'Hara the 2nd"
    """
    return " ".join(_STRIPPED.sub("", name).split())
