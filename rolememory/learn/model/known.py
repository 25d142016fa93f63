"""What is known already and may touch on what is read: shown along, so that it is not told again and can be called outdated."""

from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest

from rolememory.schema.learning import Said
from rolememory.schema.memory import Evidence, Memory, Source
from rolememory.storage.people import Same, alone, is_for
from rolememory.text.words import tokens

MOST_SHOWN = 12
MOST_COMPARED = 5_000  # memories, the newest

Sees = Callable[[Evidence], bool]
"""Whether a support stands now."""


def standing(memories: Iterable[Memory], sees: Sees) -> list[Memory]:
    """Those that may be built upon: they count, nothing that counts replaced them, and they are no conclusions themselves."""
    counting = [
        one
        for one in memories
        if not one.archived and (not one.evidence or any(map(sees, one.evidence)))
    ]
    outdated = {old for one in counting for old in one.supersedes if old != one.id}
    return [
        one for one in counting if one.id not in outdated and one.source is not Source.INFERENCE
    ]


def touching(
    memories: Sequence[Memory], said: Iterable[Said], user: str | None, same: Same = alone
) -> tuple[Memory, ...]:
    """The memories of this user and the shared ones that have most words in common with what was said, likeliest first."""
    spoken = {token for one in said for token in tokens(one.text)}
    own = [one for one in memories if is_for(one.user, user, same)]
    newest = nlargest(MOST_COMPARED, own, key=_told)
    shares = [(_share(one, spoken), one) for one in newest]
    best = nlargest(
        MOST_SHOWN, (pair for pair in shares if pair[0]), key=lambda pair: (pair[0], pair[1].id)
    )
    return tuple(one for _, one in best)


def _share(memory: Memory, spoken: set[str]) -> float:
    """How much of the memory was spoken of, longer agreement before shorter."""
    own = set(tokens(memory.content))
    shared = len(own & spoken)
    return shared / (len(own) + 4) if shared else 0.0


def _told(memory: Memory) -> float:
    return memory.created.timestamp() if memory.created else 0.0
