"""Finds what a person asks to forget: the learned memories that say it, their own and shared ones.

>>> from rolememory.schema.memory import Source
>>> known = [Memory(id="a", content="Lin's sister is ill.", source=Source.SUMMARY), Memory(id="b", content="Lin likes tea.", source=Source.SUMMARY)]
>>> [memory.id for memory in meant("my sister", {memory.id: memory for memory in known}, None)]
['a']
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from rolememory.learn.commands import commands
from rolememory.schema.learning import ChatMessage
from rolememory.schema.memory import MemoriesById, Memory
from rolememory.storage.people import Same, alone, is_for
from rolememory.text.sentences import SentenceSpan, sentences
from rolememory.text.words import term_query, tokens

_MATTER = re.compile(
    "的?[这這那]?[件回个個]?事情?$|^the fact that "
)  # "the matter of", which no memory says
_ENOUGH = 0.6  # of the significance of the request must occur in a memory


def meant(words: str, memories: MemoriesById, user: str | None, same: Same = alone) -> list[Memory]:
    """Every learned memory that matches the words; never authored or locked ones. Cost: O(memories)."""
    wanted = term_query(_MATTER.sub("", words)).weights
    total = sum(wanted.values())
    theirs = (memory for memory in memories.values() if is_for(memory.user, user, same))
    return list(_saying(wanted, total, theirs)) if total else []


def order(said: ChatMessage, quote: str) -> SentenceSpan | None:
    """The sentences of a message with this forget command; None if the words are no command. Cost: O(length)."""
    start = said.text.find(quote)
    if start < 0 or all(one.quote != quote for one in commands(said.raw or said.text)):
        return None
    end = start + len(quote)
    whole = [one for one in sentences(said.text) if one.end > start and one.start < end]
    return SentenceSpan(whole[0].start, whole[-1].end)


def _saying(
    wanted: Mapping[str, float], total: float, memories: Iterable[Memory]
) -> Iterator[Memory]:
    for memory in memories:
        if memory.authored or memory.locked or memory.archived:
            continue
        said = set(tokens(memory.content))
        if sum(weight for token, weight in wanted.items() if token in said) >= _ENOUGH * total:
            yield memory
