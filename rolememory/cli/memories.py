"""list, search: what a role remembers."""

from typing import TYPE_CHECKING, Annotated

from rolememory.cli.choices import MemoryTypeChoice, SourceChoice
from rolememory.cli.context import CommandContext, desk
from rolememory.cli.memory_rows import hit_text, memory_columns, memory_json, memory_row
from rolememory.cli.options import RoleName, Text, UserName, Wait, argument, option, whole
from rolememory.cli.output import TableColumn
from rolememory.cli.wait_for_model import ready, tell_without
from rolememory.cli.words import say

if TYPE_CHECKING:
    from rolememory.schema.memory import Memory

Limit = Annotated[int, option("--limit N", "at most so many", whole(1))]


OfKind = Annotated[
    MemoryTypeChoice | None, option("--type episodic|semantic|trait|goal", "only of this type")
]
FromSource = Annotated[
    SourceChoice | None,
    option("--source manual|user_input|summary|ai_output|inference", "only from this source"),
]
WithTag = Annotated[Text, option("--tag TAG", "only with this tag")]
Archived = Annotated[bool, option("--archived", "only what is archived")]
Everything = Annotated[bool, option("--all", "what is archived too")]


def list_memories(
    role: RoleName,
    kind: OfKind = None,
    source: FromSource = None,
    tag: WithTag = None,
    user: UserName = None,
    archived: Archived = False,
    everything: Everything = False,
    limit: Limit = 1000,
) -> None:
    """In the order of the file."""

    def wanted(memory: "Memory") -> bool:
        return (
            (everything or memory.archived == archived)
            and (kind is None or memory.type.value == kind.value)
            and (source is None or memory.source.value == source.value)
            and (tag is None or tag in memory.tags)
            and (user is None or people.is_for(memory.user, user))
        )

    here = desk()
    with here.role(role, reading=True) as role_memory:
        people = role_memory.parts.context.home.people.follow()
        found = [memory for memory in role_memory.memories.values() if wanted(memory)]
    _show(here, found, limit)


def _show(here: CommandContext, found: "list[Memory]", limit: int) -> None:
    if here.out.as_json:
        here.out.data([memory_json(memory) for memory in found[:limit]])
        return
    if found:
        here.out.table([memory_row(memory) for memory in found[:limit]], memory_columns())
    else:
        here.out.warn(say("nothing to show"))
    if (more := len(found) - limit) > 0:
        here.out.warn(say("{more} more; --limit {count} shows all", more=more, count=len(found)))


def search(
    role: RoleName,
    query: Annotated[str, argument("QUERY", "what to look for, in any words")],
    limit: Limit = 10,
    user: UserName = None,
    wait: Wait = False,
) -> None:
    """The ranker of `recall` with its thresholds off."""
    here = desk()
    with here.role(role, meaning=wait, reading=True) as role_memory:
        if wait:
            ready(here, role_memory)
        found = role_memory.search(query, limit=limit, user=user)
    if here.out.as_json:
        rows = [
            {
                "score": one.score,
                "relevance": one.relevance,
                "memory": memory_json(one.memory),
                "why": [hit_text(hit) for hit in one.hits],
            }
            for one in found
        ]
        here.out.data(rows)
        return
    if not found:
        here.out.warn(say("nothing found"))
    rows = [
        memory_row(one.memory)
        | {"score": f"{one.score:.2f}", "why": "; ".join(map(hit_text, one.hits))}
        for one in found
    ]
    columns = [
        column
        for column in memory_columns(TableColumn("score", say("score"), right=True))
        if column.key in ("score", "id", "content")
    ]
    here.out.table(rows, [*columns, TableColumn("why", say("why"), fold=1)])
    if not wait:
        tell_without(here, query)
