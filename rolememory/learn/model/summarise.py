"""Long chats summed up: what has left the short-term window becomes one rolling summary. Source: S4.11."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import AliasChoices, Field

from rolememory.inject.fence import tame
from rolememory.learn.model.answers import Answer
from rolememory.learn.model.asking import Ask
from rolememory.learn.model.base import Batch
from rolememory.learn.model.fields import Line
from rolememory.learn.model.prompts import line, marked
from rolememory.learn.model.waiting import MOST_TOKENS, length_of
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft, Said
from rolememory.schema.memory import Evidence, Memory, MemoryType, Source
from rolememory.schema.settings import MemorySettings
from rolememory.text.lengths import LengthCounter

TAG = "summary"
WORDS = "rolling_summary"  # the template; endpoint and model are those of the step `summary`
LONGEST_SUMMARY = 4000  # characters


class Summary(Answer):
    """The story so far."""

    summary: Line = Field(
        min_length=1,
        max_length=LONGEST_SUMMARY,
        validation_alias=AliasChoices("summary", "memory", "content", "text"),
    )


@dataclass(frozen=True, slots=True)
class Unsummed:
    """What is to be summed up next: the summary there is, what it covers, and the messages after it."""

    former: str
    covered: tuple[str, ...]
    said: tuple[Said, ...]


def unsummed(
    path: Sequence[Said],
    window: MemorySettings,
    former: Sequence[Memory],
    summed: Iterable[str],
    tokens: LengthCounter,
    trigger: int,
) -> Unsummed | None:
    """What has left the window and waits for a summary; None while it is less than `trigger` tokens.

    `former` are the summaries of this chat that there are; of those that stand the longest is built upon. `summed` is what was ever
    summed up: where no summary tells of it any more, somebody has removed it, and it is not summed up again.
    """
    visible = {said.version for said in path}
    best = max(
        (one for one in former if covered(one) <= visible),
        key=lambda one: len(covered(one)),
        default=None,
    )
    removed = set(summed).difference(*map(covered, former))
    told = covered(best) if best else set()
    left = [
        said
        for said in path[: len(path) - in_window(path, window)]
        if said.version not in told | removed
    ]
    if not left or sum(tokens(said.text) for said in left) < trigger:
        return None
    order = tuple(said.version for said in path if said.version in told)
    return Unsummed(
        best.content if best else "", order, tuple(_until(left, max(trigger, MOST_TOKENS)))
    )


def is_summary(memory: Memory, chat: str) -> bool:
    """Whether a memory is a summary of this chat, and still in use."""
    mine = any(one.chat == chat for one in memory.evidence)
    return mine and TAG in memory.tags and memory.source is Source.SUMMARY and not memory.archived


def as_former(draft: Draft) -> Memory:
    """A summary that is not kept yet, to build the next one upon."""
    return Memory(
        id="latest",
        content=draft.content,
        evidence=draft.evidence,
        tags=draft.tags,
        source=draft.source,
    )


def covered(memory: Memory) -> set[str]:
    """The versions that a summary sums up."""
    return {version for one in memory.evidence for version in one.version.split("+") if version}


def in_window(path: Sequence[Said], window: MemorySettings) -> int:
    """How many of the newest messages are still in view."""
    length = 0
    for count, said in enumerate(
        reversed(path[-window.short_term_items :] if window.short_term_items else ())
    ):
        length += len(said.text)
        if length > window.short_term_characters:
            return count
    return min(window.short_term_items, len(path))


def summarise(ask: Ask, wanted: Unsummed, batch: Batch) -> Draft:
    """Ask for the new summary. `batch` tells whose chat it is; its messages are those of `wanted`.

    Raises:
        ModelError: it could not be had now.
    """
    shown = [line(one.turn, one.name, one.said.text, batch.language) for one in batch.lines]
    values: Mapping[str, object] = {
        "conversation": marked("chat", shown),
        "memories": marked("memories", [tame(wanted.former)]),
        "char": batch.char,
        "user": batch.person,
        "others": batch.others,
        "language": batch.language,
    }
    told = ask("summary", Summary, values, language=batch.language, words=WORDS, haste=batch.haste)
    versions = (*wanted.covered, *(said.version for said in wanted.said))
    return Draft(
        content=told.summary,
        type=MemoryType.EPISODIC,
        source=Source.SUMMARY,
        evidence=(Evidence(chat=batch.chat, version="+".join(versions)),),
        because=Reason("summed_up", (("model", ask.named("summary")), ("messages", len(versions)))),
        user=batch.user,
        created=wanted.said[-1].at,
        tags=(TAG,),
        salience=0.6,
    )


def _until(left: Sequence[Said], most: int) -> list[Said]:
    """As many of the oldest as fit into one question; one at least."""
    out: list[Said] = []
    for said in left:
        most -= length_of(said)
        if out and most < 0:
            break
        out.append(said)
    return out
