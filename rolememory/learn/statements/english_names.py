"""Proper names in English sentences: capitals tell them, or a verb of naming does."""

from typing import Final, NamedTuple

from rolememory.learn.statements.english_scene import ME, OWNERS, SUBJECTS, YOU, Scene
from rolememory.learn.statements.english_words import Words, listed, union
from rolememory.text.fold import folded_key

_DOTTED: Final = frozenset({"mr", "mrs", "ms", "dr", "st", "prof", "capt", "lt", "sgt"})
_NAMING: Final = ("named", "called")
_LINKS: Final = frozenset({"of", "the", "de", "van", "von", "der", "la", "du", "al"})


class Name(NamedTuple):
    """A name, and where its words end."""

    name: str
    end: int


def name_at(words: Words, at: int, end: int, scene: Scene, *, spoken: bool = False) -> Name | None:
    """A proper name of one to four words; with `spoken` the sentence says that it is one, so lower case will do in lower-case text."""
    if at >= end:
        return None
    behind = at if scene.shouts else _capitals(words, at, end)
    if behind > at:
        return Name(" ".join(scene.text[words[at].start : words[behind - 1].end].split()), behind)
    word = words[at]
    if spoken and word.low in scene.names:
        return Name(word.raw, at + 1)
    plain = (
        word.raw.isalpha()
        and len(word.raw) > 1
        and not listed("no_names", word.low)
        and word.low not in union("prepositions", "determiners", "traits")
    )
    if spoken and plain and not words[0].capital and _stands_alone(words, at + 1, end):
        return Name(word.raw, at + 1)
    return None


def _stands_alone(words: Words, at: int, end: int) -> bool:
    return (
        at >= end
        or not words[at].low[0].isalnum()
        or words[at].low in union("clause_words", "tails", "prepositions")
    )


def _capitals(words: Words, at: int, end: int) -> int:
    """Where the run of capitalised words ends; "of the" may stand inside one."""
    place = at
    while place < min(at + 5, end):
        if _is_name(words, place, first=place == at):
            dotted = words[place].low in _DOTTED and place + 1 < end and words[place + 1].low == "."
            place += 1 + dotted
        elif (
            place > at and words[place].low in _LINKS and (inner := _past_links(words, place, end))
        ):
            place = inner
        else:
            break
    return min(place, end)


def _past_links(words: Words, at: int, end: int) -> int:
    """Behind "of the" where a capital follows; 0 = none does."""
    while at < end and words[at].low in _LINKS:
        at += 1
    return at if at < end and _is_name(words, at, first=False) else 0


def _is_name(words: Words, at: int, *, first: bool) -> bool:
    word = words[at]
    if (
        not word.capital
        or word.low in ME
        or word.low in YOU
        or word.low in SUBJECTS
        or word.low in OWNERS
    ):
        return False
    if listed("no_names", word.low) and not listed("name_titles", word.low):
        return False
    return first or not listed("kin", word.low)


def name_behind(words: Words, at: int, end: int, scene: Scene) -> Name | None:
    """A name in apposition: " Mei", ", Mei,", "(Mei)", "named Mei"."""
    low = words[at].low if at < end else ""
    if low in _NAMING:
        return name_at(words, at + 1, end, scene, spoken=True)
    if low not in (",", "("):
        return name_at(words, at, end, scene)
    found = name_at(words, at + 1, end, scene)
    closing = words.lows[found.end] if found and found.end + 1 < len(words) else ""
    listing = found is not None and words.lows[found.end + 1 : found.end + 2] == [
        "and"
    ]  # "my sister, Mei, and I"
    if (
        found
        and not listing
        and closing == (")" if low == "(" else ",")
        and not _called_out(found.name, scene)
    ):
        return Name(found.name, found.end + 1)
    return None


def _called_out(name: str, scene: Scene) -> bool:
    """Whether a name behind a comma may call the one spoken to: "say hi to your sister, Mira, ..."."""
    label = scene.speaker.names.get(folded_key(name))
    return label is not None and label in (scene.speaker.me, scene.speaker.you)


def names_behind(words: Words, at: int, end: int, scene: Scene) -> tuple[list[str], int]:
    """The names behind a noun, and where they end: "named Rex", ", Tofu and Miso", ": Tom, Anna and Ben"."""
    spoken = at < end and words[at].low in _NAMING
    place = at + spoken
    if not spoken and place < len(words) and words[place].low in (",", ":", "-", "—", "–", "("):
        place, end = place + 1, len(words)
        place += place < end and words[place].low in _NAMING
    names: list[str] = []
    while found := name_at(words, place, end, scene, spoken=spoken):
        names.append(found.name)
        following = _next_name(words, found.end, end)
        at = found.end
        if not following or name_at(words, following, end, scene) is None:
            break
        place = following
    return names, at


def _next_name(words: Words, at: int, end: int) -> int:
    if at + 1 < end and words[at].low in (",", "and", "&"):
        return at + 1 + (words[at + 1].low in ("and", "&"))
    return 0
