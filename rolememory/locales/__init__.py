"""Translation of messages: English in the code, other languages in `LANGUAGE.po` beside this module.

A message is an English template with named values, translated where it is shown; messages missing in a catalogue
are shown in English.
"""

from collections.abc import Iterable
from string import Formatter
from typing import Any, TypeVar
from unicodedata import category

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
    """A value with a text in each language."""

    __slots__ = ()

    def text(self, language: str = "en") -> str:
        """The text in that language."""
        raise NotImplementedError


class _Number(int):
    """A count in a message: `{n:message|messages}` is the first word for 1, else the last."""

    def __format__(self, spec: str) -> str:
        one, several, many = spec.partition("|")
        return (one if self == 1 else many) if several else int.__format__(self, spec)


class _Quoting(Formatter):
    """`str.format` whose `!r` quotes a value as people read it, not as Python writes it."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        return _quoted(value) if conversion == "r" else super().convert_field(value, conversion)


def _quoted(value: object) -> str:
    r"""A text in quotes, where only characters that cannot be shown are escaped; other values as in JSON.

    >>> print(_quoted("C:\\new"), _quoted("　"), _quoted("a\nb"), _quoted("it's"), _quoted([None, "灯塔"]))
    'C:\new' '　' 'a\nb' "it's" [null, "灯塔"]
    """
    if isinstance(value, str):
        sign = '"' if "'" in value and '"' not in value else "'"
        return f"{sign}{''.join(map(_visible, value))}{sign}"
    if isinstance(value, dict | list | bool | None):
        import json  # imported here: such values are rare

        return json.dumps(value, ensure_ascii=False, default=repr)
    return repr(value)


def _visible(char: str) -> str:
    shows = char.isprintable() or category(char) == "Zs" or char in "\u200c\u200d"
    return char if shows else repr(char)[1:-1]


_quoting = _Quoting()


def _filled(template: str, values: dict[str, object]) -> str:
    if "!r" in template:  # the slower formatter only where a value is quoted
        return _quoting.vformat(template, (), values)
    return template.format(**values)


def translated(template: str, language: str = "en", msgctxt: str = "", /, **values: object) -> str:
    """A template in a language, with its values; `Localized` values are translated too.

    Without values braces are literal. A noun beside a number follows it: `{n:message|messages}`.

    >>> translated("{n} {n:message|messages}", n=1), translated("{n} {n:message|messages}", n=0)
    ('1 message', '0 messages')
    >>> translated("did you mean {near!r}?", "zh", near="recall")
    '是不是想写“recall”？'
    """
    if not values:
        return lookup(template, language, msgctxt)
    shown = {name: _shown(value, language) for name, value in values.items()}
    try:
        return _filled(lookup(template, language, msgctxt), shown)
    except (LookupError, ValueError, AttributeError):  # a translation with other placeholders
        return _filled(template, shown)


def _shown(value: object, language: str) -> object:
    """A value as it is formatted."""
    if isinstance(value, Localized):
        return value.text(language)
    return _Number(value) if type(value) is int else value


class LocalizedText(Localized):
    """A message with its values, not yet in any language.

    >>> LocalizedText("did you mean {near!r}?", near="recall").text()
    "did you mean 'recall'?"
    """

    __slots__ = ("msgctxt", "template", "values")

    def __init__(self, template: str, /, *, msgctxt: str = "", **values: object) -> None:
        self.template = template
        self.msgctxt = msgctxt
        self.values = values

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


class LocalizedNote(str, Localized):
    """A message as English text, which also has its text in other languages.

    >>> note = LocalizedNote(LocalizedText("no model server is set"))
    >>> note, note.text("zh")
    ('no model server is set', '还没有设置模型服务')
    """

    __slots__ = ("_said",)
    _said: Localized

    def __new__(cls, said: Localized) -> "LocalizedNote":
        """From a message or an error."""
        made = super().__new__(cls, said.text())
        made._said = said
        return made

    def __deepcopy__(self, _: object) -> "LocalizedNote":
        """Itself: it never changes, and errors cannot be copied."""
        return self

    def text(self, language: str = "en") -> str:
        """The message in that language."""
        return self._said.text(language)


class Listed(Localized):
    """A list of names, joined as usual in the language.

    >>> Listed(["mira", "asha"]).text(), Listed(["mira", "asha"]).text("zh")
    ('mira, asha', 'mira、asha')
    """

    __slots__ = ("_joint", "_parts")

    def __init__(self, parts: Iterable[object], joint: str = ", ") -> None:
        self._parts = tuple(parts)
        self._joint = joint

    def text(self, language: str = "en") -> str:
        """The joined names in that language."""
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
    """A template with its values as a message; a message is returned unchanged."""
    if isinstance(message, LocalizedText):
        return message
    return LocalizedText(message, msgctxt=msgctxt, **values)


def translatable(table: _T, msgctxt: str = "") -> _T:
    """Mark the texts in a table as messages, for extraction into the catalogues.

    Of a mapping the values, not the keys.
    """
    return table


translatable((", ", "; ", ": ", " and "), "list")  # separators of `Listed`
