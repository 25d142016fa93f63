"""What people are told, in their language: the code speaks English, `LANGUAGE.po` beside this module says the same in others.

A message is an English template with named values. Its text in another language is looked up where it is
shown; what a catalogue lacks is shown in English.
"""

from collections.abc import Iterable
from typing import TypeVar

from rolememory.locales.catalogue import add_folder, languages, lookup

__all__ = [
    "Listed",
    "Localized",
    "LocalizedText",
    "add_folder",
    "languages",
    "localized",
    "translatable",
    "translated",
]

_T = TypeVar("_T")


class Localized:
    """Something that can be said in more than one language."""

    __slots__ = ()

    def text(self, language: str = "en") -> str:
        """It in that language."""
        raise NotImplementedError


def translated(template: str, language: str = "en", msgctxt: str = "", /, **values: object) -> str:
    """A template in a language, with its values; a value that is `Localized` is said in the same language.

    Without values braces mean themselves.

    >>> translated("did you mean {near!r}?", "zh", near="recall")
    '是不是想写“recall”？'
    """
    if not values:
        return lookup(template, language, msgctxt)
    shown = {
        name: value.text(language) if isinstance(value, Localized) else value
        for name, value in values.items()
    }
    try:
        return lookup(template, language, msgctxt).format(**shown)
    except (LookupError, ValueError, AttributeError):  # a catalogue with other names in braces
        return template.format(**shown)


class LocalizedText(Localized):
    """A message with its values, not yet in any language.

    >>> LocalizedText("did you mean {near!r}?", near="recall").text()
    "did you mean 'recall'?"
    """

    __slots__ = ("msgctxt", "template", "values")

    def __init__(self, template: str, /, *, msgctxt: str = "", **values: object) -> None:
        self.template, self.msgctxt, self.values = template, msgctxt, values

    def text(self, language: str = "en") -> str:
        """The message in that language."""
        return translated(self.template, language, self.msgctxt, **self.values)

    def filled(self, **values: object) -> "LocalizedText":
        """The same message with these values as well."""
        return LocalizedText(self.template, msgctxt=self.msgctxt, **self.values | values)

    def __str__(self) -> str:
        return self.text()

    def __bool__(self) -> bool:
        return bool(self.template)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LocalizedText) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self.template)

    def __repr__(self) -> str:
        return f"LocalizedText({self.text()!r})"

    @property
    def _key(self) -> tuple[object, ...]:
        return self.template, self.msgctxt, self.values


class Listed(Localized):
    """Names in a row, joined as the language joins them.

    >>> Listed(["mira", "asha"]).text(), Listed(["mira", "asha"]).text("zh")
    ('mira, asha', 'mira、asha')
    """

    __slots__ = ("_joint", "_parts")

    def __init__(self, parts: Iterable[object], joint: str = ", ") -> None:
        self._parts, self._joint = tuple(parts), joint

    def text(self, language: str = "en") -> str:
        """The row in that language."""
        joint = lookup(self._joint, language, "list")
        return joint.join(
            part.text(language) if isinstance(part, Localized) else str(part)
            for part in self._parts
        )

    def __str__(self) -> str:
        return self.text()


def localized(
    message: str | LocalizedText, msgctxt: str = "", /, **values: object
) -> LocalizedText:
    """A template with its values as a message; a message stays what it is."""
    if isinstance(message, LocalizedText):
        return message
    return LocalizedText(message, msgctxt=msgctxt, **values)


def translatable(table: _T, msgctxt: str = "") -> _T:
    """Mark the texts in a table as messages: the catalogue has them, `translated` finds them.

    Of a mapping the values are meant, not the keys.
    """
    return table


translatable((", ", "; ", ": ", " and "), "list")  # what `Listed` joins by
