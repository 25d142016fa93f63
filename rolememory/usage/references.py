"""Which of the memories in its prompt a reply used: by telling words that nobody had said before, or by meaning. Source: S4.29.

A wrong yes makes a memory heavier and the next wrong yes likelier, so a doubt counts as no. Nor is a memory used by a reply that recites
it: a model that repeats what it sees would make it heavier turn by turn.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from rolememory.inject.fence import strip
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import Memory
from rolememory.schema.value_class import value_class
from rolememory.text.fold import letters
from rolememory.text.words import PAIR, RARE, kind, tokens

ENOUGH = 2.0  # telling words that need nothing else; one that several memories have is shared out
LONG = 7  # letters of a word that is as telling as two
HALF, LEAST = 0.6, 1.0  # share of the telling words of a memory that has fewer, and one at least
NEAR = 0.6  # cosine of what a reply says with a memory that it says in other words ...
NEARER = 0.15  # ... if it is so much nearer than what was said before
RECITED = 24  # bytes of a memory that stands word for word in a reply: that is no use of it


@value_class
class Reference:
    """A memory that a reply used."""

    id: str
    because: Reason


def referenced(
    reply: str,
    injected: Sequence[Memory],
    *,
    query: str = "",
    names: Collection[str] = (),
    near: Mapping[str, float] = MappingProxyType({}),
) -> list[Reference]:
    """The memories that the reply used, in their order.

    `query` is what was said before the reply: words that stand there prove nothing, nor do `names`, those of the speakers.
    `near` tells by id how near the reply comes in meaning, where it does (`nearer`). Cost: O(words of reply and memories).

    >>> shell = Memory(id="shell", content="Lin is allergic to shellfish.")
    >>> [one.id for one in referenced("No shellfish tonight, then.", [shell], query="What do we eat?", names=["Lin"])]
    ['shell']
    >>> referenced("No shellfish tonight, then.", [shell], query="Is there any shellfish?", names=["Lin"])
    []
    """
    text = strip(reply)
    heard = {token for said in (query, *names) for token in tokens(said)}
    told = {memory.id: _telling((memory.content, *memory.keys)) - heard for memory in injected}
    holders = Counter(token for words in told.values() for token in words)
    said, whole = set(tokens(text)), letters(text)
    found: list[Reference] = []
    for memory in injected:
        if len(memory.content.encode()) >= RECITED and letters(memory.content) in whole:
            continue
        both = told[memory.id] & said
        weight = sum(_worth(token, memory.content, text) / holders[token] for token in both)
        if weight >= min(ENOUGH, HALF * len(told[memory.id])) and weight >= LEAST:
            shown = " ".join(sorted(both, key=text.find)[:4])
            found.append(Reference(memory.id, Reason.of("referenced", words=shown)))
        elif cosine := near.get(memory.id):
            found.append(Reference(memory.id, Reason.of("referenced", cosine=cosine)))
    return found


def nearer(reply: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    """The memories that a reply says in other words, by id: it comes near to them, and what was said before did not.

    Both bring the cosines of what was said with memories, those of a model or of vectors at hand.
    """
    return {
        one: round(cosine, 3)
        for one, cosine in reply.items()
        if cosine >= max(NEAR, before.get(one, 0.0) + NEARER)
    }


def _telling(texts: Iterable[str]) -> set[str]:
    """The words of texts that are not in every mouth; a number of two digits or more is one."""
    return {
        token
        for text in texts
        for token in tokens(text)
        if kind(token) in (RARE, PAIR) and not (token[0].isdigit() and len(token) < 2)
    }


def _worth(token: str, *texts: str) -> float:
    """A long word, a number and what both texts write as a name prove something alone: longer words are rarer (G. K. Zipf, 1935)."""
    name = token.isascii() and all(token.capitalize() in text for text in texts)
    return ENOUGH if name or len(token) >= LONG or token[0].isdigit() else 1.0
