"""Width of text on a terminal."""

from unicodedata import east_asian_width


def cells(text: str) -> int:
    """Terminal columns of a text: a Chinese character takes two.

    >>> cells("灯塔 ab")
    7
    """
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def padded(text: str, wide: int) -> str:
    """The text padded with blanks to `wide` columns."""
    return text + " " * (wide - cells(text))
