"""How wide a text stands on a terminal."""

from unicodedata import east_asian_width


def cells(text: str) -> int:
    """How many columns of a terminal a text takes: a Chinese character takes two.

    >>> cells("灯塔 ab")
    7
    """
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def padded(text: str, wide: int) -> str:
    """The text with blanks behind it up to so many columns."""
    return text + " " * (wide - cells(text))
