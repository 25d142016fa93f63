"""Groups a chat into exchanges, decides when they are final, and makes batches of them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import filterfalse

from rolememory.learn.model.prompts import MOST_OF_A_LINE, shortened
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class
from rolememory.text.lengths import TokenEstimate, fitting

MOST_TOKENS = 1_500
"""Of the chat in one question, by estimate: with the question's own words, what is known and the answer it fits into a context of
4,096, the default of local servers, which cut longer ones at the front without a word."""

BEFORE = 4  # messages before a batch that are shown for context
_A_NAME = 6  # tokens: the number and the speaker
_tokens = TokenEstimate()


@value_class
class Exchange:
    """A user's messages and the replies: [start, end) of the visible path."""

    start: int
    end: int
    said: tuple[ChatMessage, ...]
    final: bool  # the user wrote again, so it will not be swiped any more

    @property
    def is_answered(self) -> bool:
        """Whether the character has replied."""
        return self.said[-1].role == "assistant"

    @property
    def first(self) -> str:
        """Its first version, which identifies it."""
        return self.said[0].version

    def fresh(self, read: Collection[str]) -> set[str]:
        """Its unread versions."""
        return {said.version for said in self.said if said.version not in read}


def exchanges(path: Sequence[ChatMessage]) -> list[Exchange]:
    """The exchanges of a chat, oldest first. Messages before the user's first are the card's, and no exchange.

    Consecutive messages of the user belong together, and so do consecutive replies.
    """
    starts = [
        place
        for place, said in enumerate(path)
        if said.role == "user" and (place == 0 or path[place - 1].role != "user")
    ]
    ends = [*starts[1:], len(path)]
    last = len(starts) - 1
    return [
        Exchange(start, end, tuple(path[start:end]), number < last)
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def due(
    found: Iterable[Exchange], read: Collection[str], *, last_too: bool, unanswered: bool
) -> list[Exchange]:
    """The unread exchanges that may be read now.

    `last_too`: the newest is final too, as the chat is quiet; `unanswered`: even without a reply.
    """
    return [
        one
        for one in found
        if (one.final or (last_too and (unanswered or one.is_answered))) and one.fresh(read)
    ]


def batch_of(
    waiting: Sequence[Exchange],
    size: int,
    trouble: Callable[[Exchange], int],
    *,
    anyway: bool,
    well: bool,
) -> list[Exchange]:
    """The next batch, empty while too few wait: a full one, or what there is (`anyway`).

    Exchanges of failed batches are retried one by one, least failures first: after a successful batch
    (`well`), or when nothing else waits. So the failing one is isolated, and delays no others.
    """
    hard = sorted(filter(trouble, waiting), key=lambda one: (trouble(one), one.start))
    clean = list(filterfalse(trouble, waiting))
    if len(clean) >= size or (anyway and clean):
        return _fitting(clean[:size])
    one_by_one = well or anyway or (not clean and len(hard) >= size)
    return hard[:1] if one_by_one else []


def length_of(said: ChatMessage) -> int:
    """The approximate number of tokens shown of a message."""
    return _tokens(shortened(said.text, MOST_OF_A_LINE)) + _A_NAME


def _fitting(first: Sequence[Exchange]) -> list[Exchange]:
    """As many of these as fit one request; at least one."""
    lengths = (sum(map(length_of, one.said)) for one in first)
    return list(first[: fitting(lengths, MOST_TOKENS) or 1])
