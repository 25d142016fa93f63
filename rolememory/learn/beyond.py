"""What a sentence says beyond the claims that were read in it.

>>> from rolememory.learn.statements import Speaker, claims
>>> said = Speaker("user", "", shown={"user": "Lin"})
>>> [sorted(beyond(text, claims(text, said))) for text in ("I'm living in Rome these days.", "I live in Rome with my cousin.")]
[[], ['cousin']]
"""

from collections.abc import Sequence

from rolememory.learn.reconcile.lexicon import lexicon
from rolememory.learn.reconcile.reading import read
from rolememory.schema.claims import ATTRIBUTES, Claim

_OF_A_DAY = frozenset(
    {"did", "plan", "promise", "wants"}
)  # attributes of what happens, which no later word makes untrue


def beyond(text: str, found: Sequence[Claim]) -> frozenset[str]:
    """The words of weight that no claim says; a word that only frames such a claim ("job", "home") is none. Cost: O(length)."""
    mine, said = read(text), [read(claim.content) for claim in found]
    told = frozenset[str]().union(*(one.words | one.people for one in said))
    frames = frozenset(
        name for claim in found for name in lexicon().attributes.get(claim.attribute, ())
    )
    numbers = {
        f"{value:g}"
        for value, _ in mine.numbers - frozenset().union(*(one.numbers for one in said))
    }
    left = (mine.words | mine.people) - told - frames - lexicon().light
    return frozenset(word for word in left if len(word) > 1 or word.isascii()) | numbers


def tells_more(text: str, found: Sequence[Claim]) -> bool:
    """Whether a text says anything of weight that its claims do not say."""
    return not found or bool(beyond(text, found))


def may_change(claim: Claim) -> bool:
    """Whether this is a state of things, which another may end."""
    return claim.attribute in ATTRIBUTES and claim.attribute not in _OF_A_DAY
