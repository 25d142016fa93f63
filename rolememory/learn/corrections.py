"""Finds the memory that a correction refers to: the one whose sentence it repeats except in one place.

>>> from rolememory.schema.memory import Source
>>> known = [Memory(id=text[-5:], content=text, source=Source.USER_INPUT) for text in ("I live in Turin.", "I like Turin.")]
>>> corrected("I live in Rome now", known).id
'urin.'
>>> corrected("I was born in spring", known) is None
True
"""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from rolememory.learn.commands.patterns import command_patterns
from rolememory.learn.model.known_memories import told_at
from rolememory.schema.memory import Memory
from rolememory.text.language import LANGUAGES
from rolememory.text.plain import plain
from rolememory.text.words import COMMON, HAN, RARE, kind, tokens

_WORD = re.compile(r"[\u2e80-\u9fff]|[^\W\u2e80-\u9fff]+(?:'[^\W\u2e80-\u9fff]+)?")
_TELLING = (RARE, COMMON, HAN)
_SHARED, _SHARE = 2, 0.4  # words in common at both ends together, and their share of the memory


def corrected(text: str, memories: Iterable[Memory]) -> Memory | None:
    """The memory that a correction refers to, the newest of several; None without a match. O(memories)."""
    new, old = _parts(text)
    fitting = (one for one in memories if _fits(new, old, _words(one.content)))
    return max(fitting, key=lambda one: (told_at(one), one.id), default=None)


def latest(text: str, memories: Sequence[Memory]) -> Memory | None:
    """The recently learned memory that a correction refers to: the only one, else the one sharing most words; None if ambiguous.

    >>> from rolememory.schema.memory import Source
    >>> known = [Memory(id=text[-5:], content=text, source=Source.SUMMARY) for text in ("Anna keeps bees.", "Lin owns a blue boat.")]
    >>> latest("the boat is red", known).id, latest("it rained", known) is None, latest("it rained", known[:1]).id
    ('boat.', True, 'bees.')
    """
    if len(memories) < 2:
        return next(iter(memories), None)
    said = {*tokens(text)}
    shared = [
        sum(kind(one) in _TELLING for one in said & {*tokens(memory.content)})
        for memory in memories
    ]
    best = max(shared)
    return memories[shared.index(best)] if best and shared.count(best) == 1 else None


def _parts(text: str) -> tuple[list[str], list[str]]:
    """The new and the old value: "two sisters, not three" names both."""
    even = plain(text)
    for denied in (
        found for one in LANGUAGES if (found := command_patterns(one).denied.search(even))
    ):
        return _words(even[: denied.start()]), _words(denied["old"])
    return _words(even), []


def _fits(new: list[str], old: list[str], known: list[str]) -> bool:
    if old:
        return _stand(old, known) and _telling({*new} & {*known} - {*old})
    start = _common(new, known)
    end = _common(new[start:][::-1], known[start:][::-1])
    same = start + end
    return (
        same < len(known)
        and same >= max(_SHARED, _SHARE * len(known))
        and _telling({*known[:start], *known[len(known) - end :]})
    )


def _common(one: list[str], other: list[str]) -> int:
    """Length of the common prefix in words."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _stand(old: list[str], known: list[str]) -> bool:
    return any(known[at : at + len(old)] == old for at in range(len(known) - len(old) + 1))


def _telling(shared: set[str]) -> bool:
    """Whether they share a content word."""
    return any(kind(one) in _TELLING for word in shared for one in tokens(word))


def _words(text: str) -> list[str]:
    return _WORD.findall(plain(text))
