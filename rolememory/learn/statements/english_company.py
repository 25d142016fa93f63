"""Whom a sentence brings into a message, so that "she" can be understood, and whose names it tells in passing."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from rolememory.learn.statements.english_names import name_at, names_behind
from rolememory.learn.statements.english_people import (
    Found,
    gender_of,
    known_at,
    owned_at,
    owned_by,
)
from rolememory.learn.statements.english_scene import Gender, Owned, Scene, Who
from rolememory.learn.statements.english_words import Words, lexicon, listed, union

_AFTER_PLACES: Final = frozenset(
    "in at to from near of for on via around visit visiting love loves like likes hate hates called named".split()
)
_HAVING: Final = frozenset({"have", "adopt", "get", "buy", "rescue"})
_HAD: Final = frozenset({"have", "has", "got", "adopted", "bought"})


def introduce(words: Words, scene: Scene) -> Iterator[Owned]:
    """Whom a sentence brings in, in order; yields those whose name it tells in passing: "my sister Mei", "my boys, Finn and Jude"."""
    lows = words.lows
    if not words.capitals and _bringing().isdisjoint(lows) and "'s" not in lows:
        return
    places = {at for at, low in enumerate(lows) if low in _bringing()}
    if "'s" in lows:
        places.update(at - 1 for at in range(1, len(lows) - 1) if lows[at] == "'s")
    for at in sorted(places.union(words.capitals)):
        article = lows[at] in ("a", "an", "another")
        found = _had_at(words, at, scene) if article else owned_at(words, at, len(words), scene)
        ties = found.who.owned if found else None
        if found and ties:
            scene.meet(words[at].start, found.who, gender_of(ties.about))
            names = (
                _several(words, found.end, scene)
                if found.who.plural
                else [ties.name or _apposed(words, at, found.end, scene)]
            )
            yield from (replace(ties, name=name) for name in names if name and not article)
        elif at and not article:
            _pass_by(words, at, scene)


def _several(words: Words, at: int, scene: Scene) -> list[str]:
    """The names of several: "my boys, Finn and Jude"; one name alone may call somebody."""
    names, _ = names_behind(words, at, len(words), scene)
    return names if len(names) > 1 else []


def _apposed(words: Words, at: int, end: int, scene: Scene) -> str:
    """The name that a phrase explains: "Jake, my neighbour, ..."."""
    lows = words.lows
    if at < 2 or lows[at - 1] != "," or (end < len(words) and lows[end] not in (",", ".", "!")):
        return ""
    found = name_at(words, at - 2, at - 1, scene)
    return found.name if found and (at == 2 or lows[at - 3] not in (",", "and")) else ""


@cache
def _bringing() -> frozenset[str]:
    """The words that bring somebody in: of an owner, or for people without a name."""
    return union("anonymous_she", "anonymous_he") | {"my", "our", "your", "a", "an", "another"}


def _had_at(words: Words, at: int, scene: Scene) -> Found | None:
    """As in "I have a sister": the one that the article begins."""
    before = at - 1
    while before > 0 and listed("adverbs", words.lows[before]):
        before -= 1
    listing = (
        before > 1
        and words.lows[before] in ("and", ",")
        and not _HAD.isdisjoint(words.lows[:before])
    )
    form = lexicon().verbs.get("have" if listing else words.lows[before]) if at else None
    mine = scene.told or not {"i", "we"}.isdisjoint(words.lows[:at])
    return (
        owned_by(Found(scene.me, at + 1), words, len(words), scene)
        if mine and form and form.lemma in _HAVING
        else None
    )


def _pass_by(words: Words, at: int, scene: Scene) -> None:
    """Somebody in passing, whom "she" might mean as well: "a girl", "Anna"."""
    word, before = words[at], words[at - 1].low
    if before in ("a", "the", "this", "that") and (gender := _gender(word.low)):
        scene.meet(word.start, None, gender)
    elif (
        word.capital
        and before not in _AFTER_PLACES
        and before != "'s"
        and name_at(words, at, at + 1, scene)
    ):
        known = known_at(words, at, len(words), scene)
        if not known or known.who.label not in (scene.speaker.me, scene.speaker.you):
            scene.meet(word.start, known.who if known else Who(word.raw, word.raw, known=False))


def _gender(low: str) -> Gender:
    return "she" if listed("anonymous_she", low) else "he" if listed("anonymous_he", low) else ""
