"""Folding: normalises text for comparison, and maps offsets back to the original.

Removes differences of width, case, accents, compatibility forms, typographic quotes and white space; keeps what
distinguishes words: voicing marks of kana, vowel signs, й, traditional and simplified characters.
Source: Unicode NFKC and full case folding (UAX 15, Unicode 3.13), applied unit by unit so that offsets survive.
"""

import re
import unicodedata
from array import array
from functools import lru_cache

import regex

from rolememory.schema.value_class import value_class

_CACHED_LENGTH = 65_536  # longer texts are folded each time: the cache stays small
_KEPT = {
    0x2026,
    *range(0x3130, 0x3190),
    *range(0xFFA0, 0xFFE0),
}  # … would grow, jamo as letters (ㅋㅋ) would fuse
_LOOKALIKES = {"‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', **dict.fromkeys("‐‑‒–—―−", "-")}
_MARKS = frozenset(range(0x0300, 0x0370)) | {*range(0x0591, 0x05C8), *range(0x064B, 0x0660), 0x0670}
_SHORT_I = ("и", 0x0306)  # й is a letter of its own
_IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}+")
_ATTACHED = r"[\p{M}\uFF9E\uFF9F\p{Default_Ignorable_Code_Point}]"
_JAMO = r"[\u1100-\u115E\uA960-\uA97C]+[\u1161-\u11A7\uD7B0-\uD7C6]+[\u11A8-\u11FF\uD7CB-\uD7FB]*|[\uAC00-\uD7A3][\u11A8-\u11C2]"
_UNIT = regex.compile(rf"\s+|(?:{_JAMO}){_ATTACHED}*|[^\s]{_ATTACHED}*", regex.DOTALL)
_JOINING = regex.compile(rf"{_ATTACHED}|[\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB]")
_BLANKS = re.compile("  +")
_ASCII = {code: " " for code in range(128) if chr(code).isspace()}


@value_class
class Folded:
    """A folded text with its offsets: `offsets[i]` is the start of the i-th folded character in the original.

    `offsets` has one item more than `text` (the end of the original), and is None if all offsets are equal.
    """

    text: str
    offsets: "array[int] | None" = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        r"""The original's half-open range of folded [start, end): whole characters with their marks.

        >>> fold("Le Cafe\u0301!").span(3, 7)
        (3, 8)
        >>> fold("ﬁre").span(0, 1)
        (0, 1)
        """
        if self.offsets is None:
            return start, end
        first = self.offsets[start]
        while end < len(self.text) and end > start and self.offsets[end] == self.offsets[end - 1]:
            end += 1
        return first, self.offsets[end]


def fold(text: str) -> Folded:
    """The text folded for key matching: NFKC, case folded, without accents, white space runs as one blank.

    Cost: O(length), cached for recent texts. Lone surrogates become U+FFFD.

    >>> fold("ＣＡＦÉ  Straße").text
    'cafe strasse'
    >>> fold("Ｔｈｅ　ﾄﾞﾗｺﾞﾝ").text
    'the ドラゴン'
    """
    return _fold(text) if len(text) <= _CACHED_LENGTH else _fold.__wrapped__(text)


def folded_key(key: str) -> str:
    r"""A key folded for search, stripped; "" for an empty key.

    >>> folded_key(" Red  Dragon "), folded_key("\u200b")
    ('red dragon', '')
    """
    if key.isascii():
        return " ".join(key.lower().translate(_ASCII).split())
    return _fold.__wrapped__(key).text.strip()


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """A name folded for comparison: ignores width, case and outer spaces.

    >>> fold_name(" Ｍｉｒａ ") == fold_name("mira")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def lower(text: str) -> Folded:
    """The text in full Unicode lower case, with its offsets (dotted capital I grows).

    >>> lower("İstanbul").text == "İstanbul".lower(), lower("İstanbul").span(0, 1)
    (True, (0, 1))
    """
    lowered = text.lower()
    if len(lowered) == len(text):
        return Folded(lowered)
    places = (place for place, char in enumerate(text) for _ in char.lower())
    return Folded(lowered, array("I", [*places, len(text)]))


@lru_cache(maxsize=256)
def letters(text: str) -> str:
    """The letters and digits of a text, folded: for finding quotations.

    >>> letters("“I’m  30!”"), letters("我 30 岁。")
    ('im30', '我30岁')
    """
    return "".join(filter(str.isalnum, fold(text).text))


@lru_cache(maxsize=4096)
def _fold(text: str) -> Folded:
    if text.isascii():
        return _one_blank(text.lower().translate(_ASCII))
    distinct = "".join(set(text))
    if _keeps_length(distinct) and not _JOINING.search(distinct):
        return _one_blank(text.translate(_CHARACTERS))
    return _fold_units(text)


def _keeps_length(characters: str) -> bool:
    characters.translate(_CHARACTERS)  # now each is known
    return _CHARACTERS.resized.isdisjoint(characters)


def _one_blank(folded: str) -> Folded:
    """Collapse runs of blanks, in a folded text with unchanged offsets."""
    if "  " not in folded:
        return Folded(folded)
    offsets = array("I")
    place = 0
    for run in _BLANKS.finditer(folded):
        offsets.extend(range(place, run.start() + 1))
        place = run.end()
    offsets.extend(range(place, len(folded) + 1))
    return Folded(_BLANKS.sub(" ", folded), offsets)


def _fold_units(text: str) -> Folded:
    """Fold unit by unit: a character with its marks, a run of white space, a syllable of jamo."""
    out: list[str] = []
    offsets = array("I")
    blank = False
    for unit in _UNIT.finditer(text):
        folded = _fold_unit(unit.group())
        if blank and folded.startswith(" "):  # adjacent blanks: keep the first
            folded = folded[1:]
        if folded:
            out.append(folded)
            offsets.extend([unit.start()] * len(folded))
            blank = folded.endswith(" ")
    offsets.append(len(text))
    return Folded("".join(out), offsets)


@lru_cache(maxsize=4096)
def _fold_unit(unit: str) -> str:
    """Fold one character with its marks."""
    if len(unit) == 1 and "\u4e00" <= unit <= "\u9fff":
        return unit  # ideographs of this block have no other form
    if unit[0].isspace():
        return " "
    if "\ud800" <= unit[0] <= "\udfff":
        return "\ufffd"
    if len(unit) == 1 and ord(unit) in _KEPT:
        return unit
    folded = _IGNORABLE.sub("", unit)
    for _ in range(3):  # folding may need repetition: ϓ, ẛ
        folded = _bare(
            unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
        )
    folded = "".join(_LOOKALIKES.get(char, char) for char in folded)
    return " ".join(folded.split()) or (
        folded and unicodedata.normalize("NFD", unit)[0]
    )  # a lone accent is kept


def _bare(text: str) -> str:
    """Without accents of Latin, Greek, Cyrillic, Hebrew and Arabic, except marks that make another letter."""
    kept: list[str] = []
    for char in unicodedata.normalize("NFD", text):
        if ord(char) not in _MARKS or (kept and (kept[-1], ord(char)) == _SHORT_I):
            kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


class _Characters(dict[int, str]):
    """Code point -> folded form, computed on first use; for `str.translate`."""

    def __init__(self) -> None:
        super().__init__()
        self.resized: set[str] = set()  # characters known so far that do not fold to a single one

    def __missing__(self, code: int) -> str:
        folded = _fold_unit(chr(code))
        if len(folded) != 1:
            self.resized.add(chr(code))
        self[code] = folded
        return folded


_CHARACTERS = _Characters()
