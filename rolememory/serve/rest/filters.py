"""Which memories a list shows, and in which order."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Literal

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
_Listed = Annotated[tuple[Annotated[str, Query(max_length=500)], ...], Query(max_length=50)]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is asked for; every condition must hold."""

    q: Annotated[
        str,
        Query(
            max_length=500, description="words that all stand in content, keys, tags, topics or id"
        ),
    ] = ""
    type: Annotated[tuple[Kind, ...], Query(max_length=4)] = ()
    source: Annotated[tuple[Origin, ...], Query(max_length=5)] = ()
    tag: _Listed = ()
    feeling: _Listed = ()
    topic: _Listed = ()
    user: Annotated[str | None, Query(max_length=500, description='whose; "" = shared by all')] = (
        None
    )
    subject: Annotated[
        str | None,
        Query(max_length=500, description='about whom; "" = the role, "user" = the user'),
    ] = None
    chat: Annotated[str | None, Query(max_length=500, description="learned from this chat")] = None
    since: Annotated[datetime | None, Query(alias="from", description="created then or later")] = (
        None
    )
    until: Annotated[datetime | None, Query(alias="to", description="created then or earlier")] = (
        None
    )
    archived: Either = "no"
    counts: Annotated[
        Either, Query(description="whether it counts now and nothing that counts replaced it")
    ] = "all"
    constant: Either = "all"
    locked: Either = "all"
    sort: Order = "file"


Filtered = Annotated[Wanted, Depends()]


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
    name = order.removeprefix("-")

    def value(memory: Memory) -> Any:
        return memory.since or _LONG_AGO if name == "created" else getattr(memory, name)

    return sorted(memories, key=value, reverse=order.startswith("-"))


_ARRAYS = {kind: place for place, kind in enumerate(MemoryType)}
Check = Callable[[Memory], bool]


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
    if wanted.counts != "all":
        yield lambda memory: standing.holds(memory.id) is (wanted.counts == "yes")
    for name in ("archived", "constant", "locked"):
        if (choice := getattr(wanted, name)) != "all":
            yield _has(name, (choice == "yes",))


def _sets(wanted: Wanted, same: Same) -> Iterable[Check]:
    for name, test in _AMONG.items():
        if values := getattr(wanted, name):
            yield partial(test, set(values))
    if wanted.user is not None:
        person = same(wanted.user)
        yield lambda memory: same(memory.user or "") == person
    if wanted.subject is not None:
        yield lambda memory: (memory.subject or "") == wanted.subject
    if wanted.chat is not None:
        yield lambda memory: any(one.chat == wanted.chat for one in memory.evidence)


_AMONG: Mapping[str, Callable[[set[Any], Memory], bool]] = {
    "type": lambda values, memory: memory.type in values,
    "source": lambda values, memory: memory.source in values,
    "tag": lambda values, memory: values <= set(memory.tags),
    "feeling": lambda values, memory: not values.isdisjoint(memory.emotions),
    "topic": lambda values, memory: not values.isdisjoint(memory.topics),
}


def _has(name: str, values: Collection[Any]) -> Check:
    return lambda memory: getattr(memory, name) in values


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
