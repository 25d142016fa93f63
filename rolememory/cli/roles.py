"""init, roles, open, role delete, role restore: homes and their roles."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import home_path, open_home
from rolememory.cli.embedding_status import EmbeddingStatus, look
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import RoleName, Yes, argument, option
from rolememory.cli.output import out, pasted, picked, say, worded
from rolememory.errors import UnknownRoleError
from rolememory.schema.role import Role
from rolememory.text.width import cells, padded

if TYPE_CHECKING:
    from rolememory.engine import Home, RoleMemory


def roles(
    deleted: Annotated[
        bool, option("--deleted", "the deleted ones, which `role restore` brings back")
    ] = False,
) -> None:
    """One row per role; what cannot be read is told on standard error."""
    with open_home() as home:
        if deleted:
            _list_deleted(home.deleted())
            return
        listed = [home.of_role(role.id, partial(_row, home)) for role in home.roles()]
        rows = [row for row in listed if row]
        out.warn(*home.folder.problems())
    columns = "name id memories archived worldbooks aliases problems"
    out.listing(rows, columns, say("no roles yet; make one with `rolememory open NAME --create`"))


def _list_deleted(roles: Sequence[Role]) -> None:
    rows = [picked(role, "name id") | {"aliases": list(role.aliases)} for role in roles]
    out.listing(rows, "name id aliases", say("no deleted roles"))


def delete(
    role: RoleName,
    for_good: Annotated[
        bool, option("--for-good", "leave nothing behind; also of a role that was deleted before")
    ] = False,
    yes: Yes = False,
) -> None:
    """Without a terminal it wants --yes."""
    with open_home() as home:
        row = _would_go(home, role, for_good)
        question = say("delete {name}?", **row)
        if for_good:
            question = say("delete {name} for good?", **row)
        if out.asks and not yes:
            out.say("{name}: memories {memories}, chats {chats}", **row)
            out.say("`{command}` keeps a copy", command=f"rolememory export {pasted(row['name'])}")
        if not out.sure(question, yes):
            return
        home.delete(row["id"], for_good=for_good)
    if out.json(row):
        return
    out.say("{name} is deleted", style="bold", **row)
    if not for_good:
        command = f"rolememory role restore {pasted(row['name'])}"
        out.say("`{command}` brings it back", command=command)


def _would_go(home: "Home", name: str, for_good: bool) -> dict[str, Any]:
    """What of a role would be deleted; of one that was deleted before nothing is counted."""
    try:
        role = home.folder.find(name)
    except UnknownRoleError:
        if not for_good:
            raise
        return picked(home.folder.find_deleted(name), "id name") | {"for_good": True}
    found = home.role(role.id)
    memories = found.store.snapshot().memories
    chats = found.chats.chats(archived=True)
    return picked(role, "id name") | {
        "memories": len(memories),
        "chats": len(chats),
        "for_good": for_good,
    }


def restore(role: RoleName) -> None:
    """By name, alias or id, as `roles --deleted` shows them."""
    with open_home() as home:
        restored = home.restore(role).role
    out.result(picked(restored, "id name"), say("{name} is back", name=restored.name))


def _row(home: "Home", role_memory: "RoleMemory") -> dict[str, Any]:
    role = role_memory.role
    found = role_memory.store.snapshot()
    archived = sum(memory.archived for memory in found.memories.values())
    own = (home.folder.folder(role.id) / "worldbooks").glob("[!.]*")
    return {
        "name": role.name,
        "id": role.id,
        "aliases": list(role.aliases),
        "memories": len(found.memories) - archived,
        "archived": archived,
        "worldbooks": sum(map(Path.is_file, own)) + len(role.worldbooks),
        "problems": len(found.problems),
    }


def open_role(
    name: RoleName,
    create: Annotated[bool, option("--create", "create the role if it does not exist")] = False,
) -> None:
    """Show or make a role."""
    with open_home() as home:
        known = {one.id for one in home.roles()}
        role = home.role(name, create=True).role if create else home.folder.find(name)
        made = role.id not in known
        _show(home, role, made)


def _show(home: "Home", role: Role, made: bool) -> None:
    folder = home.folder.folder(role.id)
    found = home.role(role.id).store.snapshot()
    problems = list(map(worded, found.problems))
    row = _row(home, home.role(role.id)) | {
        "folder": str(folder),
        "made": made,
        "writable": found.writable,
        "problems": problems,
    }
    if out.json(row):
        return
    if made:
        out.say("made {name}", style="bold", name=role.name)
    told = say("{memories}, archived {archived}", msgctxt="memories", **row)
    shown = row | {"memories": told, "file": str(folder / "memory.json")}
    out.record(shown, "name id aliases memories worldbooks file")
    out.warn(*problems)


def init(
    path: Annotated[
        Path | None, argument("[PATH]", "where; default: --home, else memories")
    ] = None,
) -> None:
    """Make what is not there yet; what is there stays as it is."""
    from rolememory.storage.home import init as found

    home = path or home_path()
    made = found(home, ProcessLanguage.language)
    meaning = look(home)
    if out.json(
        {
            "home": str(home.expanduser().resolve()),
            "made": [str(one) for one in made],
            "meaning": meaning.as_json(),
        }
    ):
        return
    out.line(
        say("{home}: ready", home=home)
        if made
        else say("{home}: is there already, nothing changed", home=home),
        "bold",
    )
    out.line(meaning.text())
    for line in _next(home, meaning):
        out.line(line)


def _next(home: Path, meaning: EmbeddingStatus) -> list[str]:
    """The next steps, one command per line."""
    place = "" if str(home) == "memories" else f" --home {pasted(str(home))}"
    rows: list[tuple[Any, str]] = [
        ("rolememory demo", say("see what it does")),
        (f"rolememory open {say('Mira')} --create{place}", say("make a role")),
        (
            f'''rolememory add {say("Mira")} "{say("The beacon failed in the storm of 1887.")}"{place}''',
            say("tell it something"),
        ),
        (
            f'''rolememory recall {say("Mira")} "{say("Why is the beacon dark?")}"{place}''',
            say("ask"),
        ),
    ]
    wide = max(cells(command) for command, _ in rows)
    told = (f"  {padded(command, wide)}  # {what}" for command, what in rows)
    return ["", say("next:"), *told]
