"""Finds and masks the names of one person in texts."""

from collections.abc import Iterable, Iterator

from rolememory.locales import translated
from rolememory.schema.value_class import value_class
from rolememory.shipped import lexicon
from rolememory.text.boundaries import boundaries, stands_alone
from rolememory.text.fold import fold, folded_key
from rolememory.text.language import language_of
from rolememory.text.words import word_lists


def _words(name: str) -> frozenset[str]:
    """The words of that name in every language."""
    return frozenset(
        one for file in ("prose.en", "prose.zh") for one in lexicon(file)[name].split()
    )


USER_WORDS, SELF_WORDS = _words("user"), _words("self")
"""Memory subjects that mean the user, and the role itself (as does no subject)."""

_LEAST = 2  # characters: shorter names match too often


@value_class
class NameSpan:
    """A mention of the person: half-open span, and its replacement."""

    start: int
    end: int
    instead: str


class PersonNames:
    """All names of one person; `all`: as written.

    Matches whole words, ignoring case and width; in scripts without spaces anywhere. A name that is also an everyday word
    ("Will", "May") must be capitalised.

    >>> names = PersonNames(["Bob", "小林"])
    >>> names.masked("Ask bob, or BOB's boat; Bobby stays."), names.masked("我把钥匙给了小林。")
    ("Ask somebody, or somebody's boat; Bobby stays.", '我把钥匙给了某人。')
    >>> PersonNames(["Will"]).masked("Will will come.")
    'somebody will come.'
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.all = frozenset(name for name in names if name)
        keys = {folded_key(name) for name in self.all}
        self._keys = sorted((key for key in keys if len(key) >= _LEAST), key=len, reverse=True)
        self._whole = keys
        english = word_lists("en")
        self._everyday = {key for key in keys if key in english.stop or key in english.common}

    def are(self, name: str | None) -> bool:
        """Whether this is one of the names, ignoring case and width."""
        return bool(name) and folded_key(name or "") in self._whole

    def found(self, text: str) -> bool:
        """Whether the text names the person."""
        return next(self._found(text), None) is not None

    def places(self, text: str) -> list[NameSpan]:
        """The mentions of the person, in order, without overlaps. Cost: O(names × length)."""
        found: list[NameSpan] = []
        for one in sorted(self._found(text), key=lambda one: (one.start, -one.end)):
            if not found or one.start >= found[-1].end:
                found.append(one)
        return found

    def masked(self, text: str) -> str:
        """The text with each name replaced by a word like "somebody"."""
        parts, end = list[str](), 0
        for one in self.places(text):
            parts += (text[end : one.start], one.instead)
            end = one.end
        return "".join((*parts, text[end:])) if parts else text

    def _found(self, text: str) -> Iterator[NameSpan]:
        folded = fold(text)
        for key in self._keys:
            sides, at = boundaries(key, "script"), folded.text.find(key)
            while at >= 0:
                start, end = folded.span(at, at + len(key))
                capital = text[start : start + 1].isupper()
                if stands_alone(folded.text, at, at + len(key), sides) and (
                    capital or key not in self._everyday
                ):
                    yield NameSpan(start, end, translated("somebody", language_of(text)))
                at = folded.text.find(key, at + 1)
