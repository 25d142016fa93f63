"""Width of text on a terminal."""

from unicodedata import combining, east_asian_width


def cells(text: str) -> int:
    """Terminal columns of a text: a Chinese character takes two, an accent after its letter none.

    >>> cells("灯塔 ab"), cells("e\u0301")
    (7, 1)
    """
    return sum(2 if east_asian_width(one) in "WF" else not combining(one) for one in text)


def padded(text: str, wide: int) -> str:
    """The text padded with blanks to `wide` columns."""
    return text + " " * (wide - cells(text))
