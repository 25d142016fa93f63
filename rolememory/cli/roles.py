"""roles, open: who lives here, and where."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import CommandContext, desk
from rolememory.cli.options import RoleName, option
from rolememory.cli.output import TableColumn
from rolememory.cli.words import Tongue, say

if TYPE_CHECKING:
    from rolememory.engine import Home
    from rolememory.schema.role import Role
    from rolememory.storage.memories import Snapshot
    from rolememory.storage.port import Space


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
        here.out.warn(say("no roles yet; make one with `rolememory open NAME --create`"))
        return
    here.out.table(rows, _columns())


def _columns() -> list[TableColumn]:
    return [
        TableColumn("name", say("name"), style="bold"),
        TableColumn("id", "id", style="cyan"),
        TableColumn("memories", say("memories"), right=True),
        TableColumn("archived", say("archived"), right=True),
        TableColumn("worldbooks", say("worldbooks"), right=True),
        TableColumn("aliases", say("aliases"), fold=1),
        TableColumn("problems", say("problems"), right=True),
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


def open_role(
    name: RoleName,
    create: Annotated[
        bool,
        option("--create", "make the role if there is none of that name"),
    ] = False,
    edit: Annotated[bool, option("--edit", "open its memory.json in the editor")] = False,
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


def _show(here: CommandContext, home: "Home", role: "Role", made: bool) -> None:
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
        here.out.say(say("made {name}", name=role.name), "bold")
    here.out.pairs(
        [
            (say("name"), role.name),
            ("id", role.id),
            (say("aliases"), role.aliases or "-"),
            (
                say("memories"),
                say(
                    "{memories}, archived {archived}",
                    msgctxt="memories",
                    memories=row["memories"],
                    archived=row["archived"],
                ),
            ),
            (say("worldbooks"), row["worldbooks"]),
            (say("file to edit"), str(folder / "memory.json")),
        ]
    )
    for problem in problems:
        here.out.warn(problem)
