"""Which memories a list shows, and in which order."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import Depends, Query

from rolememory.recall.active_set import ActiveSet
from rolememory.schema.memory import Memory, MemoryType, in_utc
from rolememory.serve.rest.memory_schemas import Kind, Origin
from rolememory.storage.people import Same
from rolememory.text.fold import folded_key

Either = Literal["yes", "no", "all"]
Order = Literal[
    "file",
    "created",
    "-created",
    "weight",
    "-weight",
    "salience",
    "-salience",
    "priority",
    "-priority",
    "content",
    "-content",
    "id",
    "-id",
]
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_Listed = Annotated[list[Annotated[str, Query(max_length=500)]], Query(max_length=50)]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is asked for; every condition must hold."""

    q: str
    type: list[Kind]
    source: list[Origin]
    tag: list[str]
    feeling: list[str]
    topic: list[str]
    user: str | None
    subject: str | None
    chat: str | None
    since: datetime | None
    until: datetime | None
    archived: Either
    counts: Either
    constant: Either
    locked: Either
    sort: Order


def _wanted(
    q: Annotated[
        str,
        Query(
            max_length=500, description="words that all stand in content, keys, tags, topics or id"
        ),
    ] = "",
    type: Annotated[list[Kind], Query(max_length=4)] = [],  # noqa: A002, B006  # the field's own name; FastAPI copies it
    source: Annotated[list[Origin], Query(max_length=5)] = [],  # noqa: B006
    tag: _Listed = [],  # noqa: B006
    feeling: _Listed = [],  # noqa: B006
    topic: _Listed = [],  # noqa: B006
    user: Annotated[
        str | None, Query(max_length=500, description='whose; "" = shared by all')
    ] = None,
    subject: Annotated[
        str | None,
        Query(max_length=500, description='about whom; "" = the role, "user" = the user'),
    ] = None,
    chat: Annotated[str | None, Query(max_length=500, description="learned from this chat")] = None,
    since: Annotated[
        datetime | None, Query(alias="from", description="created then or later")
    ] = None,
    until: Annotated[
        datetime | None, Query(alias="to", description="created then or earlier")
    ] = None,
    archived: Either = "no",
    counts: Annotated[
        Either, Query(description="whether it counts now and nothing that counts replaced it")
    ] = "all",
    constant: Either = "all",
    locked: Either = "all",
    sort: Order = "file",
) -> Wanted:
    return Wanted(
        q,
        type,
        source,
        tag,
        feeling,
        topic,
        user,
        subject,
        chat,
        since,
        until,
        archived,
        counts,
        constant,
        locked,
        sort,
    )


Filtered = Annotated[Wanted, Depends(_wanted)]


def filtered(
    memories: Iterable[Memory], wanted: Wanted, standing: ActiveSet, same: Same
) -> list[Memory]:
    """The memories that are wanted, in their order. Cost: O(n)."""
    checks = list(_checks(wanted, standing, same))
    found = [memory for memory in memories if all(check(memory) for check in checks)]
    return ordered(found, wanted.sort)


def ordered(memories: list[Memory], order: Order) -> list[Memory]:
    """Sorted by a field; equal ones stay in the order of the file."""
    if order == "file":
        return sorted(
            memories, key=lambda memory: _ARRAYS[memory.type]
        )  # where new ones will stand once they are folded in
    return sorted(memories, key=_KEYS[order.removeprefix("-")], reverse=order.startswith("-"))


_ARRAYS = {kind: place for place, kind in enumerate(MemoryType)}
Check = Callable[[Memory], bool]
_KEYS: dict[str, Callable[[Memory], "datetime | float | str"]] = {
    "created": lambda memory: memory.since or _LONG_AGO,
    "weight": lambda memory: memory.weight,
    "salience": lambda memory: memory.salience,
    "priority": lambda memory: memory.priority,
    "content": lambda memory: memory.content,
    "id": lambda memory: memory.id,
}


def _checks(wanted: Wanted, standing: ActiveSet, same: Same) -> Iterable[Check]:
    """Only those that can refuse something, the cheap ones first."""
    yield from _switches(wanted, standing)
    yield from _sets(wanted, same)
    if wanted.since:
        since = in_utc(wanted.since)
        yield lambda memory: memory.since is not None and memory.since >= since
    if wanted.until:
        until = in_utc(wanted.until)
        yield lambda memory: memory.since is not None and memory.since <= until
    if words := folded_key(wanted.q).split():
        yield lambda memory: _says(memory, words)


def _switches(wanted: Wanted, standing: ActiveSet) -> Iterable[Check]:
    switches: tuple[tuple[Either, Check], ...] = (
        (wanted.archived, lambda memory: memory.archived),
        (wanted.constant, lambda memory: memory.constant),
        (wanted.locked, lambda memory: memory.locked),
        (
            wanted.counts,
            lambda memory: (
                memory.id not in standing.withdrawn and memory.id not in standing.superseded
            ),
        ),
    )
    for choice, holds in switches:
        if choice != "all":
            yield _being(holds, choice == "yes")


def _being(holds: Check, wanted: bool) -> Check:
    return lambda memory: holds(memory) is wanted


def _sets(wanted: Wanted, same: Same) -> Iterable[Check]:
    if wanted.type:
        yield lambda memory: memory.type.value in wanted.type
    if wanted.source:
        yield lambda memory: memory.source.value in wanted.source
    if wanted.tag:
        yield lambda memory: set(wanted.tag) <= set(memory.tags)
    if wanted.feeling:
        yield lambda memory: not set(wanted.feeling).isdisjoint(memory.emotions)
    if wanted.topic:
        yield lambda memory: not set(wanted.topic).isdisjoint(memory.topics)
    if wanted.user is not None:
        person = same(wanted.user)
        yield lambda memory: same(memory.user or "") == person
    if wanted.subject is not None:
        yield lambda memory: (memory.subject or "") == wanted.subject
    if wanted.chat is not None:
        yield lambda memory: any(one.chat == wanted.chat for one in memory.evidence)


def _says(memory: Memory, words: list[str]) -> bool:
    text = folded_key(
        " ".join(
            (
                memory.content,
                memory.id,
                memory.subject or "",
                *memory.keys,
                *memory.tags,
                *memory.topics,
            )
        )
    )
    return all(word in text for word in words)
