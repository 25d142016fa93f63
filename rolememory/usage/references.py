"""Detects which memories of its prompt a reply used: by distinctive words not said before, or by meaning. Source: S4.29.

A false positive raises a weight and makes the next one likelier, so doubtful cases count as not used. So does a reply that recites
the memory: a model that repeats its prompt would raise the weight every turn.
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

ENOUGH = 2.0  # distinctive words that suffice alone; a word of n memories counts 1/n for each
LONG = 7  # letters of a word that counts as two
HALF, LEAST = 0.6, 1.0  # share required of a memory with fewer distinctive words; the minimum
NEAR = 0.6  # minimum cosine of a reply that paraphrases a memory ...
NEARER = 0.15  # ... and by how much it must exceed that of the messages before
RECITED = 24  # bytes from which a memory repeated word for word does not count as used


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
    """The memories that the reply used, in the order of `injected`.

    `query` is what was said before the reply: its words prove nothing, nor do `names`, those of the speakers.
    `near` maps ids to cosines with the reply (from `nearer`). Cost: O(words of reply and memories).

    >>> shell = Memory(id="shell", content="Lin is allergic to shellfish.")
    >>> [one.id for one in referenced("No shellfish tonight, then.", [shell], query="What do we eat?", names=["Lin"])]
    ['shell']
    >>> referenced("No shellfish tonight, then.", [shell], query="Is there any shellfish?", names=["Lin"])
    []
    """
    text = strip(reply)
    known_words = {token for said in (query, *names) for token in tokens(said)}
    distinctive = {
        memory.id: _distinctive_words((memory.content, *memory.keys)) - known_words
        for memory in injected
    }
    holders = Counter(token for words in distinctive.values() for token in words)
    said = set(tokens(text))
    whole = letters(text)
    found: list[Reference] = []
    for memory in injected:
        if len(memory.content.encode()) >= RECITED and letters(memory.content) in whole:
            continue
        both = distinctive[memory.id] & said
        weight = sum(_word_weight(token, memory.content, text) / holders[token] for token in both)
        if weight >= min(ENOUGH, HALF * len(distinctive[memory.id])) and weight >= LEAST:
            shown = " ".join(sorted(both, key=text.find)[:4])
            found.append(Reference(memory.id, Reason.of("referenced", words=shown)))
        elif cosine := near.get(memory.id):
            found.append(Reference(memory.id, Reason.of("referenced", cosine=cosine)))
    return found


def nearer(reply: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    """Cosines of the memories that a reply paraphrases, by id: close to the reply, less so to the messages before.

    `reply` and `before` map memory ids to cosines.
    """
    return {
        one: round(cosine, 3)
        for one, cosine in reply.items()
        if cosine >= max(NEAR, before.get(one, 0.0) + NEARER)
    }


def _distinctive_words(texts: Iterable[str]) -> set[str]:
    """The distinctive (uncommon) words of the texts; a number needs two digits or more."""
    return {
        token
        for text in texts
        for token in tokens(text)
        if kind(token) in (RARE, PAIR) and not (token[0].isdigit() and len(token) < 2)
    }


def _word_weight(token: str, *texts: str) -> float:
    """`ENOUGH` for a long word, a number or a name capitalised in all texts, else 1: longer words are rarer (G. K. Zipf, 1935)."""
    name = token.isascii() and all(token.capitalize() in text for text in texts)
    return ENOUGH if name or len(token) >= LONG or token[0].isdigit() else 1.0
