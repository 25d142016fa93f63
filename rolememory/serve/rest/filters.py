"""Filtering and sorting of memory lists."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import Depends, Query

from rolememory.recall.active_set import ActiveSet
from rolememory.schema.memory import Memory, MemoryType, in_utc
from rolememory.schema.value_class import value_class
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


@value_class
class Wanted:
    """What a list is asked for; every condition must hold."""

    q: Annotated[
        str,
        Query(
            max_length=500, description="words that all occur in content, keys, tags, topics or id"
        ),
    ] = ""
    type: Annotated[tuple[Kind, ...], Query(max_length=4)] = ()
    source: Annotated[tuple[Origin, ...], Query(max_length=5)] = ()
    tag: _Listed = ()
    feeling: _Listed = ()
    user: Annotated[str | None, Query(max_length=500, description='whose; "" = shared by all')] = (
        None
    )
    chat: Annotated[str | None, Query(max_length=500, description="learned from this chat")] = None
    since: Annotated[datetime | None, Query(alias="from", description="created then or later")] = (
        None
    )
    until: Annotated[datetime | None, Query(alias="to", description="created then or earlier")] = (
        None
    )
    archived: Either = "no"
    counts: Annotated[
        Either,
        Query(description="whether it is current: based on visible messages, and not superseded"),
    ] = "all"
    sort: Order = "file"


Filtered = Annotated[Wanted, Depends()]


def filtered(
    memories: Iterable[Memory], wanted: Wanted, standing: ActiveSet, same: Same
) -> list[Memory]:
    """The matching memories, sorted. Cost: O(n)."""
    words = folded_key(wanted.q).split()
    person = same(wanted.user or "")
    tests: dict[str, Test] = {
        "counts": lambda memory, choice: standing.holds(memory.id) is (choice == "yes"),
        **_TESTS,
        "user": lambda memory, _: same(memory.user or "") == person,
        **({"q": lambda memory, _: _says(memory, words)} if words else {}),
    }
    asked = [(test, getattr(wanted, name)) for name, test in tests.items()]
    asked = [(test, value) for test, value in asked if value not in (None, (), "all")]
    found = [memory for memory in memories if all(test(memory, value) for test, value in asked)]
    return ordered(found, wanted.sort)


def ordered(memories: list[Memory], order: Order) -> list[Memory]:
    """Sorted by a field; stable, so ties stay in file order."""
    if order == "file":
        return sorted(
            memories, key=lambda memory: _ARRAYS[memory.type]
        )  # the order of new ones after a checkpoint
    name = order.removeprefix("-")

    def value(memory: Memory) -> Any:
        return memory.since or _LONG_AGO if name == "created" else getattr(memory, name)

    return sorted(memories, key=value, reverse=order.startswith("-"))


_ARRAYS = {kind: place for place, kind in enumerate(MemoryType)}
Test = Callable[[Memory, Any], bool]
_TESTS: Mapping[str, Test] = {
    "archived": lambda memory, choice: memory.archived is (choice == "yes"),
    "type": lambda memory, kinds: memory.type in kinds,
    "source": lambda memory, origins: memory.source in origins,
    "tag": lambda memory, tags: set(tags) <= set(memory.tags),
    "feeling": lambda memory, feelings: not set(feelings).isdisjoint(memory.emotions),
    "chat": lambda memory, chat: any(one.chat == chat for one in memory.evidence),
    "since": lambda memory, at: memory.since is not None and memory.since >= in_utc(at),
    "until": lambda memory, at: memory.since is not None and memory.since <= in_utc(at),
}
"""The predicates of the conditions, cheap ones first."""


def _says(memory: Memory, words: list[str]) -> bool:
    named = (memory.id, memory.subject or "", *memory.keys, *memory.tags, *memory.topics)
    text = folded_key(" ".join((memory.content, *named)))
    return all(word in text for word in words)
