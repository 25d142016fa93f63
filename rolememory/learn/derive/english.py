"""English keys: names as they stand, and rare nouns."""

import re
from collections.abc import Iterator

from rolememory.learn.commands.reading import sentences
from rolememory.learn.derive.rules import rules
from rolememory.text.words import RARE, kind, stem, words

_WORD = re.compile(r"[^\W\d_][\w'’-]*|[^\w\s'’-]|\d+")
_NAME = re.compile(
    r"(?!I['’])(?:[A-ZÀ-Þ][\w'’-]*\w)(?: (?:(?:of|the|de|von|van|der|da|di|la|le) ){0,2}[A-ZÀ-Þ][\w'’-]*\w)*"
)
_OPENS = frozenset(
    "a an the my your his her our their its this that these those some any no every each another of in on at with from for about by into "
    "under behind near inside beside and or two three four five six seven eight nine ten twelve several both few old new little".split()
)
_TAKES = frozenset(
    "like likes liked love loves loved hate hates hated enjoy enjoys enjoyed play plays played playing drink drinks eat eats study studies "
    "studied speak speaks sell sells collect collects fear fears teach teaches learn learned learning need needs called named against".split()
)
_NO_NOUN = re.compile(
    r".+(?:ly|ing|ed|ful|ous|ive|able|ible|less|ish|est|ern|ward|wards|n't|'ve|'re|'ll|'d|'m)$"
)
_PLURAL = re.compile(
    r"(?P<y>.{2,}[^aeiou])ies$|(?P<es>.{2,}(?:s|x|z|ch|sh))es$|(?P<s>.{2,}[^su])s$"
)
_OWN = re.compile(
    r"\b(?:my name(?:'s| is)|i'm|i am|call me|this is)(?: called)? $", re.IGNORECASE
)  # a name of who talks is in every chat
_INSIDE = re.compile(r"[\w,;:] $")  # a capital behind it is no sentence's first
_DOES = re.compile(
    r"(?:'s|’s| (?:is|was|has|had|said|says|told|and [A-Z]|gave|went|loves?|likes?|lives?|died))\b"
)
_PLACED = frozenset("in at to from near of through around outside inside visit visited".split())


def keys(text: str) -> Iterator[str]:
    """Names in order, then rare nouns in order; repetitions included.

    >>> list(keys("I lent Captain Ross my wooden violin in Bergen."))
    ['Ross', 'Bergen', 'violin']
    """
    parts = [part.of(text) for part in sentences(text)]
    for part in parts:
        yield from _names(part)
    for part in parts:
        yield from _nouns(part)


def singular(word: str) -> str:
    """The singular of a regular plural; another word as it is.

    >>> [singular(word) for word in ("peanuts", "cherries", "wolves", "glass", "bus")]
    ['peanut', 'cherry', 'wolf', 'glass', 'bus']
    """
    if word in words("en").forms:
        return words("en").forms[word]
    match = _PLURAL.fullmatch(word)
    if match is None:
        return word
    return f"{match['y']}y" if match["y"] else match["es"] or match["s"]


def telling(word: str) -> bool:
    """Whether a word is rare enough to wake a memory by: no word that stands in every other message."""
    folded = word.lower().replace("’", "'").removesuffix("'s")
    plain = rules("en").plain
    return (
        len(folded) > 2
        and kind(stem(folded)) == RARE
        and not {stem(folded), stem(singular(folded))} & plain
    )


def _names(sentence: str) -> Iterator[str]:
    for match in _NAME.finditer(sentence):
        before = sentence[: match.start()]
        if _OWN.search(before):
            continue
        found = match.group().split(" ")
        if not _INSIDE.search(before) and not _is_opening_name(found, sentence[match.end() :]):
            found = found[1:]
        yield from _parts(found, before)


def _is_opening_name(found: list[str], rest: str) -> bool:
    """Whether the capital at the start of a sentence is a name's: a rare word with another name or a verb behind it."""
    return telling(found[0]) and (len(found) > 1 or _DOES.match(rest) is not None)


def _parts(found: list[str], before: str) -> Iterator[str]:
    """The words of a run of capitals that name somebody or something by themselves."""
    table = rules("en")
    while found and found[0].lower() in table.titles | table.no_names | words("en").stop:
        found = found[1:]
    found = [word.removesuffix("'s").removesuffix("’s") for word in found]
    if (
        not found
        or found[0].lower() in table.no_names
        or (len(found) == 1 and _is_common(found[0]))
    ):
        return
    last = re.search(r"(\w+)\W*$", before)
    placed = found[-1].lower() in table.places or (
        len(found) > 1 and last is not None and last[1].lower() in _PLACED
    )
    if len(found) == 1 or placed or len(found) > 3 or any(word.islower() for word in found):
        yield " ".join(found)
    else:
        yield from (word for word in found if len(word) > 2)


def _is_common(word: str) -> bool:
    folded = word.lower().replace("’", "'")
    return folded in words("en").stop or not folded.isalpha() or kind(stem(folded)) != RARE


def _nouns(sentence: str) -> Iterator[str]:
    spoken = [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]
    original = _WORD.findall(sentence)
    for place, word in enumerate(spoken[:-1]):
        opens = (
            word in _OPENS
            or word in _TAKES
            or (word == "to" and _PLURAL.fullmatch(spoken[place + 1]))
        )
        if opens and (noun := _head(spoken, original, place + 1)):
            yield noun


def _head(spoken: list[str], original: list[str], start: int) -> str:
    """The last word of the group of nouns that begins here, if it tells anything."""
    group: list[str] = []
    for word, as_written in zip(
        spoken[start : start + 4], original[start : start + 4], strict=True
    ):
        if (
            not word[0].isalpha()
            or word in words("en").stop
            or word in _OPENS
            or as_written[0].isupper()
        ):
            break
        group.append(word.removesuffix("'s"))
    while group and not _is_noun(group[-1]):
        group.pop()
    return group[-1] if group else ""


def _is_noun(word: str) -> bool:
    return telling(word) and not _NO_NOUN.fullmatch(word) and word not in rules("en").titles
