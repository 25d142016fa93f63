"""Finds the source of a model's statement in a chat: by quote, by line number, or by common words."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class
from rolememory.text.fold import fold, letters
from rolememory.text.words import weighty

if TYPE_CHECKING:
    from rolememory.learn.model.base import Batch

_GAP = re.compile(r"\.{3,}|…+|\[\.+\]")
_SHORTEST = 6  # minimal bytes of letters of a quote, unless it is the whole message: shorter ones occur everywhere


@value_class
class Grounding:
    """The source of a sentence."""

    version: str  # of the message, or of the exchange joined by "+"
    said: ChatMessage  # the message, the last one of an exchange
    quote: str = ""  # the verbatim quote; "" = none, or not verbatim
    context: tuple[str, ...] = ()  # the versions of its exchange
    is_named: bool = (
        False  # whether the model named the message; else the exchange was found by common words
    )


def ground_of(content: str, quote: str, turn: int, batch: "Batch") -> Grounding:
    """The message with the quote, else the one that was named, else the exchange with most words in common.

    A named message that shares no word, while others do, is an error. If none shares any, the whole batch is the source.
    """
    shown = {**batch.turns, **{-at: one for at, one in enumerate(batch.said, 1)}}
    if found := source_of(quote, turn, batch.turns) or source_of(quote, turn, shown):
        said, words = found
        return Grounding(said.version, said, words, batch.context(said), is_named=True)
    told = weighty(content)
    shares = {one.version: len(told & weighty(one.text)) for one in batch.said}
    named = batch.turns.get(turn)
    if named and (shares[named.version] or not any(shares.values())):
        return Grounding(named.version, named, "", batch.context(named), is_named=True)
    chosen = max(
        reversed(batch.exchanges), key=lambda one: sum(shares[said.version] for said in one)
    )
    if not any(shares.values()):
        chosen = batch.said
    return _exchange(chosen, shares, batch)


def _exchange(
    chosen: Sequence[ChatMessage], shares: Mapping[str, int], batch: "Batch"
) -> Grounding:
    """An exchange as a source: its new messages, or the old ones if only they have words in common."""
    fresh = [one for one in chosen if one.version in batch.fresh]
    if not any(shares[one.version] for one in fresh):
        fresh = [one for one in chosen if shares[one.version]] or fresh
    fresh = fresh or list(batch.turns.values())
    version = "+".join(one.version for one in fresh)
    return Grounding(version, fresh[-1], context=tuple(one.version for one in chosen))


def stands(quote: str, text: str) -> str:
    """The verbatim text that a quote was taken from; "" if it was not taken from it.

    Dots in the middle of a quote mark an omission.

    >>> stands("i moved ... bergen", "Well, I moved to “Bergen”!")
    'I moved to “Bergen'
    >>> stands("I moved to Oslo", "Well, I moved to Bergen!")
    ''
    """
    folded = fold(text)
    places = [place for place, letter in enumerate(folded.text) if letter.isalnum()]
    plain = "".join(folded.text[place] for place in places)
    parts = list(filter(None, map(letters, _GAP.split(quote))))
    wanted = "".join(parts)
    if not wanted or (len(wanted.encode()) < _SHORTEST and wanted != plain):
        return ""
    first, last = plain.find(parts[0]), 0
    for part in parts:
        start = plain.find(part, last)
        if start < 0:
            return ""
        last = start + len(part)
    left, right = folded.span(places[first], places[last - 1] + 1)
    return text[left:right].strip()


def source_of(
    quote: str, turn: int, turns: Mapping[int, ChatMessage]
) -> tuple[ChatMessage, str] | None:
    """The message with a quote, and the text there: the named one, else the only other one."""
    named = turns.get(turn)
    if named is not None and (words := stands(quote, named.text)):
        return named, words
    found = [(said, words) for said in turns.values() if (words := stands(quote, said.text))]
    return found[0] if len(found) == 1 else None
