"""list, search: what a role remembers."""

from typing import TYPE_CHECKING, Annotated

from rolememory.cli.choices import Kind, Origin
from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import RoleName, Text, UserName, Wait, argument, option, whole
from rolememory.cli.out import Column
from rolememory.cli.sheets import hit_text, memory_columns, memory_json, memory_row
from rolememory.cli.verbs import MEMORIES, verb
from rolememory.cli.waiting import ready, tell_without
from rolememory.cli.words import both, say

if TYPE_CHECKING:
    from rolememory.schema.memory import Memory

Limit = Annotated[int, option("--limit N", "at most so many", "最多显示几条", whole(1))]


OfKind = Annotated[
    Kind | None, option("--type episodic|semantic|trait|goal", "only of this type", "只看这一类")
]
FromSource = Annotated[
    Origin | None,
    option(
        "--source manual|user_input|summary|ai_output|inference",
        "only from this source",
        "只看这种来源",
    ),
]
WithTag = Annotated[Text, option("--tag TAG", "only with this tag", "只看带这个标签的")]
Archived = Annotated[bool, option("--archived", "only what is archived", "只看已归档的")]
Everything = Annotated[bool, option("--all", "what is archived too", "连同已归档的")]


@verb("list", MEMORIES, both("list what a role remembers", "列出角色的记忆"))
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
    with here.role(role, reading=True) as mind:
        people = mind.home.people.follow()
        found = [memory for memory in mind.memories.values() if wanted(memory)]
    _show(here, found, limit)


def _show(here: Desk, found: "list[Memory]", limit: int) -> None:
    if here.out.as_json:
        here.out.data([memory_json(memory) for memory in found[:limit]])
        return
    if found:
        here.out.table([memory_row(memory) for memory in found[:limit]], memory_columns())
    else:
        here.out.warn(say("nothing to show", "没有可显示的记忆"))
    if (more := len(found) - limit) > 0:
        here.out.warn(
            say(
                f"{more} more; --limit {len(found)} shows all",
                f"还有 {more} 条；--limit {len(found)} 可全部显示",
            )
        )


@verb(
    "search",
    MEMORIES,
    both("search what a role remembers, best first", "搜索角色的记忆，最相关的在前"),
)
def search(
    role: RoleName,
    query: Annotated[
        str, argument("QUERY", "what to look for, in any words", "要找的内容，怎么说都行")
    ],
    limit: Limit = 10,
    user: UserName = None,
    wait: Wait = False,
) -> None:
    """The ranker of `recall` with its thresholds off."""
    here = desk()
    with here.role(role, meaning=wait, reading=True) as mind:
        if wait:
            ready(here, mind)
        found = mind.search(query, limit=limit, user=user)
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
        here.out.warn(say("nothing found", "没有找到"))
    rows = [
        memory_row(one.memory)
        | {"score": f"{one.score:.2f}", "why": "; ".join(map(hit_text, one.hits))}
        for one in found
    ]
    columns = [
        column
        for column in memory_columns(Column("score", say("score", "得分"), right=True))
        if column.key in ("score", "id", "content")
    ]
    here.out.table(rows, [*columns, Column("why", say("why", "缘由"), fold=1)])
    if not wait:
        tell_without(here, query)
