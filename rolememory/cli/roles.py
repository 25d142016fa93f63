"""roles, open: who lives here, and where."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import RoleName, option
from rolememory.cli.out import Column
from rolememory.cli.verbs import BEGIN, verb
from rolememory.cli.words import Tongue, both, say

if TYPE_CHECKING:
    from rolememory.engine import Home
    from rolememory.schema.role import Role
    from rolememory.storage.memories import Snapshot
    from rolememory.storage.port import Space


@verb("roles", BEGIN, both("list the roles", "列出所有角色"))
def roles() -> None:
    """One row per role; what cannot be read is told on standard error."""
    here = desk()
    with here.home() as home:
        rows = [_row(home, role) for role in home.roles()]
        for problem in home.folder.problems():
            here.out.warn(problem.text(Tongue.language))
    if here.out.as_json:
        here.out.data(rows)
        return
    if not rows:
        here.out.warn(
            say(
                "no roles yet; make one with `rolememory open NAME --create`",
                "还没有角色；可用 `rolememory open 名字 --create` 新建",
            )
        )
        return
    here.out.table(rows, _columns())


def _columns() -> list[Column]:
    return [
        Column("name", say("name", "名字"), style="bold"),
        Column("id", "id", style="cyan"),
        Column("memories", say("memories", "记忆"), right=True),
        Column("archived", say("archived", "已归档"), right=True),
        Column("worldbooks", say("worldbooks", "世界书"), right=True),
        Column("aliases", say("aliases", "别名"), fold=1),
        Column("problems", say("problems", "问题"), right=True),
    ]


def _row(home: "Home", role: "Role") -> dict[str, Any]:
    found = snapshot(home.folder.space(role.id))
    archived = sum(memory.archived for memory in found.memories.values())
    return {
        "name": role.name,
        "id": role.id,
        "aliases": list(role.aliases),
        "memories": len(found.memories) - archived,
        "archived": archived,
        "worldbooks": len(books(home.path, home.folder.folder(role.id), role)),
        "problems": len(found.problems),
    }


def snapshot(space: "Space") -> "Snapshot":
    """What the role's files hold; nothing is written, no index is built."""
    from rolememory.storage.memories import RoleStore

    return RoleStore(space).snapshot()


def books(home: Path, folder: Path, role: "Role") -> list[Path]:
    """The worldbooks of a role: its own, and the shared ones that its role.json names."""
    own = [
        path
        for path in sorted((folder / "worldbooks").glob("*"))
        if path.is_file() and not path.name.startswith(".")
    ]
    return [*own, *(home / "worldbooks" / name for name in role.worldbooks)]


@verb(
    "open",
    BEGIN,
    both(
        "show where a role lives and what it holds; make it, or edit its memories",
        "查看角色的位置和内容；也可新建，或编辑它的记忆",
    ),
)
def open_role(
    name: RoleName,
    create: Annotated[
        bool,
        option(
            "--create", "make the role if there is none of that name", "没有这个名字的角色就新建"
        ),
    ] = False,
    edit: Annotated[
        bool, option("--edit", "open its memory.json in the editor", "用编辑器打开 memory.json")
    ] = False,
) -> None:
    """Show, make or edit a role."""
    here = desk()
    with here.home() as home:
        made = create and not _known(home, name)
        role = home.create(name).role if made else home.folder.find(name)
        folder = home.folder.folder(role.id)
        if edit:
            from rolememory.cli.editor import edit_file

            edit_file(folder / "memory.json")
        _show(here, home, role, made)


def _known(home: "Home", name: str) -> bool:
    from rolememory.errors import UnknownRoleError

    try:
        home.folder.find(name)
    except UnknownRoleError:
        return False
    return True


def _show(here: Desk, home: "Home", role: "Role", made: bool) -> None:
    folder = home.folder.folder(role.id)
    found = snapshot(home.folder.space(role.id))
    problems = [problem.text(Tongue.language) for problem in found.problems]
    row = _row(home, role) | {
        "folder": str(folder),
        "made": made,
        "writable": found.writable,
        "problems": problems,
    }
    if here.out.as_json:
        here.out.data(row)
        return
    if made:
        here.out.say(say(f"made {role.name}", f"已新建{role.name}"), "bold")
    here.out.pairs(
        [
            (say("name", "名字"), role.name),
            ("id", role.id),
            (say("aliases", "别名"), role.aliases or "-"),
            (
                say("memories", "记忆"),
                say(
                    f"{row['memories']}, archived {row['archived']}",
                    f"{row['memories']} 条，另有 {row['archived']} 条已归档",
                ),
            ),
            (say("worldbooks", "世界书"), row["worldbooks"]),
            (say("file to edit", "编辑此文件"), str(folder / "memory.json")),
        ]
    )
    for problem in problems:
        here.out.warn(problem)
