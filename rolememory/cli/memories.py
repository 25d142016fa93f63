"""list, search: what a role remembers."""

from typing import Annotated

from rolememory.cli.context import open_role, tell_listeners
from rolememory.cli.embedding_status import ready, tell_without
from rolememory.cli.memory_rows import MEMORY_COLUMNS, hit_text, memory_json, memory_row
from rolememory.cli.options import (
    RoleName,
    Text,
    UserName,
    Wait,
    argument,
    option,
    whole,
)
from rolememory.cli.output import out, picked, say

Limit = Annotated[int, option("--limit N", "at most so many", whole(1))]


def list_memories(
    role: RoleName,
    kind: Annotated[
        Text, option("--type episodic|semantic|trait|goal", "only of this type")
    ] = None,
    source: Annotated[
        Text,
        option("--source manual|user_input|summary|ai_output|inference", "only from this source"),
    ] = None,
    tag: Annotated[Text, option("--tag TAG", "only with this tag")] = None,
    user: UserName = None,
    archived: Annotated[bool, option("--archived", "only what is archived")] = False,
    everything: Annotated[bool, option("--all", "include archived memories")] = False,
    limit: Limit = 1000,
) -> None:
    """In the order of the file."""
    from rolememory.recall.active_set import standing

    with open_role(role, reading=True) as role_memory:
        active = standing(role_memory.memories, role_memory.chats.visible_from(None))
        people = role_memory.parts.context.home.people.follow()
        found = [
            memory
            for memory in role_memory.memories.values()
            if (everything or memory.archived == archived)
            and kind in (None, memory.type.value)
            and source in (None, memory.source.value)
            and (tag is None or tag in memory.tags)
            and (user is None or people.is_for(memory.user, user))
        ]
    shown = found[:limit]
    out.listing(
        list(map(memory_json, shown)),
        MEMORY_COLUMNS,
        say("nothing to show"),
        [memory_row(one, counts=active.holds(one.id)) for one in shown],
    )
    if (more := len(found) - limit) > 0 and not out.as_json:
        out.warn(say("{more} more; --limit {count} shows all", more=more, count=len(found)))


def search(
    role: RoleName,
    query: Annotated[str, argument("QUERY", "what to look for, in any words")],
    limit: Limit = 10,
    user: UserName = None,
    wait: Wait = False,
) -> None:
    """The ranker of `recall` with its thresholds off."""
    with open_role(role, meaning=wait, reading=True) as role_memory:
        if wait:
            ready(role_memory)
        found = role_memory.search(query, limit=limit, user=user)
    values = [
        picked(one, "score relevance")
        | {"memory": memory_json(one.memory), "why": list(map(hit_text, one.hits))}
        for one in found
    ]
    rows = [
        memory_row(one.memory) | {"score": f"{one.score:.2f}", "why": "; ".join(value["why"])}
        for one, value in zip(found, values, strict=True)
    ]
    out.listing(values, "score id content why", say("nothing found"), rows)
    if not rows:
        tell_listeners(role_memory, user)
    if not wait:
        tell_without(query)
