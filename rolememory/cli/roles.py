"""init, roles, open: homes and their roles."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import home_path, open_home
from rolememory.cli.embedding_status import EmbeddingStatus, look
from rolememory.cli.options import RoleName, argument, option
from rolememory.cli.output import out, say, worded
from rolememory.cli.words import ProcessLanguage
from rolememory.text.width import cells, padded

if TYPE_CHECKING:
    from rolememory.engine import Home
    from rolememory.schema.role import Role


def roles() -> None:
    """One row per role; what cannot be read is told on standard error."""
    with open_home() as home:
        rows = [_row(home, role) for role in home.roles()]
        out.warn(*home.folder.problems())
    columns = "name id memories archived worldbooks aliases problems"
    out.listing(rows, columns, say("no roles yet; make one with `rolememory open NAME --create`"))


def _row(home: "Home", role: "Role") -> dict[str, Any]:
    found = home.role(role.id).store.snapshot()
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


def _show(home: "Home", role: "Role", made: bool) -> None:
    folder = home.folder.folder(role.id)
    found = home.role(role.id).store.snapshot()
    problems = list(map(worded, found.problems))
    row = _row(home, role) | {
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
    place = "" if str(home) == "memories" else f" --home {quote(str(home))}"
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
