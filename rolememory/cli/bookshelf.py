"""Resolves a book on the command line: a file, a book of the home or of a role, or a shipped one."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rolememory.cli.context import check_home, home_path
from rolememory.cli.files import read_bytes
from rolememory.cli.options import argument, option
from rolememory.cli.output import out, pasted, say
from rolememory.errors import InvalidValueError, RoleMemoryError, UnknownNameError
from rolememory.schema.role import Role
from rolememory.schema.settings import ScanSettings

if TYPE_CHECKING:
    from rolememory.authoring.books import BookFile

FOUND_FAULTS = 3

BookName = Annotated[str, argument("BOOK", "a lorebook: a file, or the name of one in the home")]
BookNames = Annotated[
    list[str], argument("BOOK...", "lorebooks: files, or names of some in the home")
]
Watch = Annotated[
    bool, option("--watch -w", "run again at every change of the files, until Ctrl-C")
]
KINDS = (".json", ".png", ".charx")


def book_path(name: str) -> Path:
    """The file with this name.

    Raises:
        UnknownNameError: there is none of that name.
    """
    path = Path(name).expanduser()
    if path.is_file():
        return path
    from rolememory.shipped import shipped

    home = home_path().expanduser()
    shelves = (
        shipped("worldbook_rules", "worldbooks").glob("*.json"),
        home.glob("*/worldbooks/[!.]*"),
        home.glob("worldbooks/[!.]*"),
    )
    known = {
        found.stem: found for shelf in shelves for found in sorted(shelf) if found.suffix in KINDS
    }
    for found in known.values():
        if name in (found.name, found.stem):
            return found
    raise UnknownNameError("worldbook", name, known, remedy="give the path of its file")


def book_or_role(name: str) -> Path:
    """The file of a book, or of the only book that the role of this name has.

    Raises:
        UnknownNameError: no book or role has this name.
        InvalidValueError: the role has no book, or several.
    """
    try:
        return book_path(name)
    except UnknownNameError as error:
        if (meant := _role(name)) is None:
            raise error from None
    books = sorted((meant[1] / "worldbooks").glob("[!.]*"))
    found = [path for path in books if path.suffix in KINDS]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(path.stem for path in found) or say("none")
    raise InvalidValueError(
        "{name} has {count} books ({listed}); name the one you mean",
        name=name,
        count=len(found),
        listed=listed,
    )


def card_path(name: str) -> Path:
    """The file of a card, or of the card that the role of this name was imported from.

    Raises:
        InvalidValueError: no file or role has this name, or the role has no card.
    """
    path = Path(name).expanduser()
    if path.exists():
        return path
    if (found := _role(name)) is None:
        raise InvalidValueError(
            "{name} is neither a file nor a role; `rolememory roles` lists the roles", name=name
        )
    role, folder = found
    if not role.card:
        raise InvalidValueError(
            "{name} has no card; `rolememory card export {role} --out FILE` makes one",
            name=name,
            role=pasted(name),
        )
    return folder / Path(role.card).name


def _role(name: str) -> tuple[Role, Path] | None:
    """The role of this name and its folder; None without such a role or without a home."""
    from rolememory.storage.home import HomeFolder

    try:
        check_home()
        folder = HomeFolder(home_path())
        role = folder.find(name)
    except (UnknownNameError, InvalidValueError):
        return None
    return role, folder.folder(role.id)


def read_file(path: Path) -> "BookFile":
    """The book in a file.

    Raises:
        FileError: unreadable, or no book.
    """
    from rolememory.authoring.books import read_book_file

    return read_book_file(read_bytes(path), str(path))


def settings_of(rules: str | None) -> ScanSettings:
    """The home's scan settings if there is one, else the defaults; with these rules, if given.

    Raises:
        UnknownNameError: no such rules.
        SettingsError: the home's settings cannot be read.
    """
    from rolememory.recall.lore.rules import under
    from rolememory.storage.settings import load_settings

    home = home_path().expanduser()
    lore = (
        load_settings(home).settings.lore
        if (home / "rolememory.toml").is_file()
        else ScanSettings()
    )
    return under(rules, lore)


def again(once: Callable[[], int], paths: Sequence[Path] = (), watch: bool = False) -> None:
    """Run once, and exit with code 3 on faults; with --watch on every change, where errors only warn.

    Raises:
        Exit: faults were found.
    """
    if not watch:
        if once():
            raise typer.Exit(FOUND_FAULTS)
        return
    from rolememory.authoring.poll_files import changes

    following = changes(paths)
    _or_warn(once)
    for _ in following:
        out.line(f"── {', '.join(path.name for path in paths)}", "bold")
        _or_warn(once)


def _or_warn(once: Callable[[], int]) -> None:
    try:
        once()
    except RoleMemoryError as error:
        out.warn(error)
