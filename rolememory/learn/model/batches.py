"""What waits to be read in a chat: exchanges, when they are final, and how they go into batches."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import filterfalse

from rolememory.learn.model.prompts import MOST_OF_A_LINE, shortened
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class
from rolememory.text.lengths import TokenEstimate, fitting

MOST_TOKENS = 1_500
"""Of the chat in one question, by estimate: with the question's own words, what is known and the answer it fits into a context of
4,096, the default of local servers, which cut longer ones at the front without a word."""

BEFORE = 4  # messages before a batch that are shown along
_A_NAME = 6  # tokens: the number and the speaker
_tokens = TokenEstimate()


@value_class
class Exchange:
    """What the user said and what was answered: [start, end) of the visible path."""

    start: int
    end: int
    said: tuple[ChatMessage, ...]
    final: bool  # a later message of the user stands, so that nobody will swipe this away

    @property
    def is_answered(self) -> bool:
        """Whether the character has replied."""
        return self.said[-1].role == "assistant"

    @property
    def first(self) -> str:
        """The version it begins with: its name."""
        return self.said[0].version

    def fresh(self, read: Collection[str]) -> set[str]:
        """Its versions that were not read yet."""
        return {said.version for said in self.said if said.version not in read}


def exchanges(path: Sequence[ChatMessage]) -> list[Exchange]:
    """The exchanges of a chat, oldest first. What stands before the first word of the user is the card's, and no exchange.

    Several messages of the user in a row belong together, and so do several answers.
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
    """Those that may be read now and were not.

    `last_too`: the newest counts as final, since it has been quiet; `unanswered`: even if nobody has replied.
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
    """The exchanges to read next, none while there are too few: a full batch, or whatever there is (`anyway`).

    What was in a batch that failed is set apart and read one by one, the least troublesome first: after a batch that went well
    (`well`), or when nothing else waits. So the hard one is found, and holds up none.
    """
    hard = sorted(filter(trouble, waiting), key=lambda one: (trouble(one), one.start))
    clean = list(filterfalse(trouble, waiting))
    if len(clean) >= size or (anyway and clean):
        return _fitting(clean[:size])
    one_by_one = well or anyway or (not clean and len(hard) >= size)
    return hard[:1] if one_by_one else []


def length_of(said: ChatMessage) -> int:
    """About so many tokens of a message are shown."""
    return _tokens(shortened(said.text, MOST_OF_A_LINE)) + _A_NAME


def _fitting(first: Sequence[Exchange]) -> list[Exchange]:
    """As many of these as one question has room for; one at least."""
    lengths = (sum(map(length_of, one.said)) for one in first)
    return list(first[: fitting(lengths, MOST_TOKENS) or 1])
